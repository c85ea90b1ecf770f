//! Behaviour checks (manual 18): the same questions to Live and to the draft, and nothing left behind.

mod asked_flows;
mod caps;
mod carried;
mod kept;
mod noise;
mod questions;
mod races;
mod risk;
mod runs;
mod traces;
mod verdicts;
mod versions;

use crate::agentflows::steps::{START, Steps, llm};
use crate::support::canvases::{ProviderFormat, scripted_flow_with};
use crate::support::provider::Provider;
use crate::support::{Answer, Server};
use serde_json::{Value, json};
use std::thread;
use std::time::{Duration, Instant};

/// A flow whose Live says one thing and whose draft another; `{question}` stands for the question.
pub fn flow_saying(server: &Server, live: &str, draft: &str) -> String {
    let flow = server.flow(&scripted_flow_with(json!({ "fallback": live })));
    // A card that was moved makes a draft also where both sides say the same.
    let mut drawn: Value = serde_json::from_str(&scripted_flow_with(json!({ "fallback": draft }))).unwrap();
    drawn["nodes"][0]["position"] = json!({"x": 7, "y": 7});
    save_draft(server, &flow, &drawn.to_string());
    flow
}

/// A flow of this kind that can be checked.
pub fn flow_of_kind(server: &Server, kind: &str) -> String {
    if kind != "AGENTFLOW" {
        return flow_saying(server, "a", "b");
    }
    let canvas = |says: &str| {
        Steps::begin().card("llmAgentflow_0", "Answer", llm(says)).edge(START, "llmAgentflow_0").text()
    };
    let flow = server.flow_with(&canvas("a"), &json!({"type": "AGENTFLOW"}));
    save_draft(server, &flow, &canvas("b"));
    flow
}

/// A flow in front of a stand-in provider, with a draft that asks another model of it.
pub fn flow_of_provider(server: &Server) -> (Provider, String) {
    let provider = Provider::start();
    let canvas = |model: &str| {
        ProviderFormat::OpenAi.conversation(server, &provider.base_url(), json!({"modelName": model}))
    };
    let flow = server.flow(&canvas("live-model"));
    save_draft(server, &flow, &canvas("draft-model"));
    (provider, flow)
}

pub fn save_draft(server: &Server, flow: &str, canvas: &str) {
    // Flows that are made by the API save straight to Live at first.
    server.put(&format!("/flow-drafts/{flow}/settings"), &json!({"publishInstantly": false}));
    server.put(&format!("/flow-drafts/{flow}"), &json!({ "flowData": canvas }));
}

pub fn setup(server: &Server, flow: &str) -> Value {
    server.read(&format!("/flow-drafts/{flow}/check"))
}

pub fn post(server: &Server, flow: &str, body: &Value) -> Answer {
    server.owner("POST", &format!("/flow-drafts/{flow}/check")).json(body).send()
}

/// Begins a check; the body of its 202.
#[track_caller]
pub fn start(server: &Server, flow: &str, body: &Value) -> Value {
    post(server, flow, body).is(202).json()
}

pub fn read(server: &Server, flow: &str, check: &Value) -> Value {
    server.read(&format!("/flow-drafts/{flow}/check/{}", check["id"].as_str().unwrap()))
}

pub fn stop(server: &Server, flow: &str, check: &Value) -> Value {
    let path = format!("/flow-drafts/{flow}/check/{}", check["id"].as_str().unwrap());
    server.owner("DELETE", &path).send().is(200).json()
}

/// The check once it has come to its end.
#[track_caller]
pub fn end(server: &Server, flow: &str, check: &Value) -> Value {
    wait(|| Some(read(server, flow, check)).filter(|check| check["status"] != "running"))
}

/// What comes of looking again and again.
#[track_caller]
pub fn wait<T>(look: impl Fn() -> Option<T>) -> T {
    let last = Instant::now() + Duration::from_secs(60);
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < last, "it took too long");
        thread::sleep(Duration::from_millis(20));
    }
}

/// Begins a check of these questions and waits for its end.
#[track_caller]
pub fn check(server: &Server, flow: &str, questions: &[&str]) -> Value {
    end(server, flow, &start(server, flow, &json!({ "questions": questions })))
}
