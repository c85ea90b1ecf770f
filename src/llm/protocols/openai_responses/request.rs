//! The body of a Responses request.

use super::super::openai::{OpenAi, reasons, strict};
use crate::llm::reply::{argument_object, set_optional};
use crate::llm::{ChatMessage, ChatRequest, ContentPart, ProviderTool, ToolSpec};
use serde_json::{Map, Value, json};

/// What the provider is asked to send along with its items: without it nothing is told of what code wrote.
const CODE_OUTPUTS: &str = "code_interpreter_call.outputs";
/// What a reasoning model thought, sealed: where the provider keeps no response, it wants that back with results of calls.
const SEALED_REASONING: &str = "reasoning.encrypted_content";

pub(super) fn body(model: &OpenAi, request: &ChatRequest) -> Value {
    let reasoning = model.reasons || reasons(&model.model);
    let mut body = Map::new();
    body.insert("model".into(), model.model.as_str().into());
    body.insert("input".into(), input(model, &request.messages).into());
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
    Value::Object(body)
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

fn input(model: &OpenAi, messages: &[ChatMessage]) -> Vec<Value> {
    let mut input = Vec::with_capacity(messages.len());
    for message in messages {
        match message {
            ChatMessage::System(text) => input.push(json!({"role": "system", "content": text})),
            ChatMessage::User(parts) => input.push(json!({"role": "user", "content": user(model, parts)})),
            ChatMessage::Assistant { text, calls } => {
                // The items of the reply itself say more than its text and its calls.
                match calls.first().and_then(|first| model.response_items.get(&first.id)) {
                    Some(items) => input.extend(items),
                    None => {
                        if !text.is_empty() {
                            input.push(json!({"role": "assistant", "content": text}));
                        }
                        input.extend(calls.iter().map(|call| {
                            let arguments = argument_object(&call.arguments).to_string();
                            json!({
                                "type": "function_call", "call_id": call.id, "name": call.name,
                                "arguments": arguments,
                            })
                        }));
                    }
                }
            }
            ChatMessage::Tool { call_id, text, .. } => {
                input.push(json!({"type": "function_call_output", "call_id": call_id, "output": text}));
            }
        }
    }
    input
}

fn user(model: &OpenAi, parts: &[ContentPart]) -> Vec<Value> {
    let image = |url: String| {
        json!({
            "type": "input_image", "image_url": url, "detail": model.image_detail.as_deref().unwrap_or("auto"),
        })
    };
    let part = |part: &ContentPart| match part {
        ContentPart::Text(text) => json!({"type": "input_text", "text": text}),
        ContentPart::Image { mime, base64 } => image(format!("data:{mime};base64,{base64}")),
        ContentPart::ImageUrl(url) => image(url.clone()),
    };
    parts.iter().map(part).collect()
}
