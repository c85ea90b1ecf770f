//! The body of a chat completions request.

use super::strict::strict;
use super::{OPENAI_BASE, OpenAi};
use crate::llm::reply::{argument_object, join_stops, set_optional};
use crate::llm::{ChatMessage, ChatRequest, ContentPart, ToolSpec};
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

/// A body as it is sent. Its messages are written where they lie: as values, a long conversation would be thousands of them,
/// made for one use.
pub(super) struct RequestJson<'a> {
    /// Everything; null where the messages belong.
    fields: Map<String, Value>,
    messages: Option<Messages<'a>>,
}

const MESSAGES: &str = "messages";

impl Serialize for RequestJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.fields.iter().map(|(name, value)| match &self.messages {
            Some(messages) if name == MESSAGES => (name, FieldValue::Messages(messages)),
            _ => (name, FieldValue::Value(value)),
        }))
    }
}

#[derive(Serialize)]
#[serde(untagged)]
enum FieldValue<'a> {
    Value(&'a Value),
    Messages(&'a Messages<'a>),
}

struct Messages<'a> {
    model: &'a OpenAi,
    said: &'a [ChatMessage],
}

impl Serialize for Messages<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.said.iter().map(|said| match plain(said) {
            Some((role, content)) => RequestMessage::Plain { role, content },
            None => RequestMessage::Other(message(self.model, said)),
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
        ChatMessage::Assistant { text, calls } if calls.is_empty() => Some(("assistant", text)),
        ChatMessage::Assistant { .. } | ChatMessage::Tool { .. } => None,
    }
}

pub(super) fn body<'a>(model: &'a OpenAi, request: &'a ChatRequest) -> RequestJson<'a> {
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
    RequestJson { fields: body, messages: (!own).then_some(Messages { model, said: &request.messages }) }
}

fn message(model: &OpenAi, message: &ChatMessage) -> Value {
    match message {
        ChatMessage::System(text) => json!({"role": "system", "content": text}),
        ChatMessage::User(parts) => json!({"role": "user", "content": user(model, message, parts)}),
        ChatMessage::Assistant { text, calls } if calls.is_empty() => {
            json!({"role": "assistant", "content": text})
        }
        ChatMessage::Assistant { text, calls } => {
            let reasoned = calls.first().and_then(|first| model.reasoned.get(&first.id));
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
            if let Some(reasoned) = reasoned {
                wire["reasoning_content"] = reasoned.into();
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
    let image = |url: String| {
        let mut image = json!({"url": url});
        if let Some(detail) = &model.image_detail {
            image["detail"] = detail.as_str().into();
        }
        json!({"type": "image_url", "image_url": image})
    };
    let part = |part: &ContentPart| match part {
        ContentPart::Text(text) => json!({"type": "text", "text": text}),
        ContentPart::Image { mime, base64 } => image(format!("data:{mime};base64,{base64}")),
        ContentPart::ImageUrl(url) => image(url.clone()),
    };
    parts.iter().map(part).collect()
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
