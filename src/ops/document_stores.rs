//! Document stores: named collections of passages that retrievers search (reference 1.9, the part that needs
//! no provider: plain text in, chunks out).

use super::store_vectors;
use crate::app::App;
use crate::clock::iso;
use crate::domain::caller::Caller;
use crate::domain::document::{Chunk, DocumentStore};
use crate::domain::error::{Error, Result};
use crate::domain::ids::{DocumentStoreId, WorkspaceId};
use crate::domain::prediction::SourceDocument;
use crate::store::tables::{CHUNKS, DOCUMENT_STORES};
use crate::store::{Tx, WriteTx};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// What makes or renames a store.
#[derive(Debug, Deserialize)]
pub struct StoreEdit {
    name: String,
    #[serde(default)]
    description: String,
}

/// A text to add.
#[derive(Debug)]
pub struct TextToAdd {
    /// The text.
    pub text: String,
    /// Kept with every passage; `source` names where the text is from.
    pub metadata: Map<String, Value>,
    /// Passages are at most this long.
    pub chunk_characters: Option<usize>,
    /// Passages already in the store with the same `source` are taken out first.
    pub replace_existing: bool,
}

const NAME_CHARS_MAX: usize = 255;
const CHUNK_CHARS_DEFAULT: usize = 800;
const CHUNK_CHARS: std::ops::RangeInclusive<usize> = 100..=20_000;

impl StoreEdit {
    fn checked(&self) -> Result<()> {
        let length = self.name.trim().chars().count();
        if (1..=NAME_CHARS_MAX).contains(&length) {
            return Ok(());
        }
        Err(Error::Invalid(format!("Invalid name: it must have 1 to {NAME_CHARS_MAX} characters.")))
    }
}

fn wire(store: &DocumentStore) -> Value {
    json!({
        "id": store.id, "name": store.name, "description": store.description,
        "loaders": [], "whereUsed": [], "vectorStoreConfig": null, "embeddingConfig": null, "recordManagerConfig": null,
        "status": if store.chunks == 0 { "EMPTY" } else { "SYNC" },
        "totalChars": store.characters, "totalChunks": store.chunks,
        "createdDate": iso(store.created), "updatedDate": iso(store.updated), "workspaceId": store.workspace,
    })
}

fn existing(tx: &impl Tx, workspace: &WorkspaceId, id: &DocumentStoreId) -> Result<DocumentStore> {
    DOCUMENT_STORES
        .get(tx, workspace, id)?
        .ok_or_else(|| Error::NotFound(format!("Document store {id} not found")))
}

/// Makes a store.
///
/// # Errors
/// 400 for a bad name.
pub fn create(app: &App, caller: &Caller, edit: &StoreEdit) -> Result<Value> {
    edit.checked()?;
    let now = app.clock.now();
    let store = DocumentStore {
        id: DocumentStoreId::random(),
        workspace: caller.workspace,
        name: edit.name.trim().to_owned(),
        description: edit.description.clone(),
        chunks: 0,
        characters: 0,
        created: now,
        updated: now,
    };
    app.store.write(|tx| DOCUMENT_STORES.put(tx, &caller.workspace, &store.id, &store))?;
    Ok(wire(&store))
}

/// The stores of the workspace, by name.
///
/// # Errors
/// When the database cannot be read.
pub fn list(app: &App, caller: &Caller) -> Result<Vec<Value>> {
    let mut stores = app.store.read(|tx| DOCUMENT_STORES.list(tx, &caller.workspace))?;
    stores.sort_by(|a, b| a.name.cmp(&b.name).then_with(|| a.id.cmp(&b.id)));
    Ok(stores.iter().map(wire).collect())
}

/// One store.
///
/// # Errors
/// 404.
pub fn read(app: &App, caller: &Caller, id: &DocumentStoreId) -> Result<Value> {
    app.store.read(|tx| existing(tx, &caller.workspace, id)).map(|store| wire(&store))
}

/// Deletes a store with its passages.
///
/// # Errors
/// 404.
pub fn delete(app: &App, caller: &Caller, id: &DocumentStoreId) -> Result<()> {
    app.store.write(|tx| {
        existing(tx, &caller.workspace, id)?;
        CHUNKS.remove(tx, &caller.workspace, id)?;
        store_vectors::forget_in(tx, &caller.workspace, id)?;
        DOCUMENT_STORES.remove(tx, &caller.workspace, id).map(drop)
    })?;
    store_vectors::forgotten(app, &caller.workspace, id);
    Ok(())
}

/// Adds a text in passages; answers with the indexing counts of the family.
///
/// # Errors
/// 400 for an empty text or a chunk size out of bounds, 404 without the store.
pub fn add(app: &App, caller: &Caller, id: &DocumentStoreId, text: &TextToAdd) -> Result<Value> {
    let size = text.chunk_characters.unwrap_or(CHUNK_CHARS_DEFAULT);
    if !CHUNK_CHARS.contains(&size) {
        return Err(Error::Invalid(format!(
            "Invalid chunkCharacters: it must be between {} and {}.",
            CHUNK_CHARS.start(),
            CHUNK_CHARS.end()
        )));
    }
    let passages = crate::domain::document::split(&text.text, size);
    if passages.is_empty() {
        return Err(Error::invalid("Invalid text: it is empty."));
    }
    let now = app.clock.now();
    let (added, deleted, total) = app.store.write(|tx| {
        let mut store = existing(tx, &caller.workspace, id)?;
        let mut chunks = CHUNKS.get(tx, &caller.workspace, id)?.unwrap_or_default();
        let before = chunks.len();
        if text.replace_existing {
            chunks.retain(|chunk| chunk.metadata.get("source") != text.metadata.get("source"));
        }
        let deleted = before - chunks.len();
        chunks.extend(
            passages.iter().map(|passage| Chunk { text: passage.clone(), metadata: text.metadata.clone() }),
        );
        store.chunks = chunks.len();
        store.characters = chunks.iter().map(|chunk| chunk.text.chars().count()).sum();
        store.updated = now;
        put(tx, &store, &chunks)?;
        Ok((passages.len(), deleted, chunks.len()))
    })?;
    Ok(
        json!({"numAdded": added, "numDeleted": deleted, "numUpdated": 0, "numSkipped": 0, "totalKeys": total}),
    )
}

fn put(tx: &WriteTx, store: &DocumentStore, chunks: &Vec<Chunk>) -> Result<()> {
    CHUNKS.put(tx, &store.workspace, &store.id, chunks)?;
    DOCUMENT_STORES.put(tx, &store.workspace, &store.id, store)
}

/// The passages of a store, for retrievers; `None` when the workspace has no such store.
///
/// # Errors
/// When the database cannot be read.
pub fn passages(
    tx: &impl Tx,
    workspace: &WorkspaceId,
    id: &DocumentStoreId,
) -> Result<Option<Vec<SourceDocument>>> {
    if !DOCUMENT_STORES.has(tx, workspace, id)? {
        return Ok(None);
    }
    let chunks = CHUNKS.get(tx, workspace, id)?.unwrap_or_default();
    let passage = |chunk: Chunk| SourceDocument { page_content: chunk.text, metadata: chunk.metadata };
    Ok(Some(chunks.into_iter().map(passage).collect()))
}
