//! Chunks of a store: read by the page, changed and removed one at a time.

use super::loaders::{no_loader, update_store};
use super::require_store;
use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{ChunkId, DocumentStoreId, LoaderId};
use crate::domain::knowledge::document_store::{DocumentLoader, DocumentStore, StoredChunk};
use crate::domain::knowledge::store_changes::ChunkChange;
use crate::domain::knowledge::store_overview::{ChunkEntry, ChunkMatches, ChunkPage};
use crate::store::Tx;
use crate::store::queries::chunks;
use std::ops::ControlFlow;

/// Longest text that a person may write into a chunk (manual 14.14).
const CHUNK_BYTES_MAX: usize = 1024 * 1024;
const PAGE: usize = 50;
/// Most chunks that one search reads before it answers with what it has (manual 14.14).
const SEARCHED_CHUNKS_MAX_COUNT: usize = 20_000;
/// Bytes of chunks after which a search answers with what it has (manual 14.14).
const SEARCHED_CHUNKS_MAX_BYTES: usize = 32 * 1024 * 1024;

/// A page of the chunks of a loader, or of all; pages are counted from 1.
///
/// # Errors
/// 404 without store or loader.
pub(crate) fn chunk_page(
    app: &App,
    caller: &Caller,
    id: &DocumentStoreId,
    loader: Option<&LoaderId>,
    number: usize,
) -> Result<ChunkPage> {
    let number = number.max(1);
    let skip = (number - 1).saturating_mul(PAGE);
    let (store, found) = app.store.read(|tx| {
        let (store, loaders) = store_and_loaders(tx, caller, id, loader)?;
        let found = chunks::page(tx, id, &loaders, skip, PAGE)?;
        Ok((store, found))
    })?;
    let of_loader = loader.and_then(|loader| store.loader(loader)).cloned();
    let chunks = found.into_iter().enumerate().map(|(at, (loader, chunk))| ChunkEntry {
        loader,
        number: skip + at + 1,
        chunk,
    });
    Ok(ChunkPage {
        store: *id,
        chunks: chunks.collect(),
        count: of_loader.as_ref().map_or(store.chunks, |loader| loader.chunks),
        characters: of_loader.as_ref().map_or(store.characters, |loader| loader.characters),
        loader: of_loader.map(super::loader_overview),
        number,
        store_name: store.name,
        description: store.description,
    })
}

/// Chunks of a loader, or of all, that have `text` in them in whatever case, from a place on; places are counted from 1. A search
/// that read much without finding enough says where it goes on.
///
/// # Errors
/// 404 without store or loader.
pub(crate) fn find_chunks(
    app: &App,
    caller: &Caller,
    (id, loader): (&DocumentStoreId, Option<&LoaderId>),
    text: &str,
    from: usize,
) -> Result<ChunkMatches> {
    let (wanted, skip) = (text.to_lowercase(), from.max(1) - 1);
    app.store.read(|tx| {
        let (_, loaders) = store_and_loaders(tx, caller, id, loader)?;
        let (mut found, mut place, mut bytes, mut is_cut) = (Vec::new(), skip, 0, false);
        chunks::walk(tx, id, &loaders, skip, |loader, chunk| {
            let is_long = place - skip >= SEARCHED_CHUNKS_MAX_COUNT || bytes >= SEARCHED_CHUNKS_MAX_BYTES;
            if found.len() >= PAGE || is_long {
                is_cut = true;
                return ControlFlow::Break(());
            }
            place += 1;
            bytes += chunk.text.len();
            if chunk.text.to_lowercase().contains(&wanted) {
                found.push(ChunkEntry { loader, number: place, chunk });
            }
            ControlFlow::Continue(())
        })?;
        Ok(ChunkMatches { store: *id, chunks: found, next: is_cut.then_some(place + 1) })
    })
}

fn store_and_loaders(
    tx: &impl Tx,
    caller: &Caller,
    id: &DocumentStoreId,
    loader: Option<&LoaderId>,
) -> Result<(DocumentStore, Vec<LoaderId>)> {
    let store = require_store(tx, &caller.workspace, id)?;
    if loader.is_some_and(|loader| store.loader(loader).is_none()) {
        return Err(no_loader());
    }
    let loaders = loader.map_or_else(|| store.loader_ids(), |loader| vec![*loader]);
    Ok((store, loaders))
}

/// Changes a chunk; answers with its page.
///
/// # Errors
/// 404, and 400 for an empty or too long text.
pub(crate) fn edit_chunk(
    app: &App,
    caller: &Caller,
    place: (&DocumentStoreId, &LoaderId, &ChunkId),
    change: &ChunkChange,
) -> Result<ChunkPage> {
    let text = change.text.as_deref();
    if text.is_some_and(|text| text.trim().is_empty() || text.len() > CHUNK_BYTES_MAX) {
        return Err(Error::invalid("Invalid pageContent: it is empty or too long."));
    }
    let (id, loader, chunk) = place;
    update_store(app, caller, id, |tx, store| {
        let old = chunks::get(tx, id, loader, chunk)?.ok_or_else(no_chunk)?;
        let new = StoredChunk {
            id: *chunk,
            text: text.map_or_else(|| old.text.clone(), str::to_owned),
            metadata: change.metadata.clone().unwrap_or_else(|| old.metadata.clone()),
        };
        let counted = loader_mut(store, loader)?;
        counted.characters = (counted.characters + char_count(&new)).saturating_sub(char_count(&old));
        chunks::put(tx, id, loader, &[new])
    })?;
    chunk_page(app, caller, id, Some(loader), 1)
}

/// Removes a chunk; answers with the first page of what is left.
///
/// # Errors
/// 404.
pub(crate) fn remove_chunk(
    app: &App,
    caller: &Caller,
    place: (&DocumentStoreId, &LoaderId, &ChunkId),
) -> Result<ChunkPage> {
    let (id, loader, chunk) = place;
    update_store(app, caller, id, |tx, store| {
        let old = chunks::get(tx, id, loader, chunk)?.ok_or_else(no_chunk)?;
        let counted = loader_mut(store, loader)?;
        counted.chunks = counted.chunks.saturating_sub(1);
        counted.characters = counted.characters.saturating_sub(char_count(&old));
        chunks::remove(tx, id, loader, chunk).map(drop)
    })?;
    chunk_page(app, caller, id, Some(loader), 1)
}

fn char_count(chunk: &StoredChunk) -> usize {
    chunk.text.chars().count()
}

fn loader_mut<'s>(store: &'s mut DocumentStore, id: &LoaderId) -> Result<&'s mut DocumentLoader> {
    store.loaders.iter_mut().find(|loader| loader.id == *id).ok_or_else(no_loader)
}

fn no_chunk() -> Error {
    Error::NotFound("The document store has no such chunk.".to_owned())
}
