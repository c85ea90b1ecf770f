//! Document stores (manual 10.9).

use super::loaders::LoaderView;
use super::vectors::SetCard;
use crate::domain::flows::usage::UsingFlow;
use crate::domain::ids::{DocumentStoreId, FlowId, WorkspaceId};
use crate::domain::knowledge::store_changes::{NewStore, StoreChange};
use crate::domain::knowledge::store_overview::{StoreOverview, StoreStatus};
use crate::domain::knowledge::upsert::{UpsertPhase, UpsertProgress};
use crate::domain::knowledge::vector_config::VectorCardConfig;
use crate::time::IsoTime;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A document store.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "DocumentStore"))]
pub struct DocumentStoreView {
    id: DocumentStoreId,
    name: String,
    description: String,
    loaders: Vec<LoaderView>,
    /// Flows that use it; only when one store is read.
    where_used: Vec<StoreUseView>,
    embedding_config: Option<SetCard>,
    vector_store_config: Option<SetCard>,
    record_manager_config: Option<SetCard>,
    status: StoreStatus,
    /// When its vectors last had all of its chunks; `null` when they never had, and since their cards were changed.
    filled_date: Option<IsoTime>,
    /// Of a loader or a filling that is under way.
    progress: Option<FillProgress>,
    total_chars: usize,
    total_chunks: usize,
    created_date: IsoTime,
    updated_date: IsoTime,
    workspace_id: WorkspaceId,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
struct StoreUseView {
    id: FlowId,
    name: String,
    /// Its draft uses it, and Live does not.
    draft: bool,
}

impl From<UsingFlow> for StoreUseView {
    fn from(UsingFlow { id, name, is_draft, .. }: UsingFlow) -> Self {
        Self { id, name, draft: is_draft }
    }
}

impl From<StoreOverview> for DocumentStoreView {
    fn from(store: StoreOverview) -> Self {
        let filled = store.vectors.as_ref().and_then(|vectors| vectors.filled);
        let (embedding, vector_store, record_manager) = match store.vectors {
            Some(vectors) => (Some(vectors.embedding), vectors.vector_store, vectors.record_manager),
            None => (None, None, None),
        };
        Self {
            id: store.id,
            name: store.name,
            description: store.description,
            loaders: store.loaders.into_iter().map(LoaderView::from).collect(),
            where_used: store.used_by.into_iter().map(StoreUseView::from).collect(),
            embedding_config: embedding.map(SetCard::from),
            vector_store_config: vector_store.map(SetCard::from),
            record_manager_config: record_manager.map(SetCard::from),
            status: store.status,
            filled_date: filled.map(IsoTime::from),
            progress: store.progress.map(FillProgress::from),
            total_chars: store.characters,
            total_chunks: store.chunks,
            created_date: store.created.into(),
            updated_date: store.updated.into(),
            workspace_id: store.workspace,
        }
    }
}

/// How far a filling is; the data of `progress` events.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct FillProgress {
    phase: UpsertPhase,
    /// Chunks.
    done: usize,
    /// Null as long as nobody knows.
    total: Option<usize>,
}

impl From<UpsertProgress> for FillProgress {
    fn from(UpsertProgress { phase, done, total }: UpsertProgress) -> Self {
        Self { phase, done, total }
    }
}

/// A document store to make.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct NewDocumentStore {
    #[cfg_attr(feature = "test-support", schemars(length(min = 1, max = 255)))]
    name: String,
    #[serde(default)]
    #[cfg_attr(feature = "test-support", schemars(length(min = 0, max = 10_000)))]
    description: String,
}

impl From<NewDocumentStore> for NewStore {
    fn from(NewDocumentStore { name, description }: NewDocumentStore) -> Self {
        Self { name, description }
    }
}

/// What to change; what is left out stays.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct DocumentStoreEdit {
    #[cfg_attr(feature = "test-support", schemars(length(min = 1, max = 255)))]
    name: Option<String>,
    #[cfg_attr(feature = "test-support", schemars(length(min = 0, max = 10_000)))]
    description: Option<String>,
}

impl From<DocumentStoreEdit> for StoreChange {
    fn from(DocumentStoreEdit { name, description }: DocumentStoreEdit) -> Self {
        Self { name, description }
    }
}

/// Which model says what a document store is good for.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct DescribeStore {
    selected_chat_model: ChatModelChoice,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub(crate) struct ChatModelChoice {
    /// Its card.
    name: String,
    inputs: Option<Map<String, Value>>,
    credential: Option<String>,
}

impl DescribeStore {
    /// The card of the model; `None` for a name that no card has.
    #[must_use]
    pub fn into_card(self) -> Option<VectorCardConfig> {
        self.selected_chat_model.into_card()
    }
}

impl ChatModelChoice {
    /// The card of the model; `None` for a name that no card has.
    #[must_use]
    pub(crate) fn into_card(self) -> Option<VectorCardConfig> {
        let Self { name, inputs, credential } = self;
        let card = VectorCardConfig::from_request(Some(name), inputs)?;
        let credential = credential.filter(|id| !id.is_empty()).or(card.credential);
        Some(VectorCardConfig { credential, ..card })
    }
}

/// What a document store is good for.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "StoreDescription"))]
pub struct StoreDescriptionView {
    pub content: String,
}
