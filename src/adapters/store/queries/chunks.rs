//! Chunks of document stores, each a row of its own: a page of a large store costs what the page holds, and a change
//! what changed. They are found by their store, which the caller has already found in its workspace.

use crate::domain::error::{Error, Result};
use crate::domain::ids::{ChunkId, DocumentStoreId, LoaderId};
use crate::domain::knowledge::document_store::StoredChunk;
use crate::store::keys::{self, KeyRange};
use crate::store::tables::CHUNKS;
use crate::store::transaction::{Order, Tx, WriteTx};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::ops::ControlFlow;

/// A chunk as it is stored; its ids are its key.
#[derive(Serialize, Deserialize)]
struct ChunkRecord {
    text: String,
    metadata: Map<String, Value>,
}

fn parse(id: ChunkId, value: &[u8]) -> Result<StoredChunk> {
    let ChunkRecord { text, metadata } = serde_json::from_slice(value).map_err(Error::internal)?;
    Ok(StoredChunk { id, text, metadata })
}

/// Stores chunks, each in place of one with the same id.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be written.
pub fn put(tx: &WriteTx, store: &DocumentStoreId, loader: &LoaderId, chunks: &[StoredChunk]) -> Result<()> {
    let mut rows = Vec::with_capacity(chunks.len());
    for chunk in chunks {
        let row = ChunkRecord { text: chunk.text.clone(), metadata: chunk.metadata.clone() };
        let row = serde_json::to_vec(&row).map_err(Error::internal)?;
        rows.push((keys::chunk(store, loader, &chunk.id), row));
    }
    tx.put_all(CHUNKS, rows)
}

/// One chunk.
///
/// # Errors
/// [`Error::Internal`] when the database or the chunk cannot be read.
pub fn get(
    tx: &impl Tx,
    store: &DocumentStoreId,
    loader: &LoaderId,
    chunk: &ChunkId,
) -> Result<Option<StoredChunk>> {
    tx.get_with(CHUNKS, &keys::chunk(store, loader, chunk), |value| parse(*chunk, value))
}

/// Removes a chunk; false when there is none.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be written.
pub fn remove(tx: &WriteTx, store: &DocumentStoreId, loader: &LoaderId, chunk: &ChunkId) -> Result<bool> {
    tx.remove(CHUNKS, &keys::chunk(store, loader, chunk))
}

/// Removes the chunks of a loader, or all of a store; how many there were.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be written.
pub fn clear(tx: &WriteTx, store: &DocumentStoreId, loader: Option<&LoaderId>) -> Result<usize> {
    tx.remove_range(CHUNKS, &range(store, loader))
}

/// At most `limit` chunks of these loaders of a store, after the first `skip` of them, each with its loader. What a run of a
/// pipeline keeps back until its end is of none of them.
///
/// # Errors
/// [`Error::Internal`] when the database or a chunk cannot be read.
pub fn page(
    tx: &impl Tx,
    store: &DocumentStoreId,
    loaders: &[LoaderId],
    skip: usize,
    limit: usize,
) -> Result<Vec<(LoaderId, StoredChunk)>> {
    let mut found = Vec::new();
    walk(tx, store, loaders, skip, |loader, chunk| {
        found.push((loader, chunk));
        if found.len() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    Ok(found)
}

/// Shows chunks of these loaders of a store, in their order, after the first `skip` of them, until `each` breaks off. What is
/// skipped is not read.
///
/// # Errors
/// [`Error::Internal`] when the database or a chunk cannot be read.
pub fn walk(
    tx: &impl Tx,
    store: &DocumentStoreId,
    loaders: &[LoaderId],
    skip: usize,
    mut each: impl FnMut(LoaderId, StoredChunk) -> ControlFlow<()>,
) -> Result<()> {
    let Some((first, start)) = seek(tx, store, loaders, skip)? else { return Ok(()) };
    let mut range_of_first = Some(range(store, Some(&loaders[first])).starting_at(&start));
    let mut flow = ControlFlow::Continue(());
    for loader in &loaders[first..] {
        let whole = range_of_first.take().unwrap_or_else(|| range(store, Some(loader)));
        tx.scan(CHUNKS, &whole, Order::Ascending, |key, value| {
            let Some((loader, chunk)) = keys::parse_chunk(key) else { return Ok(ControlFlow::Continue(())) };
            flow = each(loader, parse(chunk, value)?);
            Ok(flow)
        })?;
        if flow.is_break() {
            break;
        }
    }
    Ok(())
}

/// The chunk that comes after `skip` others: which of the loaders it is of, and its key.
fn seek(
    tx: &impl Tx,
    store: &DocumentStoreId,
    loaders: &[LoaderId],
    skip: usize,
) -> Result<Option<(usize, Vec<u8>)>> {
    let mut left = skip;
    for (place, loader) in loaders.iter().enumerate() {
        let mut found = None;
        tx.scan_keys(CHUNKS, &range(store, Some(loader)), Order::Ascending, |key| {
            if left > 0 {
                left -= 1;
                return Ok(ControlFlow::Continue(()));
            }
            found = Some(key.to_vec());
            Ok(ControlFlow::Break(()))
        })?;
        if let Some(key) = found {
            return Ok(Some((place, key)));
        }
    }
    Ok(None)
}

/// The chunks of a loader after one of them, or its first: `most` at the most, and no more once their texts have so many bytes.
///
/// # Errors
/// [`Error::Internal`] when the database or a chunk cannot be read.
pub fn page_after(
    tx: &impl Tx,
    store: &DocumentStoreId,
    loader: &LoaderId,
    after: Option<&ChunkId>,
    (most, bytes_most): (usize, usize),
) -> Result<Vec<StoredChunk>> {
    let whole = range(store, Some(loader));
    let range = match after {
        // The first key that is larger: the same one, longer by a byte.
        Some(after) => {
            let mut start = keys::chunk(store, loader, after).to_vec();
            start.push(0);
            whole.starting_at(&start)
        }
        None => whole,
    };
    let (mut found, mut bytes) = (Vec::new(), 0);
    tx.scan(CHUNKS, &range, Order::Ascending, |key, value| {
        let Some((_, id)) = keys::parse_chunk(key) else { return Ok(ControlFlow::Continue(())) };
        let chunk = parse(id, value)?;
        bytes += chunk.text.len();
        found.push(chunk);
        let is_full = found.len() >= most || bytes >= bytes_most;
        Ok(if is_full { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    Ok(found)
}

/// The last chunk of a loader, in the order of [`page_after`].
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub fn last(tx: &impl Tx, store: &DocumentStoreId, loader: &LoaderId) -> Result<Option<ChunkId>> {
    let mut last = None;
    tx.scan(CHUNKS, &range(store, Some(loader)), Order::Descending, |key, _| {
        last = keys::parse_chunk(key).map(|(_, id)| id);
        Ok(ControlFlow::Break(()))
    })?;
    Ok(last)
}

fn range(store: &DocumentStoreId, loader: Option<&LoaderId>) -> KeyRange {
    let mut prefix = store.bytes().to_vec();
    prefix.extend(loader.into_iter().flat_map(LoaderId::bytes));
    KeyRange::prefix(&prefix)
}
