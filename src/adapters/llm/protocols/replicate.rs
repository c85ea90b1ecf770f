//! Replicate's predictions: one is made, and asked after until it is done.

use super::transcript;
use crate::base::cancel::{CancelReason, CancelToken};
use crate::llm::reply::ReplyBuilder;
use crate::llm::{ChatModel, ChatReply, ChatRequest, Endpoint, ModelError, OnDelta, endpoint};
use serde_json::{Map, Value, json};
use std::time::Duration;

pub const REPLICATE_BASE: &str = "https://api.replicate.com/v1";
/// How long to wait before asking again. The first request is held open by the provider for a minute already.
const PAUSE: Duration = Duration::from_secs(1);

/// A model at Replicate.
#[derive(Debug, Clone)]
pub struct Replicate {
    /// Where and with which key; the base address ends before `/predictions`.
    pub endpoint: Endpoint,
    /// `owner/name`, or `owner/name:version`.
    pub model: String,
    /// What the model is given beside its prompt; each model has names of its own.
    pub input: Map<String, Value>,
}

impl ChatModel for Replicate {
    fn open(
        &self,
        request: &ChatRequest,
        cancel: &CancelToken,
        on: &mut OnDelta<'_>,
    ) -> Result<ChatReply, ModelError> {
        let bearer = self.endpoint.bearer();
        let mut headers: Vec<(&str, &str)> =
            bearer.iter().map(|value| ("authorization", value.as_str())).collect();
        let mut input = self.input.clone();
        input.insert("prompt".into(), transcript::from_messages(&request.messages).text.into());
        let (path, body) = match self.model.split_once(':') {
            Some((_, version)) => ("/predictions".to_owned(), json!({"version": version, "input": input})),
            None => (format!("/models/{}/predictions", self.model), json!({"input": input})),
        };
        headers.push(("prefer", "wait"));
        let mut incoming = self.endpoint.post(&path, &headers, &body, &self.model, cancel)?;
        headers.pop();
        let mut prediction = endpoint::read_whole(&mut incoming)?;
        incoming.finish();
        while matches!(prediction["status"].as_str(), Some("starting" | "processing")) {
            if !cancel.sleep(PAUSE) {
                return Err(match cancel.reason() {
                    Some(CancelReason::TimedOut) => ModelError::TimedOut,
                    _ => ModelError::Cancelled,
                });
            }
            // Not the address in the answer: the key goes where the owner sent it and nowhere else.
            let path = format!("/predictions/{}", id(&prediction)?);
            let mut incoming = self.endpoint.get(&path, &headers, &self.model, cancel)?;
            prediction = endpoint::read_whole(&mut incoming)?;
            incoming.finish();
        }
        if prediction["status"] != "succeeded" {
            let why = prediction.get("error").filter(|error| !error.is_null());
            let why = why.cloned().unwrap_or_else(|| "the prediction did not succeed".into());
            return Err(self.endpoint.error_interpreter(&self.model).interpret_event(&why));
        }
        let mut reply = ReplyBuilder::default();
        take(&prediction, &mut reply);
        reply.emit(&mut *on)?;
        reply.finish().map(ChatReply::Whole)
    }

    fn takes_tools(&self) -> bool {
        false
    }

    fn streams(&self) -> bool {
        false
    }
}

fn id(prediction: &Value) -> Result<&str, ModelError> {
    let is_id = |id: &&str| !id.is_empty() && id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    let id = prediction["id"].as_str().filter(is_id);
    id.ok_or_else(|| ModelError::Garbled("it names no prediction".into()))
}

/// Text, a list of fragments or of addresses; anything else goes out as it is written.
fn take(prediction: &Value, reply: &mut ReplyBuilder) {
    match &prediction["output"] {
        Value::Null => {}
        Value::String(text) => reply.add_text(text),
        Value::Array(parts) => parts.iter().for_each(|part| match part {
            Value::String(text) => reply.add_text(text),
            other => reply.add_text(&other.to_string()),
        }),
        other => reply.add_text(&other.to_string()),
    }
    let count = |name: &str| prediction["metrics"][name].as_u64();
    if let (Some(read), Some(written)) = (count("input_token_count"), count("output_token_count")) {
        let usage = reply.usage_mut();
        usage.input_tokens = read;
        usage.output_tokens = written;
    }
}
