//! Makes flows of canvases of steps, and reads what came of a run.

pub use crate::support::steps::{
    START, Steps, equal, failing_llm, function, llm, openai_llm, question, reply, ruled_llm, slow_llm, told,
    with,
};

use crate::support::Server;
use crate::support::provider::Provider;
use serde_json::{Map, Value, json};

impl Steps {
    /// A flow whose Live is this canvas; its id.
    #[track_caller]
    pub fn flow(&self, server: &Server) -> String {
        self.flow_with(server, json!({}))
    }

    /// A flow with these further fields; its id.
    #[track_caller]
    pub fn flow_with(&self, server: &Server, mut fields: Value) -> String {
        fields["type"] = "AGENTFLOW".into();
        server.flow_with(&self.text(), &fields)
    }
}

/// The inputs of an LLM in front of a stand-in provider.
pub fn provided_llm(provider: &Provider) -> Value {
    openai_llm(&provider.base_url(), "model-1")
}

/// Asks a flow in a conversation of its own; the body of its 200.
#[track_caller]
pub fn ask(server: &Server, flow: &str, question: &str) -> Value {
    server.ask(flow, &json!({ "question": question })).is(200).json()
}

/// The text of the answer to `Hi`.
#[track_caller]
pub fn said(server: &Server, steps: &Steps) -> String {
    let answer = ask(server, &steps.flow(server), "Hi");
    answer["text"].as_str().unwrap().to_owned()
}

/// The steps of a run, from an answer or a record.
#[track_caller]
pub fn entries(run: &Value) -> &Vec<Value> {
    let found = run.get("agentFlowExecutedData").or_else(|| run.get("executionData"));
    found.and_then(Value::as_array).unwrap_or_else(|| panic!("no steps: {run}"))
}

/// The labels of the steps of a run.
#[track_caller]
pub fn labels(run: &Value) -> Vec<&str> {
    entries(run).iter().map(|entry| entry["nodeLabel"].as_str().unwrap()).collect()
}

/// The labels of the steps of a run, with what became of each.
#[track_caller]
pub fn endings(run: &Value) -> Vec<(&str, &str)> {
    entries(run)
        .iter()
        .map(|entry| (entry["nodeLabel"].as_str().unwrap(), entry["status"].as_str().unwrap()))
        .collect()
}

/// The newest entry of the step with this label.
#[track_caller]
pub fn entry<'a>(run: &'a Value, label: &str) -> &'a Value {
    let found = entries(run).iter().rev().find(|entry| entry["nodeLabel"] == label);
    found.unwrap_or_else(|| panic!("no step '{label}': {:?}", labels(run)))
}

/// What the step with this label made.
#[track_caller]
pub fn output<'a>(run: &'a Value, label: &str) -> &'a Value {
    &entry(run, label)["data"]["output"]
}

/// The record of the run that gave this answer.
#[track_caller]
pub fn record(server: &Server, answer: &Value) -> Value {
    server.read(&format!("/executions/{}", answer["executionId"].as_str().unwrap()))
}

/// The newest record there is.
#[track_caller]
pub fn newest_record(server: &Server) -> Value {
    let page = server.read("/executions");
    server.read(&format!("/executions/{}", page["data"][0]["id"].as_str().unwrap()))
}

/// The entries of a run without what differs from run to run.
pub fn story(run: &Value) -> Vec<Value> {
    let mut story = entries(run).clone();
    for entry in &mut story {
        if let Some(output) = entry["data"]["output"].as_object_mut() {
            output.remove("timeMetadata");
        }
    }
    story
}

/// A conversation of the owner in the test chat of a flow.
pub struct Talk<'s> {
    server: &'s Server,
    flow: String,
    pub chat: String,
}

impl<'s> Talk<'s> {
    /// A conversation whose first question this is, and its answer.
    #[track_caller]
    pub fn begin(server: &'s Server, steps: &Steps, question: &str) -> (Self, Value) {
        let flow = steps.flow(server);
        let answer = server.post(&format!("/internal-prediction/{flow}"), &json!({ "question": question }));
        let chat = answer["chatId"].as_str().unwrap().to_owned();
        (Self { server, flow, chat }, answer)
    }

    /// Sends something more.
    pub fn send(&self, body: &Map<String, Value>) -> crate::support::Answer {
        let mut body = Value::Object(body.clone());
        body["chatId"] = self.chat.as_str().into();
        self.server.owner("POST", &format!("/internal-prediction/{}", self.flow)).json(&body).send()
    }

    /// Asks something more.
    #[track_caller]
    pub fn ask(&self, question: &str) -> Value {
        self.send(json!({ "question": question }).as_object().unwrap()).is(200).json()
    }

    /// Answers what waits.
    pub fn try_answer(&self, input: &Value) -> crate::support::Answer {
        self.send(json!({ "humanInput": input }).as_object().unwrap())
    }

    /// Answers what waits; what comes of it.
    #[track_caller]
    pub fn answer(&self, input: &Value) -> Value {
        self.try_answer(input).is(200).json()
    }

    #[track_caller]
    pub fn proceed(&self) -> Value {
        self.answer(&json!({"type": "proceed"}))
    }

    #[track_caller]
    pub fn reject(&self) -> Value {
        self.answer(&json!({"type": "reject"}))
    }

    pub fn flow(&self) -> &str {
        &self.flow
    }
}
