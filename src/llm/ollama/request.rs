//! The body of a chat request.

use super::Ollama;
use crate::llm::reply::{argument_object, set, stops};
use crate::llm::{ChatRequest, Content, Message, ModelError, transcript};
use serde_json::{Map, Value, json};

pub(super) fn body(model: &Ollama, request: &ChatRequest) -> Result<Value, ModelError> {
    let mut body = Map::new();
    body.insert("model".into(), model.model.as_str().into());
    let mut words = model.stop.clone();
    if model.completes {
        let written = transcript::write(&request.messages);
        body.insert("prompt".into(), written.text.into());
        words.extend(written.stop);
    } else {
        let messages: Result<Vec<Value>, ModelError> = request.messages.iter().map(message).collect();
        body.insert("messages".into(), messages?.into());
    }
    body.insert("stream".into(), model.streaming.into());
    if !request.tools.is_empty() {
        let tool = |tool: &crate::llm::ToolSpec| json!({"type": "function", "function": {"name": tool.name, "description": tool.description, "parameters": tool.schema}});
        body.insert("tools".into(), request.tools.iter().map(tool).collect());
    }
    let mut options = model.options.clone();
    let stops = stops(&words, &request.stop, usize::MAX);
    set(&mut options, "stop", (!stops.is_empty()).then_some(stops));
    set(&mut body, "options", (!options.is_empty()).then_some(options));
    set(&mut body, "keep_alive", model.keep_alive.as_deref());
    set(&mut body, "think", model.think.clone());
    set(&mut body, "format", model.format.clone());
    Ok(body.into())
}

fn message(message: &Message) -> Result<Value, ModelError> {
    Ok(match message {
        Message::System(text) => json!({"role": "system", "content": text}),
        Message::User(parts) => {
            let mut images = Vec::new();
            for part in parts {
                match part {
                    Content::Text(_) => {}
                    Content::Image { base64, .. } => images.push(base64.as_str()),
                    Content::ImageUrl(_) => {
                        return Err(ModelError::Settings(
                            "the provider fetches no images; upload the image instead of linking it".into(),
                        ));
                    }
                }
            }
            let mut wire = json!({"role": "user", "content": message.text()});
            if !images.is_empty() {
                wire["images"] = images.into();
            }
            wire
        }
        Message::Assistant { text, calls } => {
            let mut wire = json!({"role": "assistant", "content": text});
            if !calls.is_empty() {
                let call = |call: &crate::llm::ToolCall| json!({"function": {"name": call.name, "arguments": argument_object(&call.arguments)}});
                wire["tool_calls"] = calls.iter().map(call).collect();
            }
            wire
        }
        Message::Tool { name, text, .. } => json!({"role": "tool", "tool_name": name, "content": text}),
    })
}
