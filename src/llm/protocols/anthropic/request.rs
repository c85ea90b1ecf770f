//! The body of a messages request.

use super::{Anthropic, server_tools};
use crate::llm::reply::{argument_object, join_stops, set_optional};
use crate::llm::{ChatMessage, ChatRequest, ContentPart, ToolSpec};
use serde_json::{Map, Value, json};

/// The provider takes no smaller budget.
const THINKING_TOKENS_MIN: u64 = 1024;
/// What stands where the protocol demands a text and there is none.
const NO_TEXT: &str = "(no text)";

/// The most each family writes, as far as it is small; the rest gets what every newer model takes.
fn default_max_tokens(model: &str) -> u64 {
    let old = ["claude-3-opus", "claude-3-sonnet", "claude-3-haiku", "claude-2", "claude-instant"];
    if old.iter().any(|name| model.contains(name)) { 4096 } else { 8192 }
}

pub(super) fn body(model: &Anthropic, request: &ChatRequest) -> Value {
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
    body.insert("messages".into(), messages(model, request, thinking.is_some() || thinks_freely));
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
    Value::Object(body)
}

/// A turn that goes on after a tool call must begin with the thinking that led to the call. Where that is unknown
/// (the turn began in another run) the model goes on without thinking.
fn may_think(model: &Anthropic, request: &ChatRequest) -> bool {
    let turn = request.messages.iter().rev().take_while(|message| !matches!(message, ChatMessage::User(_)));
    turn.filter_map(|message| match message {
        ChatMessage::Assistant { calls, .. } => calls.first(),
        _ => None,
    })
    .all(|first| model.thoughts.get(&first.id).is_some())
}

/// Messages in turns of user and assistant: neighbours of one role are merged, and a user begins.
fn messages(model: &Anthropic, request: &ChatRequest, thinking: bool) -> Value {
    let mut turns: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in &request.messages {
        let (role, blocks) = match message {
            ChatMessage::System(_) => continue,
            ChatMessage::User(parts) => ("user", parts.iter().filter_map(user_block).collect()),
            ChatMessage::Assistant { text, calls } => {
                let first = calls.first().filter(|_| thinking);
                let mut blocks = first.and_then(|call| model.thoughts.get(&call.id)).unwrap_or_default();
                // White space at the end is refused where the assistant speaks last.
                blocks.extend(text_block(text.trim_end()));
                blocks.extend(calls.iter().map(|call| {
                    json!({"type": "tool_use", "id": call.id, "name": call.name, "input": argument_object(&call.arguments)})
                }));
                ("assistant", blocks)
            }
            ChatMessage::Tool { call_id, text, .. } => {
                ("user", vec![json!({"type": "tool_result", "tool_use_id": call_id, "content": text})])
            }
        };
        match turns.last_mut() {
            Some((last, all)) if *last == role => all.extend(blocks),
            None if role == "assistant" => {
                turns.push(("user", Vec::new()));
                turns.push((role, blocks));
            }
            _ => turns.push((role, blocks)),
        }
    }
    if turns.is_empty() {
        turns.push(("user", Vec::new()));
    }
    let turn = |(role, mut blocks): (&str, Vec<Value>)| {
        if blocks.is_empty() {
            blocks.extend(text_block(NO_TEXT));
        }
        json!({"role": role, "content": blocks})
    };
    turns.into_iter().map(turn).collect()
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
