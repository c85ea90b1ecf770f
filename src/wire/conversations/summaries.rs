//! Conversations at a glance, and how much a flow is asked (manual 3.5).

use crate::domain::conversations::conversation::{
    ConversationCount, ConversationSummary, FlowConversation, FlowStats, FoundConversations,
};
use crate::domain::ids::{ChatId, FlowId};
use crate::domain::predictions::prediction::ChatType;
use crate::time::IsoTime;
use serde::Serialize;

/// A conversation at a glance.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "Conversation"))]
pub struct ConversationView {
    chat_id: ChatId,
    chat_type: Option<ChatType>,
    session_id: Option<String>,
    memory_type: Option<String>,
    lead_email: Option<String>,
    /// The visitor who left a lead in it: the name, else the e-mail or the phone number.
    lead_name: Option<String>,
    first_question: Option<String>,
    messages: usize,
    /// Runs that failed and answered nothing.
    failed_runs: usize,
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
            failed_runs: summary.failed_runs,
            positive_feedback: summary.positive_feedback,
            negative_feedback: summary.negative_feedback,
            created_date: summary.created.map(IsoTime),
            updated_date: summary.updated.map(IsoTime),
        }
    }
}

/// A conversation at a glance, with its flow.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "FlowConversation"))]
pub(crate) struct FlowConversationView {
    flow_id: FlowId,
    flow_name: String,
    #[serde(flatten)]
    conversation: ConversationView,
}

/// A page of conversations of all flows.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "FoundConversations"))]
pub struct FoundConversationsView {
    /// Newest first.
    data: Vec<FlowConversationView>,
    /// What the next page is asked for with; null behind the last one.
    next_cursor: Option<String>,
    /// The search was ended before the page was full: the cursor goes on from there, where there is one.
    stopped_early: bool,
}

impl From<FoundConversations> for FoundConversationsView {
    fn from(FoundConversations { rows, next, stopped_early }: FoundConversations) -> Self {
        let view = |FlowConversation { flow, flow_name, summary }| FlowConversationView {
            flow_id: flow,
            flow_name,
            conversation: summary.into(),
        };
        Self {
            data: rows.into_iter().map(view).collect(),
            next_cursor: next.map(|next| next.to_string()),
            stopped_early,
        }
    }
}

/// How many conversations fit.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "ConversationCount"))]
pub struct ConversationCountView {
    conversations: usize,
    /// All of their messages, whether they fit or not.
    messages: usize,
}

impl From<ConversationCount> for ConversationCountView {
    fn from(ConversationCount { conversations, messages }: ConversationCount) -> Self {
        Self { conversations, messages }
    }
}

/// How much a flow is asked and how its answers are rated.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "FlowStats"))]
pub struct FlowStatsView {
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
