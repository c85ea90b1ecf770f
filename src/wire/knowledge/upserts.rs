//! Upserts into the vector stores of flows, which the API calls fillings (manual 10.5).

use crate::domain::ids::{ChatId, FlowId, UpsertId};
use crate::domain::knowledge::upsert::{UpsertCard, UpsertCounts, UpsertOutcome, UpsertRecord};
use crate::domain::predictions::prediction::Document;
use crate::predictions::run_facts::DocumentView;
use crate::time::IsoTime;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Which vector store of a flow to fill, and with which settings.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct Fill {
    /// The vector store's node; needed where a flow has several.
    pub stop_node_id: Option<String>,
    pub override_config: Option<Map<String, Value>>,
    /// Means nothing without files.
    pub chat_id: Option<String>,
    /// `live` for Live although there is a draft, where the canvas fills; elsewhere it means nothing.
    pub source: Option<String>,
}

/// Which vector store to fill; every other field is an override. Files with a `chatId`, and files of those who may not
/// change the flow, are found in their conversation alone.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct FillForm {
    #[serde(default)]
    #[cfg_attr(feature = "test-support", schemars(with = "String"))]
    pub stop_node_id: Option<String>,
    /// The conversation the files belong to; empty for a new one.
    #[serde(default)]
    #[cfg_attr(feature = "test-support", schemars(with = "String"))]
    pub chat_id: Option<String>,
    /// The proof of the conversation.
    #[serde(default)]
    #[cfg_attr(feature = "test-support", schemars(with = "String"))]
    pub session_token: Option<String>,
    /// `live` for Live although there is a draft, where the canvas fills; elsewhere it means nothing.
    #[serde(default)]
    #[cfg_attr(feature = "test-support", schemars(with = "String"))]
    pub source: Option<String>,
    /// JSON text.
    #[serde(default)]
    #[cfg_attr(feature = "test-support", schemars(with = "String"))]
    pub override_config: Option<String>,
    #[serde(flatten)]
    #[cfg_attr(feature = "test-support", schemars(skip))]
    pub overrides: Map<String, Value>,
}

/// What became of chunks, and how many there are now.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub(super) struct UpsertCountsView {
    num_added: usize,
    num_deleted: usize,
    num_updated: usize,
    num_skipped: usize,
    total_keys: usize,
}

impl From<UpsertCounts> for UpsertCountsView {
    fn from(counts: UpsertCounts) -> Self {
        let UpsertCounts { num_added, num_deleted, num_updated, num_skipped, total_keys } = counts;
        Self { num_added, num_deleted, num_updated, num_skipped, total_keys }
    }
}

/// What a filling did.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "FillResult"))]
pub struct FillView {
    #[serde(flatten)]
    counts: UpsertCountsView,
    /// Some of them.
    added_docs: Vec<DocumentView>,
    /// The conversation that the files belong to.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "ChatId"))]
    chat_id: Option<ChatId>,
    /// The proof of that conversation, with which a question goes on in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "String"))]
    session_token: Option<String>,
}

impl FillView {
    fn new(counts: UpsertCounts, shown: Vec<Document>) -> Self {
        Self {
            counts: counts.into(),
            added_docs: shown.into_iter().map(DocumentView::from).collect(),
            chat_id: None,
            session_token: None,
        }
    }
}

impl From<UpsertOutcome> for FillView {
    fn from(UpsertOutcome { counts, shown, session }: UpsertOutcome) -> Self {
        let view = Self::new(counts, shown);
        match session {
            Some(session) => Self { chat_id: Some(session.chat), session_token: Some(session.token), ..view },
            None => view,
        }
    }
}

/// One filling of a vector store.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "Filling"))]
pub struct UpsertRecordView {
    id: UpsertId,
    chatflowid: FlowId,
    date: IsoTime,
    result: FillView,
    flow_data: UpsertCardsView,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
struct UpsertCardsView {
    nodes: Vec<UpsertCardView>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
struct UpsertCardView {
    id: String,
    name: String,
    label: String,
}

impl From<UpsertCard> for UpsertCardView {
    fn from(UpsertCard { id, name, label }: UpsertCard) -> Self {
        Self { id, name, label }
    }
}

impl UpsertRecordView {
    /// An upsert into a store of this flow.
    #[must_use]
    pub fn new(flow: FlowId, record: UpsertRecord) -> Self {
        let UpsertRecord { id, date, counts, samples, cards } = record;
        Self {
            id,
            chatflowid: flow,
            date: date.into(),
            result: FillView::new(counts, samples),
            flow_data: UpsertCardsView { nodes: cards.into_iter().map(UpsertCardView::from).collect() },
        }
    }
}

/// Entries of the upsert history to delete.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct FillingIds {
    /// At least one.
    pub ids: Vec<String>,
}
