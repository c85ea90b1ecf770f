//! Draws canvases of steps.

#![allow(dead_code, reason = "each test binary uses its own part of this")]
#![allow(clippy::unwrap_used, reason = "a test may stop at what it does not expect")]

use serde_json::{Value, json};

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

/// The inputs of an LLM whose provider speaks OpenAI's protocol at this address.
pub fn openai_llm(base: &str, model: &str) -> Value {
    let config = json!({"modelName": model, "basepath": format!("{base}/v1")});
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
