//! Branches: those that are ready run at once, a condition takes one, and a merge knows whom it waits for.

use super::steps::{
    START, Steps, ask, entry, equal, labels, llm, provided_llm, reply, ruled_llm, said, slow_llm, story, told,
};
use crate::support::Server;
use crate::support::provider::{Behaviour, Provider, Reply};
use serde_json::{Value, json};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

/// Longer than two steps need to begin.
const PATIENCE: Duration = Duration::from_secs(20);

/// A provider that answers nobody before this many calls are under way; it says how many there were.
fn answer_together(provider: &Provider, count: usize) {
    let shared = Arc::new((Mutex::new(0_usize), Condvar::new()));
    provider.set_decision(move |_| {
        let (calls, changed) = &*shared;
        let mut calls = calls.lock().unwrap();
        *calls += 1;
        changed.notify_all();
        let (calls, _) = changed.wait_timeout_while(calls, PATIENCE, |calls| *calls < count).unwrap();
        Behaviour::Reply(Reply::text(&format!("{calls} together")))
    });
}

/// Two models behind Start, and a reply that says what both said.
fn two_and_merge(first: Value, second: Value) -> Steps {
    Steps::begin()
        .card("llmAgentflow_0", "A", first)
        .card("llmAgentflow_1", "B", second)
        .card("directReplyAgentflow_0", "Merge", reply("{{ llmAgentflow_0 }} + {{ llmAgentflow_1 }}"))
        .chain(&[START, "llmAgentflow_0", "directReplyAgentflow_0"])
        .chain(&[START, "llmAgentflow_1", "directReplyAgentflow_0"])
}

/// A condition with a card behind each output, and one where both ways meet.
fn fork(condition: Value) -> Steps {
    Steps::begin()
        .card("conditionAgentflow_0", "Check", condition)
        .card("llmAgentflow_0", "Yes", llm("yes"))
        .card("llmAgentflow_1", "No", llm("no"))
        .card("directReplyAgentflow_0", "Meet", reply("{{ llmAgentflow_0 }}/{{ llmAgentflow_1 }}"))
        .edge(START, "conditionAgentflow_0")
        .choice("conditionAgentflow_0", 0, "llmAgentflow_0")
        .choice("conditionAgentflow_0", 1, "llmAgentflow_1")
        .edge("llmAgentflow_0", "directReplyAgentflow_0")
        .edge("llmAgentflow_1", "directReplyAgentflow_0")
}

#[test]
fn two_branches_that_are_ready_run_at_once() {
    let (server, provider) = (Server::start(), Provider::start());
    answer_together(&provider, 2);
    let steps = two_and_merge(provided_llm(&provider), provided_llm(&provider));
    assert_eq!(said(&server, &steps), "2 together + 2 together");
}

#[test]
fn branches_that_run_at_once_begin_before_the_first_of_them_ends() {
    let (server, provider) = (Server::start(), Provider::start());
    answer_together(&provider, 2);
    let flow = two_and_merge(provided_llm(&provider), provided_llm(&provider)).flow(&server);
    let body = json!({"question": "Hi", "streaming": true});
    let events = server.call("POST", &format!("/prediction/{flow}")).json(&body).send().events();
    let steps = events.iter().filter(|(name, _)| name == "nextAgentFlow");
    let told: Vec<String> = steps
        .map(|(_, data)| {
            format!("{} {}", data["nodeLabel"].as_str().unwrap(), data["status"].as_str().unwrap())
        })
        .collect();
    let place = |wanted: &str| told.iter().position(|known| known == wanted).unwrap();
    assert!(place("B INPROGRESS") < place("A FINISHED"), "{told:?}");
    assert!(place("A INPROGRESS") < place("A FINISHED"), "{told:?}");
    assert!(place("A FINISHED") < place("B FINISHED"), "the record has an order: {told:?}");
}

#[test]
fn a_branch_that_ended_early_waits_in_the_record_for_those_before_it() {
    let server = Server::start();
    let answer = ask(&server, &two_and_merge(slow_llm("a a a", 80), llm("b")).flow(&server), "Hi");
    assert_eq!(labels(&answer), ["Start", "A", "B", "Merge"]);
    assert_eq!(answer["text"], "a a a + b");
}

#[test]
fn one_branch_at_a_time_gives_the_same_record_as_many() {
    let canvas = || {
        Steps::begin_with_state(&json!({"who": "nobody"}))
            .card("llmAgentflow_0", "A", slow_llm("a a", 40))
            .card(
                "llmAgentflow_1",
                "B",
                super::steps::with(
                    llm("b"),
                    json!({"llmUpdateState": [{"key": "who", "value": "{{ output.content }}"}]}),
                ),
            )
            .card("llmAgentflow_2", "C", slow_llm("c", 10))
            .card("llmAgentflow_3", "Behind A", told(llm("{question}"), "{{ $flow.state.who }}"))
            .card("directReplyAgentflow_0", "Merge", reply("{{ $flow.state.who }} {{ llmAgentflow_2 }}"))
            .chain(&[START, "llmAgentflow_0", "llmAgentflow_3", "directReplyAgentflow_0"])
            .chain(&[START, "llmAgentflow_1", "directReplyAgentflow_0"])
            .chain(&[START, "llmAgentflow_2", "directReplyAgentflow_0"])
    };
    let run = |branches: &str| {
        let server = Server::with(&[("SERVICE_BRANCHES", branches)]);
        let answer = ask(&server, &canvas().flow(&server), "Hi");
        (answer["text"].clone(), story(&answer))
    };
    let (text, alone) = run("1");
    assert_eq!(text, "b c");
    assert_eq!((text, alone), run("64"));
}

#[test]
fn a_merge_runs_once_and_names_its_parents_in_the_order_of_the_record() {
    let server = Server::start();
    let answer = ask(&server, &two_and_merge(slow_llm("a", 50), llm("b")).flow(&server), "Hi");
    assert_eq!(labels(&answer).iter().filter(|label| **label == "Merge").count(), 1);
    assert_eq!(entry(&answer, "Merge")["previousNodeIds"], json!(["llmAgentflow_0", "llmAgentflow_1"]));
}

#[test]
fn a_condition_takes_the_first_output_that_holds() {
    let server = Server::start();
    let answer = ask(&server, &fork(equal("{{ question }}", "Hi")).flow(&server), "Hi");
    assert_eq!(labels(&answer), ["Start", "Check", "Yes", "Meet"]);
}

#[test]
fn a_condition_takes_its_last_output_where_none_holds() {
    let server = Server::start();
    let answer = ask(&server, &fork(equal("{{ question }}", "Bye")).flow(&server), "Hi");
    assert_eq!(labels(&answer), ["Start", "Check", "No", "Meet"]);
}

#[test]
fn a_merge_behind_a_condition_does_not_wait_for_the_way_that_was_not_taken() {
    let server = Server::start();
    let answer = ask(&server, &fork(equal("{{ question }}", "Hi")).flow(&server), "Hi");
    assert_eq!(answer["text"], "yes/{{ llmAgentflow_1 }}", "what never ran leaves its reference as it is");
    assert_eq!(entry(&answer, "Meet")["previousNodeIds"], json!(["llmAgentflow_0"]));
}

#[test]
fn everything_behind_a_way_that_was_not_taken_is_left_out() {
    let server = Server::start();
    let steps = Steps::begin()
        .card("conditionAgentflow_0", "Check", equal("a", "b"))
        .card("llmAgentflow_0", "Never", llm("x"))
        .card("llmAgentflow_1", "Behind", llm("x"))
        .card("directReplyAgentflow_0", "Else", reply("else"))
        .edge(START, "conditionAgentflow_0")
        .choice("conditionAgentflow_0", 0, "llmAgentflow_0")
        .edge("llmAgentflow_0", "llmAgentflow_1")
        .choice("conditionAgentflow_0", 1, "directReplyAgentflow_0");
    let answer = ask(&server, &steps.flow(&server), "Hi");
    assert_eq!((labels(&answer), &answer["text"]), (vec!["Start", "Check", "Else"], &json!("else")));
}

#[test]
fn a_merge_of_a_branch_and_a_way_that_was_not_taken_runs_with_what_there_is() {
    let server = Server::start();
    let steps = Steps::begin()
        .card("conditionAgentflow_0", "Check", equal("a", "b"))
        .card("llmAgentflow_0", "Never", llm("x"))
        .card("llmAgentflow_1", "Beside", slow_llm("beside", 50))
        .card("directReplyAgentflow_0", "Meet", reply("met {{ llmAgentflow_1 }}"))
        .chain(&[START, "conditionAgentflow_0"])
        .choice("conditionAgentflow_0", 0, "llmAgentflow_0")
        .edge("llmAgentflow_0", "directReplyAgentflow_0")
        .chain(&[START, "llmAgentflow_1", "directReplyAgentflow_0"]);
    assert_eq!(said(&server, &steps), "met beside");
}

#[test]
fn a_card_on_both_outputs_of_a_condition_runs_once() {
    let server = Server::start();
    let steps = Steps::begin()
        .card("conditionAgentflow_0", "Check", equal("a", "b"))
        .card("directReplyAgentflow_0", "Both", reply("both"))
        .edge(START, "conditionAgentflow_0")
        .choice("conditionAgentflow_0", 0, "directReplyAgentflow_0")
        .choice("conditionAgentflow_0", 1, "directReplyAgentflow_0");
    let answer = ask(&server, &steps.flow(&server), "Hi");
    assert_eq!(labels(&answer), ["Start", "Check", "Both"]);
}

#[test]
fn every_card_behind_the_output_that_is_taken_runs_and_none_of_the_others() {
    let server = Server::start();
    let steps = Steps::begin()
        .card("conditionAgentflow_0", "Check", equal("a", "a"))
        .card("llmAgentflow_0", "One", llm("1"))
        .card("llmAgentflow_1", "Two", llm("2"))
        .card("llmAgentflow_2", "Three", llm("3"))
        .card("llmAgentflow_3", "Four", llm("4"))
        .edge(START, "conditionAgentflow_0")
        .choice("conditionAgentflow_0", 0, "llmAgentflow_0")
        .choice("conditionAgentflow_0", 0, "llmAgentflow_1")
        .choice("conditionAgentflow_0", 1, "llmAgentflow_2")
        .choice("conditionAgentflow_0", 1, "llmAgentflow_3");
    assert_eq!(labels(&ask(&server, &steps.flow(&server), "Hi")), ["Start", "Check", "One", "Two"]);
}

#[test]
fn a_condition_compares_numbers_as_numbers() {
    let server = Server::start();
    let row = json!({"type": "number", "value1": "{{ question }}", "operation": "larger", "value2": "9"});
    let flow = fork(json!({ "conditions": [row] })).flow(&server);
    assert_eq!(labels(&ask(&server, &flow, "10"))[2], "Yes");
    assert_eq!(labels(&ask(&server, &flow, "9"))[2], "No");
}

#[test]
fn a_condition_agent_takes_the_scenario_that_its_model_names() {
    let server = Server::start();
    let rules = json!([
        {"match": "broken", "reply": "{\"output\": \"Complaint\"}"},
        {"reply": "{\"output\": \"Praise\"}"},
    ]);
    let model = ruled_llm(&rules);
    let inputs = json!({
        "conditionAgentModel": model["llmModel"], "conditionAgentModelConfig": model["llmModelConfig"],
        "conditionAgentInstructions": "Sort it.", "conditionAgentInput": "{{ question }}",
        "conditionAgentScenarios": [{"scenario": "Praise"}, {"scenario": "Complaint"}],
    });
    let steps = Steps::begin()
        .card("conditionAgentAgentflow_0", "Sort", inputs)
        .card("directReplyAgentflow_0", "Thanks", reply("Thanks!"))
        .card("directReplyAgentflow_1", "Sorry", reply("Sorry!"))
        .edge(START, "conditionAgentAgentflow_0")
        .choice("conditionAgentAgentflow_0", 0, "directReplyAgentflow_0")
        .choice("conditionAgentAgentflow_0", 1, "directReplyAgentflow_1");
    let flow = steps.flow(&server);
    assert_eq!(ask(&server, &flow, "It is broken")["text"], "Sorry!");
    assert_eq!(ask(&server, &flow, "It is fine")["text"], "Thanks!");
}
