//! Canvases that cannot be walked: whoever asks is told which card is wrong.

use super::steps::{START, Steps, ask, llm, question, reply};
use crate::support::Server;
use serde_json::{Value, json};

#[track_caller]
fn refused(server: &Server, steps: &Steps) -> String {
    server.ask(&steps.flow(server), &json!({"question": "Hi"})).is_error(400)
}

#[track_caller]
fn validation(server: &Server, steps: &Steps) -> Value {
    server.read(&format!("/validation/{}", steps.flow(server)))
}

fn circle() -> Steps {
    Steps::begin().card("llmAgentflow_0", "Ping", llm("x")).card("llmAgentflow_1", "Pong", llm("x")).chain(&[
        START,
        "llmAgentflow_0",
        "llmAgentflow_1",
        "llmAgentflow_0",
    ])
}

fn two_starts() -> Steps {
    Steps::begin()
        .card("startAgentflow_1", "Another", json!({"startInputType": "chatInput"}))
        .card("llmAgentflow_0", "Writer", llm("x"))
        .edge(START, "llmAgentflow_0")
        .edge("startAgentflow_1", "llmAgentflow_0")
}

fn lone_card() -> Steps {
    Steps::begin()
        .card("llmAgentflow_0", "Writer", llm("x"))
        .card("llmAgentflow_1", "Alone", llm("x"))
        .edge(START, "llmAgentflow_0")
}

#[test]
fn a_circle_is_refused_and_names_its_cards() {
    let server = Server::start();
    let told = refused(&server, &circle());
    assert!(told.contains("Ping") && told.contains("Pong"), "{told}");
}

#[test]
fn a_second_start_is_refused_by_name() {
    let server = Server::start();
    let told = refused(&server, &two_starts());
    assert!(told.contains("Another"), "{told}");
}

#[test]
fn a_card_that_nothing_leads_to_is_refused_by_name() {
    let server = Server::start();
    let told = refused(&server, &lone_card());
    assert!(told.contains("Alone"), "{told}");
}

#[test]
fn a_refused_canvas_leaves_no_record() {
    let server = Server::start();
    refused(&server, &circle());
    assert_eq!(server.read("/executions")["total"], 0);
}

#[test]
fn a_card_behind_a_direct_reply_is_refused_by_name() {
    let server = Server::start();
    let steps = Steps::begin()
        .card("directReplyAgentflow_0", "Reply", reply("x"))
        .card("llmAgentflow_0", "Writer", llm("x"))
        .chain(&[START, "directReplyAgentflow_0", "llmAgentflow_0"]);
    let told = refused(&server, &steps);
    assert!(told.contains("Reply"), "{told}");
}

#[test]
fn a_loop_to_a_card_that_does_not_lead_to_it_is_refused_by_name() {
    let server = Server::start();
    for target in ["llmAgentflow_1-Beside", "llmAgentflow_9-Gone", ""] {
        let steps = Steps::begin()
            .card("llmAgentflow_0", "Writer", llm("x"))
            .card("llmAgentflow_1", "Beside", llm("x"))
            .card("loopAgentflow_0", "Again", json!({ "loopBackToNode": target }))
            .chain(&[START, "llmAgentflow_0", "loopAgentflow_0"])
            .edge(START, "llmAgentflow_1");
        let told = refused(&server, &steps);
        assert!(told.contains("Again"), "{target}: {told}");
    }
}

#[test]
fn an_edge_out_of_an_iteration_is_refused() {
    let server = Server::start();
    let steps = Steps::begin()
        .card("iterationAgentflow_0", "Each", json!({"iterationInput": "[1]"}))
        .card("llmAgentflow_0", "Inside", llm("x"))
        .inside("iterationAgentflow_0")
        .card("llmAgentflow_1", "Outside", llm("x"))
        .chain(&[START, "iterationAgentflow_0"])
        .edge("llmAgentflow_0", "llmAgentflow_1");
    let told = refused(&server, &steps);
    assert!(told.contains("Inside") || told.contains("Outside"), "{told}");
}

#[test]
fn sticky_notes_are_no_steps() {
    let server = Server::start();
    let steps = Steps::begin()
        .card("stickyNoteAgentflow_0", "Note", json!({"note": "Look here"}))
        .card("llmAgentflow_0", "Writer", llm("fine"))
        .edge(START, "llmAgentflow_0");
    assert_eq!(ask(&server, &steps.flow(&server), "Hi")["text"], "fine");
}

#[test]
fn an_unknown_card_fails_only_the_run_that_comes_to_it() {
    let server = Server::start();
    let steps = Steps::begin()
        .card("conditionAgentflow_0", "Check", super::steps::equal("{{ question }}", "Hi"))
        .card("oddAgentflow_0", "Odd", json!({}))
        .card("directReplyAgentflow_0", "Reply", reply("fine"))
        .edge(START, "conditionAgentflow_0")
        .choice("conditionAgentflow_0", 0, "directReplyAgentflow_0")
        .choice("conditionAgentflow_0", 1, "oddAgentflow_0");
    let flow = steps.flow(&server);
    assert_eq!(ask(&server, &flow, "Hi")["text"], "fine");
    let told = server.ask(&flow, &json!({"question": "Bye"})).is_error(500);
    assert!(told.contains("Odd") && told.contains("oddAgentflow"), "{told}");
}

#[test]
fn a_person_may_be_asked_inside_of_an_iteration() {
    let server = Server::start();
    let steps = Steps::begin()
        .card("iterationAgentflow_0", "Each", json!({"iterationInput": "[1]"}))
        .card("humanInputAgentflow_0", "Ask", question("Well?"))
        .inside("iterationAgentflow_0")
        .edge(START, "iterationAgentflow_0");
    let (talk, first) = super::steps::Talk::begin(&server, &steps, "Hi");
    assert!(first["action"].is_object(), "{first}");
    talk.proceed();
}

#[test]
fn validation_names_what_a_question_is_refused_for() {
    let server = Server::start();
    for (steps, card) in [(circle(), "Ping"), (two_starts(), "Another"), (lone_card(), "Alone")] {
        let told = validation(&server, &steps);
        assert!(told.to_string().contains(card), "{told}");
    }
}

#[test]
fn a_flow_of_steps_is_published_from_its_draft() {
    let server = Server::start();
    let steps = Steps::begin().card("llmAgentflow_0", "Writer", llm("fine")).edge(START, "llmAgentflow_0");
    let body = json!({"name": "F", "type": "AGENTFLOW", "flowData": steps.text(), "publishInstantly": false});
    let flow = crate::support::id(&server.post("/chatflows", &body));
    assert_eq!(server.read(&format!("/validation/{flow}")), json!([]));
    server.owner("POST", &format!("/flow-drafts/{flow}/publish")).send().is(200);
    assert_eq!(ask(&server, &flow, "Hi")["text"], "fine");
}
