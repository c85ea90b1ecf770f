//! Conversations at a glance, and how much a flow is asked (manual 3.5).

use crate::domain::conversations::conversation::{ConversationSummary, FlowStats};
use crate::domain::ids::ChatId;
use crate::domain::predictions::prediction::ChatType;
use crate::wire::time::IsoTime;
use serde::Serialize;

/// A conversation at a glance.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Conversation"))]
pub(crate) struct ConversationView {
    chat_id: ChatId,
    chat_type: Option<ChatType>,
    session_id: Option<String>,
    memory_type: Option<String>,
    lead_email: Option<String>,
    /// The visitor who left a lead in it: the name, else the e-mail or the phone number.
    lead_name: Option<String>,
    first_question: Option<String>,
    messages: usize,
    positive_feedback: usize,
    negative_feedback: usize,
    created_date: Option<IsoTime>,
    updated_date: Option<IsoTime>,
}

impl From<ConversationSummary> for ConversationView {
    fn from(summary: ConversationSummary) -> Self {
        Self {
            chat_id: summary.chat,
            chat_type: summary.chat_type,
            session_id: summary.session,
            memory_type: summary.memory_type,
            lead_email: summary.lead_email,
            lead_name: summary.lead_name,
            first_question: summary.first_question,
            messages: summary.messages,
            positive_feedback: summary.positive_feedback,
            negative_feedback: summary.negative_feedback,
            created_date: summary.created.map(IsoTime),
            updated_date: summary.updated.map(IsoTime),
        }
    }
}

/// How much a flow is asked and how its answers are rated.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "FlowStats"))]
pub(crate) struct FlowStatsView {
    total_messages: usize,
    total_sessions: usize,
    total_feedback: usize,
    positive_feedback: usize,
}

impl From<FlowStats> for FlowStatsView {
    fn from(stats: FlowStats) -> Self {
        let FlowStats { messages, conversations, feedback, positive_feedback } = stats;
        Self {
            total_messages: messages,
            total_sessions: conversations,
            total_feedback: feedback,
            positive_feedback,
        }
    }
}
