//! Records of agentflow runs (manual 15).

use crate::support::{Server, id};
use flowkeep::domain::accounts::role::ADMINISTRATOR;
use flowkeep::domain::ids::{ChatId, ExecutionId, FlowId, PauseId, WorkspaceId};
use flowkeep::domain::predictions::execution::{
    ExecutionEntry, NewExecution, Pause, RunEnd, RunRequest, StepStart, StepStatus,
};
use flowkeep::ops::predictions::executions::{self, ExecutionRecorder, PausedRun};
use serde_json::{Map, Value, json};
use std::sync::Arc;

fn map(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

/// A run of this flow of the active workspace, as the engine begins one.
fn begin(server: &Server, flow: &str) -> ExecutionRecorder {
    executions::begin(&server.app, new(server, flow)).expect("a request that can be stored")
}

fn new(server: &Server, flow: &str) -> NewExecution {
    let me = server.read("/auth/me");
    NewExecution {
        id: ExecutionId::next(),
        flow: FlowId::parse(flow).unwrap(),
        workspace: WorkspaceId::parse(me["activeWorkspaceId"].as_str().unwrap()).unwrap(),
        chat: ChatId::random(),
        session: "ada".to_owned(),
        is_test: false,
        from_execution: None,
        version: None,
        request: RunRequest::default(),
    }
}

fn entry(text: &str) -> ExecutionEntry {
    ExecutionEntry {
        node_id: "llmAgentflow_0".to_owned(),
        node_label: "Writer".to_owned(),
        data: map(
            json!({"id": "llmAgentflow_0", "name": "llmAgentflow", "output": {"content": text}, "sessionId": "ada"}),
        ),
        previous_node_ids: vec!["startAgentflow_0".to_owned()],
        status: StepStatus::Finished,
    }
}

/// The record of a run of this flow that said `text`.
pub fn record(server: &Server, flow: &str, text: &str) -> String {
    let recorder = begin(server, flow);
    let entry = entry(text);
    let step = recorder.start(StepStart::of(&entry));
    recorder.end(step, entry, None).unwrap();
    recorder.place(step);
    recorder.finish(RunEnd::AtRest).unwrap().id.to_string()
}

/// The record of a run of this flow that waits for a person.
pub fn waiting(server: &Server, flow: &str) -> String {
    wait(server, begin(server, flow), "{}")
}

/// As [`waiting`], in a conversation and with a canvas of its own.
pub fn waiting_in(server: &Server, flow: &str, chat: &str, canvas: &str) -> String {
    let new = new(server, flow);
    let new = NewExecution { chat: ChatId::parse(chat).unwrap(), session: chat.to_owned(), ..new };
    wait(server, executions::begin(&server.app, new).expect("a request that can be stored"), canvas)
}

fn wait(server: &Server, recorder: ExecutionRecorder, canvas: &str) -> String {
    let pause = Pause {
        id: PauseId::random(),
        node_id: "humanInputAgentflow_0".to_owned(),
        node_label: "Ask".to_owned(),
        iteration_index: Some(2),
        created: server.app.clock.now(),
        timeout_at: None,
        action: map(json!({"mapping": {"approve": "Proceed", "reject": "Reject"}})),
    };
    recorder.pause(pause, Arc::new(PausedRun { canvas: canvas.to_owned(), note: Value::Null }));
    recorder.finish(RunEnd::AtRest).unwrap().id.to_string()
}

fn agentflow(server: &Server, name: &str) -> String {
    id(&server.post("/chatflows", &json!({"name": name, "type": "AGENTFLOW"})))
}

#[test]
fn a_list_is_always_a_page_without_what_the_runs_did() {
    let server = Server::start();
    assert_eq!(server.read("/executions"), json!({"data": [], "total": 0}));
    let flow = agentflow(&server, "Orders");
    let ids: Vec<String> = (0..14).map(|_| record(&server, &flow, "Hello")).collect();
    let page = server.read("/executions");
    assert_eq!((page["total"].as_u64(), page["data"].as_array().unwrap().len()), (Some(14), 12));
    let newest = &page["data"][0];
    assert_eq!(newest["id"], *ids[13]);
    assert_eq!(newest["agentflow"], json!({"id": flow, "name": "Orders", "type": "AGENTFLOW"}));
    assert_eq!((&newest["state"], newest.get("executionData")), (&json!("FINISHED"), None));
    assert_eq!(server.read("/executions?page=2&limit=12")["data"][1]["id"], *ids[0]);
    assert_eq!(server.read("/executions?limit=1000")["data"].as_array().unwrap().len(), 14);
    let full = server.read("/executions?full=true&limit=1");
    assert_eq!(full["data"][0]["executionData"][0]["data"]["output"]["content"], "Hello");
}

#[test]
fn filters_narrow_the_list() {
    let server = Server::start();
    let (orders, returns) = (agentflow(&server, "Orders"), agentflow(&server, "Returns"));
    let (first, second) = (record(&server, &orders, "a"), record(&server, &returns, "b"));
    let found = |query: &str| {
        let page = server.read(&format!("/executions?{query}"));
        let ids: Vec<Value> = page["data"].as_array().unwrap().iter().map(|row| row["id"].clone()).collect();
        assert_eq!(page["total"], ids.len(), "{query}");
        ids
    };
    assert_eq!(found(&format!("agentflowId={orders}")), [json!(first)]);
    assert_eq!(found("agentflowName=TURN"), [json!(second)]);
    assert_eq!(found(&format!("id={first}")), [json!(first)]);
    assert_eq!(found("sessionId=ada&state=FINISHED"), [json!(second), json!(first)]);
    assert_eq!(found("state=ERROR"), [] as [Value; 0]);
    assert_eq!(found("startDate=2001-01-01&endDate=2001-01-02T00:00:00Z"), [] as [Value; 0]);
    for bad in
        ["id=x", "agentflowId=x", "state=DONE", "startDate=x", "endDate=x", "page=x", "limit=-1", "full=x"]
    {
        server.owner("GET", &format!("/executions?{bad}")).send().is_error(400);
    }
}

#[test]
fn a_record_tells_what_each_step_did() {
    let server = Server::start();
    let run = record(&server, &agentflow(&server, "Orders"), "Hello");
    let row = server.read(&format!("/executions/{run}"));
    let step = &row["executionData"][0];
    assert_eq!((&step["nodeId"], &step["nodeLabel"]), (&json!("llmAgentflow_0"), &json!("Writer")));
    assert_eq!(
        (&step["status"], &step["previousNodeIds"]),
        (&json!("FINISHED"), &json!(["startAgentflow_0"]))
    );
    assert_eq!((&row["sessionId"], &row["error"], &row["pauses"]), (&json!("ada"), &Value::Null, &json!([])));
    assert_ne!(row["stoppedDate"], Value::Null);
    assert_eq!(row.get("cut"), None);
    server.owner("GET", "/executions/x").send().is_error(404);
    server.owner("GET", &format!("/executions/{run}?whole=x")).send().is_error(400);
}

#[test]
fn a_long_text_is_cut_and_says_so_unless_the_whole_is_asked_for() {
    const MEBIBYTE: usize = 1024 * 1024;
    let server = Server::start();
    let run = record(&server, &agentflow(&server, "Orders"), &"x".repeat(MEBIBYTE + 5));
    let told = |query: &str| {
        let row = server.read(&format!("/executions/{run}{query}"));
        let step = &row["executionData"][0];
        let length = step["data"]["output"]["content"].as_str().unwrap().len();
        (length, step.get("cut").is_some(), row.get("cut").is_some())
    };
    assert_eq!(told(""), (MEBIBYTE, true, true));
    assert_eq!(told("?whole=true"), (MEBIBYTE + 5, false, false));
}

#[test]
fn a_run_that_waits_says_for_what() {
    let server = Server::start();
    let run = waiting(&server, &agentflow(&server, "Orders"));
    let row = server.read(&format!("/executions/{run}"));
    assert_eq!((&row["state"], &row["action"]["mapping"]["approve"]), (&json!("STOPPED"), &json!("Proceed")));
    assert!(row["pauses"][0]["actionId"].is_string(), "{row}");
    assert_eq!(row["pauses"][0]["iterationIndex"], 2);
}

#[test]
fn a_shared_record_is_open_to_everybody_without_whose_it_was() {
    let server = Server::start();
    let run = record(&server, &agentflow(&server, "Orders"), "Hello");
    let (path, public) = (format!("/executions/{run}"), format!("/public-executions/{run}"));
    let unknown = server.call("GET", &public).send();
    unknown.is_error(404);
    let body = json!({"isPublic": true, "state": "ERROR"});
    let row = server.owner("PUT", &path).json(&body).send().is(200).json();
    assert_eq!((&row["isPublic"], &row["state"]), (&json!(true), &json!("FINISHED")));
    let shown = server.call("GET", &public).send().is(200).json();
    assert_eq!(shown["executionData"][0]["data"]["output"]["content"], "Hello");
    assert!(!shown.to_string().contains("ada") && shown.get("workspaceId").is_none(), "{shown}");
    server.owner("PUT", &path).json(&json!({"isPublic": false})).send().is(200);
    server.call("GET", &public).send().is_error(404);
}

#[test]
fn records_are_deleted_but_not_while_they_are_written() {
    let server = Server::start();
    let flow = agentflow(&server, "Orders");
    let runs: Vec<String> = (0..3).map(|_| record(&server, &flow, "Hello")).collect();
    let one = server.owner("DELETE", &format!("/executions/{}", runs[0])).send().is(200).json();
    assert_eq!(one, json!({"success": true, "deletedCount": 1}));
    server.owner("GET", &format!("/executions/{}", runs[0])).send().is_error(404);
    let busy = begin(&server, &flow);
    busy.sync().unwrap();
    server.owner("DELETE", &format!("/executions/{}", busy.id())).send().is_error(409);
    let named = json!({"executionIds": [runs[0], runs[1], runs[2], busy.id().to_string(), "x"]});
    let several = server.owner("DELETE", "/executions").json(&named).send().is(200).json();
    assert_eq!(several, json!({"success": true, "deletedCount": 2}));
    for none in [json!({}), json!({"executionIds": []})] {
        server.owner("DELETE", "/executions").json(&none).send().is_error(400);
    }
    busy.finish(RunEnd::AtRest).unwrap();
    server.owner("DELETE", &format!("/chatflows/{flow}")).send().is(200);
    assert_eq!(server.read("/executions")["total"], 0, "they go with their flow");
}

#[test]
fn who_may_not_see_agentflows_sees_rows_alone() {
    let server = Server::start();
    let run = record(&server, &agentflow(&server, "Orders"), "Hello");
    let seen = |permissions: &[&str]| {
        let key = server.key(permissions)["apiKey"].as_str().unwrap().to_owned();
        let row = server.call("GET", &format!("/executions/{run}")).bearer(&key).send().is(200).json();
        let full = server.call("GET", "/executions?full=true").bearer(&key).send().is(200).json();
        (row.get("executionData").is_some(), full["data"][0].get("executionData").is_some())
    };
    assert_eq!(seen(&["executions:view", "chatflows:view"]), (false, false));
    assert_eq!(seen(&["executions:view", "agentflows:view"]), (true, true));
}

#[test]
fn who_may_not_see_agentflows_shares_no_run_of_one() {
    let server = Server::start();
    let run = record(&server, &agentflow(&server, "Orders"), "Hello");
    let put = |permissions: &[&str], is_public: bool| {
        let key = server.key(permissions)["apiKey"].as_str().unwrap().to_owned();
        let call = server.call("PUT", &format!("/executions/{run}"));
        call.bearer(&key).json(&json!({ "isPublic": is_public })).send()
    };
    for blind in [&["executions:update"][..], &["executions:update", "executions:view", "chatflows:view"]] {
        assert!(put(blind, true).is_error(403).contains("agentflows:view"));
        server.call("GET", &format!("/public-executions/{run}")).send().is_error(404);
    }
    let blind = put(&["executions:update", "agentflows:view"], true);
    assert!(blind.is_error(403).contains("executions:view"));
    put(&["executions:update", "executions:view", "agentflows:view"], true).is(200);
    server.call("GET", &format!("/public-executions/{run}")).send().is(200);
    // What takes it back shows nothing.
    assert_eq!(put(&["executions:update"], false).is(200).json().get("executionData"), None);
    server.call("GET", &format!("/public-executions/{run}")).send().is_error(404);
}

#[test]
fn each_workspace_has_its_own_records() {
    let server = Server::start();
    let here = server.read("/auth/me")["activeWorkspaceId"].as_str().unwrap().to_owned();
    let there = server.new_workspace("There");
    let member = server.member_of(&here, ADMINISTRATOR);
    server.enter(&there);
    let run = record(&server, &agentflow(&server, "Orders"), "Hello");
    let named = json!({"executionIds": [run]});
    let gone = member.call(&server, "DELETE", "/executions").json(&named).send().is(200).json();
    assert_eq!(gone, json!({"success": true, "deletedCount": 0}));
    assert_eq!(member.read(&server, "/executions?full=true"), json!({"data": [], "total": 0}));
    assert_eq!(server.read("/executions")["total"], 1);
}
