//! OpenAI's older completions: a text goes in and its continuation comes out.

#[cfg(test)]
mod tests;

use super::openai::{check_end, take_chunk, take_reason};
use super::transcript;
use crate::base::cancel::CancelToken;
use crate::llm::endpoint::provider_error::ErrorInterpreter;
use crate::llm::reply::{ReplyBuilder, join_stops, set_optional};
use crate::llm::sse::SseEvent;
use crate::llm::streaming::{Protocol, ReplyStream, StreamStep};
use crate::llm::{ChatModel, ChatReply, ChatRequest, Endpoint, KeyStyle, ModelError, OnDelta, endpoint};
use serde_json::{Map, Value, json};

/// Stop words the protocol takes.
const STOPS_MAX: usize = 4;

/// A model behind the completions protocol.
#[derive(Debug, Clone)]
pub struct Completions {
    /// Where and with which key; the base address ends before `/completions`.
    pub endpoint: Endpoint,
    pub key_style: KeyStyle,
    pub model: String,
    /// Sampling and length as the protocol names them: `temperature`, `max_tokens`, `top_p`, `best_of`, …
    pub settings: Map<String, Value>,
    /// Asks for token counts in a stream, which older servers refuse.
    pub usage_in_stream: bool,
}

impl ChatModel for Completions {
    fn open(
        &self,
        request: &ChatRequest,
        cancel: &CancelToken,
        on: &mut OnDelta<'_>,
    ) -> Result<ChatReply, ModelError> {
        let header = self.key_style.header(&self.endpoint);
        let headers: Vec<(&str, &str)> = header.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let body = self.body(request);
        let mut incoming = self.endpoint.post("/completions", &headers, &body, &self.model, cancel)?;
        drop(body);
        let refusals = self.endpoint.error_interpreter(&self.model);
        if self.streams() && !endpoint::is_json_document(&incoming) {
            return Ok(ChatReply::stream(ReplyStream::from_events(
                incoming,
                CompletionStream { refusals, finished: false },
            )));
        }
        let whole = endpoint::read_whole(&mut incoming)?;
        if whole["choices"].as_array().is_none_or(Vec::is_empty) && whole["error"].is_null() {
            return Err(ModelError::Garbled("it holds no answer".into()));
        }
        let mut reply = ReplyBuilder::default();
        take(&whole, &mut reply, &refusals)?;
        incoming.finish();
        reply.emit(&mut *on)?;
        reply.finish().map(ChatReply::Whole)
    }

    fn takes_tools(&self) -> bool {
        false
    }

    /// The best of several answers is known when all are complete: such a request cannot be streamed.
    fn streams(&self) -> bool {
        self.settings.get("best_of").and_then(Value::as_u64).is_none_or(|best_of| best_of <= 1)
    }
}

impl Completions {
    fn body(&self, request: &ChatRequest) -> Value {
        let written = transcript::from_messages(&request.messages);
        let mut body = self.settings.clone();
        body.insert("model".into(), self.model.as_str().into());
        body.insert("prompt".into(), written.text.into());
        let stops = join_stops(written.stop.as_slice(), &request.stop, STOPS_MAX);
        set_optional(&mut body, "stop", (!stops.is_empty()).then_some(stops));
        body.insert("stream".into(), self.streams().into());
        if self.streams() && self.usage_in_stream {
            body.insert("stream_options".into(), json!({"include_usage": true}));
        }
        body.into()
    }
}

/// The chunks of one reply.
struct CompletionStream {
    refusals: ErrorInterpreter,
    finished: bool,
}

impl Protocol for CompletionStream {
    fn on_event(&mut self, event: &SseEvent<'_>, reply: &mut ReplyBuilder) -> Result<StreamStep, ModelError> {
        let Self { refusals, finished } = self;
        take_chunk(event, "an event of it is not JSON", finished, |chunk: Value| {
            take(&chunk, reply, refusals)
        })
    }

    fn on_end(&self) -> Result<(), ModelError> {
        check_end(self.finished)
    }
}

/// Takes what one chunk holds; true when it says why the model finished.
fn take(chunk: &Value, reply: &mut ReplyBuilder, refusals: &ErrorInterpreter) -> Result<bool, ModelError> {
    if let Some(error) = chunk.get("error").filter(|error| !error.is_null()) {
        return Err(refusals.interpret_event(error));
    }
    if chunk["usage"].is_object() {
        let usage = reply.usage_mut();
        usage.input_tokens = chunk["usage"]["prompt_tokens"].as_u64().unwrap_or(0);
        usage.output_tokens = chunk["usage"]["completion_tokens"].as_u64().unwrap_or(0);
    }
    let choice = &chunk["choices"][0];
    reply.add_text(choice["text"].as_str().unwrap_or_default());
    Ok(choice["finish_reason"].as_str().is_some_and(|reason| take_reason(reason, reply)))
}
