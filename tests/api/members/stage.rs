//! Canvases of members, drawn in few words, over a stand-in provider.

use crate::support::Server;
use crate::support::canvases::{Drawing, ProviderFormat};
use crate::support::client::Answer;
use crate::support::provider::{Behaviour, Provider};
use serde_json::{Value, json};

pub struct Stage {
    pub server: Server,
    pub provider: Provider,
    pub flow: String,
}

impl Stage {
    /// A flow of members, which `draw` draws around this model.
    pub fn new(draw: impl FnOnce(&mut Drawing, &str)) -> Self {
        Self::with(&json!({}), draw)
    }

    /// As [`Self::new`], with these settings of the flow.
    pub fn with(settings: &Value, draw: impl FnOnce(&mut Drawing, &str)) -> Self {
        let (server, provider) = (Server::start(), Provider::start());
        let mut drawing = Drawing::default();
        let model = ProviderFormat::OpenAi.model(&mut drawing, &server, &provider.base_url(), json!({}));
        draw(&mut drawing, &model);
        let mut settings = settings.clone();
        settings["type"] = "MULTIAGENT".into();
        let flow = server.flow_with(&drawing.text(), &settings);
        Self { server, provider, flow }
    }

    pub fn script(&self, behaviours: impl IntoIterator<Item = Behaviour>) {
        behaviours.into_iter().for_each(|behaviour| self.provider.push_behaviour(behaviour));
    }

    /// Asks in a new conversation.
    pub fn ask(&self, question: &str) -> Answer {
        self.server.ask(&self.flow, &json!({ "question": question }))
    }

    /// Asks in the conversation of an earlier answer.
    pub fn go_on(&self, earlier: &Value, body: Value) -> Answer {
        let mut body = body;
        body["chatId"] = earlier["chatId"].clone();
        body["sessionToken"] = earlier["sessionToken"].clone();
        self.server.ask(&self.flow, &body)
    }

    /// What the models were sent, the newest last: the texts of the messages of each request.
    pub fn heard(&self) -> Vec<Vec<String>> {
        let text = |message: &Value| {
            let content = match &message["content"] {
                Value::String(text) => text.clone(),
                Value::Array(parts) => {
                    parts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("")
                }
                _ => String::new(),
            };
            format!("{}: {content}", message["role"].as_str().unwrap_or_default())
        };
        let requests = self.provider.requests();
        requests
            .iter()
            .filter_map(|request| request.body["messages"].as_array())
            .map(|messages| messages.iter().map(text).collect())
            .collect()
    }
}

/// Wires one member behind another.
pub fn behind(drawing: &mut Drawing, before: &str, after: &str) {
    drawing.wire(before, after, "sequentialNode");
}

/// A Start with this model.
pub fn start(drawing: &mut Drawing, model: &str) -> String {
    let start = drawing.card("seqStart", json!({}));
    drawing.wire(model, &start, "model");
    start
}

/// An LLM Node of this name behind another member.
pub fn llm(drawing: &mut Drawing, before: &str, name: &str, inputs: Value) -> String {
    let mut inputs = inputs;
    inputs["llmNodeName"] = name.into();
    let node = drawing.card("seqLLMNode", inputs);
    behind(drawing, before, &node);
    node
}

/// An End behind a member.
pub fn end(drawing: &mut Drawing, before: &str) {
    let end = drawing.card("seqEnd", json!({}));
    behind(drawing, before, &end);
}

/// The members that took turns, as an answer tells them.
pub fn turns(answer: &Value) -> Vec<&str> {
    answer["agentReasoning"]
        .as_array()
        .unwrap()
        .iter()
        .map(|turn| turn["agentName"].as_str().unwrap())
        .collect()
}
