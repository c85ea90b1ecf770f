//! The body of a messages request.

use super::{Anthropic, PROTOCOL, server_tools};
use crate::llm::protocols::request_json::RequestJson;
use crate::llm::reply::{argument_object, join_stops, set_optional};
use crate::llm::{ChatMessage, ChatRequest, ContentPart, InlineImage, ToolCall, ToolSpec};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::borrow::Cow;

/// The provider takes no smaller budget.
const THINKING_TOKENS_MIN: u64 = 1024;
const MESSAGES: &str = "messages";
/// What stands where the protocol demands a text and there is none.
const NO_TEXT: &str = "(no text)";

/// The most each family writes, as far as it is small; the rest gets what every newer model takes.
fn default_max_tokens(model: &str) -> u64 {
    let old = ["claude-3-opus", "claude-3-sonnet", "claude-3-haiku", "claude-2", "claude-instant"];
    if old.iter().any(|name| model.contains(name)) { 4096 } else { 8192 }
}

pub(super) fn body<'a>(model: &Anthropic, request: &'a ChatRequest) -> RequestJson<Vec<Turn<'a>>> {
    let mut body = Map::new();
    let thinking = model
        .thinking_tokens
        .map(|tokens| tokens.max(THINKING_TOKENS_MIN))
        .filter(|_| may_think(model, request));
    let mut max_tokens = model.max_tokens.unwrap_or_else(|| default_max_tokens(&model.model));
    if let Some(budget) = thinking {
        // Thinking counts as written: the limit must leave room for an answer.
        max_tokens = max_tokens.max(budget + THINKING_TOKENS_MIN);
        body.insert("thinking".into(), json!({"type": "enabled", "budget_tokens": budget}));
    } else {
        set_optional(&mut body, "temperature", model.temperature);
        set_optional(&mut body, "top_p", model.top_p);
        set_optional(&mut body, "top_k", model.top_k);
    }
    body.insert("model".into(), model.model.as_str().into());
    body.insert("max_tokens".into(), max_tokens.into());
    let system: Vec<&str> = request
        .messages
        .iter()
        .filter_map(|message| match message {
            ChatMessage::System(text) if !text.trim().is_empty() => Some(text.as_str()),
            _ => None,
        })
        .collect();
    set_optional(&mut body, "system", (!system.is_empty()).then(|| system.join("\n\n")));
    let thinks_freely = model.extra.get("thinking").is_some_and(|thinking| thinking["type"] != "disabled");
    body.insert(MESSAGES.into(), Value::Null);
    let own = |tool: &ToolSpec| json!({"name": tool.name, "description": tool.description, "input_schema": tool.schema});
    let theirs = request.provider_tools.iter().filter_map(|&tool| server_tools::declaration(tool));
    let tools: Vec<Value> = request.tools.iter().map(own).chain(theirs).collect();
    set_optional(&mut body, "tools", (!tools.is_empty()).then_some(tools));
    let mut stops = join_stops(&model.stop, &request.stop, usize::MAX);
    // The provider refuses stop words of white space.
    stops.retain(|stop| !stop.trim().is_empty());
    set_optional(&mut body, "stop_sequences", (!stops.is_empty()).then_some(stops));
    body.insert("stream".into(), model.streaming.into());
    for (name, value) in &model.extra {
        body.insert(name.clone(), value.clone());
    }
    // What the owner wrote wins here too.
    let own = model.extra.contains_key(MESSAGES);
    let list = (!own).then(|| turns(model, request, thinking.is_some() || thinks_freely));
    RequestJson { fields: body, name: MESSAGES, list }
}

/// A turn that goes on after a tool call must begin with the thinking that led to the call. Where that is unknown
/// (the call stands in the conversation from the beginning) the model goes on without thinking.
fn may_think(model: &Anthropic, request: &ChatRequest) -> bool {
    let turn = request.messages.iter().rev().take_while(|message| !matches!(message, ChatMessage::User(_)));
    let mut calling =
        turn.filter(|message| matches!(message, ChatMessage::Assistant { calls, .. } if !calls.is_empty()));
    calling.all(|message| own_parts(model, message).is_some_and(|parts| parts.iter().any(is_thought)))
}

/// A message of this model as it wrote it.
fn own_parts<'a>(model: &Anthropic, message: &'a ChatMessage) -> Option<&'a [Value]> {
    match message {
        ChatMessage::Assistant { content: Some(content), .. } => content.parts_for(PROTOCOL, &model.model),
        _ => None,
    }
}

fn is_thought(block: &Value) -> bool {
    matches!(block["type"].as_str(), Some("thinking" | "redacted_thinking"))
}

/// What one side says before the other does.
#[derive(Serialize)]
pub(super) struct Turn<'a> {
    role: &'static str,
    content: Vec<Cow<'a, Value>>,
}

/// Messages in turns of user and assistant: neighbours of one role are merged, and a user begins.
fn turns<'a>(model: &Anthropic, request: &'a ChatRequest, thinking: bool) -> Vec<Turn<'a>> {
    let mut turns: Vec<Turn<'a>> = Vec::new();
    for message in &request.messages {
        let (role, content) = match message {
            ChatMessage::System(_) => continue,
            ChatMessage::User(parts) => {
                ("user", parts.iter().filter_map(user_block).map(Cow::Owned).collect())
            }
            ChatMessage::Assistant { text, calls, .. } => match own_parts(model, message) {
                // Thoughts go back to a model that thinks, and to no other.
                Some(parts) => {
                    let parts = parts.iter().filter(|part| thinking || !is_thought(part));
                    ("assistant", parts.map(Cow::Borrowed).collect())
                }
                None => ("assistant", assistant_blocks(text, calls).map(Cow::Owned).collect()),
            },
            ChatMessage::Tool { call_id, text, images, .. } => {
                ("user", vec![Cow::Owned(result_block(call_id, text, images))])
            }
        };
        match turns.last_mut() {
            Some(last) if last.role == role => last.content.extend(content),
            None if role == "assistant" => {
                turns.push(Turn { role: "user", content: Vec::new() });
                turns.push(Turn { role, content });
            }
            _ => turns.push(Turn { role, content }),
        }
    }
    if turns.is_empty() {
        turns.push(Turn { role: "user", content: Vec::new() });
    }
    for turn in turns.iter_mut().filter(|turn| turn.content.is_empty()) {
        turn.content.extend(text_block(NO_TEXT).map(Cow::Owned));
    }
    turns
}

fn assistant_blocks(text: &str, calls: &[ToolCall]) -> impl Iterator<Item = Value> {
    let call = |call: &ToolCall| {
        let input = argument_object(&call.arguments);
        json!({"type": "tool_use", "id": call.id, "name": call.name, "input": input})
    };
    // White space at the end is refused where the assistant speaks last.
    text_block(text.trim_end()).into_iter().chain(calls.iter().map(call))
}

fn result_block(call_id: &str, text: &str, images: &[InlineImage]) -> Value {
    let content: Value = match images {
        [] => text.into(),
        images => text_block(text).into_iter().chain(images.iter().map(image_block)).collect(),
    };
    json!({"type": "tool_result", "tool_use_id": call_id, "content": content})
}

fn image_block(image: &InlineImage) -> Value {
    json!({"type": "image", "source": {"type": "base64", "media_type": image.mime, "data": image.base64}})
}

fn text_block(text: &str) -> Option<Value> {
    // Empty texts are refused.
    (!text.trim().is_empty()).then(|| json!({"type": "text", "text": text}))
}

fn user_block(part: &ContentPart) -> Option<Value> {
    let image = |source: Value| Some(json!({"type": "image", "source": source}));
    match part {
        ContentPart::Text(text) => text_block(text),
        ContentPart::Image { mime, base64 } => {
            image(json!({"type": "base64", "media_type": mime, "data": base64}))
        }
        ContentPart::ImageUrl(url) => image(json!({"type": "url", "url": url})),
    }
}
