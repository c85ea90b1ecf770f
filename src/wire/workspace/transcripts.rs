//! The conversations of a flow as a file to read (manual 3.5 r4).

use crate::domain::ids::ChatId;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Which conversations of a flow to export.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct TranscriptFilter {
    pub chatflow_id: String,
    #[cfg_attr(feature = "test-support", schemars(with = "Option<OneOrMore>"))]
    pub chat_type: Option<Value>,
    #[cfg_attr(feature = "test-support", schemars(with = "Option<OneOrMore>"))]
    pub feedback_type: Option<Value>,
    pub start_date: Option<String>,
    pub end_date: Option<String>,
}

#[cfg(feature = "test-support")]
#[derive(schemars::JsonSchema)]
#[schemars(inline, untagged)]
#[allow(dead_code)]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

/// A conversation as a file holds it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "Transcript"))]
pub struct TranscriptView {
    pub id: ChatId,
    pub source: &'static str,
    pub session_id: Option<String>,
    pub memory_type: Option<String>,
    pub email: Option<String>,
    pub messages: Vec<TranscriptMessage>,
}

/// A message of it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub struct TranscriptMessage {
    pub content: String,
    pub role: TranscriptSpeaker,
    #[cfg_attr(feature = "test-support", schemars(with = "crate::time::IsoTime"))]
    pub time: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "Value"))]
    pub source_documents: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "Value"))]
    pub used_tools: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "Value"))]
    pub file_uploads: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "Value"))]
    pub feedback: Option<Value>,
    /// The record of the run of an agentflow that gave the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "crate::domain::ids::ExecutionId"))]
    pub execution_id: Option<Value>,
    /// What the person is asked to decide, until somebody does.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "Value"))]
    pub action: Option<Value>,
}

/// Who said it.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub enum TranscriptSpeaker {
    Bot,
    User,
}
