//! Flows that a step of another flow asks.

use super::human_input::asking;
use super::steps::{START, Steps, ask, endings, llm, output, reply, with};
use crate::support::Server;
use serde_json::{Value, json};

const ASK: &str = "executeFlowAgentflow_0";

fn call(flow: &str) -> Value {
    json!({"executeFlowSelectedFlow": flow, "executeFlowInput": "{{ question }}"})
}

/// A flow with one step, which asks another flow.
fn asks(flow: &str) -> Steps {
    Steps::begin().card(ASK, "Ask", call(flow)).edge(START, ASK)
}

/// The records of a flow.
fn records(server: &Server, flow: &str) -> Vec<Value> {
    server.read(&format!("/executions?agentflowId={flow}&full=true"))["data"].as_array().unwrap().clone()
}

#[test]
fn a_flow_that_asks_itself_through_another_ends_in_words() {
    let server = Server::start();
    let first = asks("6a204bb0-3c4f-4c0e-9d9c-0f6f5c3a1d2e").flow(&server);
    let second = asks(&first).flow(&server);
    server.put(&format!("/chatflows/{first}"), &json!({"flowData": asks(&second).text()}));
    let told = server.ask(&first, &json!({"question": "Hi"})).is_error(500);
    assert!(told.contains("Ask"), "{told}");
    assert_eq!(server.read("/executions?state=INPROGRESS")["total"], 0);
}

#[test]
fn a_flow_that_needs_a_person_fails_the_step_that_asked_it() {
    let server = Server::start();
    let other = asking().flow(&server);
    let told = server.ask(&asks(&other).flow(&server), &json!({"question": "Hi"})).is_error(500);
    assert!(told.starts_with("Ask: The flow '") && told.contains("asks a person"), "{told}");
}

#[test]
fn nothing_of_a_flow_that_needed_a_person_waits() {
    let server = Server::start();
    let other = asking().flow(&server);
    let flow = asks(&other).flow(&server);
    server.ask(&flow, &json!({"question": "Hi"})).is_error(500);
    let [ended] = &records(&server, &other)[..] else { panic!("one run") };
    assert_eq!((&ended["state"], &ended["pauses"]), (&json!("ERROR"), &json!([])));
    assert!(ended["error"].as_str().unwrap().contains("asks a person"), "{ended}");
    assert_eq!(endings(ended)[2], ("Ask", "STOPPED"));
    assert_eq!(server.read("/executions?state=STOPPED")["total"], 0);
    assert_eq!(server.messages(&other), [] as [Value; 0]);
}

#[test]
fn a_card_may_go_on_without_a_flow_that_needed_a_person() {
    let server = Server::start();
    let other = asking().flow(&server);
    let steps = Steps::begin()
        .card(ASK, "Ask", with(call(&other), json!({"onError": "branch"})))
        .card("directReplyAgentflow_0", "Sorry", reply("{{ executeFlowAgentflow_0.output.error.message }}"))
        .edge(START, ASK)
        .error_edge(ASK, "directReplyAgentflow_0");
    let answer = ask(&server, &steps.flow(&server), "Hi");
    assert!(answer["text"].as_str().unwrap().contains("asks a person"), "{answer}");
}

#[test]
fn a_tool_that_needs_approval_in_a_flow_that_is_asked_fails_the_step_too() {
    let server = Server::start();
    let rules = json!([{"reply": "", "toolCalls": [{"name": "calculator", "arguments": {"input": "6*7"}}]}]);
    let agent = json!({
        "agentModel": "chatScripted", "agentModelConfig": {"rules": rules.to_string()},
        "agentTools": [{"agentSelectedTool": "calculator", "agentSelectedToolRequiresHumanInput": true}],
    });
    let other = Steps::begin().card("agentAgentflow_0", "Helper", agent).edge(START, "agentAgentflow_0");
    let other = other.flow(&server);
    let told = server.ask(&asks(&other).flow(&server), &json!({"question": "Hi"})).is_error(500);
    assert!(told.contains("asks a person"), "{told}");
    assert_eq!(records(&server, &other)[0]["state"], "ERROR");
}

/// The first of a row of so many flows that ask one another, the last of which says `Hello`.
fn row(server: &Server, count: usize) -> String {
    let last = Steps::begin().card("llmAgentflow_0", "Last", llm("Hello")).edge(START, "llmAgentflow_0");
    (1..count).fold(last.flow(server), |next, _| asks(&next).flow(server))
}

#[test]
fn flows_ask_one_another_eight_deep_and_no_deeper() {
    let server = Server::start();
    assert_eq!(ask(&server, &row(&server, 9), "Hi")["text"], "Hello");
    let told = server.ask(&row(&server, 10), &json!({"question": "Hi"})).is_error(500);
    assert!(told.contains("at most 8 deep"), "{told}");
}

/// A card inside of so many iterations, each over one item.
fn within(count: usize, id: &str, inputs: Value) -> Steps {
    let each = |at: usize| format!("iterationAgentflow_{at}");
    let mut steps = Steps::begin();
    for at in 0..count {
        steps = steps.card(&each(at), "Each", json!({"iterationInput": "[1]"}));
        if at > 0 {
            steps = steps.inside(&each(at - 1));
        }
    }
    steps.card(id, "Inside", inputs).inside(&each(count - 1)).edge(START, &each(0))
}

#[test]
fn iterations_around_a_step_that_asks_and_inside_of_what_it_asks_count_with_the_flows() {
    let server = Server::start();
    let plain = row(&server, 1);
    let iterating = within(1, "llmAgentflow_0", llm("Hello")).flow(&server);
    let said = |iterations: usize, other: &str| {
        let answer = ask(&server, &within(iterations, ASK, call(other)).flow(&server), "Hi");
        output(&answer, "Each")["content"].as_str().unwrap().to_owned()
    };
    assert_eq!((said(7, &plain), said(6, &iterating)), ("Hello".to_owned(), "Hello".to_owned()));
    for told in [said(8, &plain), said(7, &iterating)] {
        assert!(told.contains("at most 8 deep"), "{told}");
    }
}
