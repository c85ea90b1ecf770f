//! The text generation task of Hugging Face: the answer comes in one piece.

use super::transcript;
use crate::base::cancel::CancelToken;
use crate::llm::reply::{ReplyBuilder, join_stops, set_optional};
use crate::llm::{ChatModel, ChatReply, ChatRequest, Endpoint, ModelError, OnDelta, endpoint};
use serde_json::{Map, Value, json};

/// Where Hugging Face runs the models of its hub; the model's name follows.
pub const HUGGING_FACE_MODELS: &str = "https://router.huggingface.co/hf-inference/models";
/// Stop words that servers take.
const STOPS_MAX: usize = 4;

/// A model behind the text generation task.
#[derive(Debug, Clone)]
pub struct TextGeneration {
    /// Where and with which key; the base address is the whole address.
    pub endpoint: Endpoint,
    /// The model's name, for messages.
    pub model: String,
    /// Sampling and length as the task names them: `temperature`, `max_new_tokens`, `top_p`, …
    pub parameters: Map<String, Value>,
}

impl ChatModel for TextGeneration {
    fn open(
        &self,
        request: &ChatRequest,
        cancel: &CancelToken,
        on: &mut OnDelta<'_>,
    ) -> Result<ChatReply, ModelError> {
        let bearer = self.endpoint.bearer();
        let headers: Vec<(&str, &str)> =
            bearer.iter().map(|value| ("authorization", value.as_str())).collect();
        let mut incoming = self.endpoint.post("", &headers, &self.body(request), &self.model, cancel)?;
        let whole = endpoint::read_whole(&mut incoming)?;
        incoming.finish();
        if let Some(error) = whole.get("error").filter(|error| !error.is_null()) {
            return Err(self.endpoint.error_interpreter(&self.model).interpret_event(error));
        }
        // A list with one entry for one prompt; some endpoints leave the list out.
        let Some(text) = whole.get(0).unwrap_or(&whole)["generated_text"].as_str() else {
            return Err(ModelError::Garbled("it holds no generated text".into()));
        };
        let mut reply = ReplyBuilder::default();
        reply.add_text(text);
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

impl TextGeneration {
    fn body(&self, request: &ChatRequest) -> Value {
        let written = transcript::from_messages(&request.messages);
        let mut parameters = self.parameters.clone();
        // Else the prompt comes back in front of the answer.
        parameters.insert("return_full_text".into(), false.into());
        let stops = join_stops(written.stop.as_slice(), &request.stop, STOPS_MAX);
        set_optional(&mut parameters, "stop", (!stops.is_empty()).then_some(stops));
        json!({"inputs": written.text, "parameters": parameters})
    }
}
