//! Ollama's chat, and its completion of a text.

mod request;
#[cfg(test)]
mod tests;

use crate::base::cancel::CancelToken;
use crate::llm::endpoint::provider_error::ErrorInterpreter;
use crate::llm::reply::{
    CutReason, ReplyBuilder, argument_object, arguments, broken_off_error, new_call_id, parse_event,
};
use crate::llm::sse::SseEvent;
use crate::llm::streaming::{Protocol, ReplyStream, StreamStep};
use crate::llm::{ChatModel, ChatReply, ChatRequest, Endpoint, ModelError, OnDelta, ToolCall, endpoint};
use serde_json::{Map, Value};

/// Where Ollama is unless told otherwise.
pub const OLLAMA_BASE: &str = "http://localhost:11434";

/// A model behind Ollama's own protocol. What is `None` or empty is left to the server.
#[derive(Debug, Clone)]
pub struct Ollama {
    /// Where; a key is sent as a bearer when there is one. The base address ends before `/api/chat`.
    pub endpoint: Endpoint,
    pub model: String,
    /// Sampling and size: `temperature`, `top_p`, `num_ctx`, `num_predict`, … as the server names them.
    pub options: Map<String, Value>,
    /// Words at which the model stops.
    pub stop: Vec<String>,
    /// How long the server keeps the model loaded, such as `5m`.
    pub keep_alive: Option<String>,
    /// `true`, `false`, or a level as text.
    pub think: Option<Value>,
    /// `"json"`, or a schema.
    pub format: Option<Value>,
    /// Completes a text at `/api/generate` and knows no messages, no tools and no images.
    pub completes: bool,
    pub images: bool,
    /// The reply comes in fragments.
    pub streaming: bool,
}

impl Ollama {
    /// A model with the server's defaults, streaming.
    #[must_use]
    pub fn new(endpoint: Endpoint, model: &str) -> Self {
        Self {
            endpoint,
            model: model.to_owned(),
            options: Map::new(),
            stop: Vec::new(),
            keep_alive: None,
            think: None,
            format: None,
            completes: false,
            images: false,
            streaming: true,
        }
    }
}

impl ChatModel for Ollama {
    fn open(
        &self,
        request: &ChatRequest,
        cancel: &CancelToken,
        on: &mut OnDelta<'_>,
    ) -> Result<ChatReply, ModelError> {
        let bearer = self.endpoint.bearer();
        let headers: Vec<(&str, &str)> =
            bearer.iter().map(|bearer| ("authorization", bearer.as_str())).collect();
        let path = if self.completes { "/api/generate" } else { "/api/chat" };
        let body = request::body(self, request)?;
        let mut incoming = self.endpoint.post(path, &headers, &body, &self.model, cancel)?;
        drop(body);
        let refusals = self.endpoint.error_interpreter(&self.model);
        if self.streaming {
            return Ok(ChatReply::stream(ReplyStream::from_lines(incoming, OllamaStream(refusals))));
        }
        let whole = endpoint::read_whole(&mut incoming)?;
        let mut reply = ReplyBuilder::default();
        if !take(&whole, &mut reply, &refusals)? {
            return Err(broken_off_error());
        }
        incoming.finish();
        reply.emit(&mut *on)?;
        reply.finish().map(ChatReply::Whole)
    }

    fn takes_images(&self) -> bool {
        self.images
    }

    fn takes_tools(&self) -> bool {
        !self.completes
    }

    fn streams(&self) -> bool {
        self.streaming
    }
}

/// The lines of one reply, of which one says that it is the last.
struct OllamaStream(ErrorInterpreter);

impl Protocol for OllamaStream {
    fn on_event(&mut self, line: &SseEvent<'_>, reply: &mut ReplyBuilder) -> Result<StreamStep, ModelError> {
        if line.data.trim().is_empty() {
            return Ok(StreamStep::More);
        }
        let chunk: Value = parse_event(line.data, "a line of it is not JSON")?;
        Ok(if take(&chunk, reply, &self.0)? { StreamStep::Over } else { StreamStep::More })
    }
}

/// Takes what one line holds; true when it is the last.
fn take(chunk: &Value, reply: &mut ReplyBuilder, refusals: &ErrorInterpreter) -> Result<bool, ModelError> {
    if let Some(error) = chunk.get("error").filter(|error| !error.is_null()) {
        return Err(refusals.interpret_event(error));
    }
    let message = &chunk["message"];
    reply.add_thinking(message["thinking"].as_str().unwrap_or_default());
    reply.add_text(message["content"].as_str().unwrap_or_default());
    // A completed text comes without a message around it.
    reply.add_thinking(chunk["thinking"].as_str().unwrap_or_default());
    reply.add_text(chunk["response"].as_str().unwrap_or_default());
    for call in message["tool_calls"].as_array().into_iter().flatten() {
        let function = &call["function"];
        let Some(name) = function["name"].as_str().filter(|name| !name.is_empty()) else {
            return Err(ModelError::Garbled("it calls a tool without naming it".into()));
        };
        let arguments = match &function["arguments"] {
            Value::String(raw) => arguments(raw),
            other => argument_object(other),
        };
        let id = call["id"].as_str().filter(|id| !id.is_empty()).map_or_else(new_call_id, str::to_owned);
        reply.add_call(ToolCall { id, name: name.to_owned(), arguments })?;
    }
    if chunk["done"] != true {
        return Ok(false);
    }
    if chunk["done_reason"] == "length" {
        reply.mark_cut(CutReason::Length);
    }
    // A server that answers from its cache leaves the count of what it read out.
    if chunk["eval_count"].is_u64() || chunk["prompt_eval_count"].is_u64() {
        let usage = reply.usage_mut();
        usage.input_tokens = chunk["prompt_eval_count"].as_u64().unwrap_or(0);
        usage.output_tokens = chunk["eval_count"].as_u64().unwrap_or(0);
    }
    Ok(true)
}
