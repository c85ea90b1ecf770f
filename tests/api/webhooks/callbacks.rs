//! Answers that are sent to an address later.

use super::continued::{asking, decision};
use super::{echo, outcome, post, start};
use crate::agentflows::steps::{START, Steps, failing_llm, newest_record, slow_llm};
use crate::support::Server;
use crate::support::provider::{Behaviour, Provider, RecordedRequest};
use flowkeep::app::App;
use flowkeep::base::cancel::CancelToken;
use flowkeep::domain::error::Error;
use flowkeep::domain::flows::draft::CanvasSide;
use flowkeep::domain::ids::FlowId;
use flowkeep::domain::predictions::consumption::Asker;
use flowkeep::domain::predictions::human_input::{Decision, HumanInput};
use flowkeep::domain::predictions::prediction::{ChatType, ConversationProof, Question};
use flowkeep::domain::triggers::webhook_signature::{sign_body, sign_timed_body};
use flowkeep::net::CallPurpose;
use flowkeep::ops::predictions::{self, PredictionRequest, ResumedRun};
use flowkeep::ops::triggers::webhooks::{self, CallbackTarget, PromisedRun};
use flowkeep::store::tables::WEBHOOK_CALLBACKS;
use serde_json::{Value, json};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::watch;

const PATIENCE: Duration = Duration::from_secs(20);

/// The address that answers are sent to, and the host and port of it.
fn receiver() -> (Provider, String) {
    let provider = Provider::start();
    provider.set_decision(|_| Behaviour::status(200, "{}"));
    let host = provider.base_url().trim_start_matches("http://").to_owned();
    (provider, host)
}

fn later(receiver: &Provider, more: Value) -> Value {
    let inputs =
        json!({"webhookResponseMode": "async", "callbackUrl": format!("{}/hook", receiver.base_url())});
    crate::agentflows::steps::with(inputs, more)
}

#[track_caller]
fn heard(receiver: &Provider, count: usize) -> RecordedRequest {
    assert!(receiver.wait_until(PATIENCE, |receiver| receiver.requests().len() >= count), "nothing was sent");
    receiver.last_request()
}

/// What runs beside the requests, until it is dropped.
struct Beside(Option<(watch::Sender<bool>, JoinHandle<()>)>);

impl Beside {
    fn start(app: &App) -> Self {
        let (stop, stopping) = watch::channel(false);
        let app = app.clone();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(flowkeep::tasks::webhooks::run(app, stopping));
        });
        Self(Some((stop, thread)))
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.0.take() {
            stop.send_replace(true);
            thread.join().unwrap();
        }
    }
}

#[test]
fn a_call_is_told_at_once_that_its_run_is_under_way() {
    let server = Server::start();
    let flow = echo(json!({"webhookResponseMode": "async"})).flow(&server);
    let told = post(&server, &flow, json!({"name": "Ada"})).is(202).json();
    assert_eq!(told["status"], "PROCESSING");
    assert!(told["chatId"].is_string() && told["sessionToken"].is_string(), "{told}");
}

#[test]
fn the_answer_is_sent_to_the_address_of_the_card() {
    let (receiver, host) = receiver();
    let server = Server::with(&[("SERVICE_HTTP_ALLOW", &host)]);
    let flow = echo(later(&receiver, json!({}))).flow(&server);
    let told = post(&server, &flow, json!({"name": "Ada"})).is(202).json();
    let sent = heard(&receiver, 1);
    assert_eq!((sent.method.as_str(), sent.path.as_str()), ("POST", "/hook"));
    assert_eq!((&sent.body["status"], &sent.body["chatId"]), (&json!("SUCCESS"), &told["chatId"]));
    assert_eq!(sent.body["sessionToken"], told["sessionToken"]);
    assert_eq!(sent.body["data"]["text"], "Hello Ada!");
    assert!(sent.header("x-flowkeep-signature").is_none());
    let outcome = outcome(&server);
    assert_eq!((&outcome["delivered"], &outcome["tries"]), (&json!(true), &json!(1)));
}

#[test]
fn a_secret_signs_the_answer_with_and_without_its_time() {
    let (receiver, host) = receiver();
    let server = Server::with(&[("SERVICE_HTTP_ALLOW", &host)]);
    let flow = echo(later(&receiver, json!({"callbackSecret": "top-secret"}))).flow(&server);
    post(&server, &flow, json!({"name": "Ada"})).is(202);
    let sent = heard(&receiver, 1);
    let timed = sent.header("x-flowkeep-signature").unwrap();
    let seconds = timed.strip_prefix("t=").unwrap().split(',').next().unwrap().parse().unwrap();
    assert_eq!(timed, format!("t={seconds},v1={}", sign_timed_body("top-secret", seconds, &sent.raw)));
    let plain = format!("sha256={}", sign_body("top-secret", &sent.raw));
    assert_eq!(sent.header("x-flowise-signature"), Some(plain.as_str()));
}

#[test]
fn a_run_that_waits_is_told_as_stopped_with_what_it_asks() {
    let (receiver, host) = receiver();
    let server = Server::with(&[("SERVICE_HTTP_ALLOW", &host)]);
    let flow = asking(later(&receiver, json!({}))).flow(&server);
    post(&server, &flow, json!({"name": "Ada"})).is(202);
    let sent = heard(&receiver, 1);
    assert_eq!(sent.body["status"], "STOPPED");
    assert!(sent.body["data"]["action"].is_object(), "{}", sent.body);
}

#[test]
fn an_answer_to_a_run_is_promised_before_the_run_goes_on() {
    let (receiver, host) = receiver();
    let server = Server::with(&[("SERVICE_HTTP_ALLOW", &host)]);
    let flow = asking(later(&receiver, json!({}))).flow(&server);
    let first = post(&server, &flow, json!({"name": "Ada"})).is(202).json();
    heard(&receiver, 1);
    let promised = || server.app.store.read(|tx| WEBHOOK_CALLBACKS.list(tx)).unwrap().len();
    assert!(receiver.wait_until(PATIENCE, |_| promised() == 0), "the first is not over");
    let state = || newest_record(&server)["state"].clone();
    // What cannot be promised is not begun: the run waits as before.
    let id = FlowId::parse(&flow).unwrap();
    let question = Question {
        chat_id: first["chatId"].as_str().map(str::to_owned),
        proofs: vec![ConversationProof::Token(first["sessionToken"].as_str().unwrap().to_owned())],
        human_input: Some(HumanInput {
            decision: Decision::Proceed,
            action: None,
            node: None,
            feedback: None,
        }),
        ..Question::default()
    };
    let asked = PredictionRequest {
        flow: predictions::flow(&server.app, &id).unwrap(),
        question,
        chat_type: ChatType::Webhook,
        side: CanvasSide::Live,
        asker: Asker::ANYBODY,
    };
    let mut seen = Vec::new();
    let refused =
        predictions::prepare_promised(&server.app, asked, &CancelToken::new(None), &mut |run: ResumedRun| {
            seen.push((run.chat.to_string(), run.session_token.clone(), state()));
            let ResumedRun { workspace, flow, execution, pause, .. } = run;
            let run = PromisedRun { workspace, flow, execution, pause: Some(pause) };
            let (url, purpose) = (format!("{}/hook", receiver.base_url()), CallPurpose::WrittenOut);
            let target = CallbackTarget { url, purpose, secret: None };
            webhooks::promise_callback(&server.app, run, target, "{}")?.leave();
            Err(Error::invalid("no room"))
        });
    assert!(refused.is_err());
    let text = |name: &str| first[name].as_str().unwrap().to_owned();
    assert_eq!(seen, [(text("chatId"), text("sessionToken"), json!("STOPPED"))]);
    assert_eq!(state(), "STOPPED");
    // A process that ends here has told its caller nothing, so the next one owes nobody an answer.
    webhooks::recover(&server.app).unwrap();
    assert_eq!((promised(), receiver.requests().len()), (0, 1));

    post(&server, &flow, decision(&first, "proceed")).is(202);
    let sent = heard(&receiver, 2);
    assert_eq!(
        (&sent.body["status"], &sent.body["data"]["text"]),
        (&json!("SUCCESS"), &json!("Done for Ada."))
    );
    // A second answer finds nothing, and what was promised of it is forgotten.
    post(&server, &flow, decision(&first, "proceed")).is_error(409);
    assert!(receiver.wait_until(PATIENCE, |_| promised() == 0), "a promise is left");
}

#[test]
fn a_run_that_fails_is_told_as_an_error() {
    let (receiver, host) = receiver();
    let server = Server::with(&[("SERVICE_HTTP_ALLOW", &host)]);
    let flow = Steps::begin_with(start(later(&receiver, json!({"webhookInputMode": "payload"}))))
        .card("llmAgentflow_0", "Writer", failing_llm(400))
        .edge(START, "llmAgentflow_0")
        .flow(&server);
    post(&server, &flow, json!({})).is(202);
    let sent = heard(&receiver, 1);
    assert_eq!(sent.body["status"], "ERROR");
    assert!(sent.body["error"].as_str().is_some_and(|error| error.contains("Writer")), "{}", sent.body);
}

#[test]
fn an_answer_that_is_not_taken_is_sent_again() {
    let (receiver, host) = receiver();
    receiver.push_behaviour(Behaviour::status(503, "later"));
    let server = Server::with(&[("SERVICE_HTTP_ALLOW", &host)]);
    let _beside = Beside::start(&server.app);
    let flow = echo(later(&receiver, json!({}))).flow(&server);
    post(&server, &flow, json!({"name": "Ada"})).is(202);
    let outcome = outcome(&server);
    assert_eq!((&outcome["delivered"], &outcome["tries"]), (&json!(true), &json!(2)));
    let bodies: Vec<_> = receiver.requests().iter().map(|sent| sent.body.clone()).collect();
    assert!(bodies.len() == 2 && bodies[0] == bodies[1]);
}

#[test]
fn what_became_of_an_answer_stands_in_the_record_of_its_own_run() {
    let (receiver, host) = receiver();
    receiver.push_behaviour(Behaviour::status(503, "later"));
    let server = Server::with(&[("SERVICE_HTTP_ALLOW", &host)]);
    let flow = echo(later(&receiver, json!({}))).flow(&server);
    let first = post(&server, &flow, json!({"name": "Ada"})).is(202).json();
    heard(&receiver, 1);
    let next = json!({"name": "Bob", "chatId": first["chatId"], "sessionToken": first["sessionToken"]});
    post(&server, &flow, next).is(202);
    heard(&receiver, 2);
    let tries = || {
        let page = server.read("/executions");
        let told = page["data"].as_array().unwrap().iter().map(|run| run["callback"]["tries"].clone());
        told.collect::<Vec<_>>()
    };
    let _beside = Beside::start(&server.app);
    let end = Instant::now() + PATIENCE;
    while tries().contains(&Value::Null) {
        assert!(Instant::now() < end, "{:?}", tries());
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(tries(), [json!(1), json!(2)], "the newest first");
}

#[test]
fn an_answer_that_nobody_takes_is_given_up_after_three_tries() {
    let (receiver, host) = receiver();
    receiver.set_decision(|_| Behaviour::status(500, "no"));
    let server = Server::with(&[("SERVICE_HTTP_ALLOW", &host)]);
    let _beside = Beside::start(&server.app);
    let flow = echo(later(&receiver, json!({}))).flow(&server);
    post(&server, &flow, json!({"name": "Ada"})).is(202);
    let outcome = outcome(&server);
    assert_eq!((&outcome["delivered"], &outcome["tries"]), (&json!(false), &json!(3)));
    assert!(outcome["error"].as_str().unwrap().contains("500"), "{outcome}");
    assert_eq!(receiver.requests().len(), 3);
}

#[test]
fn an_answer_that_was_not_taken_is_sent_after_a_restart() {
    let (receiver, host) = receiver();
    receiver.push_behaviour(Behaviour::status(503, "later"));
    let server = Server::with(&[("SERVICE_HTTP_ALLOW", &host)]);
    let flow = echo(later(&receiver, json!({}))).flow(&server);
    post(&server, &flow, json!({"name": "Ada"})).is(202);
    heard(&receiver, 1);
    let server = server.restart_with(&[("SERVICE_HTTP_ALLOW", &host)]);
    let _beside = Beside::start(&server.app);
    let outcome = outcome(&server);
    assert_eq!((&outcome["delivered"], &outcome["tries"]), (&json!(true), &json!(2)));
}

#[test]
fn a_run_that_the_service_did_not_end_is_told_by_the_next_start() {
    let (receiver, host) = receiver();
    let server = Server::with(&[("SERVICE_HTTP_ALLOW", &host)]);
    let flow = Steps::begin_with(start(later(&receiver, json!({"webhookInputMode": "payload"}))))
        .card("llmAgentflow_0", "Writer", slow_llm("one two three four five six seven eight", 60_000))
        .edge(START, "llmAgentflow_0")
        .flow(&server);
    let told = post(&server, &flow, json!({})).is(202).json();
    // As a process that died leaves it: what was promised is there, and no run.
    flowkeep::ops::triggers::webhooks::recover(&server.app).unwrap();
    let _beside = Beside::start(&server.app);
    let sent = heard(&receiver, 1);
    assert_eq!((&sent.body["status"], &sent.body["chatId"]), (&json!("ERROR"), &told["chatId"]));
    let execution = newest_record(&server)["id"].as_str().unwrap().to_owned();
    server.owner("POST", &format!("/executions/{execution}/stop")).send();
}

#[test]
fn a_run_that_is_under_way_when_the_tasks_begin_is_told_when_it_ends() {
    let (receiver, host) = receiver();
    let server = Server::with(&[("SERVICE_HTTP_ALLOW", &host)]);
    let flow = Steps::begin_with(start(later(&receiver, json!({"webhookInputMode": "payload"}))))
        .card("llmAgentflow_0", "Writer", slow_llm("one two three four", 600))
        .edge(START, "llmAgentflow_0")
        .flow(&server);
    post(&server, &flow, json!({})).is(202);
    let _beside = Beside::start(&server.app);
    let sent = heard(&receiver, 1);
    assert_eq!((&sent.body["status"], receiver.requests().len()), (&json!("SUCCESS"), 1));
}

#[test]
fn an_answer_goes_nowhere_when_its_flow_was_deleted() {
    let (receiver, host) = receiver();
    receiver.push_behaviour(Behaviour::status(503, "later"));
    let server = Server::with(&[("SERVICE_HTTP_ALLOW", &host)]);
    let flow = echo(later(&receiver, json!({}))).flow(&server);
    post(&server, &flow, json!({"name": "Ada"})).is(202);
    heard(&receiver, 1);
    server.owner("DELETE", &format!("/chatflows/{flow}")).send().is(200);
    let _beside = Beside::start(&server.app);
    std::thread::sleep(Duration::from_secs(5));
    assert_eq!(receiver.requests().len(), 1);
}

#[test]
fn an_address_that_is_none_is_refused_before_the_run() {
    let server = Server::start();
    let flow = echo(json!({"webhookResponseMode": "async", "callbackUrl": "not an address"})).flow(&server);
    let told = post(&server, &flow, json!({"name": "Ada"})).is_error(400);
    assert!(told.contains("Callback URL"), "{told}");
    assert!(server.messages(&flow).is_empty());
}

#[test]
fn neither_the_secret_nor_the_answer_of_a_callback_is_readable_in_a_file_of_the_history() {
    let (receiver, host) = receiver();
    receiver.set_decision(|_| Behaviour::status(500, "no"));
    let server = Server::with(&[("SERVICE_HTTP_ALLOW", &host)]);
    let flow = echo(later(&receiver, json!({"callbackSecret": "Zq7-Tk2_Wx-callback"}))).flow(&server);
    let told = post(&server, &flow, json!({"name": "Ada"})).is(202).json();
    heard(&receiver, 1);
    assert!(server.files_with(told["sessionToken"].as_str().unwrap()).is_empty());
    let versions = server.files_with("Zq7-Tk2_Wx-callback");
    assert!(versions.iter().all(|path| !path.contains("versions")), "{versions:?}");
}
