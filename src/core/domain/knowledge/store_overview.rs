//! Document stores as people see them: secrets are masked, and what is under way is there too.

use super::document_store::{CardConfig, StoredChunk};
use super::upsert::UpsertProgress;
use super::vector_config::VectorConfig;
use crate::domain::flows::usage::UsingFlow;
use crate::domain::ids::{DocumentStoreId, FlowId, LoaderId, WorkspaceId};
use crate::domain::predictions::prediction::Document;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

/// The state of a store, in Flowise's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub enum StoreStatus {
    Empty,
    Sync,
    Stale,
    Syncing,
    Upserting,
    Upserted,
}

/// The state of a loader, in Flowise's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub enum LoaderStatus {
    Sync,
    Stale,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreOverview {
    pub id: DocumentStoreId,
    pub workspace: WorkspaceId,
    pub name: String,
    pub description: String,
    pub loaders: Vec<LoaderOverview>,
    /// Flows that use it, where that was asked for.
    pub used_by: Vec<UsingFlow>,
    pub vectors: Option<VectorConfig>,
    pub status: StoreStatus,
    /// Of what is under way.
    pub progress: Option<UpsertProgress>,
    pub chunks: usize,
    pub characters: usize,
    pub created: Timestamp,
    pub updated: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoaderOverview {
    pub id: LoaderId,
    pub name: String,
    pub loader: CardConfig,
    /// What cuts its documents, under the label of its card.
    pub splitter: Option<(String, CardConfig)>,
    pub chunks: usize,
    pub characters: usize,
    pub status: LoaderStatus,
    /// Where its documents are said to be from.
    pub source: Option<Value>,
    /// The pipeline that brings its chunks.
    pub pipeline: Option<FlowId>,
}

/// A page of the chunks of a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkPage {
    pub store: DocumentStoreId,
    pub store_name: String,
    pub description: String,
    /// The loader whose chunks these are; those of all without it.
    pub loader: Option<LoaderOverview>,
    /// From 1.
    pub number: usize,
    pub chunks: Vec<ChunkEntry>,
    /// Chunks on all pages.
    pub count: usize,
    pub characters: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkEntry {
    pub loader: LoaderId,
    /// Its place among all of them, from 1.
    pub number: usize,
    pub chunk: StoredChunk,
}

/// Chunks of a store that say something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkMatches {
    pub store: DocumentStoreId,
    pub chunks: Vec<ChunkEntry>,
    /// The place from which the search goes on, where it has not come to the end.
    pub next: Option<usize>,
}

/// What a loader would bring.
#[derive(Debug, Clone, PartialEq)]
pub struct LoaderPreview {
    pub shown: Vec<Document>,
    pub total: usize,
}
