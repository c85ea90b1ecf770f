//! Anthropic's messages.

mod blocks;
mod request;
mod server_tools;
#[cfg(test)]
mod tests;

use self::blocks::ReplyBlocks;
use self::server_tools::ServerCalls;
use crate::base::cancel::CancelToken;
use crate::llm::endpoint::provider_error::ErrorInterpreter;
use crate::llm::reply::{CutReason, PartialCall, ReplyBuilder, argument_object, parse_event};
use crate::llm::sse::SseEvent;
use crate::llm::streaming::{Protocol, ReplyStream, StreamStep};
use crate::llm::{
    ChatModel, ChatReply, ChatRequest, Completion, Endpoint, ModelError, OnDelta, ProviderTool, ToolCall,
    endpoint,
};
use serde_json::{Map, Value};
use std::io::Read;

pub const ANTHROPIC_BASE: &str = "https://api.anthropic.com";
/// The version of the protocol this file speaks.
pub(in crate::llm) const PROTOCOL_VERSION: &str = "2023-06-01";
/// Its name where a reply is kept as it was written.
const PROTOCOL: &str = "anthropic";

/// A model behind the messages protocol. What is `None` or empty is left to the provider.
#[derive(Debug)]
pub struct Anthropic {
    /// Where and with which key; the base address ends before `/v1/messages`.
    pub endpoint: Endpoint,
    pub model: String,
    /// Not sent while the model thinks, which allows no other than its own.
    pub temperature: Option<f64>,
    /// The most tokens the model may write; the protocol demands one, so there is a default for each family.
    pub max_tokens: Option<u64>,
    /// Not sent while the model thinks.
    pub top_p: Option<f64>,
    /// Not sent while the model thinks.
    pub top_k: Option<u64>,
    /// Words at which the model stops.
    pub stop: Vec<String>,
    /// Lets the model think, with this many tokens (at least 1,024).
    pub thinking_tokens: Option<u64>,
    pub images: bool,
    /// The reply comes in fragments.
    pub streaming: bool,
    /// Further fields of the body, as the owner wrote them.
    pub extra: Map<String, Value>,
}

impl Anthropic {
    /// A model with the provider's defaults, streaming.
    #[must_use]
    pub fn new(endpoint: Endpoint, model: &str) -> Self {
        Self {
            endpoint,
            model: model.to_owned(),
            temperature: None,
            max_tokens: None,
            top_p: None,
            top_k: None,
            stop: Vec::new(),
            thinking_tokens: None,
            images: false,
            streaming: true,
            extra: Map::new(),
        }
    }
}

impl ChatModel for Anthropic {
    fn open(
        &self,
        request: &ChatRequest,
        cancel: &CancelToken,
        on: &mut OnDelta<'_>,
    ) -> Result<ChatReply, ModelError> {
        let mut headers = vec![("anthropic-version", PROTOCOL_VERSION)];
        if let Some(key) = &self.endpoint.key {
            headers.push(("x-api-key", key.expose()));
        }
        headers.extend(server_tools::header(&request.provider_tools));
        let body = request::body(self, request);
        let mut incoming = self.endpoint.post("/v1/messages", &headers, &body, &self.model, cancel)?;
        drop(body);
        let blocks = AnthropicStream {
            refusals: self.endpoint.error_interpreter(&self.model),
            model: self.model.clone(),
            goes_on: !request.tools.is_empty() || !request.provider_tools.is_empty(),
            may_pause: !request.provider_tools.is_empty(),
            blocks: ReplyBlocks::default(),
            server_calls: ServerCalls::left_open(self, request),
        };
        if self.streaming && !endpoint::is_json_document(&incoming) {
            return Ok(ChatReply::stream(ReplyStream::from_events(incoming, blocks)));
        }
        let completion = blocks.read_whole(&mut incoming, on)?;
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

/// The blocks of one message.
struct AnthropicStream {
    refusals: ErrorInterpreter,
    model: String,
    /// A reply with calls may follow, so that the blocks are kept.
    goes_on: bool,
    /// Its caller knows of replies that the provider stops in their midst.
    may_pause: bool,
    blocks: ReplyBlocks,
    /// Calls of tools that the provider runs itself.
    server_calls: ServerCalls,
}

impl Protocol for AnthropicStream {
    fn on_event(&mut self, event: &SseEvent<'_>, reply: &mut ReplyBuilder) -> Result<StreamStep, ModelError> {
        let data: Value = parse_event(event.data, "an event of it is not JSON")?;
        match data["type"].as_str().unwrap_or(event.name) {
            "message_start" => {
                reply.describe("model_name", data["message"]["model"].as_str());
                take_usage(&data["message"]["usage"], reply);
            }
            "content_block_start" => {
                self.server_calls.take_block(&data["content_block"], data["index"].as_u64(), reply);
                if self.goes_on {
                    self.blocks.begin(&data["content_block"], data["index"].as_u64());
                }
                begin_block(&data, reply)?;
            }
            "content_block_delta" => {
                if self.goes_on {
                    self.blocks.extend(data["index"].as_u64(), &data["delta"]);
                }
                take_delta(&data, reply, &mut self.server_calls);
            }
            "message_delta" => {
                take_usage(&data["usage"], reply);
                self.take_stop_reason(&data["delta"], reply)?;
            }
            "message_stop" => return Ok(StreamStep::Over),
            "error" => return Err(self.refusals.interpret_event(&data["error"])),
            _ => {}
        }
        Ok(StreamStep::More)
    }

    fn finish(self: Box<Self>, reply: ReplyBuilder) -> Result<Completion, ModelError> {
        self.complete(reply)
    }
}

fn begin_block(data: &Value, reply: &mut ReplyBuilder) -> Result<(), ModelError> {
    let block = &data["content_block"];
    match block["type"].as_str() {
        Some("text") => reply.add_text(block["text"].as_str().unwrap_or_default()),
        Some("thinking") => reply.add_thinking(block["thinking"].as_str().unwrap_or_default()),
        Some("tool_use") => {
            let text = |name: &str| block[name].as_str().unwrap_or_default().to_owned();
            // Arguments come as fragments; a block that holds them already is of a server that does not split them.
            let given = block["input"].as_object().filter(|input| !input.is_empty());
            let arguments = given.map(|input| Value::Object(input.clone()).to_string()).unwrap_or_default();
            reply.begin_call(PartialCall {
                index: data["index"].as_u64(),
                id: text("id"),
                name: text("name"),
                arguments,
            })?;
        }
        _ => {}
    }
    Ok(())
}

fn take_delta(data: &Value, reply: &mut ReplyBuilder, server_calls: &mut ServerCalls) {
    let delta = &data["delta"];
    let text = |name: &str| delta[name].as_str().unwrap_or_default();
    match delta["type"].as_str() {
        Some("text_delta") => reply.add_text(text("text")),
        Some("thinking_delta") => reply.add_thinking(text("thinking")),
        Some("citations_delta") => server_tools::take_citation(&delta["citation"], reply),
        Some("input_json_delta") => {
            let index = data["index"].as_u64();
            let partial = reply.partial_calls().iter_mut().rev().find(|partial| partial.index == index);
            match partial {
                Some(partial) => partial.arguments.push_str(text("partial_json")),
                None => server_calls.take_input(index, text("partial_json")),
            }
        }
        _ => {}
    }
}

/// Later counts replace earlier ones; one that is not named stays.
fn take_usage(wire: &Value, reply: &mut ReplyBuilder) {
    if !wire.is_object() {
        return;
    }
    let usage = reply.usage_mut();
    let count = |name: &str| wire[name].as_u64();
    if let Some(fresh) = count("input_tokens") {
        // Tokens written to and read from the cache are counted apart by the provider.
        let cached = count("cache_read_input_tokens").unwrap_or(0);
        usage.input_tokens = fresh + cached + count("cache_creation_input_tokens").unwrap_or(0);
        usage.cached_tokens = cached;
    }
    if let Some(written) = count("output_tokens") {
        usage.output_tokens = written;
    }
}

impl AnthropicStream {
    /// Looks at why the model finished.
    fn take_stop_reason(&self, message: &Value, reply: &mut ReplyBuilder) -> Result<(), ModelError> {
        reply.describe("finish_reason", message["stop_reason"].as_str());
        match message["stop_reason"].as_str() {
            Some("refusal") if reply.is_empty() => {
                return Err(ModelError::Provider {
                    status: 200,
                    message: "the model refused to answer".into(),
                });
            }
            Some("refusal") => reply.mark_cut(CutReason::Filter),
            // A turn in which the provider's tools worked for long: it goes on when the provider gets it back.
            Some("pause_turn") if self.may_pause => reply.mark_paused(),
            Some("pause_turn") if reply.is_empty() => {
                return Err(ModelError::Garbled(
                    "the provider broke it off before the model answered".into(),
                ));
            }
            Some("pause_turn" | "max_tokens" | "model_context_window_exceeded") => {
                reply.mark_cut(CutReason::Length);
            }
            _ => {}
        }
        Ok(())
    }

    fn read_whole(mut self, source: &mut impl Read, on: &mut OnDelta<'_>) -> Result<Completion, ModelError> {
        let message = endpoint::read_whole(source)?;
        if message["type"] == "error" {
            return Err(self.refusals.interpret_event(&message["error"]));
        }
        let Some(content) = message["content"].as_array() else {
            return Err(ModelError::Garbled("it is not a message".into()));
        };
        let mut reply = ReplyBuilder::default();
        reply.describe("model_name", message["model"].as_str());
        take_usage(&message["usage"], &mut reply);
        for block in content {
            self.server_calls.take_block(block, None, &mut reply);
            if self.goes_on {
                self.blocks.begin(block, None);
            }
            let text = |name: &str| block[name].as_str().unwrap_or_default();
            match block["type"].as_str() {
                Some("text") => reply.add_text(text("text")),
                Some("thinking") => reply.add_thinking(text("thinking")),
                Some("tool_use") => {
                    let arguments = argument_object(&block["input"]);
                    reply.add_call(ToolCall {
                        id: text("id").into(),
                        name: text("name").into(),
                        arguments,
                    })?;
                }
                _ => {}
            }
        }
        self.take_stop_reason(&message, &mut reply)?;
        reply.emit(&mut *on)?;
        self.complete(reply)
    }

    fn complete(mut self, mut reply: ReplyBuilder) -> Result<Completion, ModelError> {
        self.server_calls.finish(&mut reply);
        let mut completion = reply.finish()?;
        if completion.is_paused || !completion.calls.is_empty() {
            completion.content = self.blocks.into_content(&self.model, &completion.calls);
        }
        if completion.is_paused && completion.content.is_none() && completion.text.is_empty() {
            return Err(ModelError::Garbled("the provider broke it off before the model answered".into()));
        }
        Ok(completion)
    }
}
