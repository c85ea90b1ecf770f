//! Loaders of document stores (manual 10.9).

use crate::domain::ids::{DocumentStoreId, FlowId, LoaderId};
use crate::domain::knowledge::store_changes::LoaderChange;
use crate::domain::knowledge::store_overview::{LoaderOverview, LoaderPreview, LoaderStatus};
use crate::predictions::run_facts::DocumentView;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A loader of a document store.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "StoreLoader"))]
pub struct LoaderView {
    id: LoaderId,
    /// Its card.
    loader_id: String,
    loader_name: String,
    loader_config: Map<String, Value>,
    credential: Option<String>,
    splitter_id: Option<String>,
    splitter_name: Option<String>,
    splitter_config: Option<Map<String, Value>>,
    total_chunks: usize,
    total_chars: usize,
    status: LoaderStatus,
    source: Option<Value>,
    /// The pipeline that brings its chunks, and is the only way to run it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pipeline: Option<FlowId>,
}

impl From<LoaderOverview> for LoaderView {
    fn from(overview: LoaderOverview) -> Self {
        let LoaderOverview { id, name, loader, splitter, chunks, characters, status, source, pipeline } =
            overview;
        let (splitter_id, splitter_name, splitter_config) = match splitter {
            Some((label, splitter)) => (Some(splitter.card), Some(label), Some(splitter.config)),
            None => (None, None, None),
        };
        Self {
            id,
            loader_id: loader.card,
            loader_name: name,
            loader_config: loader.config,
            credential: loader.credential,
            splitter_id,
            splitter_name,
            splitter_config,
            total_chunks: chunks,
            total_chars: characters,
            status,
            source,
            pipeline,
        }
    }
}

/// A loader of a document store, and which store that is.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "StoreLoaderConfig"))]
pub struct LoaderConfigView {
    #[serde(flatten)]
    loader: LoaderView,
    store_id: DocumentStoreId,
    store_name: String,
}

impl LoaderConfigView {
    #[must_use]
    pub fn new(store_id: DocumentStoreId, store_name: String, loader: LoaderOverview) -> Self {
        Self { loader: loader.into(), store_id, store_name }
    }
}

/// A loader to try or save.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct StoreLoaderEdit {
    pub store_id: Option<String>,
    /// Of a loader that is saved already.
    id: Option<String>,
    /// Its card.
    loader_id: Option<String>,
    loader_name: Option<String>,
    loader_config: Option<Map<String, Value>>,
    splitter_id: Option<String>,
    splitter_config: Option<Map<String, Value>>,
    credential: Option<String>,
    pub preview_chunk_count: Option<usize>,
}

impl From<StoreLoaderEdit> for LoaderChange {
    fn from(edit: StoreLoaderEdit) -> Self {
        Self {
            id: edit.id.as_deref().and_then(LoaderId::parse),
            card: edit.loader_id,
            name: edit.loader_name,
            config: edit.loader_config,
            splitter: edit.splitter_id,
            splitter_config: edit.splitter_config,
            credential: edit.credential,
        }
    }
}

/// What a loader would bring.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "LoaderPreview"))]
pub struct LoaderPreviewView {
    chunks: Vec<DocumentView>,
    total_chunks: usize,
    preview_chunk_count: usize,
}

impl From<LoaderPreview> for LoaderPreviewView {
    fn from(LoaderPreview { shown, total }: LoaderPreview) -> Self {
        let preview_chunk_count = shown.len();
        let chunks = shown.into_iter().map(DocumentView::from).collect();
        Self { chunks, total_chunks: total, preview_chunk_count }
    }
}

/// Which document store a loader fills.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct LoaderRun {
    pub store_id: String,
}
