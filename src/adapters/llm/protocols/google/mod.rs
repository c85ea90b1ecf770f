//! Google's generateContent.

mod reply_parts;
mod request;
mod schema;
mod server_tools;
#[cfg(test)]
mod tests;

use self::reply_parts::ReplyParts;
use self::server_tools::ServerCalls;
use crate::base::cancel::CancelToken;
use crate::llm::endpoint::provider_error::ErrorInterpreter;
use crate::llm::reply::{
    CutReason, ReplyBuilder, argument_object, broken_off_error, new_call_id, parse_event,
};
use crate::llm::sse::SseEvent;
use crate::llm::streaming::{Protocol, ReplyStream, StreamStep};
use crate::llm::{
    ChatModel, ChatReply, ChatRequest, Completion, Endpoint, FileContent, MadeFile, ModelError, OnDelta,
    ProviderContent, ProviderTool, ToolCall, endpoint,
};
use serde_json::{Map, Value};
use std::io::Read;

/// Where Google's own models are.
pub const GOOGLE_BASE: &str = "https://generativelanguage.googleapis.com";

/// Its name where a reply is kept as it was written.
const PROTOCOL: &str = "google";

/// What stands before `/models` there.
const GOOGLE_ROOT: &str = "/v1beta";

/// A model behind the generateContent protocol. What is `None` or empty is left to the provider.
#[derive(Debug)]
pub struct Google {
    /// Where and with which key; the base address ends before the root.
    pub endpoint: Endpoint,
    /// What stands before `/models` in a path.
    pub root: String,
    /// The model's name, with or without `models/`.
    pub model: String,
    pub temperature: Option<f64>,
    /// The most tokens the model may write.
    pub max_tokens: Option<u64>,
    pub top_p: Option<f64>,
    pub top_k: Option<u64>,
    /// Words at which the model stops.
    pub stop: Vec<String>,
    /// Tokens the model may think with; 0 switches thinking off, -1 leaves the amount to the model.
    pub thinking_tokens: Option<i64>,
    /// `low` or `high`, for models that take a level instead.
    pub thinking_level: Option<String>,
    /// Pairs of harm category and threshold.
    pub safety: Vec<(String, String)>,
    pub images: bool,
    /// The reply comes in fragments.
    pub streaming: bool,
    /// Further fields of the body, as the owner wrote them.
    pub extra: Map<String, Value>,
}

impl Google {
    /// A model with the provider's defaults, streaming.
    #[must_use]
    pub fn new(endpoint: Endpoint, model: &str) -> Self {
        Self {
            endpoint,
            root: GOOGLE_ROOT.to_owned(),
            model: model.to_owned(),
            temperature: None,
            max_tokens: None,
            top_p: None,
            top_k: None,
            stop: Vec::new(),
            thinking_tokens: None,
            thinking_level: None,
            safety: Vec::new(),
            images: false,
            streaming: true,
            extra: Map::new(),
        }
    }

    fn path(&self) -> String {
        let name = self.model.trim().trim_start_matches("models/");
        // Nothing in a name may change which path is called.
        let name: String = form_urlencoded::byte_serialize(name.as_bytes()).collect();
        let what = if self.streaming { "streamGenerateContent?alt=sse" } else { "generateContent" };
        format!("{}/models/{name}:{what}", self.root)
    }
}

impl ChatModel for Google {
    fn open(
        &self,
        request: &ChatRequest,
        cancel: &CancelToken,
        on: &mut OnDelta<'_>,
    ) -> Result<ChatReply, ModelError> {
        let key = self.endpoint.key.iter().map(|key| ("x-goog-api-key", key.expose()));
        let headers: Vec<(&str, &str)> = key.collect();
        let body = request::body(self, request);
        let mut incoming = self.endpoint.post(&self.path(), &headers, &body, &self.model, cancel)?;
        drop(body);
        let chunks = GoogleStream {
            refusals: self.endpoint.error_interpreter(&self.model),
            model: self.model.clone(),
            goes_on: !request.tools.is_empty(),
            state: StreamState::default(),
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
        server_tools::declaration(tool).is_some()
    }

    fn streams(&self) -> bool {
        self.streaming
    }
}

/// What a reply has shown so far.
#[derive(Default)]
struct StreamState {
    /// It said why the model finished.
    finished: bool,
    /// All of it as the provider wrote it.
    parts: ReplyParts,
    /// Calls of tools that the provider runs itself.
    server_calls: ServerCalls,
}

/// The chunks of one reply. The protocol has no last event: a reply is complete when it says why it finished.
struct GoogleStream {
    refusals: ErrorInterpreter,
    model: String,
    /// A reply with calls may follow, so that the parts are kept.
    goes_on: bool,
    state: StreamState,
}

impl GoogleStream {
    fn read_whole(mut self, source: &mut impl Read, on: &mut OnDelta<'_>) -> Result<Completion, ModelError> {
        let whole = endpoint::read_whole(source)?;
        let mut reply = ReplyBuilder::default();
        self.take(&whole, &mut reply)?;
        if whole["candidates"].as_array().is_none_or(Vec::is_empty) {
            return Err(ModelError::Garbled("it holds no answer".into()));
        }
        reply.emit(&mut *on)?;
        self.complete(reply)
    }

    fn complete(self, mut reply: ReplyBuilder) -> Result<Completion, ModelError> {
        self.state.server_calls.finish(&mut reply);
        let mut completion = reply.finish()?;
        if !completion.calls.is_empty() {
            let parts = self.state.parts.into_parts();
            completion.content = ProviderContent::new(PROTOCOL, &self.model, parts);
        }
        Ok(completion)
    }

    fn take(&mut self, chunk: &Value, reply: &mut ReplyBuilder) -> Result<(), ModelError> {
        if self.goes_on {
            self.state.parts.take(&chunk["candidates"][0]["content"]["parts"]);
        }
        take(chunk, reply, &self.refusals, &mut self.state)
    }
}

impl Protocol for GoogleStream {
    fn on_event(&mut self, event: &SseEvent<'_>, reply: &mut ReplyBuilder) -> Result<StreamStep, ModelError> {
        let chunk: Value = parse_event(event.data, "an event of it is not JSON")?;
        self.take(&chunk, reply)?;
        Ok(StreamStep::More)
    }

    fn on_end(&self) -> Result<(), ModelError> {
        if self.state.finished { Ok(()) } else { Err(broken_off_error()) }
    }

    fn finish(self: Box<Self>, reply: ReplyBuilder) -> Result<Completion, ModelError> {
        self.complete(reply)
    }
}

fn take(
    chunk: &Value,
    reply: &mut ReplyBuilder,
    refusals: &ErrorInterpreter,
    seen: &mut StreamState,
) -> Result<(), ModelError> {
    // Errors come by themselves or in a list.
    let error = chunk.get("error").or_else(|| chunk.get(0).and_then(|first| first.get("error")));
    if let Some(error) = error {
        return Err(refusals.interpret_event(error));
    }
    let provider = |message: String| ModelError::Provider { status: 200, message };
    if let Some(reason) = chunk["promptFeedback"]["blockReason"].as_str() {
        return Err(provider(format!("it blocked the question ({})", refusals.clean(reason))));
    }
    take_usage(&chunk["usageMetadata"], reply);
    reply.describe("model_name", chunk["modelVersion"].as_str());
    let candidate = &chunk["candidates"][0];
    for part in candidate["content"]["parts"].as_array().into_iter().flatten() {
        if !seen.server_calls.take_part(part) {
            take_part(part, reply)?;
        }
    }
    seen.server_calls.take_candidate(candidate);
    reply.describe("finish_reason", candidate["finishReason"].as_str());
    match candidate["finishReason"].as_str() {
        None | Some("") => {}
        Some("MALFORMED_FUNCTION_CALL") => {
            return Err(ModelError::Garbled("the model wrote a tool call that cannot be read".into()));
        }
        Some("STOP") => seen.finished = true,
        Some("MAX_TOKENS") => {
            reply.mark_cut(CutReason::Length);
            seen.finished = true;
        }
        Some(reason) if reply.is_empty() => {
            return Err(provider(format!("it held the answer back ({})", refusals.clean(reason))));
        }
        Some(_) => {
            reply.mark_cut(CutReason::Filter);
            seen.finished = true;
        }
    }
    Ok(())
}

fn take_part(part: &Value, reply: &mut ReplyBuilder) -> Result<(), ModelError> {
    if let Some(call) = part.get("functionCall") {
        let id = call["id"].as_str().map_or_else(new_call_id, str::to_owned);
        let name = call["name"].as_str().unwrap_or_default().to_owned();
        return reply.add_call(ToolCall { id, name, arguments: argument_object(&call["args"]) });
    }
    if let Some(file) = inline_file(&part["inlineData"]) {
        reply.add_file(file);
        return Ok(());
    }
    let text = part["text"].as_str().unwrap_or_default();
    if part["thought"] == true {
        reply.add_thinking(text);
    } else {
        reply.add_text(text);
    }
    Ok(())
}

/// A picture or another file that stands in a reply.
fn inline_file(data: &Value) -> Option<MadeFile> {
    let (mime, base64) = (data["mimeType"].as_str()?, data["data"].as_str()?);
    let (kind, ending) = mime.split_once('/')?;
    let name = format!("{}.{ending}", if kind == "image" { kind } else { "file" });
    Some(MadeFile { name, mime: mime.to_owned(), content: FileContent::Base64(base64.to_owned()) })
}

fn take_usage(wire: &Value, reply: &mut ReplyBuilder) {
    if !wire.is_object() {
        return;
    }
    let usage = reply.usage_mut();
    let count = |name: &str| wire[name].as_u64().unwrap_or(0);
    // Each report replaces the one before. Thoughts are counted apart by the provider.
    usage.input_tokens = count("promptTokenCount") + count("toolUsePromptTokenCount");
    usage.output_tokens = count("candidatesTokenCount") + count("thoughtsTokenCount");
    usage.cached_tokens = count("cachedContentTokenCount");
    usage.reasoning_tokens = count("thoughtsTokenCount");
}
