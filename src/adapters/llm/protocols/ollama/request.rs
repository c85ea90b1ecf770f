//! The body of a chat request.

use super::Ollama;
use crate::llm::protocols::tool_images::{self, images_after};
use crate::llm::protocols::transcript;
use crate::llm::reply::{argument_object, join_stops, set_optional};
use crate::llm::{ChatMessage, ChatRequest, ContentPart, ModelError};
use serde_json::{Map, Value, json};

pub(super) fn body(model: &Ollama, request: &ChatRequest) -> Result<Value, ModelError> {
    let mut body = Map::new();
    body.insert("model".into(), model.model.as_str().into());
    let mut words = model.stop.clone();
    if model.completes {
        let written = transcript::from_messages(&request.messages);
        body.insert("prompt".into(), written.text.into());
        words.extend(written.stop);
    } else {
        body.insert("messages".into(), messages(&request.messages)?.into());
    }
    body.insert("stream".into(), model.streaming.into());
    if !request.tools.is_empty() {
        let tool = |tool: &crate::llm::ToolSpec| json!({"type": "function", "function": {"name": tool.name, "description": tool.description, "parameters": tool.schema}});
        body.insert("tools".into(), request.tools.iter().map(tool).collect());
    }
    let mut options = model.options.clone();
    let stops = join_stops(&words, &request.stop, usize::MAX);
    set_optional(&mut options, "stop", (!stops.is_empty()).then_some(stops));
    set_optional(&mut body, "options", (!options.is_empty()).then_some(options));
    set_optional(&mut body, "keep_alive", model.keep_alive.as_deref());
    set_optional(&mut body, "think", model.think.clone());
    set_optional(&mut body, "format", model.format.clone());
    Ok(body.into())
}

fn messages(said: &[ChatMessage]) -> Result<Vec<Value>, ModelError> {
    let mut messages = Vec::with_capacity(said.len());
    for (at, one) in said.iter().enumerate() {
        messages.push(message(one)?);
        let images: Vec<&str> = images_after(said, at).iter().map(|image| image.base64.as_str()).collect();
        if !images.is_empty() {
            messages.push(json!({"role": "user", "content": tool_images::LEAD, "images": images}));
        }
    }
    Ok(messages)
}

fn message(message: &ChatMessage) -> Result<Value, ModelError> {
    Ok(match message {
        ChatMessage::System(text) => json!({"role": "system", "content": text}),
        ChatMessage::User(parts) => {
            let mut images = Vec::new();
            for part in parts {
                match part {
                    ContentPart::Text(_) => {}
                    ContentPart::Image { base64, .. } => images.push(base64.as_str()),
                    ContentPart::ImageUrl(_) => {
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
        ChatMessage::Assistant { text, calls, .. } => {
            let mut wire = json!({"role": "assistant", "content": text});
            if !calls.is_empty() {
                let call = |call: &crate::llm::ToolCall| json!({"function": {"name": call.name, "arguments": argument_object(&call.arguments)}});
                wire["tool_calls"] = calls.iter().map(call).collect();
            }
            wire
        }
        ChatMessage::Tool { name, text, .. } => json!({"role": "tool", "tool_name": name, "content": text}),
    })
}
