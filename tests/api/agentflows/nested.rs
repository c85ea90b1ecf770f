//! Containers and loops inside of one another, with few places and many.

use super::steps::{
    START, Steps, Talk, ask, entries, equal, function, labels, llm, output, question, record, reply, said,
    slow_llm, story, told,
};
use crate::support::Server;
use serde_json::{Value, json};

const EACH: &str = "iterationAgentflow_0";
const INNER: &str = "iterationAgentflow_1";

/// Four rows of three cells, all at once where there are places.
fn grid() -> Steps {
    let cell = {
        let mut inputs = told(slow_llm("{question}", 5), "{{ $iteration }}");
        inputs["llmUpdateState"] = json!([{"key": "last", "value": "{{ $iteration }}"}]);
        inputs
    };
    Steps::begin_with_state(&json!({"last": "none"}))
        .card(
            EACH,
            "Rows",
            json!({"iterationInput": "[[1,2,3],[4,5,6],[7,8,9],[10,11,12]]", "iterationConcurrency": 4}),
        )
        .card(INNER, "Cells", json!({"iterationInput": "{{ $iteration }}", "iterationConcurrency": 3}))
        .inside(EACH)
        .card("llmAgentflow_0", "Cell", cell)
        .inside(INNER)
        .card("directReplyAgentflow_0", "Reply", reply("{{ $flow.state.last }}"))
        .chain(&[START, EACH, "directReplyAgentflow_0"])
}

#[test]
fn iterations_in_one_another_give_one_story_however_many_places_there_are() {
    let run = |branches: &str| {
        let server = Server::with(&[("SERVICE_BRANCHES", branches)]);
        let answer = ask(&server, &grid().flow(&server), "Hi");
        (answer["text"].clone(), story(&answer))
    };
    let (text, alone) = run("1");
    assert_eq!(text, "12");
    assert_eq!(alone.len(), 1 + 12 + 4 + 1 + 1);
    assert_eq!((text, alone), run("16"));
}

#[test]
fn a_flow_that_asks_another_takes_no_place_while_it_waits() {
    let server = Server::with(&[("SERVICE_BRANCHES", "1")]);
    let inner = Steps::begin()
        .card("llmAgentflow_0", "A", llm("a"))
        .card("llmAgentflow_1", "B", llm("b"))
        .edge(START, "llmAgentflow_0")
        .edge(START, "llmAgentflow_1")
        .flow(&server);
    let call = json!({"executeFlowSelectedFlow": inner, "executeFlowInput": "{{ $iteration }}"});
    let steps = Steps::begin()
        .card(EACH, "Each", json!({"iterationInput": "[1, 2, 3]", "iterationConcurrency": 3}))
        .card("executeFlowAgentflow_0", "Ask", call)
        .inside(EACH)
        .edge(START, EACH);
    assert_eq!(said(&server, &steps), "a\n\nb\na\n\nb\na\n\nb");
}

#[test]
fn a_loop_inside_of_an_iteration_counts_for_each_item_anew() {
    let server = Server::start();
    let steps = Steps::begin()
        .card(EACH, "Each", json!({"iterationInput": "[\"a\", \"b\"]"}))
        .card("customFunctionAgentflow_0", "Body", function("return $item;", &[("item", "{{ $iteration }}")]))
        .inside(EACH)
        .card(
            "loopAgentflow_0",
            "Again",
            json!({
                "loopBackToNode": "customFunctionAgentflow_0-Body", "maxLoopCount": 3,
                "fallbackMessage": "{{ $iteration }} ended",
            }),
        )
        .inside(EACH)
        .edge(START, EACH)
        .edge("customFunctionAgentflow_0", "loopAgentflow_0");
    let answer = ask(&server, &steps.flow(&server), "Hi");
    assert_eq!(labels(&answer).iter().filter(|label| **label == "Body").count(), 6);
    assert_eq!(answer["text"], "a ended\nb ended");
}

#[test]
fn an_iteration_inside_of_a_loop_runs_in_each_pass() {
    let server = Server::start();
    let steps = Steps::begin()
        .card(EACH, "Each", json!({"iterationInput": "[1, 2]"}))
        .card("llmAgentflow_0", "Inside", told(llm("{question}"), "{{ $iteration }}.{{ loop_count }}"))
        .inside(EACH)
        .card(
            "loopAgentflow_0",
            "Again",
            json!({
                "loopBackToNode": "iterationAgentflow_0-Each", "maxLoopCount": 2,
                "fallbackMessage": "{{ iterationAgentflow_0 }}",
            }),
        )
        .chain(&[START, EACH, "loopAgentflow_0"]);
    let answer = ask(&server, &steps.flow(&server), "Hi");
    assert_eq!(answer["text"], "1.1\n2.1");
    assert_eq!(labels(&answer).iter().filter(|label| **label == "Inside").count(), 4);
}

#[test]
fn loops_in_one_another_count_for_themselves() {
    let server = Server::start();
    let back = |target: &str, count: u32| json!({"loopBackToNode": target, "maxLoopCount": count, "fallbackMessage": "end"});
    let steps = Steps::begin()
        .card("llmAgentflow_0", "Outer", llm("o"))
        .card("llmAgentflow_1", "Inner", llm("i"))
        .card("conditionAgentflow_0", "Check", equal("{{ question }}", "never"))
        .card("loopAgentflow_0", "Inner loop", back("llmAgentflow_1-Inner", 2))
        .card("loopAgentflow_1", "Outer loop", back("llmAgentflow_0-Outer", 2))
        .chain(&[START, "llmAgentflow_0", "llmAgentflow_1", "conditionAgentflow_0"])
        .choice("conditionAgentflow_0", 0, "loopAgentflow_0")
        .choice("conditionAgentflow_0", 1, "loopAgentflow_1");
    let answer = ask(&server, &steps.flow(&server), "Hi");
    let count = |wanted: &str| labels(&answer).iter().filter(|label| **label == wanted).count();
    assert_eq!((count("Outer"), count("Inner"), count("Inner loop")), (2, 2, 0));
}

#[test]
fn items_at_once_go_on_while_one_waits_for_a_person() {
    let server = Server::start();
    let steps = Steps::begin()
        .card(EACH, "Each", json!({"iterationInput": "[\"ask\", \"b\", \"c\"]", "iterationConcurrency": 3}))
        .card("conditionAgentflow_0", "Check", equal("{{ $iteration }}", "ask"))
        .inside(EACH)
        .card("humanInputAgentflow_0", "Ask", question("Well?"))
        .inside(EACH)
        .card("llmAgentflow_0", "Asked", told(llm("{question}"), "{{ $iteration }} answered"))
        .inside(EACH)
        .card("llmAgentflow_1", "Other", told(llm("{question}"), "{{ $iteration }} done"))
        .inside(EACH)
        .edge(START, EACH)
        .choice("conditionAgentflow_0", 0, "humanInputAgentflow_0")
        .choice("humanInputAgentflow_0", 0, "llmAgentflow_0")
        .choice("conditionAgentflow_0", 1, "llmAgentflow_1");
    let (talk, first) = Talk::begin(&server, &steps, "Hi");
    let done = |run: &Value| entries(run).iter().filter(|entry| entry["nodeLabel"] == "Other").count();
    assert_eq!(done(&first), 2, "the others went on: {:?}", labels(&first));
    let last = talk.proceed();
    assert_eq!(output(&last, "Each")["iterationResults"], json!(["ask answered", "b done", "c done"]));
    assert_eq!(done(&record(&server, &last)), 2, "what ran does not run again");
}

#[test]
fn an_agent_may_wait_for_approval_inside_of_an_iteration() {
    let server = Server::start();
    let rules = json!([
        {"after": "tool", "match": ".+", "reply": "It is {0}."},
        {"reply": "", "toolCalls": [{"name": "calculator", "arguments": {"input": "6*7"}}]},
    ]);
    let inputs = json!({
        "agentModel": "chatScripted", "agentModelConfig": {"rules": rules.to_string()},
        "agentTools": [{"agentSelectedTool": "calculator", "agentSelectedToolRequiresHumanInput": true}],
    });
    let steps = Steps::begin()
        .card(EACH, "Each", json!({"iterationInput": "[1]"}))
        .card("agentAgentflow_0", "Helper", inputs)
        .inside(EACH)
        .edge(START, EACH);
    let (talk, first) = Talk::begin(&server, &steps, "Hi");
    assert!(first["action"].is_object(), "{first}");
    assert_eq!(talk.proceed()["text"], "It is 42.");
}
