//! OpenAI's chat completions, and every server that speaks the same protocol.

mod cited;
mod request;
#[cfg(test)]
mod tests;

use super::refusal::Refusals;
use super::reply::{Partial, Reply, broke_off, parsed};
use super::sse::Events;
use super::{ChatModel, ChatRequest, Completion, Endpoint, ModelError, OnDelta, endpoint};
use crate::domain::cancel::Cancel;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::io::Read;

/// Where OpenAI itself is.
pub const OPENAI_BASE: &str = "https://api.openai.com/v1";

/// How the key is sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum KeyStyle {
    /// `Authorization: Bearer …`.
    #[default]
    Bearer,
    /// `api-key: …`, as Azure has it.
    ApiKeyHeader,
}

impl KeyStyle {
    /// The header that carries the key, where there is one.
    pub(super) fn header(self, endpoint: &Endpoint) -> Option<(&'static str, String)> {
        match self {
            Self::Bearer => Some(("authorization", endpoint.bearer()?)),
            Self::ApiKeyHeader => Some(("api-key", endpoint.key.as_ref()?.expose().to_owned())),
        }
    }
}

/// A model behind the chat completions protocol. What is `None` or empty is left to the provider.
#[derive(Debug, Clone)]
pub struct OpenAi {
    /// Where and with which key; the base address ends before `/chat/completions`.
    pub endpoint: Endpoint,
    /// How the key is sent.
    pub key_style: KeyStyle,
    /// The model's name.
    pub model: String,
    /// Not sent to reasoning models, which refuse it.
    pub temperature: Option<f64>,
    /// The most tokens the model may write, reasoning included.
    pub max_tokens: Option<u64>,
    /// Not sent to reasoning models.
    pub top_p: Option<f64>,
    /// Not sent to reasoning models.
    pub frequency_penalty: Option<f64>,
    /// Not sent to reasoning models.
    pub presence_penalty: Option<f64>,
    /// Words at which the model stops; not sent to reasoning models.
    pub stop: Vec<String>,
    /// True when it reasons whatever its name says: a deployment may be called anything.
    pub reasons: bool,
    /// `low`, `medium`, …; sent to reasoning models, and to any model of another provider.
    pub reasoning_effort: Option<String>,
    /// Tool arguments must fit their schema exactly.
    pub strict_tools: bool,
    /// `low`, `high` or `auto`.
    pub image_detail: Option<String>,
    /// Messages may carry images.
    pub images: bool,
    /// The reply comes in fragments.
    pub streaming: bool,
    /// Asks for token counts in a stream. A few servers refuse the question.
    pub usage_in_stream: bool,
    /// Further fields of the body, as the owner wrote them.
    pub extra: Map<String, Value>,
}

impl OpenAi {
    /// A model with the provider's defaults, streaming.
    #[must_use]
    pub fn new(endpoint: Endpoint, model: &str) -> Self {
        Self {
            endpoint,
            key_style: KeyStyle::Bearer,
            model: model.to_owned(),
            temperature: None,
            max_tokens: None,
            top_p: None,
            frequency_penalty: None,
            presence_penalty: None,
            stop: Vec::new(),
            reasons: false,
            reasoning_effort: None,
            strict_tools: false,
            image_detail: None,
            images: false,
            streaming: true,
            usage_in_stream: true,
            extra: Map::new(),
        }
    }
}

impl ChatModel for OpenAi {
    fn chat(
        &self,
        request: &ChatRequest,
        cancel: &Cancel,
        on: &mut OnDelta<'_>,
    ) -> Result<Completion, ModelError> {
        let header = self.key_style.header(&self.endpoint);
        let headers: Vec<(&str, &str)> = header.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let body = request::body(self, request);
        let mut incoming = self.endpoint.post("/chat/completions", &headers, &body, &self.model, cancel)?;
        drop(body);
        let refusals = self.endpoint.refusals(&self.model);
        let mut reply = Reply::new(on);
        if self.streaming && !endpoint::is_whole(&incoming) {
            read_stream(&mut incoming, &mut reply, &refusals)?;
        } else {
            read_whole(&mut incoming, &mut reply, &refusals)?;
        }
        incoming.finish();
        reply.done()
    }

    fn takes_images(&self) -> bool {
        self.images
    }

    fn streams(&self) -> bool {
        self.streaming
    }
}

#[derive(Deserialize)]
struct Chunk {
    choices: Option<Vec<Choice>>,
    usage: Option<WireUsage>,
    error: Option<Value>,
    /// Addresses of pages, from providers that search the web.
    citations: Option<Value>,
    /// The same pages with what was read of them.
    search_results: Option<Value>,
}

#[derive(Deserialize)]
struct Choice {
    /// In a stream.
    delta: Option<Said>,
    /// In one piece.
    message: Option<Said>,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Said {
    /// Text, or a list of parts.
    content: Option<Value>,
    reasoning_content: Option<String>,
    reasoning: Option<String>,
    refusal: Option<String>,
    tool_calls: Option<Vec<WireCall>>,
}

#[derive(Deserialize)]
struct WireCall {
    index: Option<u64>,
    id: Option<String>,
    function: Option<WireFunction>,
}

#[derive(Deserialize)]
struct WireFunction {
    name: Option<String>,
    /// Text; an object with some servers.
    arguments: Option<Value>,
}

#[derive(Deserialize)]
struct WireUsage {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
    prompt_tokens_details: Option<PromptDetails>,
    completion_tokens_details: Option<CompletionDetails>,
}

#[derive(Deserialize)]
struct PromptDetails {
    cached_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct CompletionDetails {
    reasoning_tokens: Option<u64>,
}

/// Hands the chunks of a stream to `take` until it says that it is complete. `[DONE]` says so; with servers that send
/// none, the reason for which the model finished does, which `take` tells by true. `otherwise` says what is wrong with
/// an event that is no chunk.
pub(super) fn read_chunks<C: DeserializeOwned>(
    source: &mut impl Read,
    otherwise: &str,
    mut take: impl FnMut(C) -> Result<bool, ModelError>,
) -> Result<(), ModelError> {
    let mut events = Events::new(source);
    let mut finished = false;
    while let Some(event) = events.next()? {
        if event.data.trim() == "[DONE]" {
            return Ok(());
        }
        finished |= take(parsed(event.data, otherwise)?)?;
    }
    if finished { Ok(()) } else { Err(broke_off()) }
}

fn read_stream(
    source: &mut impl Read,
    reply: &mut Reply<'_, '_>,
    refusals: &Refusals<'_>,
) -> Result<(), ModelError> {
    read_chunks(source, "an event of it is not a chat completion", |chunk| take(chunk, reply, refusals))
}

fn read_whole(
    source: &mut impl Read,
    reply: &mut Reply<'_, '_>,
    refusals: &Refusals<'_>,
) -> Result<(), ModelError> {
    let chunk: Chunk = serde_json::from_value(endpoint::read_whole(source)?)
        .map_err(|_| ModelError::Garbled("it is not a chat completion".into()))?;
    if chunk.choices.as_ref().is_none_or(Vec::is_empty) && chunk.error.is_none() {
        return Err(ModelError::Garbled("it holds no answer".into()));
    }
    take(chunk, reply, refusals).map(|_| ())
}

/// Takes what one chunk holds; true when it says why the model finished.
fn take(chunk: Chunk, reply: &mut Reply<'_, '_>, refusals: &Refusals<'_>) -> Result<bool, ModelError> {
    if let Some(error) = chunk.error {
        return Err(refusals.of_event(&error));
    }
    if let Some(wire) = chunk.usage {
        let usage = reply.usage();
        usage.input_tokens = wire.prompt_tokens.unwrap_or(0);
        usage.output_tokens = wire.completion_tokens.unwrap_or(0);
        usage.cached_tokens =
            wire.prompt_tokens_details.and_then(|details| details.cached_tokens).unwrap_or(0);
        usage.reasoning_tokens =
            wire.completion_tokens_details.and_then(|details| details.reasoning_tokens).unwrap_or(0);
    }
    let cited = cited::pages(chunk.search_results.as_ref(), chunk.citations.as_ref());
    if !cited.is_empty() {
        reply.citations(cited);
    }
    // One answer is asked for; further choices would be read as one text.
    let Some(choice) = chunk.choices.unwrap_or_default().into_iter().next() else { return Ok(false) };
    if let Some(said) = choice.delta.or(choice.message) {
        if let Some(thought) = said.reasoning_content.or(said.reasoning) {
            reply.thinking(&thought)?;
        }
        if let Some(content) = said.content {
            take_content(&content, reply)?;
        }
        if let Some(refusal) = said.refusal {
            reply.text(&refusal)?;
        }
        for call in said.tool_calls.unwrap_or_default() {
            take_call(call, reply)?;
        }
    }
    let Some(reason) = choice.finish_reason else { return Ok(false) };
    if reason == "content_filter" && reply.is_empty() {
        return Err(ModelError::Provider {
            status: 200,
            message: "its content filter held the answer back".into(),
        });
    }
    Ok(true)
}

fn take_content(content: &Value, reply: &mut Reply<'_, '_>) -> Result<(), ModelError> {
    match content {
        Value::String(text) => reply.text(text),
        Value::Array(parts) => parts.iter().try_for_each(|part| match &part["thinking"] {
            Value::Array(thoughts) => thoughts
                .iter()
                .filter_map(|thought| thought["text"].as_str())
                .try_for_each(|text| reply.thinking(text)),
            _ => reply.text(part["text"].as_str().unwrap_or_default()),
        }),
        _ => Ok(()),
    }
}

/// Adds a fragment of a call. The number ties fragments together; where a server leaves it out or repeats it, a new
/// id begins a new call.
fn take_call(call: WireCall, reply: &mut Reply<'_, '_>) -> Result<(), ModelError> {
    let id = call.id.unwrap_or_default();
    let (name, arguments) =
        call.function.map_or((None, None), |function| (function.name, function.arguments));
    let partials = reply.partial();
    let at = match call.index {
        Some(_) => partials.iter().rposition(|partial| partial.index == call.index),
        None => partials.len().checked_sub(1),
    };
    let known = at.filter(|at| id.is_empty() || partials[*at].id.is_empty() || partials[*at].id == id);
    let fragment = match arguments {
        Some(Value::String(text)) => text,
        None | Some(Value::Null) => String::new(),
        Some(object) => object.to_string(),
    };
    if let Some(at) = known {
        let partial = &mut partials[at];
        if partial.id.is_empty() {
            partial.id = id;
        }
        if partial.name.is_empty() {
            partial.name = name.unwrap_or_default();
        }
        partial.arguments.push_str(&fragment);
        return Ok(());
    }
    reply.begin_call(Partial { index: call.index, id, name: name.unwrap_or_default(), arguments: fragment })
}
