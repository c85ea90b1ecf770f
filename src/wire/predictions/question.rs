//! A question to a flow, as JSON or as a form (manual 2.1).

use crate::domain::predictions::prediction::UploadEntry;
use crate::form::FormFiles;
use crate::predictions::human_input::HumanInputBody;
use serde::Deserialize;
use serde_json::{Map, Value};

/// A question to a flow. Every field may be `null`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "Question"))]
pub struct QuestionBody {
    /// Required unless files are sent along.
    pub question: Option<String>,
    /// What was filled in of a form that the flow begins with.
    #[cfg_attr(feature = "test-support", schemars(with = "Option<Map<String, Value>>"))]
    pub form: Option<Value>,
    /// A decision about a step of an agentflow that waits for the person.
    pub human_input: Option<HumanInputBody>,
    /// What a member of a Multi-Agent or Sequential Agent flow asked the person, by the `id` of its `action`; `question` is the
    /// text of one of its two buttons.
    #[cfg_attr(feature = "test-support", schemars(with = "Option<Map<String, Value>>"))]
    pub action: Option<Value>,
    /// Answers as a stream of events.
    #[cfg_attr(feature = "test-support", schemars(with = "Option<Switch>"))]
    pub streaming: Option<Value>,
    /// Goes on with a conversation, when its token comes along.
    pub chat_id: Option<String>,
    /// Proof of a conversation, from an earlier answer.
    pub session_token: Option<String>,
    /// A name for the conversation, where the flow lets callers with its key give one.
    #[cfg_attr(feature = "test-support", schemars(with = "Option<String>"))]
    pub session_id: Option<Value>,
    /// Settings that the flow allows requests to change.
    pub override_config: Option<Map<String, Value>>,
    pub history: Option<Vec<PastMessage>>,
    pub uploads: Option<Vec<Upload>>,
    pub lead_email: Option<String>,
    /// In the canvas test chat, `live` asks Live although there is a draft. Elsewhere it means nothing.
    #[cfg_attr(feature = "test-support", schemars(with = "Option<Side>"))]
    pub source: Option<Value>,
    /// In the canvas test chat: the record of a run that runs again, in a new conversation. Elsewhere it means nothing.
    #[cfg_attr(feature = "test-support", schemars(with = "Option<crate::domain::ids::ExecutionId>"))]
    pub execution_id: Option<String>,
    /// The id of the node from which it runs again; what came before it, and beside it, stays as it was.
    pub from_node: Option<String>,
    /// The item of the iteration around that node; without one the newest counts.
    pub iteration_index: Option<u32>,
}

/// An earlier message, for a flow without memory: `{role, content}`, or `{type, message}` from older clients.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct PastMessage {
    #[cfg_attr(
        feature = "test-support",
        schemars(with = "Option<crate::domain::predictions::prediction::MessageRole>")
    )]
    pub role: Option<String>,
    pub content: Option<String>,
    #[cfg_attr(
        feature = "test-support",
        schemars(with = "Option<crate::domain::predictions::prediction::MessageRole>")
    )]
    pub r#type: Option<String>,
    pub message: Option<String>,
}

/// A file or a link that goes along with a question.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct Upload {
    /// `file`, `file:full`, `file:rag`, `url` or `audio`.
    r#type: String,
    name: Option<String>,
    mime: Option<String>,
    /// A data URI, or the link.
    data: Option<String>,
}

impl From<Upload> for UploadEntry {
    fn from(Upload { r#type, name, mime, data }: Upload) -> Self {
        Self { kind: r#type, name, mime, data }
    }
}

/// A question with files; every other field is an override.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct QuestionForm {
    #[serde(rename = "files")]
    _files: Option<FormFiles>,
    pub question: Option<String>,
    #[cfg_attr(feature = "test-support", schemars(with = "Option<crate::form::SwitchText>"))]
    pub streaming: Option<String>,
    pub chat_id: Option<String>,
    pub session_token: Option<String>,
    pub lead_email: Option<String>,
    /// JSON text of an object.
    pub form: Option<String>,
    /// JSON text of an object.
    pub human_input: Option<String>,
    /// JSON text of an object.
    pub action: Option<String>,
    /// JSON text of a list.
    pub history: Option<String>,
    /// JSON text of a list.
    pub uploads: Option<String>,
    /// JSON text.
    pub override_config: Option<String>,
    #[serde(flatten)]
    pub overrides: Map<String, Value>,
}

/// A switch, as JSON or as the text that forms send.
#[cfg(feature = "test-support")]
#[derive(schemars::JsonSchema)]
#[schemars(inline, untagged)]
#[allow(dead_code)]
pub(super) enum Switch {
    Flag(bool),
    Text(crate::form::SwitchText),
}

/// A side of a flow.
#[cfg(feature = "test-support")]
#[derive(schemars::JsonSchema)]
#[schemars(inline, rename_all = "lowercase")]
#[allow(dead_code)]
enum Side {
    Live,
    Draft,
}
