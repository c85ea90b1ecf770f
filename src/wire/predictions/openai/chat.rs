//! `/chat/completions` of OpenAI's protocol: the question, the answer, and the pieces of one.

use super::content::{Author, MessageContent};
use super::sampling::Sampling;
use crate::domain::predictions::prediction::Usage;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A question to a flow, with what was said before. Fields that are not named here mean nothing.
#[derive(Debug, Deserialize)]
#[cfg_attr(
    feature = "test-support",
    derive(schemars::JsonSchema),
    schemars(rename = "ChatCompletionRequest")
)]
pub struct ChatRequest {
    /// The flow: its id, or its name.
    pub model: String,
    /// The last message of a user is the question.
    pub messages: Vec<ChatMessage>,
    pub stream: Option<bool>,
    pub stream_options: Option<StreamOptions>,
    temperature: Option<Value>,
    top_p: Option<Value>,
    max_completion_tokens: Option<Value>,
    max_tokens: Option<Value>,
    presence_penalty: Option<Value>,
    frequency_penalty: Option<Value>,
    /// A text, or a list of some.
    stop: Option<Value>,
    reasoning_effort: Option<Value>,
    /// 1: a flow gives one answer.
    n: Option<Value>,
    /// `{"type": "text"}`: what a flow answers with, its canvas says.
    response_format: Option<Value>,
    /// Not taken.
    audio: Option<Value>,
    modalities: Option<Value>,
    /// Not taken.
    logprobs: Option<Value>,
    /// `auto` or `none`: which tools a flow has, its canvas says.
    tool_choice: Option<Value>,
    /// As `tool_choice`.
    function_call: Option<Value>,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(
    feature = "test-support",
    derive(schemars::JsonSchema),
    schemars(rename = "ChatCompletionMessage")
)]
pub struct ChatMessage {
    pub role: Author,
    pub content: Option<MessageContent>,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(
    feature = "test-support",
    derive(schemars::JsonSchema),
    schemars(rename = "ChatCompletionStreamOptions")
)]
pub struct StreamOptions {
    /// The last piece tells how many tokens were used.
    pub include_usage: Option<bool>,
}

impl ChatRequest {
    /// The first parameter that asks for what no flow does, and what it would have to be.
    pub fn find_unsupported(&self) -> Option<(&'static str, &'static str)> {
        let is_sent = |value: &Option<Value>| value.as_ref().is_some_and(|value| !value.is_null());
        let is = |value: &Option<Value>, fits: &dyn Fn(&Value) -> bool| {
            value.as_ref().is_none_or(|value| value.is_null() || fits(value))
        };
        let is_free = |value: &Value| value == "auto" || value == "none";
        let faults = [
            (!is(&self.n, &|n| *n == 1), "n", "A flow gives one answer: leave 'n' out."),
            (
                !is(&self.response_format, &|format| format["type"] == "text"),
                "response_format",
                "What a flow answers with, its canvas says: leave 'response_format' out.",
            ),
            (is_sent(&self.audio), "audio", "Flows do not answer with sound: leave 'audio' out."),
            (
                !is(&self.modalities, &|kinds| *kinds == serde_json::json!(["text"])),
                "modalities",
                "Flows answer with text: leave 'modalities' out.",
            ),
            (
                !is(&self.logprobs, &|on| *on == false),
                "logprobs",
                "Flows do not tell probabilities: leave 'logprobs' out.",
            ),
            (
                !is(&self.tool_choice, &is_free),
                "tool_choice",
                "Which tools a flow uses, its canvas says: leave 'tool_choice' out.",
            ),
            (
                !is(&self.function_call, &is_free),
                "function_call",
                "Which tools a flow uses, its canvas says: leave 'function_call' out.",
            ),
        ];
        faults.into_iter().find(|(found, ..)| *found).map(|(_, name, message)| (name, message))
    }

    pub fn take_sampling(&mut self) -> Sampling {
        Sampling {
            temperature: self.temperature.take(),
            top_p: self.top_p.take(),
            max_tokens: self.max_completion_tokens.take().or_else(|| self.max_tokens.take()),
            presence_penalty: self.presence_penalty.take(),
            frequency_penalty: self.frequency_penalty.take(),
            stop: self.stop.take(),
            reasoning_effort: self.reasoning_effort.take(),
        }
    }
}

/// What every piece of an answer says of it.
#[derive(Debug, Clone)]
pub struct CompletionHead {
    pub id: String,
    pub created: i64,
    /// As it was asked for.
    pub model: String,
    /// The version of Live that answers, once it is recorded.
    pub fingerprint: Option<String>,
}

/// An answer.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "ChatCompletion"))]
pub struct CompletionView {
    id: String,
    object: &'static str,
    created: i64,
    model: String,
    choices: [ChoiceView; 1],
    /// Where a model told how many tokens it used.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "CompletionUsageView"))]
    usage: Option<CompletionUsageView>,
    /// The version of Live that answered, in short.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "String"))]
    system_fingerprint: Option<String>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "ChatCompletionChoice"))]
struct ChoiceView {
    index: u32,
    message: AnswerMessage,
    finish_reason: &'static str,
    logprobs: Option<Nothing>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "ChatCompletionAnswer"))]
struct AnswerMessage {
    role: &'static str,
    content: String,
    refusal: Option<Nothing>,
}

/// Clients look for a field that is always null.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
enum Nothing {}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "ChatCompletionUsage"))]
pub(crate) struct CompletionUsageView {
    prompt_tokens: u64,
    completion_tokens: u64,
    total_tokens: u64,
    prompt_tokens_details: CachedTokens,
    completion_tokens_details: ReasoningTokens,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub(super) struct CachedTokens {
    pub(super) cached_tokens: u64,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub(super) struct ReasoningTokens {
    pub(super) reasoning_tokens: u64,
}

impl From<Usage> for CompletionUsageView {
    fn from(usage: Usage) -> Self {
        Self {
            prompt_tokens: usage.input_tokens,
            completion_tokens: usage.output_tokens,
            total_tokens: usage.total(),
            prompt_tokens_details: CachedTokens { cached_tokens: usage.cached_tokens },
            completion_tokens_details: ReasoningTokens { reasoning_tokens: usage.reasoning_tokens },
        }
    }
}

impl CompletionView {
    pub fn new(head: CompletionHead, text: String, usage: Option<Usage>) -> Self {
        let CompletionHead { id, created, model, fingerprint } = head;
        let message = AnswerMessage { role: "assistant", content: text, refusal: None };
        Self {
            id,
            object: "chat.completion",
            created,
            model,
            choices: [ChoiceView { index: 0, message, finish_reason: "stop", logprobs: None }],
            usage: usage.map(CompletionUsageView::from),
            system_fingerprint: fingerprint,
        }
    }
}

/// A piece of an answer.
#[derive(Debug, Serialize)]
pub struct CompletionChunk<'a> {
    id: &'a str,
    object: &'static str,
    created: i64,
    model: &'a str,
    choices: Vec<ChunkChoice<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<CompletionUsageView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system_fingerprint: Option<&'a str>,
}

#[derive(Debug, Serialize)]
struct ChunkChoice<'a> {
    index: u32,
    delta: ChunkDelta<'a>,
    finish_reason: Option<&'static str>,
}

#[derive(Debug, Serialize)]
struct ChunkDelta<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<&'a str>,
}

impl<'a> CompletionChunk<'a> {
    fn new(head: &'a CompletionHead, delta: ChunkDelta<'a>, finish_reason: Option<&'static str>) -> Self {
        Self {
            id: &head.id,
            object: "chat.completion.chunk",
            created: head.created,
            model: &head.model,
            choices: vec![ChunkChoice { index: 0, delta, finish_reason }],
            usage: None,
            system_fingerprint: head.fingerprint.as_deref(),
        }
    }

    /// The first one, which says who speaks.
    pub fn first(head: &'a CompletionHead) -> Self {
        Self::new(head, ChunkDelta { role: Some("assistant"), content: Some("") }, None)
    }

    pub fn text(head: &'a CompletionHead, text: &'a str) -> Self {
        Self::new(head, ChunkDelta { role: None, content: Some(text) }, None)
    }

    /// The last one of the text.
    pub fn last(head: &'a CompletionHead) -> Self {
        Self::new(head, ChunkDelta { role: None, content: None }, Some("stop"))
    }

    /// How many tokens were used: a piece without text.
    pub fn usage(head: &'a CompletionHead, usage: Usage) -> Self {
        let last = Self::last(head);
        Self { choices: Vec::new(), usage: Some(usage.into()), ..last }
    }
}
