//! OpenAI's chat completions, and every server that speaks the same protocol.

mod request;
mod strict;
#[cfg(test)]
mod tests;

use super::citations::citations;
use super::openai_responses;
use crate::base::cancel::CancelToken;
use crate::llm::endpoint::json_size::REPLY_VALUES_MAX;
use crate::llm::endpoint::provider_error::ErrorInterpreter;
use crate::llm::reply::{CutReason, PartialCall, ReplyBuilder, broken_off_error, parse_event};
use crate::llm::sse::SseEvent;
use crate::llm::streaming::{Protocol, ReplyStream, StreamStep};
use crate::llm::{
    ChatModel, ChatReply, ChatRequest, Completion, Endpoint, ModelError, OnDelta, ProviderContent,
    ProviderTool, endpoint,
};
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::{Map, Value};
use std::io::Read;

pub(super) use self::request::reasons;
pub(super) use self::strict::strict;

pub const OPENAI_BASE: &str = "https://api.openai.com/v1";
/// Its name where a reply is kept as it was written.
const PROTOCOL: &str = "openai";

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
    pub(in crate::llm) fn header(self, endpoint: &Endpoint) -> Option<(&'static str, String)> {
        match self {
            Self::Bearer => Some(("authorization", endpoint.bearer()?)),
            Self::ApiKeyHeader => Some(("api-key", endpoint.key.as_ref()?.expose().to_owned())),
        }
    }
}

/// A model behind the chat completions protocol. What is `None` or empty is left to the provider.
#[derive(Debug)]
pub struct OpenAi {
    /// Where and with which key; the base address ends before `/chat/completions`.
    pub endpoint: Endpoint,
    pub key_style: KeyStyle,
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
    pub images: bool,
    /// The reply comes in fragments.
    pub streaming: bool,
    /// Asks for token counts in a stream. A few servers refuse the question.
    pub usage_in_stream: bool,
    /// It may use the tools that OpenAI runs itself, over another protocol of the same provider.
    pub built_in_tools: bool,
    /// How much of its reasoning that protocol shows.
    pub reasoning_summary: Option<String>,
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
            built_in_tools: false,
            reasoning_summary: None,
            extra: Map::new(),
        }
    }
}

impl ChatModel for OpenAi {
    fn open(
        &self,
        request: &ChatRequest,
        cancel: &CancelToken,
        on: &mut OnDelta<'_>,
    ) -> Result<ChatReply, ModelError> {
        if !request.provider_tools.is_empty() {
            return openai_responses::open(self, request, cancel, on);
        }
        let header = self.key_style.header(&self.endpoint);
        let headers: Vec<(&str, &str)> = header.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let body = request::body(self, request);
        let mut incoming = self.endpoint.post("/chat/completions", &headers, &body, &self.model, cancel)?;
        drop(body);
        let chunks = OpenAiStream {
            refusals: self.endpoint.error_interpreter(&self.model),
            model: self.model.clone(),
            reasoning: None,
            finished: false,
        };
        if self.streaming && !endpoint::is_json_document(&incoming) {
            return Ok(ChatReply::stream(ReplyStream::from_events(incoming, chunks)));
        }
        let completion = chunks.read_whole(&mut incoming, on)?;
        incoming.finish();
        Ok(ChatReply::Whole(completion))
    }

    fn takes_images(&self) -> bool {
        self.images
    }

    fn takes_provider_tool(&self, tool: ProviderTool) -> bool {
        self.built_in_tools && openai_responses::takes(tool)
    }

    fn read_file(&self, path: &str, cancel: &CancelToken) -> Result<Vec<u8>, ModelError> {
        openai_responses::read_file(self, path, cancel)
    }

    fn streams(&self) -> bool {
        self.streaming
    }
}

#[derive(Deserialize)]
struct ChatChunk {
    model: Option<String>,
    choices: Option<Vec<ChatChoice>>,
    usage: Option<ChatUsage>,
    error: Option<Value>,
    /// Addresses of pages, from providers that search the web.
    citations: Option<Value>,
    /// The same pages with what was read of them.
    search_results: Option<Value>,
}

#[derive(Deserialize)]
struct ChatChoice {
    /// The message, in a stream: a fragment of it.
    delta: Option<WireMessage>,
    /// The message, in a reply that comes in one piece.
    message: Option<WireMessage>,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct WireMessage {
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
struct ChatUsage {
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

/// Reads an event of a stream of chunks. `[DONE]` says that the reply is complete; with servers that send none, the reason
/// for which the model finished does, which `take` reports by true and `finished` remembers. `otherwise` says what is wrong
/// with an event that is no chunk.
pub(in crate::llm) fn take_chunk<C: DeserializeOwned>(
    event: &SseEvent<'_>,
    otherwise: &str,
    finished: &mut bool,
    take: impl FnOnce(C) -> Result<bool, ModelError>,
) -> Result<StreamStep, ModelError> {
    if event.data.trim() == "[DONE]" {
        return Ok(StreamStep::Over);
    }
    *finished |= take(parse_event(event.data, otherwise)?)?;
    Ok(StreamStep::More)
}

/// A stream of chunks ended without `[DONE]`.
pub(in crate::llm) fn check_end(finished: bool) -> Result<(), ModelError> {
    if finished { Ok(()) } else { Err(broken_off_error()) }
}

/// What came in the field `reasoning_content`; `None` where the provider has no such field.
type ReasoningText = Option<String>;

/// The chunks of one reply.
struct OpenAiStream {
    refusals: ErrorInterpreter,
    model: String,
    /// The reasoning that leads to calls: models that think between calls want it back with them.
    reasoning: ReasoningText,
    finished: bool,
}

impl OpenAiStream {
    fn read_whole(mut self, source: &mut impl Read, on: &mut OnDelta<'_>) -> Result<Completion, ModelError> {
        // Fields that nobody asks for are skipped as they are read.
        let chunk: ChatChunk =
            endpoint::read_within(source, REPLY_VALUES_MAX, "it is not a chat completion")?;
        if chunk.choices.as_ref().is_none_or(Vec::is_empty) && chunk.error.is_none() {
            return Err(ModelError::Garbled("it holds no answer".into()));
        }
        let mut reply = ReplyBuilder::default();
        take(chunk, &mut reply, &self.refusals, &mut self.reasoning)?;
        reply.emit(&mut *on)?;
        self.complete(reply)
    }

    fn complete(self, reply: ReplyBuilder) -> Result<Completion, ModelError> {
        let mut completion = reply.finish()?;
        if let Some(reasoned) = self.reasoning.filter(|_| !completion.calls.is_empty()) {
            completion.content = ProviderContent::new(PROTOCOL, &self.model, vec![reasoned.into()]);
        }
        Ok(completion)
    }
}

impl Protocol for OpenAiStream {
    fn on_event(&mut self, event: &SseEvent<'_>, reply: &mut ReplyBuilder) -> Result<StreamStep, ModelError> {
        let Self { refusals, reasoning: reasoned, finished, .. } = self;
        take_chunk(event, "an event of it is not a chat completion", finished, |chunk| {
            take(chunk, reply, refusals, reasoned)
        })
    }

    fn on_end(&self) -> Result<(), ModelError> {
        check_end(self.finished)
    }

    fn finish(self: Box<Self>, reply: ReplyBuilder) -> Result<Completion, ModelError> {
        self.complete(reply)
    }
}

/// Takes what one chunk holds; true when it says why the model finished.
fn take(
    chunk: ChatChunk,
    reply: &mut ReplyBuilder,
    refusals: &ErrorInterpreter,
    reasoned: &mut ReasoningText,
) -> Result<bool, ModelError> {
    if let Some(error) = chunk.error {
        return Err(refusals.interpret_event(&error));
    }
    if let Some(wire) = chunk.usage {
        let usage = reply.usage_mut();
        usage.input_tokens = wire.prompt_tokens.unwrap_or(0);
        usage.output_tokens = wire.completion_tokens.unwrap_or(0);
        usage.cached_tokens =
            wire.prompt_tokens_details.and_then(|details| details.cached_tokens).unwrap_or(0);
        usage.reasoning_tokens =
            wire.completion_tokens_details.and_then(|details| details.reasoning_tokens).unwrap_or(0);
    }
    reply.describe("model_name", chunk.model.as_deref());
    let cited = citations(chunk.search_results.as_ref(), chunk.citations.as_ref());
    if !cited.is_empty() {
        reply.set_citations(cited);
    }
    // One answer is asked for; further choices would be read as one text.
    let Some(choice) = chunk.choices.unwrap_or_default().into_iter().next() else { return Ok(false) };
    let is_fragment = choice.delta.is_some();
    if let Some(said) = choice.delta.or(choice.message) {
        if let Some(thought) = &said.reasoning_content {
            reasoned.get_or_insert_default().push_str(thought);
        }
        if let Some(thought) = said.reasoning_content.or(said.reasoning) {
            reply.add_thinking(&thought);
        }
        if let Some(content) = said.content {
            take_content(&content, reply);
        }
        if let Some(refusal) = said.refusal {
            reply.add_text(&refusal);
        }
        for call in said.tool_calls.unwrap_or_default() {
            take_call(call, is_fragment, reply)?;
        }
    }
    let Some(reason) = choice.finish_reason else { return Ok(false) };
    reply.describe("finish_reason", Some(&reason));
    if reason == "content_filter" && reply.is_empty() {
        return Err(ModelError::Provider {
            status: 200,
            message: "its content filter held the answer back".into(),
        });
    }
    Ok(take_reason(&reason, reply))
}

/// Notes why the model finished; true, as it did.
pub(in crate::llm) fn take_reason(reason: &str, reply: &mut ReplyBuilder) -> bool {
    match reason {
        "length" => reply.mark_cut(CutReason::Length),
        "content_filter" => reply.mark_cut(CutReason::Filter),
        _ => {}
    }
    true
}

fn take_content(content: &Value, reply: &mut ReplyBuilder) {
    match content {
        Value::String(text) => reply.add_text(text),
        Value::Array(parts) => parts.iter().for_each(|part| match &part["thinking"] {
            Value::Array(thoughts) => thoughts
                .iter()
                .filter_map(|thought| thought["text"].as_str())
                .for_each(|text| reply.add_thinking(text)),
            _ => reply.add_text(part["text"].as_str().unwrap_or_default()),
        }),
        _ => {}
    }
}

/// Adds a call of a whole message, or a fragment of one of a stream.
fn take_call(call: WireCall, is_fragment: bool, reply: &mut ReplyBuilder) -> Result<(), ModelError> {
    let (name, arguments) =
        call.function.map_or((None, None), |function| (function.name, function.arguments));
    let arguments = match arguments {
        Some(Value::String(text)) => text,
        None | Some(Value::Null) => String::new(),
        Some(object) => object.to_string(),
    };
    let (id, name) = (call.id.unwrap_or_default(), name.unwrap_or_default());
    let fragment = PartialCall { index: call.index, id, name, arguments };
    let begun = reply.partial_calls().iter_mut().rev();
    let mut begun = begun.filter(|partial| fragment.index.is_none() || partial.index == fragment.index);
    match begun.next().filter(|partial| is_fragment && !begins_new_call(partial, &fragment)) {
        Some(partial) => partial.extend(fragment),
        None => reply.begin_call(fragment)?,
    }
    Ok(())
}

/// True when `fragment` is of another call than `partial`, though a server that repeats numbers or leaves them out ties
/// the two together: it names a tool, and has another id or finds the arguments complete. An id alone begins nothing, as
/// some servers send a new one with each fragment.
fn begins_new_call(partial: &PartialCall, fragment: &PartialCall) -> bool {
    if partial.name.is_empty() || fragment.name.is_empty() {
        return false;
    }
    if partial.id.is_empty() || fragment.id.is_empty() {
        let arguments = partial.arguments.trim_end();
        return arguments.ends_with('}') && serde_json::from_str::<IgnoredAny>(arguments).is_ok();
    }
    partial.id != fragment.id
}
