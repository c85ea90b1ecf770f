//! Flows that calls of their webhooks start (manual 17).

mod addresses;
mod callbacks;
mod calls;
mod continued;
mod listeners;
mod repeated;
mod signatures;

use crate::agentflows::steps::{START, Steps, reply, with};
use crate::support::Server;
use crate::support::client::Call;
use flowkeep::domain::ids::{FlowId, WebhookListenerId};
use flowkeep::domain::triggers::webhook_signature::{sign_body, sign_timed_body};
use serde_json::{Value, json};
use std::thread;
use std::time::{Duration, Instant};

const REPLY: &str = "directReplyAgentflow_0";

/// The inputs of a Start by webhook.
pub fn start(inputs: Value) -> Value {
    with(json!({"startInputType": "webhookTrigger"}), inputs)
}

/// A flow that a call starts and that says this.
pub fn saying(inputs: Value, text: &str) -> Steps {
    Steps::begin_with(start(inputs)).card(REPLY, "Reply", reply(text)).edge(START, REPLY)
}

/// A flow that says the name in the body of the call.
pub fn echo(inputs: Value) -> Steps {
    saying(inputs, "Hello {{ $webhook.body.name }}!")
}

/// A call of a flow's webhook.
pub fn call(server: &Server, flow: &str) -> Call {
    server.call("POST", &format!("/webhook/{flow}"))
}

/// A call with this body.
pub fn post(server: &Server, flow: &str, body: Value) -> crate::support::Answer {
    call(server, flow).json(&body).send()
}

/// Makes the secret of a flow's webhook.
pub fn generate_secret(server: &Server, flow: &str) -> String {
    let told = server.owner("POST", &format!("/chatflows/{flow}/webhook-secret")).send().is(200).json();
    told["webhookSecret"].as_str().unwrap().to_owned()
}

/// A signed call.
pub fn signed(server: &Server, flow: &str, secret: &str, body: &str) -> Call {
    let signature = sign_body(secret, body.as_bytes());
    call(server, flow).bytes("application/json", body).header("X-Webhook-Signature", &signature)
}

/// A call that is signed with the time `ago` seconds ago.
pub fn timed(server: &Server, flow: &str, secret: &str, body: &str, ago: i64) -> Call {
    let seconds = jiff::Timestamp::now().as_second() - ago;
    let signature = format!("t={seconds},v1={}", sign_timed_body(secret, seconds, body.as_bytes()));
    call(server, flow).bytes("application/json", body).header("X-Webhook-Signature", &signature)
}

/// Notes that the owner is going to watch a flow.
pub fn register(server: &Server, flow: &str) -> String {
    let told = server.owner("POST", &format!("/webhook-listener/{flow}/register")).send().is(200).json();
    told["listenerId"].as_str().unwrap().to_owned()
}

/// Ends a stream of what is watched once somebody reads it, which else would go on for ever.
pub fn end_when_read(server: &Server, flow: &str, listener: &str) {
    let (app, flow) = (server.app.clone(), FlowId::parse(flow).unwrap());
    let listener = WebhookListenerId::parse(listener).unwrap();
    let looks = move || {
        for _ in 0..1_000 {
            if app.state.webhook_listeners.has_readers(&flow) {
                break;
            }
            thread::sleep(Duration::from_millis(10));
        }
        app.state.webhook_listeners.remove(&flow, &listener);
    };
    drop(thread::spawn(looks));
}

/// What the record of the newest run says of its answer that was sent later, once it says something.
#[track_caller]
pub fn outcome(server: &Server) -> Value {
    let end = Instant::now() + Duration::from_secs(20);
    while Instant::now() < end {
        let page = server.read("/executions");
        let callback = &page["data"][0]["callback"];
        if !callback.is_null() {
            return callback.clone();
        }
        thread::sleep(Duration::from_millis(50));
    }
    panic!("no outcome was noted");
}
