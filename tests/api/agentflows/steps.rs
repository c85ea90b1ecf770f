//! Draws canvases of steps, and reads what came of a run.

use crate::support::Server;
use crate::support::provider::Provider;
use serde_json::{Map, Value, json};

pub const START: &str = "startAgentflow_0";

/// A canvas of steps in the making. The name of a card is its id without the number.
pub struct Steps {
    nodes: Vec<Value>,
    edges: Vec<Value>,
}

impl Steps {
    /// A canvas that a question starts.
    pub fn begin() -> Self {
        Self::begin_with(json!({}))
    }

    /// A canvas whose Start has these inputs.
    pub fn begin_with(mut inputs: Value) -> Self {
        if inputs.get("startInputType").is_none() {
            inputs["startInputType"] = "chatInput".into();
        }
        Self { nodes: Vec::new(), edges: Vec::new() }.card(START, "Start", inputs)
    }

    /// A canvas whose state begins with these values.
    pub fn begin_with_state(state: &Value) -> Self {
        let row = |(key, value): (&String, &Value)| json!({"key": key, "value": value});
        let rows: Vec<Value> = state.as_object().unwrap().iter().map(row).collect();
        Self::begin_with(json!({ "startState": rows }))
    }

    pub fn card(mut self, id: &str, label: &str, inputs: Value) -> Self {
        let name = id.rsplit_once('_').unwrap().0;
        let kind = if name == "iterationAgentflow" { "iteration" } else { "agentFlow" };
        self.nodes.push(json!({
            "id": id, "type": kind, "position": {"x": 300 * self.nodes.len(), "y": 0},
            "data": {
                "id": id, "name": name, "label": label, "category": "Agent Flows", "inputs": inputs, "outputs": {},
            },
        }));
        self
    }

    /// Puts the last card into an iteration.
    pub fn inside(mut self, iteration: &str) -> Self {
        let node = self.nodes.last_mut().unwrap();
        node["parentNode"] = iteration.into();
        node["extent"] = "parent".into();
        self
    }

    pub fn edge(self, from: &str, to: &str) -> Self {
        let name = from.rsplit_once('_').unwrap().0.to_owned();
        self.edge_of(from, &name, to)
    }

    /// Edges along a row of cards.
    pub fn chain(self, cards: &[&str]) -> Self {
        cards.windows(2).fold(self, |steps, pair| steps.edge(pair[0], pair[1]))
    }

    /// An edge from one of several outputs.
    pub fn choice(self, from: &str, output: usize, to: &str) -> Self {
        self.edge_of(from, &output.to_string(), to)
    }

    /// An edge for the case that a card fails.
    pub fn error_edge(self, from: &str, to: &str) -> Self {
        self.edge_of(from, "error", to)
    }

    fn edge_of(mut self, from: &str, output: &str, to: &str) -> Self {
        let handle = format!("{from}-output-{output}");
        self.edges.push(json!({
            "id": format!("{handle}-{to}"), "type": "agentFlow", "source": from, "sourceHandle": handle, "target": to,
            "targetHandle": to,
        }));
        self
    }

    /// `flowData`.
    pub fn text(&self) -> String {
        json!({"nodes": self.nodes, "edges": self.edges, "viewport": {"x": 0, "y": 0, "zoom": 1}}).to_string()
    }

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

/// The inputs of an LLM that says this; `{question}` stands for what it was told last.
pub fn llm(says: &str) -> Value {
    json!({"llmModel": "chatScripted", "llmModelConfig": {"fallback": says}})
}

/// The inputs of an LLM that answers by these rules.
pub fn ruled_llm(rules: &Value) -> Value {
    json!({"llmModel": "chatScripted", "llmModelConfig": {"rules": rules.to_string(), "fallback": "Nothing fits."}})
}

/// The inputs of an LLM that takes this long for each word.
pub fn slow_llm(says: &str, milliseconds: u64) -> Value {
    json!({"llmModel": "chatScripted", "llmModelConfig": {"fallback": says, "delayMs": milliseconds}})
}

/// The inputs of an LLM in front of a stand-in provider.
pub fn provided_llm(provider: &Provider) -> Value {
    let config = json!({"modelName": "model-1", "basepath": format!("{}/v1", provider.base_url())});
    json!({"llmModel": "chatOpenAICustom", "llmModelConfig": config})
}

/// The inputs of an LLM that fails as a provider does.
pub fn failing_llm(status: u16) -> Value {
    ruled_llm(&json!([{"fail": {"status": status, "message": "no such luck"}}]))
}

/// These inputs over others.
pub fn with(mut inputs: Value, more: Value) -> Value {
    inputs.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    inputs
}

/// The inputs of an LLM that is told only this, and nothing of the conversation.
pub fn told(inputs: Value, text: &str) -> Value {
    with(inputs, json!({"llmEnableMemory": false, "llmMessages": [{"role": "user", "content": text}]}))
}

/// The inputs of a Direct Reply.
pub fn reply(text: &str) -> Value {
    json!({"directReplyMessage": text})
}

/// The inputs of a Custom Function, with the values that it reads.
pub fn function(code: &str, variables: &[(&str, &str)]) -> Value {
    let row = |(name, value): &(&str, &str)| json!({"variableName": name, "variableValue": value});
    let rows: Vec<Value> = variables.iter().map(row).collect();
    json!({"customFunctionInputVariables": rows, "customFunctionJavascriptFunction": code})
}

/// The inputs of a Condition that holds when these texts are equal.
pub fn equal(first: &str, second: &str) -> Value {
    json!({"conditions": [{"type": "string", "value1": first, "operation": "equal", "value2": second}]})
}

/// The inputs of a Human Input.
pub fn question(text: &str) -> Value {
    json!({
        "humanInputDescriptionType": "fixed", "humanInputDescription": text, "humanInputEnableFeedback": true,
    })
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
