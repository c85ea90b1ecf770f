//! Loops: how often they go back, and what is said when they do not any more.

use super::steps::{START, Steps, ask, equal, function, labels, llm, output, reply, said, with};
use crate::support::Server;
use serde_json::{Value, json};

const CODE: &str = "customFunctionAgentflow_0";
const LOOP: &str = "loopAgentflow_0";

fn back_to(target: &str, more: Value) -> Value {
    with(json!({ "loopBackToNode": target }), more)
}

/// A step that tells the count of the loop behind it.
fn counting(loop_inputs: Value) -> Steps {
    Steps::begin()
        .card(CODE, "Body", function("return `pass ${$count}`;", &[("count", "{{ loop_count }}")]))
        .card(LOOP, "Again", back_to(&format!("{CODE}-Body"), loop_inputs))
        .chain(&[START, CODE, LOOP])
}

fn bodies(answer: &Value) -> usize {
    labels(answer).iter().filter(|label| **label == "Body").count()
}

#[test]
fn a_loop_runs_its_body_as_often_as_it_says() {
    let server = Server::start();
    for count in [1, 2, 4] {
        let answer = ask(&server, &counting(json!({ "maxLoopCount": count })).flow(&server), "Hi");
        assert_eq!(bodies(&answer), count);
    }
}

#[test]
fn a_loop_that_says_no_number_runs_its_body_five_times() {
    let server = Server::start();
    assert_eq!(bodies(&ask(&server, &counting(json!({})).flow(&server), "Hi")), 5);
}

#[test]
fn each_pass_of_a_loop_is_an_entry_of_its_own() {
    let server = Server::start();
    let answer = ask(&server, &counting(json!({"maxLoopCount": 2})).flow(&server), "Hi");
    assert_eq!(labels(&answer), ["Start", "Body", "Again", "Body", "Again"]);
    let contents: Vec<&Value> = super::steps::entries(&answer)
        .iter()
        .filter(|entry| entry["nodeLabel"] == "Body")
        .map(|entry| &entry["data"]["output"]["content"])
        .collect();
    assert_eq!(contents, ["pass 0", "pass 1"]);
}

#[test]
fn a_step_that_is_repeated_comes_from_the_loop() {
    let server = Server::start();
    let answer = ask(&server, &counting(json!({"maxLoopCount": 2})).flow(&server), "Hi");
    let before: Vec<&Value> = super::steps::entries(&answer)
        .iter()
        .filter(|entry| entry["nodeLabel"] == "Body")
        .map(|entry| &entry["previousNodeIds"])
        .collect();
    assert_eq!(before, [&json!([START]), &json!([LOOP])]);
}

#[test]
fn a_loop_that_ends_says_its_fallback() {
    let server = Server::start();
    let steps = counting(
        json!({"maxLoopCount": 2, "fallbackMessage": "Enough after {{ customFunctionAgentflow_0 }}."}),
    );
    assert_eq!(said(&server, &steps), "Enough after pass 1.");
}

#[test]
fn a_loop_without_a_fallback_says_so_itself() {
    let server = Server::start();
    let text = said(&server, &counting(json!({"maxLoopCount": 2})));
    assert!(text.starts_with("Again: "), "{text}");
}

#[test]
fn a_condition_leaves_a_loop_before_its_end() {
    let server = Server::start();
    let steps = Steps::begin()
        .card(CODE, "Body", function("return `${Number($count) + 1}`;", &[("count", "{{ loop_count }}")]))
        .card("conditionAgentflow_0", "Enough", equal("{{ customFunctionAgentflow_0 }}", "3"))
        .card("directReplyAgentflow_0", "Reply", reply("after {{ customFunctionAgentflow_0 }}"))
        .card(LOOP, "Again", back_to(&format!("{CODE}-Body"), json!({"maxLoopCount": 9})))
        .chain(&[START, CODE, "conditionAgentflow_0"])
        .choice("conditionAgentflow_0", 0, "directReplyAgentflow_0")
        .choice("conditionAgentflow_0", 1, LOOP);
    let answer = ask(&server, &steps.flow(&server), "Hi");
    assert_eq!((&answer["text"], bodies(&answer)), (&json!("after 3"), 3));
}

#[test]
fn a_loop_keeps_the_state_and_writes_into_it() {
    let server = Server::start();
    let update = json!([{"key": "n", "value": "{{ $flow.state.n }}+"}]);
    let steps = Steps::begin_with_state(&json!({"n": "0"}))
        .card(CODE, "Body", function("return $n;", &[("n", "{{ $flow.state.n }}")]))
        .card(
            LOOP,
            "Again",
            back_to(
                &format!("{CODE}-Body"),
                json!({"maxLoopCount": 3, "loopUpdateState": update, "fallbackMessage": "{{ customFunctionAgentflow_0 }}"}),
            ),
        )
        .chain(&[START, CODE, LOOP]);
    assert_eq!(said(&server, &steps), "0++");
}

#[test]
fn a_loop_to_start_means_what_follows_it_and_keeps_the_state() {
    let server = Server::start();
    let update = json!([{"key": "n", "value": "{{ $flow.state.n }}+"}]);
    let steps = Steps::begin_with_state(&json!({"n": "0"}))
        .card("llmAgentflow_0", "Body", with(llm("x"), json!({ "llmUpdateState": update })))
        .card(
            LOOP,
            "Again",
            back_to(
                &format!("{START}-Start"),
                json!({"maxLoopCount": 2, "fallbackMessage": "{{ $flow.state.n }}"}),
            ),
        )
        .chain(&[START, "llmAgentflow_0", LOOP]);
    let answer = ask(&server, &steps.flow(&server), "Hi");
    assert_eq!(answer["text"], "0++");
    assert_eq!(labels(&answer), ["Start", "Body", "Again", "Body", "Again"]);
}

#[test]
fn a_target_is_known_by_its_id_also_where_ids_and_labels_hold_dashes() {
    let server = Server::start();
    let steps = Steps::begin()
        .card("customFunctionAgentflow_0", "A - b-c", function("return 'x';", &[]))
        .card(
            LOOP,
            "Again",
            back_to(
                "customFunctionAgentflow_0-A - b-c",
                json!({"maxLoopCount": 2, "fallbackMessage": "end"}),
            ),
        )
        .chain(&[START, CODE, LOOP]);
    assert_eq!(said(&server, &steps), "end");
}

#[test]
fn a_branch_beside_a_loop_runs_once() {
    let server = Server::start();
    let steps = counting(json!({"maxLoopCount": 3, "fallbackMessage": "looped"}))
        .card("llmAgentflow_0", "Beside", llm("beside"))
        .edge(START, "llmAgentflow_0");
    let answer = ask(&server, &steps.flow(&server), "Hi");
    assert_eq!(labels(&answer).iter().filter(|label| **label == "Beside").count(), 1);
    assert_eq!(bodies(&answer), 3);
    assert_eq!(output(&answer, "Again")["content"], "looped");
}
