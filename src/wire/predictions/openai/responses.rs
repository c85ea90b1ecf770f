//! `/responses` of OpenAI's protocol: the question, the answer, and the events of one.

use super::chat::{CachedTokens, ReasoningTokens};
use super::content::{Author, MessageContent};
use super::errors::OpenAiFault;
use super::sampling::Sampling;
use crate::domain::predictions::prediction::Usage;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A question to a flow, with what was said before. Fields that are not named here mean nothing.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "ResponseRequest"))]
pub struct ResponseRequest {
    /// The flow: its id, or its name.
    pub model: String,
    /// The question, or messages whose last one of a user is it.
    pub input: Option<ResponseInput>,
    pub instructions: Option<String>,
    pub stream: Option<bool>,
    temperature: Option<Value>,
    top_p: Option<Value>,
    max_output_tokens: Option<Value>,
    reasoning: Option<Reasoning>,
    /// With a `format` only `{"type": "text"}`: what a flow answers with, its canvas says.
    text: Option<Value>,
    /// Not taken.
    top_logprobs: Option<Value>,
    /// `auto` or `none`: which tools a flow has, its canvas says.
    tool_choice: Option<Value>,
    /// Not taken: a header names a conversation that goes on.
    previous_response_id: Option<Value>,
    /// Not taken, as `previous_response_id`.
    conversation: Option<Value>,
    /// False: an answer is waited for.
    background: Option<Value>,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "ResponseReasoning"))]
struct Reasoning {
    effort: Option<Value>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub enum ResponseInput {
    Text(String),
    Items(Vec<InputItem>),
}

/// A message; what is no message is left out.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "ResponseInputItem"))]
pub struct InputItem {
    r#type: Option<String>,
    role: Option<Author>,
    content: Option<MessageContent>,
}

impl InputItem {
    /// Who says what, where it is a message.
    pub fn into_message(self) -> Option<(Author, Option<MessageContent>)> {
        let is_message = self.r#type.is_none_or(|kind| kind == "message");
        self.role.filter(|_| is_message).map(|role| (role, self.content))
    }
}

impl ResponseRequest {
    /// The first parameter that asks for what no flow does, and what it would have to be.
    pub fn find_unsupported(&self) -> Option<(&'static str, &'static str)> {
        const KEPT: &str =
            "Answers are not kept by id: name the conversation with the header 'x-flowkeep-session'.";
        let is_sent = |value: &Option<Value>| value.as_ref().is_some_and(|value| !value.is_null());
        let format = self.text.as_ref().and_then(|text| text.get("format"));
        let forces = self
            .tool_choice
            .as_ref()
            .is_some_and(|choice| !choice.is_null() && choice != "auto" && choice != "none");
        let is_later = is_sent(&self.background) && self.background != Some(Value::Bool(false));
        let faults = [
            (
                format.is_some_and(|format| !format.is_null() && format["type"] != "text"),
                "text.format",
                "What a flow answers with, its canvas says: leave 'text.format' out.",
            ),
            (
                is_sent(&self.top_logprobs),
                "top_logprobs",
                "Flows do not tell probabilities: leave 'top_logprobs' out.",
            ),
            (forces, "tool_choice", "Which tools a flow uses, its canvas says: leave 'tool_choice' out."),
            (is_sent(&self.previous_response_id), "previous_response_id", KEPT),
            (is_sent(&self.conversation), "conversation", KEPT),
            (is_later, "background", "An answer is waited for: leave 'background' out."),
        ];
        faults.into_iter().find(|(found, ..)| *found).map(|(_, name, message)| (name, message))
    }

    pub fn take_sampling(&mut self) -> Sampling {
        Sampling {
            temperature: self.temperature.take(),
            top_p: self.top_p.take(),
            max_tokens: self.max_output_tokens.take(),
            reasoning_effort: self.reasoning.take().and_then(|reasoning| reasoning.effort),
            ..Sampling::default()
        }
    }
}

/// What an answer says of itself before there is one.
#[derive(Debug, Clone)]
pub struct ResponseHead {
    /// What its ids are made of.
    pub key: String,
    pub created: i64,
    /// As it was asked for.
    pub model: String,
    pub instructions: Option<String>,
}

impl ResponseHead {
    fn message_id(&self) -> String {
        format!("msg_{}", self.key)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
enum ResponseStatus {
    InProgress,
    Completed,
    Failed,
}

/// An answer.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "ResponseAnswer"))]
pub struct ResponseView {
    id: String,
    object: &'static str,
    created_at: i64,
    status: ResponseStatus,
    background: bool,
    error: Option<ResponseError>,
    incomplete_details: Option<Map<String, Value>>,
    instructions: Option<String>,
    max_output_tokens: Option<u64>,
    metadata: Map<String, Value>,
    model: String,
    output: Vec<OutputItem>,
    parallel_tool_calls: bool,
    previous_response_id: Option<String>,
    store: bool,
    temperature: Option<f64>,
    text: TextSettings,
    tool_choice: &'static str,
    tools: Vec<Value>,
    top_p: Option<f64>,
    truncation: &'static str,
    /// Null where no model told how many tokens it used.
    usage: Option<ResponseUsage>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
struct ResponseError {
    code: &'static str,
    message: String,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
struct TextSettings {
    format: TextFormat,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
struct TextFormat {
    r#type: &'static str,
}

/// What was said.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "ResponseOutput"))]
pub(crate) struct OutputItem {
    id: String,
    r#type: &'static str,
    status: ResponseStatus,
    role: &'static str,
    content: Vec<OutputPart>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "ResponseOutputText"))]
pub(crate) struct OutputPart {
    r#type: &'static str,
    text: String,
    annotations: Vec<Value>,
    logprobs: Vec<Value>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "ResponseUsage"))]
struct ResponseUsage {
    input_tokens: u64,
    input_tokens_details: CachedTokens,
    output_tokens: u64,
    output_tokens_details: ReasoningTokens,
    total_tokens: u64,
}

impl From<Usage> for ResponseUsage {
    fn from(usage: Usage) -> Self {
        Self {
            input_tokens: usage.input_tokens,
            input_tokens_details: CachedTokens { cached_tokens: usage.cached_tokens },
            output_tokens: usage.output_tokens,
            output_tokens_details: ReasoningTokens { reasoning_tokens: usage.reasoning_tokens },
            total_tokens: usage.total(),
        }
    }
}

impl OutputPart {
    fn new(text: &str) -> Self {
        let text = text.to_owned();
        Self { r#type: "output_text", text, annotations: Vec::new(), logprobs: Vec::new() }
    }
}

impl OutputItem {
    fn new(head: &ResponseHead, status: ResponseStatus, text: Option<&str>) -> Self {
        Self {
            id: head.message_id(),
            r#type: "message",
            status,
            role: "assistant",
            content: text.map(OutputPart::new).into_iter().collect(),
        }
    }
}

impl ResponseView {
    fn new(head: &ResponseHead, status: ResponseStatus) -> Self {
        Self {
            id: format!("resp_{}", head.key),
            object: "response",
            created_at: head.created,
            status,
            background: false,
            error: None,
            incomplete_details: None,
            instructions: head.instructions.clone(),
            max_output_tokens: None,
            metadata: Map::new(),
            model: head.model.clone(),
            output: Vec::new(),
            parallel_tool_calls: true,
            previous_response_id: None,
            store: false,
            temperature: None,
            text: TextSettings { format: TextFormat { r#type: "text" } },
            tool_choice: "auto",
            tools: Vec::new(),
            top_p: None,
            truncation: "disabled",
            usage: None,
        }
    }

    pub fn answered(head: &ResponseHead, text: &str, usage: Option<Usage>) -> Self {
        let output = vec![OutputItem::new(head, ResponseStatus::Completed, Some(text))];
        let usage = usage.map(ResponseUsage::from);
        Self { output, usage, ..Self::new(head, ResponseStatus::Completed) }
    }

    fn failed(head: &ResponseHead, fault: &OpenAiFault) -> Self {
        let code = if fault.r#type == "rate_limit_error" { "rate_limit_exceeded" } else { "server_error" };
        let error = Some(ResponseError { code, message: fault.message.clone() });
        Self { error, ..Self::new(head, ResponseStatus::Failed) }
    }
}

/// An event of an answer that is streamed.
#[derive(Debug, Serialize)]
pub struct ResponseEvent<'a> {
    #[serde(rename = "type")]
    pub name: &'static str,
    sequence_number: u64,
    #[serde(flatten)]
    content: EventContent<'a>,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum EventContent<'a> {
    Response { response: Box<ResponseView> },
    Item { output_index: u32, item: OutputItem },
    Part { item_id: String, output_index: u32, content_index: u32, part: OutputPart },
    Delta { item_id: String, output_index: u32, content_index: u32, delta: &'a str, logprobs: [(); 0] },
    Text { item_id: String, output_index: u32, content_index: u32, text: &'a str, logprobs: [(); 0] },
}

impl<'a> ResponseEvent<'a> {
    fn of_response(name: &'static str, sequence_number: u64, response: ResponseView) -> Self {
        Self { name, sequence_number, content: EventContent::Response { response: Box::new(response) } }
    }

    /// What comes before the text, from this number on.
    pub fn opening(head: &ResponseHead, from: u64) -> [Self; 4] {
        let waiting = || ResponseView::new(head, ResponseStatus::InProgress);
        let item = OutputItem::new(head, ResponseStatus::InProgress, None);
        [
            Self::of_response("response.created", from, waiting()),
            Self::of_response("response.in_progress", from + 1, waiting()),
            Self {
                name: "response.output_item.added",
                sequence_number: from + 2,
                content: EventContent::Item { output_index: 0, item },
            },
            Self {
                name: "response.content_part.added",
                sequence_number: from + 3,
                content: Self::part(head, ""),
            },
        ]
    }

    pub fn delta(head: &ResponseHead, sequence_number: u64, delta: &'a str) -> Self {
        let item_id = head.message_id();
        let content = EventContent::Delta { item_id, output_index: 0, content_index: 0, delta, logprobs: [] };
        Self { name: "response.output_text.delta", sequence_number, content }
    }

    /// What comes after the text, from this number on.
    pub fn closing(head: &ResponseHead, from: u64, text: &'a str, usage: Option<Usage>) -> [Self; 4] {
        let item_id = head.message_id();
        let item = OutputItem::new(head, ResponseStatus::Completed, Some(text));
        [
            Self {
                name: "response.output_text.done",
                sequence_number: from,
                content: EventContent::Text {
                    item_id,
                    output_index: 0,
                    content_index: 0,
                    text,
                    logprobs: [],
                },
            },
            Self {
                name: "response.content_part.done",
                sequence_number: from + 1,
                content: Self::part(head, text),
            },
            Self {
                name: "response.output_item.done",
                sequence_number: from + 2,
                content: EventContent::Item { output_index: 0, item },
            },
            Self::of_response("response.completed", from + 3, ResponseView::answered(head, text, usage)),
        ]
    }

    pub fn failed(head: &ResponseHead, sequence_number: u64, fault: &OpenAiFault) -> Self {
        Self::of_response("response.failed", sequence_number, ResponseView::failed(head, fault))
    }

    fn part(head: &ResponseHead, text: &str) -> EventContent<'a> {
        EventContent::Part {
            item_id: head.message_id(),
            output_index: 0,
            content_index: 0,
            part: OutputPart::new(text),
        }
    }
}
