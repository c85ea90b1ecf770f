//! Pauses of a run that has several branches or items: each stops its own.

use super::steps::{
    START, Steps, Talk, endings, entry, llm, output, question, record, reply, slow_llm, with,
};
use crate::support::Server;
use serde_json::{Value, json};

const FIRST: &str = "humanInputAgentflow_0";
const SECOND: &str = "humanInputAgentflow_1";

/// Two persons are asked in branches of their own; a reply follows each, and one follows both.
fn two_questions() -> Steps {
    Steps::begin()
        .card(FIRST, "First", question("One?"))
        .card(SECOND, "Second", question("Two?"))
        .card(
            "llmAgentflow_0",
            "After one",
            super::steps::told(llm("{question}"), "one was {{ humanInputAgentflow_0 }}"),
        )
        .card(
            "llmAgentflow_1",
            "After two",
            super::steps::told(llm("{question}"), "two was {{ humanInputAgentflow_1 }}"),
        )
        .card("directReplyAgentflow_0", "Both", reply("{{ llmAgentflow_0 }}, {{ llmAgentflow_1 }}"))
        .edge(START, FIRST)
        .edge(START, SECOND)
        .choice(FIRST, 0, "llmAgentflow_0")
        .choice(SECOND, 0, "llmAgentflow_1")
        .edge("llmAgentflow_0", "directReplyAgentflow_0")
        .edge("llmAgentflow_1", "directReplyAgentflow_0")
}

fn nodes_of_pauses(run: &Value) -> Vec<Value> {
    run["pauses"].as_array().unwrap().iter().map(|pause| pause["nodeId"].clone()).collect()
}

#[test]
fn a_pause_stops_its_own_branch_only() {
    let server = Server::start();
    let steps = Steps::begin()
        .card(FIRST, "Ask", question("Well?"))
        .card("llmAgentflow_0", "Slow", slow_llm("a b c", 60))
        .card("directReplyAgentflow_0", "Reply", reply("<{{ llmAgentflow_0 }}>"))
        .edge(START, FIRST)
        .chain(&[START, "llmAgentflow_0", "directReplyAgentflow_0"]);
    let (_, first) = Talk::begin(&server, &steps, "Hi");
    assert_eq!(
        endings(&first),
        [("Start", "FINISHED"), ("Ask", "STOPPED"), ("Slow", "FINISHED"), ("Reply", "FINISHED")]
    );
    assert_eq!(first["text"], "Well?\n\n<a b c>");
    assert_eq!(record(&server, &first)["state"], "STOPPED");
}

#[test]
fn the_first_pause_of_the_record_is_asked_first() {
    let server = Server::start();
    let (_, first) = Talk::begin(&server, &two_questions(), "Hi");
    assert_eq!(first["action"]["data"]["nodeId"], FIRST);
    assert_eq!(nodes_of_pauses(&record(&server, &first)), [FIRST, SECOND]);
}

#[test]
fn the_other_branch_that_waits_goes_on_with_its_own_answer() {
    let server = Server::start();
    let (talk, _) = Talk::begin(&server, &two_questions(), "Hi");
    let second = talk.proceed();
    assert_eq!(second["action"]["data"]["nodeId"], SECOND, "{second}");
    let stopped = record(&server, &second);
    assert_eq!((&stopped["state"], nodes_of_pauses(&stopped)), (&json!("STOPPED"), vec![json!(SECOND)]));
    let third = talk.proceed();
    assert_eq!(third["text"], "one was proceed, two was proceed");
    assert_eq!(record(&server, &third)["state"], "FINISHED");
}

#[test]
fn an_answer_names_the_pause_that_it_means() {
    let server = Server::start();
    for by_node in [false, true] {
        let (talk, first) = Talk::begin(&server, &two_questions(), "Hi");
        let pause = record(&server, &first)["pauses"][1].clone();
        let named =
            if by_node { json!({"startNodeId": SECOND}) } else { json!({"actionId": pause["actionId"]}) };
        let second = talk.answer(&with(named, json!({"type": "proceed"})));
        assert_eq!(second["action"]["data"]["nodeId"], FIRST, "{second}");
        assert_eq!(output(&second, "After two")["content"], "two was proceed");
    }
}

#[test]
fn every_branch_goes_on_after_restarts_in_between() {
    let server = Server::start();
    let (talk, _) = Talk::begin(&server, &two_questions(), "Hi");
    let (flow, chat) = (talk.flow().to_owned(), talk.chat.clone());
    let server = server.restart();
    let body = json!({"chatId": chat, "humanInput": {"type": "proceed"}});
    server.post(&format!("/internal-prediction/{flow}"), &body);
    let server = server.restart();
    let last = server.post(&format!("/internal-prediction/{flow}"), &body);
    assert_eq!(last["text"], "one was proceed, two was proceed");
}

#[test]
fn a_rejected_branch_without_a_card_ends_and_the_merge_goes_on_with_the_other() {
    let server = Server::start();
    let (talk, _) = Talk::begin(&server, &two_questions(), "Hi");
    talk.reject();
    let last = talk.proceed();
    assert_eq!(last["text"], "{{ llmAgentflow_0 }}, two was proceed");
    assert_eq!(entry(&last, "Both")["previousNodeIds"], json!(["llmAgentflow_1"]));
}

#[test]
fn a_person_is_asked_for_each_item_of_an_iteration() {
    let server = Server::start();
    let steps = Steps::begin()
        .card("iterationAgentflow_0", "Each", json!({"iterationInput": "[\"a\", \"b\"]"}))
        .card(FIRST, "Ask", question("Well?"))
        .inside("iterationAgentflow_0")
        .card("llmAgentflow_0", "Yes", super::steps::told(llm("{question}"), "{{ $iteration }} yes"))
        .inside("iterationAgentflow_0")
        .card("llmAgentflow_1", "No", super::steps::told(llm("{question}"), "{{ $iteration }} no"))
        .inside("iterationAgentflow_0")
        .edge(START, "iterationAgentflow_0")
        .choice(FIRST, 0, "llmAgentflow_0")
        .choice(FIRST, 1, "llmAgentflow_1");
    let (talk, first) = Talk::begin(&server, &steps, "Hi");
    assert_eq!(record(&server, &first)["pauses"][0]["iterationIndex"], 0);
    let second = talk.proceed();
    assert_eq!(record(&server, &second)["pauses"][0]["iterationIndex"], 1);
    let third = talk.reject();
    assert_eq!(output(&third, "Each")["iterationResults"], json!(["a yes", "b no"]));
    assert_eq!(third["text"], "a yes\nb no");
}
