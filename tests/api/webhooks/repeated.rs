//! Calls that are repeated under one Idempotency-Key.

use super::{call, echo, generate_secret, start, timed};
use crate::agentflows::steps::{START, Steps, failing_llm, slow_llm, with};
use crate::support::Server;
use crate::support::client::{Answer, Call};
use serde_json::{Value, json};
use std::thread;
use std::time::Duration;

fn keyed(server: &Server, flow: &str, key: &str, body: &Value) -> Call {
    call(server, flow).header("Idempotency-Key", key).json(body)
}

fn send(server: &Server, flow: &str, key: &str, body: &Value) -> Answer {
    keyed(server, flow, key, body).send()
}

/// A flow whose model takes a while.
fn slow(more: Value) -> Steps {
    let inputs = with(json!({"webhookInputMode": "payload"}), more);
    Steps::begin_with(start(inputs))
        .card("llmAgentflow_0", "Writer", slow_llm("one two three four", 300))
        .edge(START, "llmAgentflow_0")
}

#[test]
fn a_repeated_call_gets_the_first_answer_and_starts_nothing() {
    let server = Server::start();
    let flow = echo(json!({})).flow(&server);
    let first = send(&server, &flow, "k1", &json!({"name": "Ada"})).is(200);
    let second = send(&server, &flow, "k1", &json!({"name": "Ada"})).is(200);
    assert_eq!(first.json(), second.json());
    assert_eq!(server.messages(&flow).len(), 2);
}

#[test]
fn another_key_is_another_call() {
    let server = Server::start();
    let flow = echo(json!({})).flow(&server);
    let chat = |key| send(&server, &flow, key, &json!({"name": "Ada"})).is(200).json()["chatId"].clone();
    assert_ne!(chat("k1"), chat("k2"));
}

#[test]
fn the_same_key_means_nothing_to_another_flow() {
    let server = Server::start();
    let (one, other) = (echo(json!({})).flow(&server), echo(json!({})).flow(&server));
    send(&server, &one, "k", &json!({"name": "Ada"})).is(200);
    let told = send(&server, &other, "k", &json!({"name": "Bob"})).is(200).json();
    assert_eq!(told["text"], "Hello Bob!");
}

#[test]
fn another_body_under_the_same_key_is_refused() {
    let server = Server::start();
    let flow = echo(json!({})).flow(&server);
    send(&server, &flow, "k", &json!({"name": "Ada"})).is(200);
    let told = send(&server, &flow, "k", &json!({"name": "Bob"})).is_error(422);
    assert!(told.contains("Idempotency-Key"), "{told}");
}

#[test]
fn of_two_calls_at_once_one_runs_and_the_other_is_told_to_wait() {
    let server = Server::start();
    let flow = slow(json!({})).flow(&server);
    let first = keyed(&server, &flow, "k", &json!({"a": 1}));
    let second = first.clone();
    let running = thread::spawn(move || first.send());
    thread::sleep(Duration::from_millis(400));
    let told = second.send().is_error(409);
    assert!(told.contains("still being answered"), "{told}");
    send(&server, &flow, "k", &json!({"a": 2})).is_error(422);
    let answer = running.join().unwrap().is(200).json();
    assert_eq!(second.send().is(200).json(), answer);
}

#[test]
fn a_race_of_calls_with_one_key_starts_one_run() {
    let server = Server::start();
    let flow = echo(json!({})).flow(&server);
    let one = keyed(&server, &flow, "k", &json!({"name": "Ada"}));
    let calls: Vec<_> = (0..8)
        .map(|_| {
            let one = one.clone();
            thread::spawn(move || one.send())
        })
        .collect();
    for call in calls {
        let answer = call.join().unwrap();
        assert!(matches!(answer.status, 200 | 409), "{answer:?}");
    }
    assert_eq!(server.messages(&flow).len(), 2);
}

#[test]
fn a_first_answer_outlives_a_restart() {
    let server = Server::start();
    let flow = echo(json!({})).flow(&server);
    let first = send(&server, &flow, "k", &json!({"name": "Ada"})).is(200).json();
    let server = server.restart();
    assert_eq!(send(&server, &flow, "k", &json!({"name": "Ada"})).is(200).json(), first);
}

#[test]
fn a_failure_of_the_flow_is_not_kept() {
    let server = Server::start();
    let failing = Steps::begin_with(start(json!({})))
        .card("llmAgentflow_0", "Writer", failing_llm(400))
        .edge(START, "llmAgentflow_0");
    let flow = failing.flow(&server);
    send(&server, &flow, "k", &json!({"name": "Ada"})).is_error(500);
    let fields = json!({"flowData": echo(json!({})).text()});
    server.put(&format!("/chatflows/{flow}"), &fields);
    send(&server, &flow, "k", &json!({"name": "Ada"})).is(200);
}

#[test]
fn a_refusal_of_the_call_is_kept() {
    let server = Server::start();
    let wanting =
        json!({"webhookEnableValidation": true, "webhookBodyParams": [{"name": "id", "required": true}]});
    let flow = echo(wanting).flow(&server);
    let first = send(&server, &flow, "k", &json!({"name": "Ada"})).is_error(400);
    server.put(&format!("/chatflows/{flow}"), &json!({"flowData": echo(json!({})).text()}));
    assert_eq!(send(&server, &flow, "k", &json!({"name": "Ada"})).is_error(400), first);
}

#[test]
fn a_streamed_answer_is_repeated_as_json() {
    let server = Server::start();
    let flow = echo(json!({"webhookResponseMode": "stream"})).flow(&server);
    send(&server, &flow, "k", &json!({"name": "Ada"})).events();
    let second = send(&server, &flow, "k", &json!({"name": "Ada"})).is(200).json();
    assert_eq!(second["text"], "Hello Ada!");
}

#[test]
fn a_call_that_is_answered_later_is_repeated_at_once() {
    let server = Server::start();
    let flow = slow(json!({"webhookResponseMode": "async"})).flow(&server);
    let first = send(&server, &flow, "k", &json!({"a": 1})).is(202).json();
    assert_eq!(send(&server, &flow, "k", &json!({"a": 1})).is(202).json(), first);
}

#[test]
fn a_repeated_key_is_looked_at_before_a_repeated_signature() {
    let server = Server::start();
    let flow = echo(json!({"webhookEnableAuth": true})).flow(&server);
    let secret = generate_secret(&server, &flow);
    let sent = timed(&server, &flow, &secret, r#"{"name": "Ada"}"#, 0);
    let keyed = sent.clone().header("Idempotency-Key", "k");
    let first = keyed.send().is(200).json();
    assert_eq!(keyed.send().is(200).json(), first);
    sent.header("Idempotency-Key", "other").send().is_error(409);
}

#[test]
fn a_key_that_is_no_visible_text_is_refused() {
    let server = Server::start();
    let flow = echo(json!({})).flow(&server);
    for key in ["a b", &"x".repeat(256)] {
        let told = send(&server, &flow, key, &json!({})).is_error(400);
        assert!(told.contains("Idempotency-Key"), "{told}");
    }
}

#[test]
fn kept_answers_are_readable_in_no_file() {
    let server = Server::start();
    let flow = echo(json!({})).flow(&server);
    let told = send(&server, &flow, "k", &json!({"name": "Ada"})).is(200).json();
    assert!(server.files_with(told["sessionToken"].as_str().unwrap()).is_empty());
}
