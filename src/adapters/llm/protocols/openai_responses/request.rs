//! The body of a Responses request.

use super::super::openai::{OpenAi, reasons, strict};
use super::PROTOCOL;
use crate::llm::protocols::request_json::RequestJson;
use crate::llm::reply::{argument_object, set_optional};
use crate::llm::{ChatMessage, ChatRequest, ContentPart, InlineImage, ProviderTool, ToolCall, ToolSpec};
use serde_json::{Map, Value, json};
use std::borrow::Cow;

const INPUT: &str = "input";

/// What the provider is asked to send along with its items: without it nothing is told of what code wrote.
const CODE_OUTPUTS: &str = "code_interpreter_call.outputs";
/// What a reasoning model thought, sealed: where the provider keeps no response, it wants that back with results of calls.
const SEALED_REASONING: &str = "reasoning.encrypted_content";

pub(super) fn body<'a>(model: &OpenAi, request: &'a ChatRequest) -> RequestJson<Vec<Cow<'a, Value>>> {
    let reasoning = model.reasons || reasons(&model.model);
    let mut body = Map::new();
    body.insert("model".into(), model.model.as_str().into());
    body.insert(INPUT.into(), Value::Null);
    let own = request.tools.iter().map(|spec| function(spec, model.strict_tools));
    let theirs = request.provider_tools.iter().filter_map(|tool| declaration(*tool));
    body.insert("tools".into(), own.chain(theirs).collect());
    let mut include = Vec::new();
    if request.provider_tools.contains(&ProviderTool::OpenAiCodeInterpreter) {
        include.push(CODE_OUTPUTS);
    }
    if reasoning {
        include.push(SEALED_REASONING);
        // A summary is only asked for where the owner wants one: OpenAI gives them to organizations that it knows.
        let mut thoughts = Map::new();
        set_optional(&mut thoughts, "summary", model.reasoning_summary.as_deref());
        set_optional(&mut thoughts, "effort", model.reasoning_effort.as_deref());
        if !thoughts.is_empty() {
            body.insert("reasoning".into(), thoughts.into());
        }
    } else {
        set_optional(&mut body, "temperature", model.temperature);
        set_optional(&mut body, "top_p", model.top_p);
    }
    body.insert("include".into(), json!(include));
    set_optional(&mut body, "max_output_tokens", model.max_tokens);
    // What is said in a conversation is kept here, and by no provider beyond its answer.
    body.insert("store".into(), false.into());
    body.insert("stream".into(), model.streaming.into());
    body.extend(model.extra.iter().map(|(name, value)| (name.clone(), value.clone())));
    // What the owner wrote wins here too.
    let own = model.extra.contains_key(INPUT);
    RequestJson { fields: body, name: INPUT, list: (!own).then(|| input(model, &request.messages)) }
}

/// The tool as a request names it; `None` for one of another provider.
fn declaration(tool: ProviderTool) -> Option<Value> {
    match tool {
        ProviderTool::OpenAiWebSearch => Some(json!({"type": "web_search_preview"})),
        ProviderTool::OpenAiCodeInterpreter => {
            Some(json!({"type": "code_interpreter", "container": {"type": "auto"}}))
        }
        ProviderTool::OpenAiImages => Some(json!({"type": "image_generation"})),
        _ => None,
    }
}

fn function(spec: &ToolSpec, is_strict: bool) -> Value {
    let schema = is_strict.then(|| strict(&spec.schema)).flatten();
    json!({
        "type": "function", "name": spec.name, "description": spec.description, "strict": schema.is_some(),
        "parameters": schema.unwrap_or_else(|| spec.schema.clone()),
    })
}

fn input<'a>(model: &OpenAi, messages: &'a [ChatMessage]) -> Vec<Cow<'a, Value>> {
    let mut input = Vec::with_capacity(messages.len());
    for message in messages {
        match message {
            ChatMessage::System(text) => input.push(Cow::Owned(json!({"role": "system", "content": text}))),
            ChatMessage::User(parts) => {
                input.push(Cow::Owned(json!({"role": "user", "content": user(model, parts)})));
            }
            // The items of the reply itself say more than its text and its calls.
            ChatMessage::Assistant { text, calls, content } => {
                let kept = content.as_ref().and_then(|kept| kept.parts_for(PROTOCOL, &model.model));
                match kept {
                    Some(items) => input.extend(items.iter().map(Cow::Borrowed)),
                    None => input.extend(assistant(text, calls).map(Cow::Owned)),
                }
            }
            ChatMessage::Tool { call_id, text, images, .. } => {
                let output = result(model, text, images);
                let item = json!({"type": "function_call_output", "call_id": call_id, "output": output});
                input.push(Cow::Owned(item));
            }
        }
    }
    input
}

fn assistant(text: &str, calls: &[ToolCall]) -> impl Iterator<Item = Value> {
    let text = (!text.is_empty()).then(|| json!({"role": "assistant", "content": text}));
    let call = |call: &ToolCall| {
        let arguments = argument_object(&call.arguments).to_string();
        json!({"type": "function_call", "call_id": call.id, "name": call.name, "arguments": arguments})
    };
    text.into_iter().chain(calls.iter().map(call))
}

/// What a call came to: a text, or parts where pictures belong to it.
fn result(model: &OpenAi, text: &str, images: &[InlineImage]) -> Value {
    if images.is_empty() {
        return text.into();
    }
    let text = json!({"type": "input_text", "text": text});
    let images = images.iter().map(|image| inline_image(model, &image.mime, &image.base64));
    std::iter::once(text).chain(images).collect()
}

fn user(model: &OpenAi, parts: &[ContentPart]) -> Vec<Value> {
    let part = |part: &ContentPart| match part {
        ContentPart::Text(text) => json!({"type": "input_text", "text": text}),
        ContentPart::Image { mime, base64 } => inline_image(model, mime, base64),
        ContentPart::ImageUrl(url) => image(model, url),
    };
    parts.iter().map(part).collect()
}

fn image(model: &OpenAi, url: &str) -> Value {
    let detail = model.image_detail.as_deref().unwrap_or("auto");
    json!({"type": "input_image", "image_url": url, "detail": detail})
}

fn inline_image(model: &OpenAi, mime: &str, base64: &str) -> Value {
    image(model, &format!("data:{mime};base64,{base64}"))
}
