//! How a model is to draw, as OpenAI's protocol says it and as cards call it.

use serde_json::{Map, Value};

/// What a request says of it; a flow uses of it what its owner listed.
#[derive(Debug, Default)]
pub struct Sampling {
    pub temperature: Option<Value>,
    pub top_p: Option<Value>,
    pub max_tokens: Option<Value>,
    pub presence_penalty: Option<Value>,
    pub frequency_penalty: Option<Value>,
    /// A text, or a list of some.
    pub stop: Option<Value>,
    pub reasoning_effort: Option<Value>,
}

impl Sampling {
    /// As settings of cards. `instructions` stand for what cards call their system message.
    pub fn into_overrides(self, instructions: Option<String>) -> Map<String, Value> {
        let stop = self.stop.map(|stop| match stop {
            Value::Array(texts) => {
                let texts: Vec<&str> = texts.iter().filter_map(Value::as_str).collect();
                Value::from(texts.join(","))
            }
            other => other,
        });
        let instructions = instructions.map(Value::from);
        let named = [
            ("temperature", self.temperature),
            ("topP", self.top_p),
            ("maxTokens", self.max_tokens),
            ("presencePenalty", self.presence_penalty),
            ("frequencyPenalty", self.frequency_penalty),
            ("stopSequence", stop),
            ("reasoningEffort", self.reasoning_effort),
            ("systemMessage", instructions.clone()),
            ("systemMessagePrompt", instructions),
        ];
        let sent = named.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        sent.filter(|(_, value)| !value.is_null()).collect()
    }
}
