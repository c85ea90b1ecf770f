//! Visitors of chats who left their names (manual 3.8).

use crate::domain::conversations::lead::{Lead, LeadContact};
use crate::domain::ids::{ChatId, FlowId, LeadId};
use crate::wire::time::IsoTime;
use serde::{Deserialize, Serialize};

/// What a visitor of a chat left.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Lead"))]
pub(crate) struct LeadView {
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
    pub(crate) fn new(flow: FlowId, lead: Lead) -> Self {
        let Lead { id, chat, name, email, phone, created } = lead;
        Self { id, name, email, phone, chatflowid: flow, chat_id: chat, created_date: created.into() }
    }
}

/// What a visitor of a chat left just now.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "KeptLead"))]
pub(crate) struct KeptLeadView {
    #[serde(flatten)]
    pub lead: LeadView,
    /// The proof of its conversation, with which a question goes on in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub session_token: Option<String>,
}

/// What a visitor of a chat leaves.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct NewLead {
    #[cfg_attr(test, schemars(required))]
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
