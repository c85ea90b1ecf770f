//! The body of a generateContent request.

use super::{Google, schema, server_tools};
use crate::llm::reply::{argument_object, join_stops, set_optional};
use crate::llm::{ChatMessage, ChatRequest, ContentPart, ToolCall, ToolSpec};
use serde_json::{Map, Value, json};

/// Stop words the protocol takes.
const STOPS_MAX: usize = 5;
/// The provider's own word for a call whose signature is not known, such as one of an earlier run.
const NO_SIGNATURE: &str = "skip_thought_signature_validator";

pub(super) fn body(model: &Google, request: &ChatRequest) -> Value {
    let mut body = Map::new();
    let system: Vec<Value> = request
        .messages
        .iter()
        .filter_map(|message| match message {
            ChatMessage::System(text) if !text.is_empty() => Some(json!({"text": text})),
            _ => None,
        })
        .collect();
    set_optional(&mut body, "systemInstruction", (!system.is_empty()).then(|| json!({"parts": system})));
    body.insert("contents".into(), contents(model, request));
    let declarations: Vec<Value> = request.tools.iter().map(declaration).collect();
    let own = (!declarations.is_empty()).then(|| json!({"functionDeclarations": declarations}));
    let theirs = request.provider_tools.iter().filter_map(|&tool| server_tools::declaration(tool));
    let tools: Vec<Value> = own.into_iter().chain(theirs).collect();
    set_optional(&mut body, "tools", (!tools.is_empty()).then_some(tools));
    if !model.safety.is_empty() {
        let safety = model.safety.iter();
        let safety =
            safety.map(|(category, threshold)| json!({"category": category, "threshold": threshold}));
        body.insert("safetySettings".into(), safety.collect());
    }
    let mut generation = Map::new();
    set_optional(&mut generation, "temperature", model.temperature);
    set_optional(&mut generation, "topP", model.top_p);
    set_optional(&mut generation, "topK", model.top_k);
    set_optional(&mut generation, "maxOutputTokens", model.max_tokens);
    let stops = join_stops(&model.stop, &request.stop, STOPS_MAX);
    set_optional(&mut generation, "stopSequences", (!stops.is_empty()).then_some(stops));
    let mut thinking = Map::new();
    // The provider refuses both together; the level wins.
    let budget = model.thinking_tokens.filter(|_| model.thinking_level.is_none());
    set_optional(&mut thinking, "thinkingBudget", budget);
    set_optional(&mut thinking, "thinkingLevel", model.thinking_level.as_deref());
    if !thinking.is_empty() {
        thinking.insert("includeThoughts".into(), (budget != Some(0)).into());
        generation.insert("thinkingConfig".into(), thinking.into());
    }
    set_optional(&mut body, "generationConfig", (!generation.is_empty()).then_some(generation));
    for (name, value) in &model.extra {
        body.insert(name.clone(), value.clone());
    }
    Value::Object(body)
}

fn declaration(spec: &ToolSpec) -> Value {
    let mut declaration = json!({"name": spec.name, "description": spec.description});
    // An object without properties is refused; leaving it out says the same.
    let takes_any = spec.schema["properties"].as_object().is_some_and(|properties| !properties.is_empty());
    if takes_any {
        declaration["parameters"] = schema::reduce_schema(&spec.schema);
    }
    declaration
}

/// Messages in turns of user and model: neighbours of one role are merged, and a user begins.
fn contents(model: &Google, request: &ChatRequest) -> Value {
    let mut turns: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in &request.messages {
        let (role, parts) = match message {
            ChatMessage::System(_) => continue,
            ChatMessage::User(parts) => ("user", parts.iter().map(user_part).collect()),
            ChatMessage::Assistant { text, calls } => {
                let text = (!text.is_empty()).then(|| json!({"text": text}));
                let calls = calls.iter().enumerate().map(|(at, call)| call_part(model, at, call));
                ("model", text.into_iter().chain(calls).collect::<Vec<_>>())
            }
            ChatMessage::Tool { call_id, name, text } => {
                ("user", vec![result_part(model, call_id, name, text)])
            }
        };
        match turns.last_mut() {
            Some((last, all)) if *last == role => all.extend(parts),
            None if role == "model" => {
                turns.push(("user", Vec::new()));
                turns.push((role, parts));
            }
            _ => turns.push((role, parts)),
        }
    }
    if turns.is_empty() {
        turns.push(("user", Vec::new()));
    }
    let turn = |(role, mut parts): (&str, Vec<Value>)| {
        if parts.is_empty() {
            parts.push(json!({"text": " "}));
        }
        json!({"role": role, "parts": parts})
    };
    turns.into_iter().map(turn).collect()
}

fn user_part(part: &ContentPart) -> Value {
    match part {
        ContentPart::Text(text) => json!({"text": text}),
        ContentPart::Image { mime, base64 } => json!({"inlineData": {"mimeType": mime, "data": base64}}),
        ContentPart::ImageUrl(url) => json!({"fileData": {"fileUri": url}}),
    }
}

fn call_part(model: &Google, at: usize, call: &ToolCall) -> Value {
    if let Some(part) = model.signed_calls.get(&call.id) {
        return part;
    }
    let mut part = json!({"functionCall": {"name": call.name, "args": argument_object(&call.arguments)}});
    // Only the first call of a turn is signed, and only these models look.
    if at == 0 && model.model.contains("gemini-3") {
        part["thoughtSignature"] = NO_SIGNATURE.into();
    }
    part
}

fn result_part(model: &Google, call_id: &str, name: &str, text: &str) -> Value {
    let mut response = json!({"name": name, "response": {"result": text}});
    // The provider's own id, if it gave one.
    if let Some(part) = model.signed_calls.get(call_id).filter(|part| part["functionCall"]["id"].is_string())
    {
        response["id"] = part["functionCall"]["id"].clone();
    }
    json!({"functionResponse": response})
}
