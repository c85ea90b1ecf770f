//! What becomes of a step whose tool fails: what may pass is tried again, and nothing else.

use crate::agentflows::steps::{START, Steps, ask, endings, entry, output, provided_llm, with};
use crate::mcp;
use crate::support::provider::{Behaviour, Provider, RecordedRequest};
use crate::tools::with_web;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const TOOL: &str = "toolAgentflow_0";

/// The inputs of a Tool step around a card, tried three times at most.
fn tool_step(card: &str, mut config: Value, arguments: &Value) -> Value {
    config["toolAgentflowSelectedTool"] = card.into();
    let row = |(name, value): (&String, &Value)| json!({"inputArgName": name, "inputArgValue": value});
    let rows: Vec<Value> = arguments.as_object().unwrap().iter().map(row).collect();
    json!({
        "toolAgentflowSelectedTool": card, "toolAgentflowSelectedToolConfig": config, "toolInputArgs": rows,
        "retries": 2, "retryWaitSeconds": 0, "onError": "continue",
    })
}

fn request_config(web: &Provider) -> Value {
    json!({"requestsGetUrl": format!("{}/things", web.base_url()), "requestsGetName": "get"})
}

fn with_request_tool(web: &Provider) -> Steps {
    let inputs = tool_step("requestsGet", request_config(web), &json!({}));
    Steps::begin().card(TOOL, "Fetch", inputs).edge(START, TOOL)
}

fn text(body: &str) -> Behaviour {
    Behaviour::Status { status: 200, body: body.to_owned(), headers: Vec::new() }
}

#[test]
fn a_tool_whose_server_is_busy_is_called_again() {
    for fault in [
        Behaviour::status(503, ""),
        Behaviour::status(500, ""),
        Behaviour::status(408, ""),
        Behaviour::status(409, ""),
        Behaviour::rate_limited(Some("0")),
        Behaviour::Close,
    ] {
        let (server, web) = with_web();
        web.push_behaviour(fault.clone());
        web.push_behaviour(text("found"));
        let answer = ask(&server, &with_request_tool(&web).flow(&server), "Hi");
        let step = entry(&answer, "Fetch");
        assert_eq!(
            (&step["status"], &step["data"]["attempts"]),
            (&json!("FINISHED"), &json!(2)),
            "{fault:?}"
        );
        assert!(answer["text"].as_str().unwrap().contains("found"), "{fault:?}: {answer}");
    }
}

#[test]
fn a_longer_wait_that_the_server_asks_for_counts() {
    let (server, web) = with_web();
    web.push_behaviour(Behaviour::rate_limited(Some("2")));
    web.push_behaviour(text("found"));
    let begun = Instant::now();
    let answer = ask(&server, &with_request_tool(&web).flow(&server), "Hi");
    assert!(begun.elapsed() >= Duration::from_secs(2), "{:?}", begun.elapsed());
    assert_eq!(entry(&answer, "Fetch")["data"]["attempts"], 2);
}

#[test]
fn a_wait_that_outlasts_the_run_is_not_begun() {
    let (server, web) = with_web();
    web.set_decision(|_| Behaviour::rate_limited(Some("3600")));
    let answer = ask(&server, &with_request_tool(&web).flow(&server), "Hi");
    let step = entry(&answer, "Fetch");
    assert_eq!((&step["status"], step["data"].get("attempts")), (&json!("ERROR"), None), "{step}");
    assert_eq!(web.served_count(), 1);
}

#[test]
fn a_tool_that_is_refused_is_called_once() {
    for status in [400, 401, 403, 404, 422] {
        let (server, web) = with_web();
        web.push_behaviour(Behaviour::status(status, ""));
        let answer = ask(&server, &with_request_tool(&web).flow(&server), "Hi");
        let step = entry(&answer, "Fetch");
        assert_eq!((&step["status"], step["data"].get("attempts")), (&json!("ERROR"), None), "{status}");
        let told = format!("Fetch: The request failed: the address answered with status {status}.");
        assert_eq!(output(&answer, "Fetch")["error"]["message"], told);
        assert_eq!(web.served_count(), 1, "{status}");
    }
}

#[test]
fn a_tool_that_stays_busy_is_given_up_after_its_retries() {
    let (server, web) = with_web();
    web.set_decision(|_| Behaviour::status(503, ""));
    let answer = ask(&server, &with_request_tool(&web).flow(&server), "Hi");
    let step = entry(&answer, "Fetch");
    assert_eq!((&step["status"], &step["data"]["attempts"]), (&json!("ERROR"), &json!(3)));
    assert_eq!(web.served_count(), 3);
}

#[test]
fn code_of_a_tool_that_throws_is_run_once() {
    let (server, _web) = with_web();
    let tool = server.post(
        "/tools",
        &json!({"name": "breaks", "description": "Breaks.", "schema": "[]", "func": "throw new Error('no');"}),
    );
    let config = json!({"selectedTool": tool["id"]});
    let inputs = tool_step("customTool", config, &json!({}));
    let steps = Steps::begin().card(TOOL, "Breaks", inputs).edge(START, TOOL);
    let answer = ask(&server, &steps.flow(&server), "Hi");
    let step = entry(&answer, "Breaks");
    assert_eq!((&step["status"], step["data"].get("attempts")), (&json!("ERROR"), None), "{step}");
}

#[test]
fn a_tool_of_an_mcp_server_that_is_busy_is_called_again() {
    for busy in ["tools/list", "tools/call"] {
        let (server, web) = with_web();
        let was_busy = AtomicBool::new(false);
        web.set_decision(move |request: &RecordedRequest| {
            let is_first = request.body["method"] == busy && !was_busy.swap(true, Ordering::SeqCst);
            if is_first { Behaviour::rate_limited(Some("0")) } else { mcp::answer(request) }
        });
        let config = mcp::config(&web, json!(["weather"]));
        let inputs = tool_step("customMCP", config, &json!({"city": "Rome"}));
        let steps = Steps::begin().card(TOOL, "Weather", inputs).edge(START, TOOL);
        let answer = ask(&server, &steps.flow(&server), "Hi");
        let step = entry(&answer, "Weather");
        let seen = (&step["status"], &step["data"]["attempts"]);
        assert_eq!(seen, (&json!("FINISHED"), &json!(2)), "{busy}: {step}");
    }
}

/// An Agent whose model calls the tool once in each try and then says `Done.`
fn with_agent(web: &Provider, model: &Provider, on_error: &str) -> Steps {
    let llm = provided_llm(model);
    let mut config = request_config(web);
    config["agentSelectedTool"] = "requestsGet".into();
    let row = json!({
        "agentSelectedTool": "requestsGet", "agentSelectedToolConfig": config,
        "agentSelectedToolOnError": on_error,
    });
    let inputs = json!({
        "agentModel": llm["llmModel"], "agentModelConfig": llm["llmModelConfig"], "agentTools": [row],
    });
    let retries = json!({"retries": 2, "retryWaitSeconds": 0, "onError": "continue"});
    Steps::begin().card("agentAgentflow_0", "Agent", with(inputs, retries)).edge(START, "agentAgentflow_0")
}

#[test]
fn an_agent_that_its_busy_tool_fails_is_tried_again() {
    let ((server, web), model) = (with_web(), Provider::start());
    for behaviour in
        [Behaviour::call("get", json!({})), Behaviour::call("get", json!({})), Behaviour::text("Done.")]
    {
        model.push_behaviour(behaviour);
    }
    web.push_behaviour(Behaviour::status(503, ""));
    web.push_behaviour(text("found"));
    let answer = ask(&server, &with_agent(&web, &model, "stop").flow(&server), "Hi");
    assert_eq!((&answer["text"], &entry(&answer, "Agent")["data"]["attempts"]), (&json!("Done."), &json!(2)));
}

#[test]
fn an_agent_that_a_refused_tool_fails_is_not_tried_again() {
    let ((server, web), model) = (with_web(), Provider::start());
    model.push_behaviour(Behaviour::call("get", json!({})));
    web.push_behaviour(Behaviour::status(403, ""));
    let answer = ask(&server, &with_agent(&web, &model, "stop").flow(&server), "Hi");
    assert_eq!(endings(&answer)[1], ("Agent", "ERROR"));
    assert_eq!(entry(&answer, "Agent")["data"].get("attempts"), None);
    assert_eq!(web.served_count(), 1);
}

#[test]
fn a_model_reads_why_its_tool_failed_in_the_same_words_whether_it_may_pass_or_not() {
    for status in [404, 503] {
        let ((server, web), model) = (with_web(), Provider::start());
        model.push_behaviour(Behaviour::call("get", json!({})));
        model.push_behaviour(Behaviour::text("Done."));
        web.push_behaviour(Behaviour::status(status, ""));
        let answer = ask(&server, &with_agent(&web, &model, "tell").flow(&server), "Hi");
        let sent = model.last_request().body["messages"].as_array().unwrap().clone();
        let read = sent.iter().find(|message| message["role"] == "tool").unwrap();
        let told = format!("The request failed: the address answered with status {status}.");
        assert_eq!((&read["content"], &answer["text"]), (&json!(told), &json!("Done.")));
        assert_eq!(web.served_count(), 1);
    }
}
