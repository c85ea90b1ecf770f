//! OpenAI's Responses: the protocol in which its models use tools that OpenAI runs itself.

mod items;
mod request;
#[cfg(test)]
mod tests;

use self::items::ReplyItems;
use super::openai::OpenAi;
use crate::base::cancel::CancelToken;
use crate::llm::endpoint::provider_error::ErrorInterpreter;
use crate::llm::reply::{CutReason, ReplyBuilder, parse_event};
use crate::llm::sse::SseEvent;
use crate::llm::streaming::{Protocol, ReplyStream, StreamStep};
use crate::llm::{
    ChatReply, ChatRequest, Completion, ModelError, OnDelta, ProviderContent, ProviderTool, endpoint,
};
use crate::net::NetError;
use serde_json::Value;
use std::io::Read;

/// Its name where a reply is kept as it was written.
const PROTOCOL: &str = "openai-responses";

/// The largest file of a container that is read.
const CONTAINER_FILE_BYTES_MAX: u64 = 25 * 1024 * 1024;

/// True for a tool that this protocol knows.
pub(super) const fn takes(tool: ProviderTool) -> bool {
    matches!(
        tool,
        ProviderTool::OpenAiWebSearch | ProviderTool::OpenAiCodeInterpreter | ProviderTool::OpenAiImages
    )
}

/// Asks a model; as [`crate::llm::ChatModel::open`].
pub(super) fn open(
    model: &OpenAi,
    request: &ChatRequest,
    cancel: &CancelToken,
    on: &mut OnDelta<'_>,
) -> Result<ChatReply, ModelError> {
    let header = model.key_style.header(&model.endpoint);
    let headers: Vec<(&str, &str)> = header.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let body = request::body(model, request);
    let mut incoming = model.endpoint.post("/responses", &headers, &body, &model.model, cancel)?;
    drop(body);
    let stream = ResponsesStream {
        refusals: model.endpoint.error_interpreter(&model.model),
        model: model.model.clone(),
        items: ReplyItems::default(),
    };
    if model.streaming && !endpoint::is_json_document(&incoming) {
        return Ok(ChatReply::stream(ReplyStream::from_events(incoming, stream)));
    }
    let completion = stream.read_whole(&mut incoming, on)?;
    incoming.finish();
    Ok(ChatReply::Whole(completion))
}

/// Reads a file that a tool of OpenAI left in its container.
pub(super) fn read_file(model: &OpenAi, path: &str, cancel: &CancelToken) -> Result<Vec<u8>, ModelError> {
    let header = model.key_style.header(&model.endpoint);
    let headers: Vec<(&str, &str)> = header.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let incoming = model.endpoint.get(path, &headers, &model.model, cancel)?;
    let mut bytes = Vec::new();
    incoming.take(CONTAINER_FILE_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(NetError::from)?;
    if bytes.len() as u64 > CONTAINER_FILE_BYTES_MAX {
        return Err(NetError::TooLarge.into());
    }
    Ok(bytes)
}

/// The events of one reply.
struct ResponsesStream {
    refusals: ErrorInterpreter,
    model: String,
    items: ReplyItems,
}

impl Protocol for ResponsesStream {
    fn on_event(&mut self, event: &SseEvent<'_>, reply: &mut ReplyBuilder) -> Result<StreamStep, ModelError> {
        let data: Value = parse_event(event.data, "an event of it is not JSON")?;
        let delta = || data["delta"].as_str().unwrap_or_default();
        match data["type"].as_str().unwrap_or(event.name) {
            "response.output_item.added" => self.items.begin(&data["item"], reply),
            "response.output_text.delta" | "response.refusal.delta" => reply.add_text(delta()),
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                reply.add_thinking(delta());
            }
            "response.output_item.done" => self.items.take(&data["item"], true, reply)?,
            "response.completed" | "response.incomplete" => {
                self.take_end(&data["response"], reply)?;
                return Ok(StreamStep::Over);
            }
            "response.failed" => {
                return Err(self.refusals.interpret_event(&data["response"]["error"]));
            }
            "error" => return Err(self.refusals.interpret_event(error_of(&data))),
            _ => {}
        }
        Ok(StreamStep::More)
    }

    fn finish(self: Box<Self>, reply: ReplyBuilder) -> Result<Completion, ModelError> {
        self.complete(reply)
    }
}

/// The error of an event, which some servers put one level deeper.
fn error_of(data: &Value) -> &Value {
    data.get("error").filter(|error| error.is_object()).unwrap_or(data)
}

impl ResponsesStream {
    fn read_whole(mut self, source: &mut impl Read, on: &mut OnDelta<'_>) -> Result<Completion, ModelError> {
        let response = endpoint::read_whole(source)?;
        let mut reply = ReplyBuilder::default();
        let Some(output) = response["output"].as_array() else {
            return Err(match response.get("error").filter(|error| error.is_object()) {
                Some(error) => self.refusals.interpret_event(error),
                None => ModelError::Garbled("it holds no answer".into()),
            });
        };
        for item in output {
            self.items.begin(item, &mut reply);
            self.items.take(item, false, &mut reply)?;
        }
        self.take_end(&response, &mut reply)?;
        reply.emit(&mut *on)?;
        self.complete(reply)
    }

    /// Takes what the end of a response says of the whole.
    fn take_end(&self, response: &Value, reply: &mut ReplyBuilder) -> Result<(), ModelError> {
        if let Some(error) = response.get("error").filter(|error| error.is_object()) {
            return Err(self.refusals.interpret_event(error));
        }
        take_usage(&response["usage"], reply);
        reply.describe("model_name", response["model"].as_str());
        reply.describe("id", response["id"].as_str());
        let reason = response["incomplete_details"]["reason"].as_str();
        reply.describe("finish_reason", reason.or(response["status"].as_str()));
        match reason {
            Some("content_filter") if reply.is_empty() => {
                return Err(ModelError::Provider {
                    status: 200,
                    message: "its content filter held the answer back".into(),
                });
            }
            Some("content_filter") => reply.mark_cut(CutReason::Filter),
            Some(_) => reply.mark_cut(CutReason::Length),
            None => {}
        }
        Ok(())
    }

    fn complete(self, reply: ReplyBuilder) -> Result<Completion, ModelError> {
        let mut completion = reply.finish()?;
        if !completion.calls.is_empty() {
            completion.content = ProviderContent::new(PROTOCOL, &self.model, self.items.into_all());
        }
        Ok(completion)
    }
}

fn take_usage(wire: &Value, reply: &mut ReplyBuilder) {
    if !wire.is_object() {
        return;
    }
    let usage = reply.usage_mut();
    let count = |place: &str| wire.pointer(place).and_then(Value::as_u64).unwrap_or(0);
    usage.input_tokens = count("/input_tokens");
    usage.output_tokens = count("/output_tokens");
    usage.cached_tokens = count("/input_tokens_details/cached_tokens");
    usage.reasoning_tokens = count("/output_tokens_details/reasoning_tokens");
}
