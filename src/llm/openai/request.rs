//! The body of a chat completions request.

use super::{OPENAI_BASE, OpenAi};
use crate::llm::reply::{set, stops};
use crate::llm::{ChatRequest, Content, Message, ToolSpec};
use serde_json::{Map, Value, json};

/// Stop words the protocol takes.
const STOPS_MAX: usize = 4;

/// True for models that reason before they answer, which refuse sampling settings.
fn reasons(model: &str) -> bool {
    let name = model.rsplit('/').next().unwrap_or(model);
    let family =
        |prefix: &str| name.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'));
    family("o1")
        || family("o3")
        || family("o4")
        || name.starts_with("codex-mini")
        || (name.starts_with("gpt-5") && !name.contains("-chat"))
}

pub(super) fn body(model: &OpenAi, request: &ChatRequest) -> Value {
    let reasoning = model.reasons || reasons(&model.model);
    let at_home = model.endpoint.base.trim().trim_end_matches('/') == OPENAI_BASE;
    let mut body = Map::new();
    body.insert("model".into(), model.model.as_str().into());
    body.insert("messages".into(), request.messages.iter().map(|said| message(model, said)).collect());
    if !request.tools.is_empty() {
        body.insert(
            "tools".into(),
            request.tools.iter().map(|spec| tool(spec, model.strict_tools)).collect(),
        );
    }
    if !reasoning {
        set(&mut body, "temperature", model.temperature);
        set(&mut body, "top_p", model.top_p);
        set(&mut body, "frequency_penalty", model.frequency_penalty);
        set(&mut body, "presence_penalty", model.presence_penalty);
        let stops = stops(&model.stop, &request.stop, STOPS_MAX);
        set(&mut body, "stop", (!stops.is_empty()).then_some(stops));
    }
    // The older name is all that many other servers know; reasoning models know the newer one only.
    set(
        &mut body,
        if reasoning || at_home { "max_completion_tokens" } else { "max_tokens" },
        model.max_tokens,
    );
    if reasoning || !at_home {
        set(&mut body, "reasoning_effort", model.reasoning_effort.as_deref());
    }
    body.insert("stream".into(), model.streaming.into());
    if model.streaming && model.usage_in_stream {
        body.insert("stream_options".into(), json!({"include_usage": true}));
    }
    for (name, value) in &model.extra {
        body.insert(name.clone(), value.clone());
    }
    Value::Object(body)
}

fn message(model: &OpenAi, message: &Message) -> Value {
    match message {
        Message::System(text) => json!({"role": "system", "content": text}),
        Message::User(parts) => json!({"role": "user", "content": user(model, message, parts)}),
        Message::Assistant { text, calls } if calls.is_empty() => {
            json!({"role": "assistant", "content": text})
        }
        Message::Assistant { text, calls } => {
            let content = if text.is_empty() { Value::Null } else { text.as_str().into() };
            let calls: Value = calls
                .iter()
                .map(|call| {
                    let arguments = match &call.arguments {
                        Value::String(raw) => raw.clone(),
                        other => other.to_string(),
                    };
                    json!({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}})
                })
                .collect();
            json!({"role": "assistant", "content": content, "tool_calls": calls})
        }
        Message::Tool { call_id, text, .. } => {
            json!({"role": "tool", "tool_call_id": call_id, "content": text})
        }
    }
}

fn user(model: &OpenAi, message: &Message, parts: &[Content]) -> Value {
    // Plain text where there is nothing else: some servers know no parts.
    if parts.iter().all(|part| matches!(part, Content::Text(_))) {
        return message.text().into();
    }
    let image = |url: String| {
        let mut image = json!({"url": url});
        if let Some(detail) = &model.image_detail {
            image["detail"] = detail.as_str().into();
        }
        json!({"type": "image_url", "image_url": image})
    };
    let part = |part: &Content| match part {
        Content::Text(text) => json!({"type": "text", "text": text}),
        Content::Image { mime, base64 } => image(format!("data:{mime};base64,{base64}")),
        Content::ImageUrl(url) => image(url.clone()),
    };
    parts.iter().map(part).collect()
}

fn tool(spec: &ToolSpec, strict: bool) -> Value {
    let mut function = json!({"name": spec.name, "description": spec.description, "parameters": spec.schema});
    if strict {
        function["strict"] = true.into();
        tighten(&mut function["parameters"], 0);
    }
    json!({"type": "function", "function": function})
}

/// Makes a schema what strict tools demand: every object closed, every property required, those that were optional
/// allowed to be null.
fn tighten(schema: &mut Value, depth: usize) {
    let Value::Object(map) = schema else { return };
    if depth > 32 {
        return;
    }
    if map.get("type") == Some(&"object".into()) || map.contains_key("properties") {
        let required: Vec<Value> = map.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        let properties = map.entry("properties").or_insert_with(|| json!({}));
        let mut names = Vec::new();
        for (name, property) in properties.as_object_mut().into_iter().flatten() {
            let name: Value = name.as_str().into();
            let optional = !required.contains(&name);
            if let Some(kind) = property.get_mut("type").filter(|kind| optional && kind.is_string()) {
                *kind = json!([kind.take(), "null"]);
            }
            names.push(name);
        }
        map.insert("required".into(), names.into());
        map.insert("additionalProperties".into(), false.into());
    }
    for inner in ["items", "anyOf", "$defs", "properties"] {
        match map.get_mut(inner) {
            Some(Value::Array(list)) => list.iter_mut().for_each(|item| tighten(item, depth + 1)),
            Some(Value::Object(named)) if inner != "items" => {
                named.values_mut().for_each(|item| tighten(item, depth + 1));
            }
            Some(one) => tighten(one, depth + 1),
            None => {}
        }
    }
}
