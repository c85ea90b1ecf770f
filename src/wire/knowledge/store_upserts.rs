//! Documents that callers add to a document store (manual 10.9 r4), and its loaders run again.

use super::stores::NewDocumentStore;
use super::upserts::UpsertCountsView;
use crate::domain::ids::{DocumentStoreId, LoaderId};
use crate::domain::knowledge::store_changes::{CardChoice, NewStore, StoreUpsertRequest};
use crate::domain::knowledge::upsert::{LoaderRunOutcome, StoreUpsertOutcome};
use crate::form::FormFiles;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Documents to add to a document store.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct DocumentUpsert {
    /// A loader to run again.
    doc_id: Option<String>,
    metadata: Option<Map<String, Value>>,
    replace_existing: Option<bool>,
    create_new_doc_store: Option<bool>,
    doc_store: Option<NewDocumentStore>,
    loader_name: Option<String>,
    loader: Option<SentCard>,
    splitter: Option<SentCard>,
    /// Chooses what makes the vectors, as `/document-store/vectorstore/save` does, and embeds the chunks.
    embedding: Option<SentCard>,
    vector_store: Option<SentCard>,
    record_manager: Option<SentCard>,
}

/// A card and how it is to be set.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub(crate) struct SentCard {
    name: Option<String>,
    config: Option<Map<String, Value>>,
}

impl From<SentCard> for CardChoice {
    fn from(SentCard { name, config }: SentCard) -> Self {
        Self { name, config }
    }
}

impl From<DocumentUpsert> for StoreUpsertRequest {
    fn from(sent: DocumentUpsert) -> Self {
        Self {
            loader_id: sent.doc_id,
            metadata: sent.metadata,
            replace_existing: sent.replace_existing.unwrap_or_default(),
            create_new_store: sent.create_new_doc_store.unwrap_or_default(),
            new_store: sent.doc_store.map(NewStore::from),
            loader_name: sent.loader_name,
            loader: sent.loader.map(CardChoice::from),
            splitter: sent.splitter.map(CardChoice::from),
            embedding: sent.embedding.map(CardChoice::from),
            vector_store: sent.vector_store.map(CardChoice::from),
            record_manager: sent.record_manager.map(CardChoice::from),
        }
    }
}

impl DocumentUpsert {
    /// The fields that a form can only send as JSON text.
    pub const OBJECTS: &'static [&'static str] =
        &["metadata", "docStore", "loader", "splitter", "vectorStore", "embedding", "recordManager"];
    /// The fields that a form can only send as `true` or `false`.
    pub const FLAGS: &'static [&'static str] = &["replaceExisting", "createNewDocStore"];
}

// The description is made of it; what arrives is read as a `DocumentUpsert`, whose fields it sends as texts.
/// Files to add to a document store.
#[derive(Debug, Default)]
#[cfg_attr(
    feature = "test-support",
    derive(schemars::JsonSchema),
    schemars(rename_all = "camelCase", default)
)]
pub struct DocumentUpsertForm {
    pub files: FormFiles,
    pub doc_id: String,
    /// JSON text.
    pub metadata: String,
    #[cfg_attr(feature = "test-support", schemars(with = "crate::form::SwitchText"))]
    pub replace_existing: String,
    #[cfg_attr(feature = "test-support", schemars(with = "crate::form::SwitchText"))]
    pub create_new_doc_store: String,
    /// JSON text.
    pub doc_store: String,
    pub loader_name: String,
    /// JSON text.
    pub loader: String,
    /// JSON text.
    pub splitter: String,
    /// JSON text.
    pub embedding: String,
    /// JSON text.
    pub vector_store: String,
    /// JSON text.
    pub record_manager: String,
}

/// What became of documents.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "DocumentUpsertResult"))]
pub struct DocumentUpsertView {
    #[serde(flatten)]
    counts: UpsertCountsView,
    doc_id: LoaderId,
    /// The store, when it was made by this.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "DocumentStoreId"))]
    store_id: Option<DocumentStoreId>,
}

impl From<StoreUpsertOutcome> for DocumentUpsertView {
    fn from(StoreUpsertOutcome { counts, loader, new_store }: StoreUpsertOutcome) -> Self {
        Self { counts: counts.into(), doc_id: loader, store_id: new_store }
    }
}

/// Which loaders to run again; without a list all of them.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct Refresh {
    items: Option<Vec<RefreshItem>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
struct RefreshItem {
    doc_id: String,
}

impl Refresh {
    /// The loaders that are named; `None` stands for all.
    #[must_use]
    pub fn into_loaders(self) -> Option<Vec<String>> {
        Some(self.items?.into_iter().map(|item| item.doc_id).collect())
    }
}

/// What became of a loader that was run again.
#[derive(Debug, Serialize)]
#[serde(untagged)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub enum RefreshView {
    Done(DocumentUpsertView),
    Refused(RefreshFault),
}

/// A loader that could not be run.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct RefreshFault {
    doc_id: LoaderId,
    error: String,
}

impl From<LoaderRunOutcome> for RefreshView {
    fn from(outcome: LoaderRunOutcome) -> Self {
        match outcome {
            LoaderRunOutcome::Done(done) => Self::Done(done.into()),
            LoaderRunOutcome::Refused { loader, why } => {
                Self::Refused(RefreshFault { doc_id: loader, error: why })
            }
        }
    }
}
