//! What a run was asked with.

use crate::domain::conversations::conversation::MessageFile;
use crate::domain::ids::ChatId;
use crate::domain::predictions::prediction::HistoryMessage;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What a run was asked with: needed when it goes on after a pause, and when it runs again from a step. Nothing of it is
/// secret, because no request can say what a card signs in with.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RunRequest {
    /// When it came.
    pub asked: Timestamp,
    /// What the person said.
    pub question: String,
    /// The text of documents that the flow reads before the question.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub documents: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form: Option<Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub webhook: Option<Value>,
    /// Earlier messages that the caller brought along.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<HistoryMessage>,
    /// What of its settings and variables is used, as the engine wants it back.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub overrides: Value,
    /// The files and links that came along, stored in its conversation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<MessageFile>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lead_email: Option<String>,
    /// What the run before it in its conversation left.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub left: Map<String, Value>,
    /// The state that it began with.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub state: Map<String, Value>,
    /// The conversation that it remembers as that stood before it, where it is another one than its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub past: Option<PastConversation>,
}

/// A conversation as it stood at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PastConversation {
    pub chat: ChatId,
    /// What was said from then on is not known.
    pub until: Timestamp,
}
