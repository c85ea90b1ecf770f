//! A question and its answer (manual 2.1, 2.6).

use crate::base::spooled_file::SpooledFile;
use crate::domain::conversations::conversation::{MessageFile, Utterance};
use crate::domain::ids::{ChatId, ExecutionId, FlowId, MessageId};
use crate::domain::predictions::execution::ExecutionEntry;
use crate::domain::predictions::human_input::HumanInput;
use crate::domain::predictions::reasoning::TurnsOutput;
use crate::domain::predictions::team::TeamOutput;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::sync::Arc;

/// What a caller asks, after its request was read.
#[derive(Debug, Clone, Default)]
pub struct Question {
    /// The text asked; may be empty when the request carries something else to answer.
    pub text: String,
    /// The fields of a form that the flow begins with: whether it does is known when the flow is.
    pub form: Option<Map<String, Value>>,
    /// The call of a webhook that stands for a question: its body, headers and query.
    pub webhook: Option<Value>,
    /// A decision about a step that waits for the person.
    pub human_input: Option<HumanInput>,
    /// The id of what a member of a team asked the person, which the text answers.
    pub action: Option<String>,
    pub streaming: bool,
    /// The conversation the caller says it continues.
    pub chat_id: Option<String>,
    /// Proofs of that conversation the request carried, in the order they are looked at (manual 3.1 r3).
    pub proofs: Vec<ConversationProof>,
    /// Per-request overrides (manual 7.1).
    pub overrides: Map<String, Value>,
    /// What the caller calls the conversation, where it is no override (manual 3.3).
    pub conversation_name: Option<Value>,
    /// Earlier messages the caller brings along (manual 2.1).
    pub history: Vec<HistoryMessage>,
    /// The earlier messages repeat what a conversation holds that goes on: they count in a new one alone.
    pub repeats_history: bool,
    /// Files sent with the question, as they came.
    pub uploads: Vec<Upload>,
    pub lead_email: Option<String>,
}

/// A claim to own a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConversationProof {
    /// A token that goes with the `chatId` of the body.
    Token(String),
    /// The conversation cookie, which names its own conversation.
    Cookie(String),
    /// The caller may change the flow, and so answer what waits in a conversation of somebody else.
    Editor,
}

/// Who wrote a message of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub enum MessageRole {
    #[serde(rename = "userMessage")]
    User,
    #[serde(rename = "apiMessage")]
    Api,
}

/// One earlier message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryMessage {
    pub role: MessageRole,
    pub text: String,
    /// Pictures that went with it, as they are stored with the conversation, and links to some.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub pictures: Vec<MessageFile>,
    /// The text of documents that models are told before it. It is read of their files again, so it is kept nowhere else.
    #[serde(skip)]
    pub documents: String,
}

/// A question as models are told it: behind the text of its documents.
#[must_use]
pub fn behind_documents(mut documents: String, question: &str) -> String {
    if !documents.is_empty() {
        documents.push_str("\n\n");
    }
    documents.push_str(question);
    documents
}

/// What was said, behind a word on the documents that [`behind_documents`] put before it, whose text stands where it was told first.
#[must_use]
pub fn without_documents(told: &str) -> Cow<'_, str> {
    let parted = told.strip_prefix(DOCUMENT_BEGIN).and_then(|rest| rest.rsplit_once(DOCUMENTS_END));
    parted.map_or_else(|| told.into(), |(_, said)| format!("[documents of this message]\n\n{said}").into())
}

/// How the text of a document begins that stands before what was said.
const DOCUMENT_BEGIN: &str = "<doc name='";
/// What stands between the last document and what was said.
const DOCUMENTS_END: &str = "</doc>\n\n";

/// Adds the text of a document, in a block of its own, to those that stand before a question.
pub fn push_document(blocks: &mut String, name: &str, text: &str) {
    if !blocks.is_empty() {
        blocks.push('\n');
    }
    // A name must not end the tag it stands in.
    let name = name.replace(['\'', '<', '>'], "_");
    blocks.push_str(&format!("{DOCUMENT_BEGIN}{name}'>{text}</doc>"));
}

impl From<Utterance> for HistoryMessage {
    fn from(said: Utterance) -> Self {
        let Utterance { role, content, mut files } = said;
        files.retain(MessageFile::is_picture);
        Self { pictures: files, ..Self::new(role, content) }
    }
}

impl HistoryMessage {
    /// Words alone.
    pub fn new(role: MessageRole, text: impl Into<String>) -> Self {
        Self { role, text: text.into(), pictures: Vec::new(), documents: String::new() }
    }

    /// What the person said.
    pub fn from_user(text: impl Into<String>) -> Self {
        Self::new(MessageRole::User, text)
    }

    /// The message as models are told it, as it was told when it was said.
    #[must_use]
    pub fn told(self) -> String {
        if self.documents.is_empty() {
            return self.text;
        }
        behind_documents(self.documents, &self.text)
    }

    /// The message with its author, as a line of a conversation.
    #[must_use]
    pub fn line(&self) -> String {
        self.line_of(&self.text)
    }

    /// As [`Self::line`], with the text of its documents.
    #[must_use]
    pub fn told_line(&self) -> String {
        self.line_of(&self.clone().told())
    }

    fn line_of(&self, text: &str) -> String {
        let who = match self.role {
            MessageRole::User => "Human",
            MessageRole::Api => "Assistant",
        };
        format!("{who}: {text}")
    }

    #[must_use]
    pub fn lines(messages: &[Self]) -> String {
        messages.iter().map(Self::line).collect::<Vec<_>>().join("\n")
    }

    /// As [`Self::lines`], with the text of their documents.
    #[must_use]
    pub fn told_lines(messages: &[Self]) -> String {
        messages.iter().map(Self::told_line).collect::<Vec<_>>().join("\n")
    }
}

/// A file or link as a caller sent it: nothing about it has been judged.
#[derive(Debug, Clone)]
pub enum Upload {
    /// An entry of `uploads` in a JSON body.
    Entry(UploadEntry),
    File(UploadFile),
}

impl Upload {
    /// True for a file that a vector store is to have taken in before the question.
    #[must_use]
    pub fn is_for_store(&self) -> bool {
        matches!(self, Self::Entry(entry) if entry.kind == "file:rag")
    }
}

/// A file or link of a JSON body (manual 4.2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UploadEntry {
    /// What the caller says it is.
    pub kind: String,
    pub name: Option<String>,
    pub mime: Option<String>,
    /// A data URI, a text or an address, as its kind has it.
    pub data: Option<String>,
}

/// A file that a form brought with the question.
#[derive(Debug, Clone)]
pub struct UploadFile {
    pub name: String,
    pub mime: Option<String>,
    /// What is in it.
    pub content: SpooledFile,
}

/// An image or link that goes to the model with a question (manual 4.2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageUpload {
    /// The caller's name for it: a label, never a path.
    pub name: String,
    /// Its declared media type, already checked against its bytes.
    pub mime: String,
    pub content: ImageSource,
}

/// The content of an upload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImageSource {
    /// An image, base64-encoded.
    Image {
        /// Standard base64 without line breaks.
        base64: String,
    },
    /// An image the provider fetches itself.
    Url(String),
}

/// Where a question came from (manual 3.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub enum ChatType {
    Internal,
    /// The API, the widget, a share page.
    External,
    /// The schedule of the flow.
    Scheduled,
    /// A call of the flow's webhook.
    Webhook,
    /// A call of the flow as a tool of an MCP server.
    Mcp,
}

impl ChatType {
    /// True for those whose conversations belong to whoever has their token.
    #[must_use]
    pub const fn is_from_outside(self) -> bool {
        match self {
            Self::Internal => false,
            Self::External | Self::Scheduled | Self::Webhook | Self::Mcp => true,
        }
    }
}

/// A tool that the run called, with what it got and gave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UsedTool {
    pub tool: String,
    pub tool_input: Value,
    pub tool_output: String,
    /// Why it failed, when it did.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<String>,
}

/// A chunk an answer leans on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Document {
    pub page_content: String,
    /// Where it is from.
    pub metadata: Map<String, Value>,
}

/// Tokens a model call used, as its provider reported them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    pub input_tokens: u64,
    pub output_tokens: u64,
    /// Of the tokens read, those the provider had cached.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub cached_tokens: u64,
    /// Of the tokens written, those spent on thinking.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub reasoning_tokens: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Usage {
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.input_tokens + self.output_tokens
    }

    pub fn add(&mut self, other: &Self) {
        self.input_tokens += other.input_tokens;
        self.output_tokens += other.output_tokens;
        self.cached_tokens += other.cached_tokens;
        self.reasoning_tokens += other.reasoning_tokens;
    }
}

/// What a run produced, whole, before it is stored.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunOutput {
    pub text: String,
    /// The answer as an object, when the flow ends in structured output.
    pub json: Option<Value>,
    pub used_tools: Vec<UsedTool>,
    /// Chunks used, when the flow returns them.
    pub source_documents: Vec<Document>,
    /// Pictures, and other files, that models of an agentflow's last steps made.
    pub artifacts: Vec<Artifact>,
    pub file_annotations: Vec<FileAnnotation>,
    /// Tokens of all model calls; `None` when no model reported any.
    pub usage: Option<Usage>,
    /// Values that cards of the run kept and show.
    pub flow_variables: Map<String, Value>,
    /// What the person might ask next.
    pub follow_up_prompts: Vec<String>,
    /// The steps, where it was a run of an agentflow.
    pub execution: Option<Box<ExecutionOutput>>,
    /// The turns, where it was one of a Multi-Agent or Sequential Agent flow.
    pub turns: Option<Box<TurnsOutput>>,
    /// What the specialists did, where a team answered.
    pub team: Option<Box<TeamOutput>>,
}

/// A picture that a model or a tool made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Artifact {
    /// What it is, as in `png`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Where it is read.
    pub data: String,
}

/// Another file that a model made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileAnnotation {
    /// Where it is read.
    pub file_path: String,
    pub file_name: String,
}

/// What is told of a run of an agentflow beside its text.
#[derive(Debug, Clone, PartialEq)]
pub struct ExecutionOutput {
    pub id: ExecutionId,
    /// Its steps, in the order of the record.
    pub entries: Vec<Arc<ExecutionEntry>>,
    /// What a person is asked to decide, where the run waits.
    pub action: Option<Map<String, Value>>,
}

impl RunOutput {
    /// True when the run waits until somebody decides something.
    #[must_use]
    pub fn waits_for_person(&self) -> bool {
        self.execution.as_ref().is_some_and(|execution| execution.action.is_some())
    }

    /// An answer that is nothing but a text.
    #[must_use]
    pub fn from_text(text: String) -> Self {
        Self { text, ..Self::default() }
    }
}

/// The ids one ask works under, fixed before the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunIds {
    pub flow: FlowId,
    pub chat: ChatId,
    pub answer: MessageId,
    pub question: MessageId,
}
