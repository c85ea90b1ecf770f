//! The body of a generateContent request.

use super::{GOOGLE_ROOT, Google, PROTOCOL, schema, server_tools};
use crate::llm::protocols::request_json::RequestJson;
use crate::llm::protocols::tool_images::{self, images_after};
use crate::llm::reply::{argument_object, join_stops, set_optional};
use crate::llm::{ChatMessage, ChatRequest, ContentPart, InlineImage, ToolCall, ToolSpec};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::collections::HashSet;

const CONTENTS: &str = "contents";
/// Stop words the protocol takes.
const STOPS_MAX: usize = 5;
/// The provider's own word for a call whose signature is not known, such as one that an owner wrote into a prompt.
const NO_SIGNATURE: &str = "skip_thought_signature_validator";

pub(super) fn body<'a>(model: &Google, request: &'a ChatRequest) -> RequestJson<Vec<Turn<'a>>> {
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
    body.insert(CONTENTS.into(), Value::Null);
    let declarations: Vec<Value> = request.tools.iter().map(declaration).collect();
    let own = (!declarations.is_empty()).then(|| json!({"functionDeclarations": declarations}));
    let calls_ours = own.is_some() || request.messages.iter().any(|said| own_parts(model, said).is_some());
    let theirs: Vec<Value> =
        request.provider_tools.iter().filter_map(|&tool| server_tools::declaration(tool)).collect();
    // Without its word the provider refuses both kinds together; with it, its own calls come as parts that go back. Its
    // clouds do not know the word.
    if calls_ours && !theirs.is_empty() && model.root == GOOGLE_ROOT {
        body.insert("toolConfig".into(), json!({"includeServerSideToolInvocations": true}));
    }
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
    // What the owner wrote wins here too.
    let own = model.extra.contains_key(CONTENTS);
    RequestJson { fields: body, name: CONTENTS, list: (!own).then(|| turns(model, request)) }
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

/// What one side says before the other does.
#[derive(Serialize)]
pub(super) struct Turn<'a> {
    role: &'static str,
    parts: Vec<Cow<'a, Value>>,
}

/// Messages in turns of user and model: neighbours of one role are merged, and a user begins.
fn turns<'a>(model: &Google, request: &'a ChatRequest) -> Vec<Turn<'a>> {
    let known = provider_ids(model, request);
    let mut turns: Vec<Turn<'a>> = Vec::new();
    for (at, message) in request.messages.iter().enumerate() {
        let (role, parts) = match message {
            ChatMessage::System(_) => continue,
            ChatMessage::User(parts) => ("user", parts.iter().map(user_part).map(Cow::Owned).collect()),
            ChatMessage::Assistant { text, calls, .. } => match own_parts(model, message) {
                Some(parts) => ("model", parts.iter().map(Cow::Borrowed).collect()),
                None => ("model", model_parts(model, text, calls).map(Cow::Owned).collect()),
            },
            ChatMessage::Tool { call_id, name, text, images } => {
                let id = known.contains(call_id.as_str()).then_some(call_id.as_str());
                let mut parts = vec![result_part(model, id, name, text, images)];
                if !is_of_third_generation(model) {
                    parts.extend(picture_parts(&images_after(&request.messages, at)));
                }
                ("user", parts.into_iter().map(Cow::Owned).collect::<Vec<_>>())
            }
        };
        match turns.last_mut() {
            Some(last) if last.role == role => last.parts.extend(parts),
            None if role == "model" => {
                turns.push(Turn { role: "user", parts: Vec::new() });
                turns.push(Turn { role, parts });
            }
            _ => turns.push(Turn { role, parts }),
        }
    }
    if turns.is_empty() {
        turns.push(Turn { role: "user", parts: Vec::new() });
    }
    for turn in turns.iter_mut().filter(|turn| turn.parts.is_empty()) {
        turn.parts.push(Cow::Owned(json!({"text": " "})));
    }
    turns
}

/// A message of this model as it wrote it.
fn own_parts<'a>(model: &Google, message: &'a ChatMessage) -> Option<&'a [Value]> {
    match message {
        ChatMessage::Assistant { content: Some(content), .. } => content.parts_for(PROTOCOL, &model.model),
        _ => None,
    }
}

/// The ids of calls that the provider gave itself: results bear these and no others.
fn provider_ids<'a>(model: &Google, request: &'a ChatRequest) -> HashSet<&'a str> {
    let parts = request.messages.iter().filter_map(|message| own_parts(model, message)).flatten();
    parts.filter_map(|part| part["functionCall"]["id"].as_str()).collect()
}

fn user_part(part: &ContentPart) -> Value {
    match part {
        ContentPart::Text(text) => json!({"text": text}),
        ContentPart::Image { mime, base64 } => inline_part(mime, base64),
        ContentPart::ImageUrl(url) => json!({"fileData": {"fileUri": url}}),
    }
}

fn inline_part(mime: &str, base64: &str) -> Value {
    json!({"inlineData": {"mimeType": mime, "data": base64}})
}

fn model_parts(model: &Google, text: &str, calls: &[ToolCall]) -> impl Iterator<Item = Value> {
    // Only the first call of a turn is signed, and only these models look.
    let signs = is_of_third_generation(model);
    let call = move |(at, call): (usize, &ToolCall)| {
        let mut part = json!({"functionCall": {"name": call.name, "args": argument_object(&call.arguments)}});
        if at == 0 && signs {
            part["thoughtSignature"] = NO_SIGNATURE.into();
        }
        part
    };
    let text = (!text.is_empty()).then(|| json!({"text": text}));
    text.into_iter().chain(calls.iter().enumerate().map(call))
}

/// The result of a call, with its pictures where the model looks there.
fn result_part(model: &Google, id: Option<&str>, name: &str, text: &str, images: &[InlineImage]) -> Value {
    let mut response = json!({"name": name, "response": {"result": text}});
    if let Some(id) = id {
        response["id"] = id.into();
    }
    if is_of_third_generation(model) && !images.is_empty() {
        response["parts"] = images.iter().map(|image| inline_part(&image.mime, &image.base64)).collect();
    }
    json!({"functionResponse": response})
}

/// Pictures of results, for models that do not look for them inside.
fn picture_parts(images: &[&InlineImage]) -> Vec<Value> {
    let lead = (!images.is_empty()).then(|| json!({"text": tool_images::LEAD}));
    lead.into_iter().chain(images.iter().map(|image| inline_part(&image.mime, &image.base64))).collect()
}

fn is_of_third_generation(model: &Google) -> bool {
    model.model.contains("gemini-3")
}
