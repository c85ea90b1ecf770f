//! What a webhook promised to send is sent after a kill: once, and signed.

use super::program::Program;
use super::provider::{Behaviour, Provider, RecordedRequest, Reply};
use super::steps::{START, Steps, openai_llm, reply, with};
use super::{COMMIT_MAX, House, INTERRUPTED, make_key};
use flowkeep::domain::triggers::webhook_signature::{sign_body, sign_timed_body};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

const SECRET: &str = "top-secret";
const PATIENCE: Duration = Duration::from_secs(30);
/// Longer than the longest wait between two tries.
const QUIET: Duration = Duration::from_secs(8);

/// A Start whose answers go to this address.
fn start(receiver: &Provider) -> Steps {
    Steps::begin_with(json!({
        "startInputType": "webhookTrigger", "webhookInputMode": "payload", "webhookResponseMode": "async",
        "callbackUrl": format!("{}/hook", receiver.base_url()), "callbackSecret": SECRET,
    }))
}

fn serve(data: &Path, receiver: &Provider) -> Program {
    let host = receiver.base_url().trim_start_matches("http://").to_owned();
    Program::serve_with(data, &[], &[("SERVICE_HTTP_ALLOW", &host)])
}

/// Calls the webhook; what it answers at once.
#[track_caller]
fn call(service: &Program, flow: &str) -> Value {
    let answer = service.call("POST", &format!("/api/v1/webhook/{flow}"), &[], &json!({"name": "Ada"}));
    assert_eq!(answer.status(), 202, "{}", answer.text());
    answer.json()
}

/// What arrived, once so many did; and nothing more comes.
#[track_caller]
fn last_of(receiver: &Provider, count: usize) -> RecordedRequest {
    assert!(receiver.wait_until(PATIENCE, |receiver| receiver.requests().len() >= count), "nothing was sent");
    std::thread::sleep(QUIET);
    assert_eq!(receiver.requests().len(), count, "it was sent again");
    receiver.last_request()
}

#[track_caller]
fn assert_signed(sent: &RecordedRequest) {
    let timed = sent.header("x-flowkeep-signature").unwrap();
    let seconds = timed.strip_prefix("t=").unwrap().split(',').next().unwrap().parse().unwrap();
    assert_eq!(timed, format!("t={seconds},v1={}", sign_timed_body(SECRET, seconds, &sent.raw)));
    let plain = format!("sha256={}", sign_body(SECRET, &sent.raw));
    assert_eq!(sent.header("x-flowise-signature"), Some(plain.as_str()));
}

#[test]
fn an_answer_that_nobody_took_before_a_kill_is_sent_after_it() {
    let receiver = Provider::start();
    receiver.set_decision(|_| Behaviour::status(503, "later"));
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let service = serve(&data, &receiver);
    let key = make_key(&data);
    let steps = start(&receiver)
        .card("directReplyAgentflow_0", "Reply", reply("Hello {{ $webhook.body.name }}!"))
        .edge(START, "directReplyAgentflow_0");
    let flow = service.make_agentflow(&key, "later", &steps.text());
    let told = call(&service, &flow);
    assert!(receiver.wait_until(PATIENCE, |receiver| !receiver.requests().is_empty()), "nothing was sent");
    service.kill();
    let before = receiver.requests().len();
    receiver.set_decision(|_| Behaviour::status(200, "{}"));
    let house = House { program: serve(&data, &receiver), key };
    let sent = last_of(&receiver, before + 1);
    assert_eq!((&sent.body["status"], &sent.body["chatId"]), (&json!("SUCCESS"), &told["chatId"]));
    assert_eq!(sent.body["data"]["text"], "Hello Ada!");
    assert_signed(&sent);
    assert_eq!(house.executions()[0]["callback"]["delivered"], true);
}

#[test]
fn the_end_of_a_run_that_a_kill_cut_off_is_told_to_its_address() {
    let (receiver, models) = (Provider::start(), Provider::start());
    receiver.set_decision(|_| Behaviour::status(200, "{}"));
    models.set_decision(|_| Behaviour::Reply(Reply { first_byte: PATIENCE * 4, ..Reply::text("Never.") }));
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let service = serve(&data, &receiver);
    let key = make_key(&data);
    let model = with(openai_llm(&models.base_url(), "model-1"), json!({"llmEnableMemory": false}));
    let steps = start(&receiver).card("llmAgentflow_0", "Model", model).edge(START, "llmAgentflow_0");
    let flow = service.make_agentflow(&key, "later", &steps.text());
    let told = call(&service, &flow);
    assert!(models.wait_until(PATIENCE, |models| !models.requests().is_empty()), "no model was asked");
    // The record of the run is written by then.
    std::thread::sleep(COMMIT_MAX);
    service.kill();
    assert!(receiver.requests().is_empty());
    let house = House { program: serve(&data, &receiver), key };
    let sent = last_of(&receiver, 1);
    assert_eq!((&sent.body["status"], &sent.body["chatId"]), (&json!("ERROR"), &told["chatId"]));
    assert!(sent.body["error"].as_str().is_some_and(|error| !error.is_empty()), "{}", sent.body);
    assert_signed(&sent);
    let run = &house.executions()[0];
    assert_eq!((&run["state"], &run["error"]), (&json!("ERROR"), &json!(INTERRUPTED)));
    assert_eq!(run["callback"]["delivered"], true);
    assert!(house.program.stop().success());
    let again = serve(&data, &receiver);
    last_of(&receiver, 1);
    assert!(again.stop().success());
}
