//! Document stores, the loaders that bring their documents, and the chunks in them.

use super::store_overview::{LoaderStatus, StoreStatus};
use crate::domain::ids::{ChunkId, DocumentStoreId, FlowId, LoaderId, WorkspaceId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A named collection of chunks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DocumentStore {
    pub id: DocumentStoreId,
    pub workspace: WorkspaceId,
    pub name: String,
    pub description: String,
    /// Its loaders, oldest first.
    #[serde(default)]
    pub loaders: Vec<DocumentLoader>,
    pub chunks: usize,
    /// How many characters in all of them.
    pub characters: usize,
    /// When it was made.
    pub created: Timestamp,
    /// When it last changed.
    pub updated: Timestamp,
}

/// A loader of a store, with what it brought.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DocumentLoader {
    pub id: LoaderId,
    pub plan: LoaderConfig,
    /// What it brought is in the store, as it is set now.
    pub synced: bool,
    pub chunks: usize,
    /// How many characters in all of them.
    pub characters: usize,
    /// The card of a pipeline that brings its chunks; `None` for one that is run here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pipeline: Option<PipelineCard>,
}

/// A card of a pipeline that fills a store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PipelineCard {
    pub flow: FlowId,
    /// The card on its canvas.
    pub node: String,
}

/// How a loader of a store is set.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LoaderConfig {
    pub name: String,
    pub loader: CardConfig,
    /// What cuts its documents, if something does.
    pub splitter: Option<CardConfig>,
    /// Metadata of the request that brought it, over those of its documents.
    #[serde(default)]
    pub metadata: Map<String, Value>,
}

/// A card that stands on no canvas.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CardConfig {
    pub card: String,
    /// Its settings, by input name.
    pub config: Map<String, Value>,
    #[serde(default)]
    pub credential: Option<String>,
}

/// One chunk of a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredChunk {
    /// Id: later ones of a loader are greater.
    pub id: ChunkId,
    pub text: String,
    /// Where it is from.
    pub metadata: Map<String, Value>,
}

impl DocumentStore {
    /// The loader of this id.
    #[must_use]
    pub fn loader(&self, id: &LoaderId) -> Option<&DocumentLoader> {
        self.loaders.iter().find(|loader| loader.id == *id)
    }

    /// The ids of all of them, in the order of their making.
    #[must_use]
    pub fn loader_ids(&self) -> Vec<LoaderId> {
        self.loaders.iter().map(|loader| loader.id).collect()
    }

    /// Counts the chunks of all loaders again.
    pub fn recount(&mut self) {
        self.chunks = self.loaders.iter().map(|loader| loader.chunks).sum();
        self.characters = self.loaders.iter().map(|loader| loader.characters).sum();
    }

    #[must_use]
    pub fn status(&self) -> StoreStatus {
        if self.loaders.is_empty() {
            StoreStatus::Empty
        } else if self.loaders.iter().all(|loader| loader.synced) {
            StoreStatus::Sync
        } else {
            StoreStatus::Stale
        }
    }
}

impl DocumentLoader {
    #[must_use]
    pub const fn status(&self) -> LoaderStatus {
        if self.synced { LoaderStatus::Sync } else { LoaderStatus::Stale }
    }

    /// Where its documents are said to be from, for requests that replace them by that name.
    #[must_use]
    pub fn source(&self) -> Option<&Value> {
        self.plan.metadata.get("source")
    }
}
