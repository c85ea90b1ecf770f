//! Chunks that pipelines bring: each card that fills a store has a loader in it (manual 10.14).

use super::loaders::{content, put_loader};
use super::require_store;
use crate::cards::kit::knowledge::transform::DOCUMENT_STORE;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{DocumentStoreId, LoaderId, WorkspaceId};
use crate::domain::knowledge::document_store::{
    CardConfig, DocumentLoader, DocumentStore, LoaderConfig, PipelineCard, StoredChunk,
};
use crate::domain::pipelines::target::StagedChunks;
use crate::limits;
use crate::ops::workspace::quota::{self, StoreContent};
use crate::store::queries::chunks;
use crate::store::tables::DOCUMENT_STORES;
use crate::store::{Tx, WriteTx};
use jiff::Timestamp;

/// The loader of a card, where it has one.
///
/// # Errors
/// 404 without the store.
pub(in crate::ops) fn loader_of(
    tx: &impl Tx,
    workspace: &WorkspaceId,
    id: &DocumentStoreId,
    card: &PipelineCard,
) -> Result<Option<LoaderId>> {
    let store = require_store(tx, workspace, id)?;
    Ok(store.loaders.iter().find(|loader| is_of(loader, card)).map(|loader| loader.id))
}

fn is_of(loader: &DocumentLoader, card: &PipelineCard) -> bool {
    loader.pipeline.as_ref() == Some(card)
}

/// What is put into a store, and by whom.
pub(in crate::ops) struct ChunkBatch<'a> {
    pub(in crate::ops) workspace: &'a WorkspaceId,
    pub(in crate::ops) store: &'a DocumentStoreId,
    pub(in crate::ops) loader: LoaderId,
    pub(in crate::ops) card: &'a PipelineCard,
    pub(in crate::ops) chunks: &'a [StoredChunk],
}

impl ChunkBatch<'_> {
    /// Puts them beside what the card brought before; `name` is that of a loader that is made for them.
    ///
    /// # Errors
    /// 404 without the store, 400 when it cannot hold so many, 409 when the quota of the workspace has no room.
    pub(in crate::ops) fn append(&self, tx: &WriteTx, name: &str, now: Timestamp) -> Result<()> {
        let mut store = require_store(tx, self.workspace, self.store)?;
        let before = content(&store);
        let known = store.loader(&self.loader).cloned();
        let mut loader = known.unwrap_or_else(|| new_loader(self.loader, self.card.clone(), name));
        loader.chunks += self.chunks.len();
        loader.characters += characters(self.chunks);
        put_loader(&mut store, loader)?;
        chunks::put(tx, self.store, &self.loader, self.chunks)?;
        save(tx, store, before, now)
    }

    /// Puts them where nobody sees them before [`publish`], beside what is there already.
    ///
    /// # Errors
    /// 404 without the store, 400 when it cannot hold so many, 409 when the quota of the workspace has no room.
    pub(in crate::ops) fn stage(&self, tx: &WriteTx, staged: &mut StagedChunks) -> Result<()> {
        let store = require_store(tx, self.workspace, self.store)?;
        staged.chunks += self.chunks.len();
        staged.characters += characters(self.chunks);
        let before = content(&store);
        let after = with_staged(store, self.card, staged);
        require_room(after.chunks)?;
        quota::admit_store(tx, self.workspace, self.store, before, after)?;
        chunks::put(tx, self.store, &self.loader, self.chunks)
    }
}

/// Lets staged chunks take the place of what the card brought before: the loaders of that. A store that is gone holds nothing any
/// more.
///
/// # Errors
/// 400 when the store has as many loaders or chunks as it can have; when the database cannot be written.
pub(in crate::ops) fn publish(
    tx: &WriteTx,
    workspace: &WorkspaceId,
    staged: &StagedChunks,
    card: &PipelineCard,
    (name, now): (&str, Timestamp),
) -> Result<Vec<LoaderId>> {
    let Some(mut store) = DOCUMENT_STORES.get(tx, workspace, &staged.store)? else {
        discard(tx, staged)?;
        return Ok(Vec::new());
    };
    let before = content(&store);
    let (gone, left): (Vec<_>, Vec<_>) =
        std::mem::take(&mut store.loaders).into_iter().partition(|loader| is_of(loader, card));
    for loader in &gone {
        chunks::clear(tx, &staged.store, Some(&loader.id))?;
    }
    store.loaders = left;
    let loader = new_loader(staged.loader, card.clone(), name);
    put_loader(
        &mut store,
        DocumentLoader { chunks: staged.chunks, characters: staged.characters, ..loader },
    )?;
    save(tx, store, before, now)?;
    Ok(gone.into_iter().map(|loader| loader.id).collect())
}

/// Removes staged chunks that will never count.
///
/// # Errors
/// When the database cannot be written.
pub(in crate::ops) fn discard(tx: &WriteTx, staged: &StagedChunks) -> Result<()> {
    chunks::clear(tx, &staged.store, Some(&staged.loader)).map(drop)
}

fn new_loader(id: LoaderId, card: PipelineCard, name: &str) -> DocumentLoader {
    let loader = CardConfig { card: DOCUMENT_STORE.to_owned(), ..CardConfig::default() };
    let plan = LoaderConfig { name: name.to_owned(), loader, ..LoaderConfig::default() };
    DocumentLoader { id, plan, synced: true, chunks: 0, characters: 0, pipeline: Some(card) }
}

fn characters(chunks: &[StoredChunk]) -> usize {
    chunks.iter().map(|chunk| chunk.text.chars().count()).sum()
}

/// What a store holds once staged chunks have taken the place of what the card brought before.
fn with_staged(mut store: DocumentStore, card: &PipelineCard, staged: &StagedChunks) -> StoreContent {
    store.loaders.retain(|loader| !is_of(loader, card));
    store.recount();
    let StoreContent { chunks, characters } = content(&store);
    StoreContent { chunks: chunks + staged.chunks, characters: characters + staged.characters }
}

fn save(tx: &WriteTx, mut store: DocumentStore, before: StoreContent, now: Timestamp) -> Result<()> {
    store.recount();
    require_room(store.chunks)?;
    quota::admit_store(tx, &store.workspace, &store.id, before, content(&store))?;
    store.updated = now;
    DOCUMENT_STORES.put(tx, &store.workspace, &store.id, &store)
}

/// Refuses more chunks than a store can hold.
pub(super) fn require_room(chunks: usize) -> Result<()> {
    if chunks <= limits::STORE_CHUNKS_MAX {
        return Ok(());
    }
    Err(Error::invalid("The document store cannot hold so many chunks."))
}
