//! Stored messages (manual 3.4).

use super::feedback::FeedbackView;
use crate::domain::conversations::conversation::{Message, MessageFile, MessageRating, RatedMessage};
use crate::domain::ids::{ChatId, ExecutionId, FlowId, MessageId};
use crate::domain::predictions::prediction::{ChatType, MessageRole};
use crate::domain::predictions::team::TeamOutput;
use crate::predictions::executions::ExecutionView;
use crate::predictions::run_facts::{AgentReasoningView, DocumentView, UsageView, UsedToolView};
use crate::time::IsoTime;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use std::sync::Arc;

/// A stored message.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "Message"))]
pub struct MessageView {
    id: MessageId,
    role: MessageRole,
    chatflowid: FlowId,
    content: String,
    chat_type: ChatType,
    chat_id: ChatId,
    session_id: Option<String>,
    memory_type: Option<String>,
    created_date: IsoTime,
    lead_email: Option<String>,
    source_documents: Option<Vec<DocumentView>>,
    used_tools: Option<Vec<UsedToolView>>,
    file_uploads: Option<Vec<MessageFileView>>,
    /// JSON text of a list.
    follow_up_prompts: Option<String>,
    usage_metadata: Option<UsageView>,
    /// The answer was cut short.
    stopped: bool,
    /// The record of the run of an agentflow that gave the answer.
    execution_id: Option<ExecutionId>,
    /// The version of Live that gave the answer, in short.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "String"))]
    flow_version: Option<String>,
    /// What the person is asked to decide, until somebody does.
    action: Option<Map<String, Value>>,
    /// The turns of the members of a Multi-Agent or Sequential Agent flow.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "Vec<AgentReasoningView>"))]
    agent_reasoning: Option<Vec<AgentReasoningView>>,
    /// What the specialists did, where a team answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "TeamOutput"))]
    team: Option<Box<TeamOutput>>,
    /// That record without what its steps did, for who may see it.
    execution: Option<Box<ExecutionView>>,
    /// Its rating, when asked for.
    #[serde(skip_serializing_if = "RatingView::is_unknown")]
    #[cfg_attr(feature = "test-support", schemars(with = "Option<FeedbackView>"))]
    feedback: RatingView,
}

/// A file of a message, without its data.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "MessageFile"))]
pub(crate) struct MessageFileView {
    r#type: String,
    name: String,
    mime: String,
    /// What `/get-upload-file` calls it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "String"))]
    file_name: Option<String>,
    /// The address of a link.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "String"))]
    data: Option<String>,
}

/// Left out, null or a rating.
#[derive(Debug)]
enum RatingView {
    Unknown,
    Unrated,
    Rated(FeedbackView),
}

impl RatingView {
    const fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown)
    }
}

impl Serialize for RatingView {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Unknown | Self::Unrated => serializer.serialize_none(),
            Self::Rated(feedback) => feedback.serialize(serializer),
        }
    }
}

impl From<MessageFile> for MessageFileView {
    fn from(MessageFile { kind, name, mime, file_name, data, is_read: _ }: MessageFile) -> Self {
        Self { r#type: kind, name, mime, file_name, data }
    }
}

impl From<RatedMessage> for MessageView {
    fn from(RatedMessage { message, rating, run }: RatedMessage) -> Self {
        let session = message.told_session();
        let Message {
            id,
            role,
            flow,
            chat,
            content,
            chat_type,
            session: _,
            session_name: _,
            memory_type,
            created,
            lead_email,
            file_uploads,
            used_tools,
            source_documents,
            usage,
            follow_up_prompts,
            stopped,
            execution,
            receipt,
            action,
            agent_reasoning,
            turns: _,
            team,
        } = message;
        Self {
            id,
            role,
            chatflowid: flow,
            content,
            chat_type,
            chat_id: chat,
            session_id: Some(session),
            memory_type,
            created_date: created.into(),
            lead_email,
            source_documents: rows_or_null(source_documents),
            used_tools: rows_or_null(used_tools),
            file_uploads: rows_or_null(file_uploads),
            follow_up_prompts: json_text(&follow_up_prompts),
            usage_metadata: usage.map(UsageView::from),
            stopped,
            execution_id: execution,
            flow_version: receipt.and_then(|receipt| receipt.sha).map(|sha| sha.short()),
            action,
            agent_reasoning: rows_or_null(agent_reasoning),
            team,
            execution: run.map(|run| Box::new(Arc::unwrap_or_clone(run).into())),
            feedback: match rating {
                MessageRating::Unknown => RatingView::Unknown,
                MessageRating::Unrated => RatingView::Unrated,
                MessageRating::Rated(feedback) => RatingView::Rated(feedback.into()),
            },
        }
    }
}

/// Clients tell a message without files from one with files by `null`.
fn rows_or_null<T, V: From<T>>(items: Vec<T>) -> Option<Vec<V>> {
    (!items.is_empty()).then(|| items.into_iter().map(V::from).collect())
}

/// Clients read the list of what might be asked next as text (manual 2.6).
fn json_text(prompts: &[String]) -> Option<String> {
    (!prompts.is_empty()).then(|| serde_json::json!(prompts).to_string())
}
