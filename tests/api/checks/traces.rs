//! A check leaves nothing behind: the same rows, files and versions are there before and after.

use super::{check, end, flow_of_provider, flow_saying, save_draft, start};
use crate::agentflows::steps::{START, Steps, llm, with};
use crate::support::Server;
use crate::support::provider::Behaviour;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What anybody can see of a flow, and every file of the service but those that change by themselves.
fn picture(server: &Server, flow: &str) -> (Vec<Value>, BTreeMap<String, usize>) {
    let shown = [
        format!("/chatmessage/{flow}"),
        format!("/internal-chatmessage/{flow}"),
        format!("/conversations/{flow}"),
        format!("/stats/{flow}"),
        format!("/executions?agentflowId={flow}"),
        format!("/flow-versions/{flow}"),
        format!("/chatflows/{flow}"),
        format!("/flow-drafts/{flow}"),
        "/audit".to_owned(),
    ];
    let shown = shown.iter().map(|path| server.owner("GET", path).send().json()).collect();
    let files = server
        .files()
        .into_iter()
        .filter(|(name, _)| !name.contains("flowkeep."))
        .map(|(name, bytes)| (name, bytes.len()));
    (shown, files.collect())
}

#[test]
fn a_check_of_a_chatflow_leaves_nothing_behind() {
    let server = Server::start();
    let flow = flow_saying(&server, "Live said marker-7431", "Draft said marker-7431");
    server.ask(&flow, &json!({"question": "before"})).is(200);
    let before = picture(&server, &flow);
    let done = check(&server, &flow, &["question marker-7432"]);
    assert_eq!(done["status"], "done");
    assert_eq!(picture(&server, &flow), before);
    assert!(server.files_with("marker-7432").is_empty(), "a question is in a file");
}

#[test]
fn a_check_of_an_agentflow_leaves_no_record_and_reads_none() {
    let server = Server::start();
    let canvas = |says: &str| {
        let remembering = with(llm(says), json!({"llmEnableMemory": true}));
        Steps::begin_with(json!({"startInputType": "chatInput", "startPersistState": true}))
            .card("llmAgentflow_0", "Answer", remembering)
            .edge(START, "llmAgentflow_0")
            .text()
    };
    let flow = server.flow_with(&canvas("First."), &json!({"type": "AGENTFLOW"}));
    save_draft(&server, &flow, &canvas("Second."));
    server.ask(&flow, &json!({"question": "before"})).is(200);
    let before = picture(&server, &flow);
    assert_eq!(check(&server, &flow, &["question marker-7433"])["status"], "done");
    assert_eq!(picture(&server, &flow), before);
    assert!(server.files_with("marker-7433").is_empty(), "a question is in a file");
}

#[test]
fn each_run_begins_with_an_empty_memory() {
    let server = Server::start();
    let (provider, flow) = flow_of_provider(&server);
    provider.set_decision(|_| Behaviour::text("Noted."));
    server.ask(&flow, &json!({"question": "remember me"})).is(200);
    let asked = provider.served_count();
    let body = json!({"questions": ["one", "two"], "control": true});
    end(&server, &flow, &start(&server, &flow, &body));
    let sent = provider.requests().split_off(asked);
    assert!(sent.len() >= 6);
    for request in sent {
        let body = request.body.to_string();
        let others = ["remember me", "one", "two"].iter().filter(|text| body.contains(**text)).count();
        assert_eq!(others, 1, "{body}");
    }
}

#[test]
fn runs_of_a_check_are_counted_nowhere() {
    let server = Server::start();
    let (provider, flow) = flow_of_provider(&server);
    provider.set_decision(|_| Behaviour::text("Yes."));
    let key = server.key(&["logs:view"])["apiKey"].as_str().unwrap().to_owned();
    let counted = || {
        let page = server.call_root("GET", "/metrics").bearer(&key).send().is(200).text();
        let lines = page.lines().filter(|line| {
            line.contains("model") || line.contains("flow_run") || line.contains("prediction")
        });
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let before = counted();
    check(&server, &flow, &["one"]);
    assert_eq!(counted(), before);
}
