//! Cohere's chat, in the second version of its protocol.

#[cfg(test)]
mod tests;

use crate::base::cancel::CancelToken;
use crate::llm::endpoint::provider_error::ErrorInterpreter;
use crate::llm::reply::{
    CutReason, PartialCall, ReplyBuilder, argument_object, arguments, join_stops, new_call_id, parse_event,
    set_optional,
};
use crate::llm::sse::SseEvent;
use crate::llm::streaming::{Protocol, ReplyStream, StreamStep};
use crate::llm::{
    ChatMessage, ChatModel, ChatReply, ChatRequest, Endpoint, ModelError, OnDelta, ToolCall, ToolSpec,
    endpoint,
};
use serde_json::{Map, Value, json};

pub const COHERE_BASE: &str = "https://api.cohere.com";
/// Stop words the protocol takes.
const STOPS_MAX: usize = 5;

/// A model behind Cohere's own protocol. What is `None` is left to the provider.
#[derive(Debug, Clone)]
pub struct Cohere {
    /// Where and with which key; the base address ends before `/v2/chat`.
    pub endpoint: Endpoint,
    pub model: String,
    /// From 0 to 1.
    pub temperature: Option<f64>,
    /// The reply comes in fragments.
    pub streaming: bool,
}

impl ChatModel for Cohere {
    fn open(
        &self,
        request: &ChatRequest,
        cancel: &CancelToken,
        on: &mut OnDelta<'_>,
    ) -> Result<ChatReply, ModelError> {
        let bearer = self.endpoint.bearer();
        let headers: Vec<(&str, &str)> =
            bearer.iter().map(|value| ("authorization", value.as_str())).collect();
        let body = self.body(request);
        let mut incoming = self.endpoint.post("/v2/chat", &headers, &body, &self.model, cancel)?;
        drop(body);
        let refusals = self.endpoint.error_interpreter(&self.model);
        if self.streaming && !endpoint::is_json_document(&incoming) {
            return Ok(ChatReply::stream(ReplyStream::from_events(incoming, CohereStream(refusals))));
        }
        let mut reply = ReplyBuilder::default();
        take_whole(&endpoint::read_whole(&mut incoming)?, &mut reply)?;
        incoming.finish();
        reply.emit(&mut *on)?;
        reply.finish().map(ChatReply::Whole)
    }

    fn streams(&self) -> bool {
        self.streaming
    }
}

impl Cohere {
    fn body(&self, request: &ChatRequest) -> Value {
        let mut body = Map::new();
        body.insert("model".into(), self.model.as_str().into());
        body.insert("messages".into(), request.messages.iter().map(message).collect());
        if !request.tools.is_empty() {
            body.insert("tools".into(), request.tools.iter().map(tool).collect());
        }
        set_optional(&mut body, "temperature", self.temperature);
        let stops = join_stops(&[], &request.stop, STOPS_MAX);
        set_optional(&mut body, "stop_sequences", (!stops.is_empty()).then_some(stops));
        body.insert("stream".into(), self.streaming.into());
        body.into()
    }
}

fn message(message: &ChatMessage) -> Value {
    match message {
        ChatMessage::System(text) => json!({"role": "system", "content": text}),
        ChatMessage::User(_) => json!({"role": "user", "content": message.text()}),
        ChatMessage::Assistant { text, calls, .. } => {
            let mut wire = json!({"role": "assistant"});
            // An empty text beside calls is refused.
            if !text.is_empty() || calls.is_empty() {
                wire["content"] = text.as_str().into();
            }
            if !calls.is_empty() {
                wire["tool_calls"] = calls.iter().map(call).collect();
            }
            wire
        }
        ChatMessage::Tool { call_id, text, .. } => {
            json!({"role": "tool", "tool_call_id": call_id, "content": text})
        }
    }
}

fn call(call: &ToolCall) -> Value {
    let arguments = argument_object(&call.arguments).to_string();
    json!({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}})
}

fn tool(spec: &ToolSpec) -> Value {
    json!({"type": "function",
        "function": {"name": spec.name, "description": spec.description, "parameters": spec.schema}})
}

/// The events of one reply, until `message-end`.
struct CohereStream(ErrorInterpreter);

impl Protocol for CohereStream {
    fn on_event(&mut self, event: &SseEvent<'_>, reply: &mut ReplyBuilder) -> Result<StreamStep, ModelError> {
        if event.data.trim() == "[DONE]" {
            self.on_end()?;
        }
        let data: Value = parse_event(event.data, "an event of it is not JSON")?;
        let delta = &data["delta"];
        let said = &delta["message"];
        match data["type"].as_str().unwrap_or(event.name) {
            "content-start" | "content-delta" => {
                reply.add_thinking(said["content"]["thinking"].as_str().unwrap_or_default());
                reply.add_text(said["content"]["text"].as_str().unwrap_or_default());
            }
            // What the model says about the tools it is going to call is no part of the answer.
            "tool-plan-delta" => reply.add_thinking(said["tool_plan"].as_str().unwrap_or_default()),
            "tool-call-start" => begin_call(&data, reply)?,
            "tool-call-delta" => continue_call(&data, reply),
            "message-end" => {
                if let Some(error) = delta.get("error").filter(|error| !error.is_null()) {
                    return Err(self.0.interpret_event(error));
                }
                take_usage(&delta["usage"], reply);
                take_stop_reason(&delta["finish_reason"], reply)?;
                return Ok(StreamStep::Over);
            }
            _ => {}
        }
        Ok(StreamStep::More)
    }
}

fn begin_call(data: &Value, reply: &mut ReplyBuilder) -> Result<(), ModelError> {
    let call = &data["delta"]["message"]["tool_calls"];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    reply.begin_call(PartialCall {
        index: data["index"].as_u64(),
        id: text(&call["id"]),
        name: text(&call["function"]["name"]),
        arguments: text(&call["function"]["arguments"]),
    })
}

fn continue_call(data: &Value, reply: &mut ReplyBuilder) {
    let index = data["index"].as_u64();
    let fragment =
        data["delta"]["message"]["tool_calls"]["function"]["arguments"].as_str().unwrap_or_default();
    if let Some(partial) = reply.partial_calls().iter_mut().rev().find(|partial| partial.index == index) {
        partial.arguments.push_str(fragment);
    }
}

/// Takes an answer that came in one piece.
fn take_whole(whole: &Value, reply: &mut ReplyBuilder) -> Result<(), ModelError> {
    let Some(message) = whole["message"].as_object() else {
        return Err(ModelError::Garbled("it holds no answer".into()));
    };
    let text = |name: &str| message.get(name).and_then(Value::as_str).unwrap_or_default();
    reply.add_thinking(text("tool_plan"));
    for part in message.get("content").and_then(Value::as_array).into_iter().flatten() {
        reply.add_thinking(part["thinking"].as_str().unwrap_or_default());
        reply.add_text(part["text"].as_str().unwrap_or_default());
    }
    for call in message.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
        let function = &call["function"];
        let Some(name) = function["name"].as_str().filter(|name| !name.is_empty()) else {
            return Err(ModelError::Garbled("it calls a tool without naming it".into()));
        };
        let id = call["id"].as_str().filter(|id| !id.is_empty()).map_or_else(new_call_id, str::to_owned);
        let arguments = arguments(function["arguments"].as_str().unwrap_or_default());
        reply.add_call(ToolCall { id, name: name.to_owned(), arguments })?;
    }
    take_usage(&whole["usage"], reply);
    take_stop_reason(&whole["finish_reason"], reply)
}

/// All tokens where they are counted, else those that are billed.
fn take_usage(wire: &Value, reply: &mut ReplyBuilder) {
    let counted =
        ["tokens", "billed_units"].into_iter().map(|name| &wire[name]).find(|count| count.is_object());
    let Some(counted) = counted else { return };
    // The numbers may be written with a point; there are never so many that the cast would lose one.
    let count = |name: &str| counted[name].as_f64().map_or(0, |number| number.max(0.0) as u64);
    let usage = reply.usage_mut();
    usage.input_tokens = count("input_tokens");
    usage.output_tokens = count("output_tokens");
    usage.cached_tokens = wire["cached_tokens"].as_f64().map_or(0, |number| number.max(0.0) as u64);
}

fn take_stop_reason(reason: &Value, reply: &mut ReplyBuilder) -> Result<(), ModelError> {
    let failed = |message: &str| Err(ModelError::Provider { status: 200, message: message.into() });
    match reason.as_str() {
        Some("ERROR") => failed("the model failed while it answered"),
        Some("TIMEOUT") => Err(ModelError::TimedOut),
        Some("ERROR_TOXIC") if reply.is_empty() => failed("its content filter held the answer back"),
        Some("ERROR_TOXIC") => {
            reply.mark_cut(CutReason::Filter);
            Ok(())
        }
        Some("MAX_TOKENS" | "ERROR_LIMIT") => {
            reply.mark_cut(CutReason::Length);
            Ok(())
        }
        _ => Ok(()),
    }
}
