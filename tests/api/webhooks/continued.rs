//! Conversations that calls go on with.

use super::{echo, post, start};
use crate::agentflows::steps::{START, Steps, question, reply};
use crate::support::Server;
use serde_json::{Value, json};

const ASK: &str = "humanInputAgentflow_0";

/// A call, a person who decides, and a reply for each decision.
pub(super) fn asking(inputs: Value) -> Steps {
    Steps::begin_with(start(inputs))
        .card(ASK, "Ask", question("Shall I?"))
        .card("directReplyAgentflow_0", "Yes", reply("Done for {{ $webhook.body.name }}."))
        .card("directReplyAgentflow_1", "No", reply("Left alone."))
        .edge(START, ASK)
        .choice(ASK, 0, "directReplyAgentflow_0")
        .choice(ASK, 1, "directReplyAgentflow_1")
}

/// The body that answers a run.
pub(super) fn decision(first: &Value, kind: &str) -> Value {
    json!({"chatId": first["chatId"], "sessionToken": first["sessionToken"], "humanInput": {"type": kind}})
}

#[test]
fn an_answer_carries_its_conversation_and_the_proof_of_it() {
    let server = Server::start();
    let flow = echo(json!({})).flow(&server);
    let told = post(&server, &flow, json!({"name": "Ada"})).is(200).json();
    assert!(told["chatId"].is_string() && told["sessionToken"].is_string(), "{told}");
}

#[test]
fn a_call_with_the_proof_goes_on_with_its_conversation() {
    let server = Server::start();
    let flow = echo(json!({})).flow(&server);
    let first = post(&server, &flow, json!({"name": "Ada"})).is(200).json();
    let next = json!({"name": "Bob", "chatId": first["chatId"], "sessionToken": first["sessionToken"]});
    assert_eq!(post(&server, &flow, next).is(200).json()["chatId"], first["chatId"]);
}

#[test]
fn a_call_without_the_proof_begins_a_new_conversation() {
    let server = Server::start();
    let flow = echo(json!({})).flow(&server);
    let first = post(&server, &flow, json!({"name": "Ada"})).is(200).json();
    for token in [Value::Null, json!("wrong")] {
        let next = json!({"name": "Bob", "chatId": first["chatId"], "sessionToken": token});
        assert_ne!(post(&server, &flow, next).is(200).json()["chatId"], first["chatId"]);
    }
}

#[test]
fn what_is_wrong_with_a_run_that_waits_names_no_server() {
    let server = Server::start();
    let flow = echo(json!({})).flow(&server);
    let first = post(&server, &flow, json!({"name": "Ada"})).is(200).json();
    let twice = json!({"nodes": [{"id": "192.168.0.1"}, {"id": "192.168.0.1"}], "edges": []});
    crate::executions::waiting_in(&server, &flow, first["chatId"].as_str().unwrap(), &twice.to_string());
    let told = post(&server, &flow, decision(&first, "proceed")).is_error(500);
    assert!(told.contains("two nodes have the id") && !told.contains("192.168"), "{told}");
}

#[test]
fn a_run_that_waits_goes_on_with_the_answer_of_a_call() {
    let server = Server::start();
    let flow = asking(json!({})).flow(&server);
    let first = post(&server, &flow, json!({"name": "Ada"})).is(200).json();
    assert!(first["action"].is_object(), "{first}");
    let second = post(&server, &flow, decision(&first, "proceed")).is(200).json();
    assert_eq!((&second["text"], &second["chatId"]), (&json!("Done for Ada."), &first["chatId"]));
}

#[test]
fn an_answer_to_a_run_is_not_judged_as_what_begins_one() {
    let server = Server::start();
    let wanting =
        json!({"webhookEnableValidation": true, "webhookBodyParams": [{"name": "name", "required": true}]});
    let flow = asking(wanting).flow(&server);
    let first = post(&server, &flow, json!({"name": "Ada"})).is(200).json();
    let path = format!("/webhook/{flow}");
    let answer = server.call("PUT", &path).json(&decision(&first, "reject")).send().is(200).json();
    assert_eq!(answer["text"], "Left alone.");
}

#[test]
fn an_answer_without_the_proof_finds_nothing_to_answer() {
    let server = Server::start();
    let flow = asking(json!({})).flow(&server);
    let mut first = post(&server, &flow, json!({"name": "Ada"})).is(200).json();
    first["sessionToken"] = Value::Null;
    let told = post(&server, &flow, decision(&first, "proceed")).is_error(409);
    assert_eq!(told, "There is nothing to answer in this conversation.");
}

#[test]
fn an_answer_of_another_shape_is_refused() {
    let server = Server::start();
    let flow = asking(json!({})).flow(&server);
    let told = post(&server, &flow, json!({"humanInput": "yes"})).is_error(400);
    assert!(told.contains("humanInput"), "{told}");
}
