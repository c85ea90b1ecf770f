//! A check from its start to its end.

use super::{check, end, flow_saying, post, read, save_draft, setup, start};
use crate::agentflows::steps::{START, Steps, llm};
use crate::harness::Team;
use crate::support::Server;
use crate::support::canvases::scripted_flow_with;
use crate::support::provider::{Behaviour, Provider, RecordedRequest};
use serde_json::{Value, json};

#[test]
fn both_sides_are_asked_and_their_answers_stand_side_by_side() {
    let server = Server::start();
    let flow = flow_saying(&server, "Hello  {question}", "hello {question} ");
    let begun = start(&server, &flow, &json!({"questions": ["one", "two"]}));
    assert_eq!(
        (&begun["status"], &begun["total"], &begun["completed"]),
        (&json!("running"), &json!(2), &json!(0))
    );
    let done = end(&server, &flow, &begun);
    assert_eq!(
        (&done["status"], &done["completed"], &done["stopReason"]),
        (&json!("done"), &json!(2), &Value::Null)
    );
    assert_eq!(
        (&done["error"], &done["draftChanged"], &done["liveEmpty"]),
        (&Value::Null, &json!(false), &json!(false))
    );
    assert!(done["finishedDate"].as_str() >= done["startedDate"].as_str());
    let case = &done["cases"][1];
    assert_eq!(
        (&case["question"], &case["same"], &case["verdict"]),
        (&json!("two"), &json!(true), &json!("same"))
    );
    assert_eq!(case["live"]["text"], "Hello  two");
    assert_eq!((&case["draft"]["text"], &case["draft"]["error"]), (&json!("hello two "), &Value::Null));
    assert!(case["live"]["ms"].is_u64());
    let summary = &done["summary"];
    let counts = ["ran", "same", "changed", "errors"].map(|name| summary[name].as_u64().unwrap());
    assert_eq!(counts, [2, 2, 0, 0]);
    assert!(summary["liveMedianMs"].is_u64() && summary["draftTokens"].is_u64(), "{summary}");
    let limits =
        json!({"maxQuestions": 10, "maxQuestionChars": 2000, "maxTokens": 100_000, "maxSeconds": 180});
    assert_eq!((&done["limits"], &setup(&server, &flow)["limits"]), (&limits, &limits));
    assert_eq!(setup(&server, &flow)["check"]["id"], done["id"]);
}

#[test]
fn a_failure_of_a_side_is_its_answer_and_counts_as_an_error() {
    let server = Server::start();
    let flow = server.flow(&scripted_flow_with(json!({"fallback": "Fine."})));
    let fails = json!([{"fail": {"status": 500, "message": "no such luck"}}]);
    save_draft(&server, &flow, &scripted_flow_with(json!({"rules": fails.to_string()})));
    let done = check(&server, &flow, &["one"]);
    let case = &done["cases"][0];
    assert_eq!(
        (&case["same"], &case["draft"]["text"], &case["verdict"]),
        (&json!(false), &Value::Null, &json!("error"))
    );
    assert!(case["draft"]["error"].as_str().unwrap().contains("no such luck"), "{case}");
    assert_eq!((&done["summary"]["errors"], &done["summary"]["reportsChange"]), (&json!(1), &json!(true)));
}

#[test]
fn a_flow_that_nobody_published_is_asked_by_its_draft_alone() {
    let server = Server::start();
    let canvas = scripted_flow_with(json!({"fallback": "Only {question}."}));
    let body = json!({"name": "New", "type": "CHATFLOW", "flowData": canvas});
    let flow = crate::support::id(&server.post("/chatflows", &body));
    assert_eq!(setup(&server, &flow)["liveEmpty"], true);
    let done = check(&server, &flow, &["me"]);
    assert_eq!((&done["liveEmpty"], &done["completed"]), (&json!(true), &json!(1)));
    let case = &done["cases"][0];
    assert_eq!((&case["live"], &case["same"], &case["verdict"]), (&Value::Null, &Value::Null, &Value::Null));
    assert_eq!(case["draft"]["text"], "Only me.");
    let summary = &done["summary"];
    assert_eq!(
        (&summary["ran"], &summary["liveTokens"], &summary["liveMedianMs"]),
        (&json!(1), &json!(0), &Value::Null)
    );
    assert!(summary["draftMedianMs"].is_u64());
}

#[test]
fn an_agentflow_is_checked_step_by_step() {
    let server = Server::start();
    let canvas = |says: &str| {
        Steps::begin().card("llmAgentflow_0", "Answer", llm(says)).edge(START, "llmAgentflow_0").text()
    };
    let flow = server.flow_with(&canvas("First: {question}"), &json!({"type": "AGENTFLOW"}));
    save_draft(&server, &flow, &canvas("Second: {question}"));
    let done = check(&server, &flow, &["one"]);
    let case = &done["cases"][0];
    assert_eq!(
        (&case["live"]["text"], &case["draft"]["text"]),
        (&json!("First: one"), &json!("Second: one"))
    );
    assert!(case["live"]["tokens"].is_u64(), "{case}");
    let step = json!({"nodeId": "llmAgentflow_0", "nodeLabel": "Answer", "difference": "output"});
    assert_eq!(case["steps"], json!([step]));
}

/// A reply that says nothing of tokens, whole or as a stream.
fn untold(request: &RecordedRequest) -> Behaviour {
    if request.body["stream"] == true {
        let body = b"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Done.\"},\"finish_reason\":\"stop\"}]}\n\n\
            data: [DONE]\n\n";
        return Behaviour::Bytes { kind: "text/event-stream", body: body.to_vec(), piece: 4096 };
    }
    let message = json!({"role": "assistant", "content": "Done."});
    let body = json!({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]});
    Behaviour::status(200, &body.to_string())
}

#[test]
fn a_team_has_no_tokens_where_none_of_its_models_reports_any() {
    let (server, provider) = (Server::start(), Provider::start());
    let team = Team::of(&provider, &["ann"]).with(json!({"harnessRouting": "all"}));
    let flow = team.flow(&server);
    let other = team.with(json!({"harnessSpecialistSeconds": 30})).text();
    let tokens = || {
        let sides = json!({"questions": ["one"], "includeRiskySteps": true, "right": {"flowData": other}});
        let done = end(&server, &flow, &start(&server, &flow, &sides));
        let case = &done["cases"][0];
        assert_eq!(case["live"]["error"], Value::Null, "{case}");
        [case["live"]["tokens"].clone(), case["draft"]["tokens"].clone()]
    };
    provider.set_decision(untold);
    assert_eq!(tokens(), [Value::Null, Value::Null]);
    // One that reports some is enough.
    provider.set_decision(|request| {
        if request.body["model"] == "ann" { Behaviour::text("Done.") } else { untold(request) }
    });
    assert!(tokens().iter().all(|tokens| tokens.as_u64() > Some(0)));
}

#[test]
fn long_answers_are_cut_and_compared_as_a_whole() {
    let server = Server::start();
    let long = "word ".repeat(2_000);
    let flow = flow_saying(&server, &format!("{long}one"), &format!("{long}two"));
    let done = check(&server, &flow, &["one"]);
    let case = &done["cases"][0];
    assert_eq!(case["live"]["text"], case["draft"]["text"]);
    assert_eq!((case["live"]["text"].as_str().unwrap().len(), &case["same"]), (4_000, &json!(false)));
}

#[test]
fn a_draft_that_cannot_run_fails_the_check() {
    let server = Server::start();
    let flow = server.flow(&scripted_flow_with(json!({})));
    let broken =
        r#"{"nodes": [{"id": "a", "data": {"id": "a", "name": "calculator", "inputs": {}}}], "edges": []}"#;
    save_draft(&server, &flow, broken);
    let done = check(&server, &flow, &["one"]);
    assert_eq!((&done["status"], &done["completed"]), (&json!("failed"), &json!(0)));
    assert!(done["error"].as_str().is_some_and(|error| !error.is_empty()), "{done}");
}

#[test]
fn an_older_check_and_one_that_expired_are_not_found() {
    let server = Server::start();
    let flow = flow_saying(&server, "a", "b");
    let first = check(&server, &flow, &["one"]);
    let second = check(&server, &flow, &["one"]);
    let find = |id: &str| server.owner("GET", &format!("/flow-drafts/{flow}/check/{id}")).send();
    let unknown = "That check was not found. Run it again.";
    for gone in [first["id"].as_str().unwrap(), "6a204bb0-3c4f-4c0e-9d9c-0f6f5c3a1d2e", "x"] {
        assert_eq!(find(gone).is_error(404), unknown);
    }
    server.app.clock.advance_seconds(29 * 60);
    assert_eq!(read(&server, &flow, &second)["status"], "done");
    server.app.clock.advance_seconds(61);
    assert_eq!(find(second["id"].as_str().unwrap()).is_error(404), unknown);
    assert_eq!(setup(&server, &flow)["check"], Value::Null);
}

#[test]
fn what_cannot_be_checked_says_why_and_refuses() {
    let server = Server::start();
    let body = json!({"questions": ["one"]});
    let refused = |flow: &str, code: &str, text: &str| {
        let unavailable = setup(&server, flow)["unavailable"].clone();
        assert_eq!((&unavailable["code"], &unavailable["message"]), (&json!(code), &json!(text)));
        assert_eq!(post(&server, flow, &body).is_error(409), text);
    };
    let without = server.flow(&scripted_flow_with(json!({})));
    refused(&without, "no-draft", "This flow has no unpublished changes to check.");
    for kind in ["MULTIAGENT", "ASSISTANT"] {
        let flow = server.flow_with(&scripted_flow_with(json!({})), &json!({ "type": kind }));
        refused(
            &flow,
            "type",
            "Only chatflows and agentflows are checked, and this flow is of another type.",
        );
    }
    let form = Steps::begin_with(json!({"startInputType": "formInput"}));
    let form = form.card("llmAgentflow_0", "Answer", llm("a")).edge(START, "llmAgentflow_0").text();
    let chat = Steps::begin().card("llmAgentflow_0", "Answer", llm("b")).edge(START, "llmAgentflow_0").text();
    for (live, draft) in [(&form, &chat), (&chat, &form)] {
        let flow = server.flow_with(live, &json!({"type": "AGENTFLOW"}));
        save_draft(&server, &flow, draft);
        refused(
            &flow,
            "start",
            "A check asks questions, so the agentflow must start with a chat message (Start input type Chat Input), in Live and in the draft.",
        );
    }
    let flow = flow_saying(&server, "a", "b");
    assert_eq!(setup(&server, &flow)["unavailable"], Value::Null);
    let server = server.restart_with(&[("SERVICE_DRAFTS", "off")]);
    assert_eq!(setup(&server, &flow)["unavailable"]["code"], "off");
    assert_eq!(post(&server, &flow, &body).is_error(409), "Drafts are off on this server.");
}

#[test]
fn kinds_and_workspaces_bound_who_may_look_and_run() {
    let server = Server::start();
    let flow = flow_saying(&server, "a", "b");
    let path = format!("/flow-drafts/{flow}/check");
    let key = |permissions: &[&str]| server.key(permissions)["apiKey"].as_str().unwrap().to_owned();
    let (viewer, other) = (key(&["chatflows:view"]), key(&["agentflows:view", "agentflows:update"]));
    let body = json!({"questions": ["one"]});
    server.call("GET", &path).bearer(&viewer).send().is(200);
    assert_eq!(server.call("POST", &path).bearer(&viewer).json(&body).send().status, 403);
    server.call("GET", &path).bearer(&other).send().is(403);
    server.call("POST", &path).bearer(&other).json(&body).send().is(403);
    assert_eq!(server.call("GET", &path).send().status, 401);
    let nobody = "6a204bb0-3c4f-4c0e-9d9c-0f6f5c3a1d2e";
    let told = server.owner("POST", &format!("/flow-drafts/{nobody}/check")).json(&body).send().is_error(404);
    assert!(told.contains(nobody), "{told}");
}

#[test]
fn the_checks_of_another_workspace_are_those_of_no_flow() {
    let server = Server::start();
    let flow = flow_saying(&server, "a", "b");
    let done = check(&server, &flow, &["one"]);
    let there = server.new_workspace("There");
    server.enter(&there);
    let base = format!("/flow-drafts/{flow}/check");
    let of_check = format!("{base}/{}", done["id"].as_str().unwrap());
    let body = json!({"questions": ["one"]});
    for (method, path) in [("GET", &base), ("POST", &base), ("GET", &of_check), ("DELETE", &of_check)] {
        let call = server.owner(method, path);
        let call = if method == "POST" { call.json(&body) } else { call };
        assert!(call.send().is_error(404).contains(&flow), "{method} {path}");
    }
}
