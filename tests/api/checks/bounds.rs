//! What a check costs others: nothing beyond its caps, little memory, and never the answers of people.

use super::{end, flow_of_provider, flow_saying, read, save_draft, setup, start};
use crate::agentflows::steps::{START, Steps, llm, slow_llm};
use crate::support::Server;
use crate::support::canvases::scripted_flow_with;
use crate::support::provider::{Behaviour, Reply};
use serde_json::{Value, json};
use std::thread;
use std::time::{Duration, Instant};

#[test]
fn caps_of_the_operator_are_kept_within_bounds() {
    let limits = |tokens: &str, seconds: &str| {
        let settings = [("SERVICE_CHECK_MAX_TOKENS", tokens), ("SERVICE_CHECK_MAX_SECONDS", seconds)];
        let server = Server::with(&settings);
        let flow = flow_saying(&server, "a", "b");
        let setup = setup(&server, &flow);
        let number = |value: &Value| value.as_u64().unwrap();
        (
            number(&setup["limits"]["maxTokens"]),
            number(&setup["limits"]["maxSeconds"]),
            number(&setup["controlSeconds"]),
        )
    };
    assert_eq!(limits("999", "9"), (1_000, 10, 10));
    assert_eq!(limits("1000", "10"), (1_000, 10, 10));
    assert_eq!(limits("2000000", "1800"), (2_000_000, 1_800, 1_800));
    assert_eq!(limits("2000001", "1801"), (2_000_000, 1_800, 1_800));
    for nothing in ["0", "-5", "many", "NaN"] {
        assert_eq!(limits(nothing, nothing), (100_000, 180, 600), "{nothing} is no positive number");
    }
}

#[test]
fn a_cap_is_reached_with_its_last_token_and_not_before() {
    let server = Server::start();
    let (provider, flow) = flow_of_provider(&server);
    let costing =
        |tokens: u64| Behaviour::Reply(Reply { input_tokens: Some(tokens - 1), ..Reply::text("Yes.") });
    let completed = |cap: u64| {
        let body = json!({"questions": ["one", "two", "three"], "maxTokens": cap, "control": true});
        let done = end(&server, &flow, &start(&server, &flow, &body));
        (done["completed"].as_u64().unwrap(), done["stopReason"].clone())
    };
    // Live is asked twice and the draft once: 30 tokens a question.
    provider.set_decision(move |_| costing(10));
    assert_eq!(completed(60), (2, json!("tokens")), "the third question is not begun");
    assert_eq!(completed(61), (2, json!("tokens")), "its first turn is, and comes to its end");
    assert_eq!(completed(81), (3, Value::Null), "the last turn begins with 80");
    assert_eq!(completed(80), (2, json!("tokens")));
}

/// Asks a slow flow as so many people at once; each takes a few seconds.
fn ask_slowly<'scope>(
    scope: &'scope thread::Scope<'scope, '_>,
    server: &'scope Server,
    flow: &'scope str,
    people: usize,
) {
    for _ in 0..people {
        scope.spawn(move || server.ask(flow, &json!({"question": "Hi"})).is(200));
    }
    let last = Instant::now() + Duration::from_secs(20);
    while server.app.state.active_runs.count() < people {
        assert!(Instant::now() < last, "{people} people are being answered");
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_check_waits_while_more_than_eight_people_are_answered_and_not_with_eight() {
    let server = Server::start();
    let slow = server.flow(&scripted_flow_with(json!({"fallback": "a b c d e", "delayMs": 900})));
    let flow = flow_saying(&server, "a", "b");
    let body = json!({"questions": ["one"]});
    thread::scope(|scope| {
        ask_slowly(scope, &server, &slow, 8);
        let done = end(&server, &flow, &start(&server, &flow, &body));
        assert_eq!(done["status"], "done");
        assert!(server.app.state.active_runs.count() == 8, "it did not wait for them");
    });
    thread::scope(|scope| {
        ask_slowly(scope, &server, &slow, 9);
        let begun = start(&server, &flow, &body);
        thread::sleep(Duration::from_millis(700));
        assert_eq!(server.app.state.active_runs.count(), 9);
        let waiting = read(&server, &flow, &begun);
        assert_eq!((&waiting["status"], &waiting["cases"][0]["draft"]), (&json!("running"), &Value::Null));
        let done = end(&server, &flow, &begun);
        assert_eq!((&done["status"], &done["completed"]), (&json!("done"), &json!(1)));
    });
}

#[test]
fn an_agentflow_of_very_many_steps_is_compared_up_to_its_five_hundredth() {
    let server = Server::start();
    let items: Vec<usize> = (0..600).collect();
    let canvas = |says: &str| {
        Steps::begin()
            .card("iterationAgentflow_0", "Each", json!({"iterationInput": json!(items).to_string()}))
            .card("llmAgentflow_0", "Inside", llm("In."))
            .inside("iterationAgentflow_0")
            .card("llmAgentflow_1", "Last", llm(says))
            .chain(&[START, "iterationAgentflow_0", "llmAgentflow_1"])
            .text()
    };
    let flow = server.flow_with(&canvas("It takes 30 days."), &json!({"type": "AGENTFLOW"}));
    save_draft(&server, &flow, &canvas("It takes 14 days."));
    let done = end(&server, &flow, &start(&server, &flow, &json!({"questions": ["How long?"]})));
    let case = &done["cases"][0];
    assert_eq!(case["why"][0]["message"], "Live says 30, the draft says 14.", "{done}");
    assert!(done.to_string().len() < 20_000, "{}", done.to_string().len());
}

#[test]
fn a_slow_step_is_no_reason_to_hold_a_stop_up() {
    let server = Server::start();
    let canvas = |says: &str| {
        Steps::begin()
            .card("llmAgentflow_0", "Slow", slow_llm(says, 5_000))
            .edge(START, "llmAgentflow_0")
            .text()
    };
    let flow = server.flow_with(&canvas("a b c d"), &json!({"type": "AGENTFLOW"}));
    save_draft(&server, &flow, &canvas("e f g h"));
    let begun = start(&server, &flow, &json!({"questions": ["one"]}));
    let from = Instant::now();
    super::stop(&server, &flow, &begun);
    let stopped = end(&server, &flow, &begun);
    assert_eq!((&stopped["status"], &stopped["stopReason"]), (&json!("stopped"), &json!("stopped")));
    assert!(from.elapsed() < Duration::from_secs(4), "{:?}", from.elapsed());
}
