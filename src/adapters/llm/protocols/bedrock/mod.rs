//! AWS Bedrock's Converse, one protocol for the models of all its makers.

mod request;
#[cfg(test)]
mod tests;

use crate::aws::encode_component;
use crate::aws::event_stream::{EventFrame, FrameDecoder, FrameError};
use crate::base::cancel::CancelToken;
use crate::llm::endpoint::provider_error::ErrorInterpreter;
use crate::llm::identity::aws::interpret_code;
use crate::llm::reply::{
    CutReason, PartialCall, ReplyBuilder, argument_object, broken_off_error, parse_event,
};
use crate::llm::{ChatModel, ChatReply, ChatRequest, Endpoint, ModelError, OnDelta, ToolCall, endpoint};
use crate::net::NetError;
use serde_json::Value;
use std::io::Read;

/// What is read at once; a stream of tokens needs no more.
const READ_BYTES: usize = 2 * 1024;

/// Errors inside a stream, by their names in small letters, and the status each has outside of one.
const EVENT_STATUSES: &[(&str, u16)] = &[
    ("throttlingexception", 429),
    ("validationexception", 400),
    ("modelstreamerrorexception", 424),
    ("serviceunavailableexception", 503),
];

/// A model behind Converse. What is `None` or empty is left to the provider.
#[derive(Debug)]
pub struct Bedrock {
    /// Where, with the key that signs; the base address ends before `/model`.
    pub endpoint: Endpoint,
    /// The model's id, or that of a profile of models, or its full name.
    pub model: String,
    pub temperature: Option<f64>,
    /// The most tokens the model may write.
    pub max_tokens: Option<u64>,
    /// Words at which the model stops.
    pub stop: Vec<String>,
    pub images: bool,
    /// The reply comes in fragments.
    pub streaming: bool,
    /// Asks for the faster machines of a model that has some.
    pub optimized: bool,
}

impl Bedrock {
    /// A model with the provider's defaults, streaming.
    #[must_use]
    pub fn new(endpoint: Endpoint, model: &str) -> Self {
        Self {
            endpoint,
            model: model.to_owned(),
            temperature: None,
            max_tokens: None,
            stop: Vec::new(),
            images: false,
            streaming: true,
            optimized: false,
        }
    }

    fn path(&self) -> String {
        let what = if self.streaming { "converse-stream" } else { "converse" };
        format!("/model/{}/{what}", encode_component(self.model.trim()))
    }
}

impl ChatModel for Bedrock {
    fn open(
        &self,
        request: &ChatRequest,
        cancel: &CancelToken,
        on: &mut OnDelta<'_>,
    ) -> Result<ChatReply, ModelError> {
        let body = request::body(self, request)?;
        let mut incoming = self.endpoint.post(&self.path(), &[], &body, &self.model, cancel)?;
        drop(body);
        let mut reply = ReplyBuilder::default();
        if self.streaming && !endpoint::is_json_document(&incoming) {
            let refusals = self.endpoint.error_interpreter(&self.model);
            read_stream(&mut incoming, &mut reply, &self.model, &refusals, on)?;
        } else {
            read_whole(&mut incoming, &mut reply)?;
            reply.emit(&mut *on)?;
        }
        incoming.finish();
        reply.finish().map(ChatReply::Whole)
    }

    fn takes_images(&self) -> bool {
        self.images
    }

    fn streams(&self) -> bool {
        self.streaming
    }
}

/// Reads frames until the one that counts the tokens, which is the last.
fn read_stream(
    source: &mut impl Read,
    reply: &mut ReplyBuilder,
    model: &str,
    refusals: &ErrorInterpreter,
    on: &mut OnDelta<'_>,
) -> Result<(), ModelError> {
    let (mut frames, mut piece, mut stopped) = (FrameDecoder::default(), [0; READ_BYTES], false);
    loop {
        while let Some(frame) = frames.next_frame().map_err(frame_error)? {
            match frame.header(":message-type") {
                Some("event") => {}
                Some("exception") => return Err(exception_error(&frame, model, refusals)),
                _ => return Err(error(&frame, model, refusals)),
            }
            let kind = frame.header(":event-type").unwrap_or_default();
            let data = payload(&frame)?;
            match kind {
                "contentBlockStart" => begin_block(&data, reply)?,
                "contentBlockDelta" => {
                    take_delta(&data, reply);
                    reply.emit(&mut *on)?;
                }
                "messageStop" => {
                    take_stop_reason(&data, reply)?;
                    stopped = true;
                }
                "metadata" => {
                    take_usage(&data["usage"], reply);
                    if stopped {
                        return Ok(());
                    }
                }
                _ => {}
            }
        }
        match source.read(&mut piece).map_err(NetError::from)? {
            0 if stopped && frames.is_empty() => return Ok(()),
            0 => return Err(broken_off_error()),
            count => frames.push(&piece[..count]),
        }
    }
}

fn payload(frame: &EventFrame) -> Result<Value, ModelError> {
    const WHAT: &str = "an event of it is not JSON";
    let text = std::str::from_utf8(&frame.payload).map_err(|_| ModelError::Garbled(WHAT.into()))?;
    parse_event(text, WHAT)
}

fn frame_error(damage: FrameError) -> ModelError {
    match damage {
        FrameError::TooLarge => NetError::TooLarge.into(),
        FrameError::Sum => ModelError::Garbled("a frame of it arrived damaged".into()),
        FrameError::Form => ModelError::Garbled("it is no stream of events".into()),
    }
}

/// The end of a stream by an error that the service describes.
fn exception_error(frame: &EventFrame, model: &str, refusals: &ErrorInterpreter) -> ModelError {
    let code = frame.header(":exception-type").unwrap_or_default();
    let told = serde_json::from_slice::<Value>(&frame.payload).unwrap_or_default();
    let said = told["message"].as_str().unwrap_or_default();
    let known = EVENT_STATUSES.iter().find(|(name, _)| code.eq_ignore_ascii_case(name));
    interpret_code(code, known.map_or(500, |(_, status)| *status), said, model, None, refusals)
}

/// The end of a stream by an error that nobody expected.
fn error(frame: &EventFrame, model: &str, refusals: &ErrorInterpreter) -> ModelError {
    let Some(code) = frame.header(":error-code") else { return frame_error(FrameError::Form) };
    interpret_code(code, 500, frame.header(":error-message").unwrap_or(code), model, None, refusals)
}

fn begin_block(data: &Value, reply: &mut ReplyBuilder) -> Result<(), ModelError> {
    let Some(call) = data["start"].get("toolUse") else { return Ok(()) };
    let text = |name: &str| call[name].as_str().unwrap_or_default().to_owned();
    reply.begin_call(PartialCall {
        index: data["contentBlockIndex"].as_u64(),
        id: text("toolUseId"),
        name: text("name"),
        arguments: String::new(),
    })
}

fn take_delta(data: &Value, reply: &mut ReplyBuilder) {
    let delta = &data["delta"];
    if let Some(fragment) = delta["toolUse"]["input"].as_str() {
        let index = data["contentBlockIndex"].as_u64();
        if let Some(call) = reply.partial_calls().iter_mut().rev().find(|call| call.index == index) {
            call.arguments.push_str(fragment);
        }
        return;
    }
    reply.add_thinking(delta["reasoningContent"]["text"].as_str().unwrap_or_default());
    reply.add_text(delta["text"].as_str().unwrap_or_default());
}

fn read_whole(source: &mut impl Read, reply: &mut ReplyBuilder) -> Result<(), ModelError> {
    let whole = endpoint::read_whole(source)?;
    let Some(content) = whole["output"]["message"]["content"].as_array() else {
        return Err(ModelError::Garbled("it is not a message".into()));
    };
    take_usage(&whole["usage"], reply);
    for block in content {
        if let Some(call) = block.get("toolUse") {
            let text = |name: &str| call[name].as_str().unwrap_or_default().to_owned();
            let arguments = argument_object(&call["input"]);
            reply.add_call(ToolCall { id: text("toolUseId"), name: text("name"), arguments })?;
        }
        reply.add_thinking(block["reasoningContent"]["reasoningText"]["text"].as_str().unwrap_or_default());
        reply.add_text(block["text"].as_str().unwrap_or_default());
    }
    take_stop_reason(&whole, reply)
}

/// Looks at why the model finished.
fn take_stop_reason(message: &Value, reply: &mut ReplyBuilder) -> Result<(), ModelError> {
    match message["stopReason"].as_str() {
        Some("max_tokens" | "model_context_window_exceeded") => reply.mark_cut(CutReason::Length),
        Some("malformed_tool_use") => {
            return Err(ModelError::Garbled("the model wrote a tool call that cannot be read".into()));
        }
        Some(reason @ ("guardrail_intervened" | "content_filtered" | "refusal")) => {
            if reply.is_empty() {
                let message = format!("it held the answer back ({reason})");
                return Err(ModelError::Provider { status: 200, message });
            }
            reply.mark_cut(CutReason::Filter);
        }
        _ => {}
    }
    Ok(())
}

fn take_usage(wire: &Value, reply: &mut ReplyBuilder) {
    if !wire.is_object() {
        return;
    }
    let usage = reply.usage_mut();
    let count = |name: &str| wire[name].as_u64().unwrap_or(0);
    // Tokens written to and read from the cache are counted apart by the provider.
    usage.cached_tokens = count("cacheReadInputTokens");
    usage.input_tokens = count("inputTokens") + usage.cached_tokens + count("cacheWriteInputTokens");
    usage.output_tokens = count("outputTokens");
}
