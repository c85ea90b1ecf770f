//! Visitors of chats who left their names (manual 3.8).

use crate::domain::conversations::lead::{FlowLead, Lead, LeadContact};
use crate::domain::ids::{ChatId, FlowId, LeadId};
use crate::time::IsoTime;
use serde::{Deserialize, Serialize};

/// What a visitor of a chat left.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "Lead"))]
pub struct LeadView {
    id: LeadId,
    name: Option<String>,
    email: Option<String>,
    phone: Option<String>,
    chatflowid: FlowId,
    chat_id: ChatId,
    created_date: IsoTime,
}

impl LeadView {
    /// A lead of this flow.
    #[must_use]
    pub fn new(flow: FlowId, lead: Lead) -> Self {
        let Lead { id, chat, name, email, phone, created } = lead;
        Self { id, name, email, phone, chatflowid: flow, chat_id: chat, created_date: created.into() }
    }
}

/// What a visitor of a chat left, with the flow of the chat.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "FlowLead"))]
struct FlowLeadView {
    #[serde(flatten)]
    lead: LeadView,
    flow_name: String,
}

/// A page of what visitors of all flows left.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "FoundLeads"))]
pub struct FoundLeadsView {
    /// Newest first.
    data: Vec<FlowLeadView>,
    /// What the next page is asked for with; null behind the last one.
    next_cursor: Option<LeadId>,
}

impl FoundLeadsView {
    #[must_use]
    pub fn new(rows: Vec<FlowLead>, next: Option<LeadId>) -> Self {
        let view =
            |FlowLead { flow, flow_name, lead }| FlowLeadView { lead: LeadView::new(flow, lead), flow_name };
        Self { data: rows.into_iter().map(view).collect(), next_cursor: next }
    }
}

/// What a visitor of a chat left just now.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "KeptLead"))]
pub struct KeptLeadView {
    #[serde(flatten)]
    pub lead: LeadView,
    /// The proof of its conversation, with which a question goes on in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "String"))]
    pub session_token: Option<String>,
}

/// What a visitor of a chat leaves.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct NewLead {
    #[cfg_attr(feature = "test-support", schemars(required))]
    pub chatflowid: Option<String>,
    pub chat_id: Option<String>,
    name: Option<String>,
    email: Option<String>,
    phone: Option<String>,
    /// Proof of the conversation.
    pub session_token: Option<String>,
}

impl From<NewLead> for LeadContact {
    fn from(NewLead { name, email, phone, .. }: NewLead) -> Self {
        Self { name, email, phone }
    }
}
