//! Chunks of document stores (manual 10.9).

use super::loaders::LoaderView;
use crate::domain::ids::{ChunkId, DocumentStoreId, LoaderId};
use crate::domain::knowledge::document_store::StoredChunk;
use crate::domain::knowledge::store_changes::ChunkChange;
use crate::domain::knowledge::store_overview::{ChunkEntry, ChunkMatches, ChunkPage};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A page of the chunks of a document store.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "ChunkPage"))]
pub struct ChunkPageView {
    chunks: Vec<ChunkView>,
    count: usize,
    characters: usize,
    file: Option<LoaderView>,
    current_page: usize,
    doc_id: Option<LoaderId>,
    store_name: String,
    description: String,
}

/// A chunk of a document store.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "StoredChunk"))]
pub(crate) struct ChunkView {
    id: ChunkId,
    doc_id: LoaderId,
    store_id: DocumentStoreId,
    chunk_no: usize,
    page_content: String,
    metadata: Map<String, Value>,
}

impl ChunkView {
    fn new(store_id: DocumentStoreId, ChunkEntry { loader, number, chunk }: ChunkEntry) -> Self {
        let StoredChunk { id, text, metadata } = chunk;
        Self { id, doc_id: loader, store_id, chunk_no: number, page_content: text, metadata }
    }
}

/// Chunks of a document store that have a text in them.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "ChunkMatches"))]
pub struct ChunkMatchesView {
    /// 50 at most, in their order. `chunkNo` is the place among all chunks that were looked through.
    chunks: Vec<ChunkView>,
    /// What `from` is to be to go on; `null` at the end.
    next: Option<usize>,
}

impl From<ChunkMatches> for ChunkMatchesView {
    fn from(ChunkMatches { store, chunks, next }: ChunkMatches) -> Self {
        Self { chunks: chunks.into_iter().map(|entry| ChunkView::new(store, entry)).collect(), next }
    }
}

impl From<ChunkPage> for ChunkPageView {
    fn from(page: ChunkPage) -> Self {
        let store = page.store;
        Self {
            chunks: page.chunks.into_iter().map(|entry| ChunkView::new(store, entry)).collect(),
            count: page.count,
            characters: page.characters,
            doc_id: page.loader.as_ref().map(|loader| loader.id),
            file: page.loader.map(LoaderView::from),
            current_page: page.number,
            store_name: page.store_name,
            description: page.description,
        }
    }
}

/// What to change; what is left out stays.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct ChunkEdit {
    page_content: Option<String>,
    metadata: Option<Map<String, Value>>,
}

impl From<ChunkEdit> for ChunkChange {
    fn from(ChunkEdit { page_content, metadata }: ChunkEdit) -> Self {
        Self { text: page_content, metadata }
    }
}
