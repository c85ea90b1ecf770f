//! The body of a chat completions request.

use super::strict::strict;
use super::{OPENAI_BASE, OpenAi, PROTOCOL};
use crate::llm::protocols::request_json::RequestJson;
use crate::llm::protocols::tool_images::{self, images_after};
use crate::llm::reply::{argument_object, join_stops, set_optional};
use crate::llm::{ChatMessage, ChatRequest, ContentPart, InlineImage, ToolSpec};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

/// Stop words the protocol takes.
const STOPS_MAX: usize = 4;

/// True for models that reason before they answer, which refuse sampling settings.
pub(in crate::llm::protocols) fn reasons(model: &str) -> bool {
    let name = model.rsplit('/').next().unwrap_or(model);
    let family =
        |prefix: &str| name.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'));
    family("o1")
        || family("o3")
        || family("o4")
        || name.starts_with("codex-mini")
        || (name.starts_with("gpt-5") && !name.contains("-chat"))
}

const MESSAGES: &str = "messages";

/// Messages that are written where they lie.
pub(super) struct Messages<'a> {
    model: &'a OpenAi,
    said: &'a [ChatMessage],
}

impl Serialize for Messages<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.said.iter().enumerate().flat_map(|(at, said)| {
            let message = match plain(said) {
                Some((role, content)) => RequestMessage::Plain { role, content },
                None => RequestMessage::Other(message(self.model, said)),
            };
            let pictures = pictures(self.model, &images_after(self.said, at)).map(RequestMessage::Other);
            std::iter::once(message).chain(pictures)
        }))
    }
}

#[derive(Serialize)]
#[serde(untagged)]
enum RequestMessage<'a> {
    Plain { role: &'static str, content: &'a str },
    Other(Value),
}

/// Role and text of a message that is nothing else.
fn plain(message: &ChatMessage) -> Option<(&'static str, &str)> {
    match message {
        ChatMessage::System(text) => Some(("system", text)),
        ChatMessage::User(parts) => match parts.as_slice() {
            [ContentPart::Text(text)] => Some(("user", text)),
            _ => None,
        },
        ChatMessage::Assistant { text, calls, .. } if calls.is_empty() => Some(("assistant", text)),
        ChatMessage::Assistant { .. } | ChatMessage::Tool { .. } => None,
    }
}

pub(super) fn body<'a>(model: &'a OpenAi, request: &'a ChatRequest) -> RequestJson<Messages<'a>> {
    let reasoning = model.reasons || reasons(&model.model);
    let at_home = model.endpoint.base.trim().trim_end_matches('/') == OPENAI_BASE;
    let mut body = Map::new();
    body.insert("model".into(), model.model.as_str().into());
    body.insert(MESSAGES.into(), Value::Null);
    if !request.tools.is_empty() {
        body.insert(
            "tools".into(),
            request.tools.iter().map(|spec| tool(spec, model.strict_tools)).collect(),
        );
    }
    if !reasoning {
        set_optional(&mut body, "temperature", model.temperature);
        set_optional(&mut body, "top_p", model.top_p);
        set_optional(&mut body, "frequency_penalty", model.frequency_penalty);
        set_optional(&mut body, "presence_penalty", model.presence_penalty);
        let stops = join_stops(&model.stop, &request.stop, STOPS_MAX);
        set_optional(&mut body, "stop", (!stops.is_empty()).then_some(stops));
    }
    // The older name is all that many other servers know; reasoning models know the newer one only.
    set_optional(
        &mut body,
        if reasoning || at_home { "max_completion_tokens" } else { "max_tokens" },
        model.max_tokens,
    );
    if reasoning || !at_home {
        set_optional(&mut body, "reasoning_effort", model.reasoning_effort.as_deref());
    }
    body.insert("stream".into(), model.streaming.into());
    if model.streaming && model.usage_in_stream {
        body.insert("stream_options".into(), json!({"include_usage": true}));
    }
    for (name, value) in &model.extra {
        body.insert(name.clone(), value.clone());
    }
    // What the owner wrote wins here too.
    let own = model.extra.contains_key(MESSAGES);
    let list = (!own).then_some(Messages { model, said: &request.messages });
    RequestJson { fields: body, name: MESSAGES, list }
}

fn message(model: &OpenAi, message: &ChatMessage) -> Value {
    match message {
        ChatMessage::System(text) => json!({"role": "system", "content": text}),
        ChatMessage::User(parts) => json!({"role": "user", "content": user(model, message, parts)}),
        ChatMessage::Assistant { text, calls, .. } if calls.is_empty() => {
            json!({"role": "assistant", "content": text})
        }
        ChatMessage::Assistant { text, calls, content: kept } => {
            let kept = kept.as_ref().and_then(|kept| kept.parts_for(PROTOCOL, &model.model));
            let content = if text.is_empty() { Value::Null } else { text.as_str().into() };
            let calls: Value = calls
                .iter()
                .map(|call| {
                    // Servers refuse or choke on arguments that are no object.
                    let arguments = argument_object(&call.arguments).to_string();
                    json!({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}})
                })
                .collect();
            let mut wire = json!({"role": "assistant", "content": content, "tool_calls": calls});
            if let Some([reasoned]) = kept {
                wire["reasoning_content"] = reasoned.clone();
            }
            wire
        }
        ChatMessage::Tool { call_id, text, .. } => {
            json!({"role": "tool", "tool_call_id": call_id, "content": text})
        }
    }
}

fn user(model: &OpenAi, message: &ChatMessage, parts: &[ContentPart]) -> Value {
    // Plain text where there is nothing else: some servers know no parts.
    if parts.iter().all(|part| matches!(part, ContentPart::Text(_))) {
        return message.text().into();
    }
    let part = |part: &ContentPart| match part {
        ContentPart::Text(text) => json!({"type": "text", "text": text}),
        ContentPart::Image { mime, base64 } => inline_image(model, mime, base64),
        ContentPart::ImageUrl(url) => image(model, url),
    };
    parts.iter().map(part).collect()
}

fn image(model: &OpenAi, url: &str) -> Value {
    let mut image = json!({"url": url});
    if let Some(detail) = &model.image_detail {
        image["detail"] = detail.as_str().into();
    }
    json!({"type": "image_url", "image_url": image})
}

fn inline_image(model: &OpenAi, mime: &str, base64: &str) -> Value {
    image(model, &format!("data:{mime};base64,{base64}"))
}

/// A message with pictures of results: the results themselves are texts here.
fn pictures(model: &OpenAi, images: &[&InlineImage]) -> Option<Value> {
    let mut parts = vec![json!({"type": "text", "text": tool_images::LEAD})];
    parts.extend(images.iter().map(|image| inline_image(model, &image.mime, &image.base64)));
    (!images.is_empty()).then(|| json!({"role": "user", "content": parts}))
}

/// A tool with a place where anything may stand goes out as one that is not strict: the provider would refuse them all.
fn tool(spec: &ToolSpec, is_strict: bool) -> Value {
    let mut function = json!({"name": spec.name, "description": spec.description, "parameters": spec.schema});
    if let Some(schema) = is_strict.then(|| strict(&spec.schema)).flatten() {
        function["strict"] = true.into();
        function["parameters"] = schema;
    }
    json!({"type": "function", "function": function})
}
