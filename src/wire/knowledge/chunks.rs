//! Chunks of document stores (manual 10.9).

use super::loaders::LoaderView;
use crate::domain::ids::{ChunkId, DocumentStoreId, LoaderId};
use crate::domain::knowledge::document_store::StoredChunk;
use crate::domain::knowledge::store_changes::ChunkChange;
use crate::domain::knowledge::store_overview::{ChunkEntry, ChunkPage};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A page of the chunks of a document store.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "ChunkPage"))]
pub(crate) struct ChunkPageView {
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
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "StoredChunk"))]
pub(crate) struct ChunkView {
    id: ChunkId,
    doc_id: LoaderId,
    store_id: DocumentStoreId,
    chunk_no: usize,
    page_content: String,
    metadata: Map<String, Value>,
}

impl From<ChunkPage> for ChunkPageView {
    fn from(page: ChunkPage) -> Self {
        let store_id = page.store;
        let chunk = |ChunkEntry { loader, number, chunk }: ChunkEntry| {
            let StoredChunk { id, text, metadata } = chunk;
            ChunkView { id, doc_id: loader, store_id, chunk_no: number, page_content: text, metadata }
        };
        Self {
            chunks: page.chunks.into_iter().map(chunk).collect(),
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
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct ChunkEdit {
    page_content: Option<String>,
    metadata: Option<Map<String, Value>>,
}

impl From<ChunkEdit> for ChunkChange {
    fn from(ChunkEdit { page_content, metadata }: ChunkEdit) -> Self {
        Self { text: page_content, metadata }
    }
}
