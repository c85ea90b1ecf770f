//! Collections of vectors: a head, and blocks of about a megabyte that are read and written whole.
//!
//! New blocks are stored before the head names them, some at a time, so that a large change holds no other writer up.
//! A crash leaves blocks that no head names; the next change of the collection removes them. What goes is unlinked and noted
//! in one commit, and removed some blocks at a time afterwards, if need be after the next start.

use crate::domain::error::{Error, Result};
use crate::domain::ids::{CollectionId, WorkspaceId};
use crate::domain::knowledge::collection::{Collection, UnlinkedBlocks};
use crate::limits::COLLECTION_BLOCKS_AT_ONCE;
use crate::store::keys::{self, KeyRange};
use crate::store::tables::{COLLECTION_BLOCKS, COLLECTIONS, UNLINKED_BLOCKS};
use crate::store::transaction::{Order, Tx, WriteTx};
use crate::vectors::Block;
use std::collections::HashSet;
use std::ops::ControlFlow;

/// The head of a collection.
///
/// # Errors
/// When the database cannot be read.
pub fn head(tx: &impl Tx, workspace: &WorkspaceId, id: &CollectionId) -> Result<Option<Collection>> {
    COLLECTIONS.get(tx, workspace, id)
}

/// One of its blocks.
///
/// # Errors
/// When the database cannot be read, or the block is not there or damaged.
pub fn block(tx: &impl Tx, workspace: &WorkspaceId, id: &CollectionId, number: u64) -> Result<Block> {
    let read = |bytes: &[u8]| Block::from_bytes(bytes).map_err(Error::internal);
    tx.get_with(COLLECTION_BLOCKS, &keys::block(workspace, id, number), read)?
        .ok_or_else(|| Error::internal("a block of a collection is missing"))
}

/// Stores blocks that no head names yet, from `number` on.
///
/// # Errors
/// When the database cannot be written.
pub fn stage(
    tx: &WriteTx,
    workspace: &WorkspaceId,
    id: &CollectionId,
    number: u64,
    blocks: &[Vec<u8>],
) -> Result<()> {
    let rows = blocks.iter().zip(number..).map(|(block, number)| (keys::block(workspace, id, number), block));
    tx.put_all(COLLECTION_BLOCKS, rows)
}

/// Removes some of what an interrupted change left behind, which is every block from `number` on; false when that was the
/// last of it.
///
/// # Errors
/// When the database cannot be written.
pub fn remove_staged(tx: &WriteTx, workspace: &WorkspaceId, id: &CollectionId, number: u64) -> Result<bool> {
    remove_batch(tx, &blocks_from(workspace, id, number))
}

fn blocks_from(workspace: &WorkspaceId, id: &CollectionId, number: u64) -> KeyRange {
    KeyRange::between(&keys::block(workspace, id, number), &keys::block(workspace, id, u64::MAX))
}

/// Removes the first blocks of a range; true when there may be more.
fn remove_batch(tx: &WriteTx, range: &KeyRange) -> Result<bool> {
    let mut found = Vec::new();
    tx.scan_keys(COLLECTION_BLOCKS, range, Order::Ascending, |key| {
        found.push(key.to_vec());
        let is_full = found.len() >= COLLECTION_BLOCKS_AT_ONCE;
        Ok(if is_full { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    for key in &found {
        tx.remove(COLLECTION_BLOCKS, key)?;
    }
    Ok(found.len() >= COLLECTION_BLOCKS_AT_ONCE)
}

fn has_any(tx: &impl Tx, range: &KeyRange) -> Result<bool> {
    let mut is_there = false;
    tx.scan_keys(COLLECTION_BLOCKS, range, Order::Ascending, |_| {
        is_there = true;
        Ok(ControlFlow::Break(()))
    })?;
    Ok(is_there)
}

/// Makes a head the one that counts, and leaves the blocks that only the head before named to [`delete_batch`].
///
/// # Errors
/// When the collection was removed meanwhile, or the database cannot be written.
pub fn set_head(
    tx: &WriteTx,
    workspace: &WorkspaceId,
    id: &CollectionId,
    before: Option<&Collection>,
    after: &Collection,
) -> Result<()> {
    let was_removed = UNLINKED_BLOCKS.get(tx, &unlinked_key(workspace, Some(id)))?.is_some()
        || UNLINKED_BLOCKS.get(tx, &unlinked_key(workspace, None))?.is_some();
    if was_removed {
        return Err(removed_meanwhile());
    }
    let kept: HashSet<u64> = after.blocks.iter().copied().collect();
    let unused = before.into_iter().flat_map(|head| &head.blocks).copied();
    let unused: Vec<u64> = unused.filter(|number| !kept.contains(number)).collect();
    if !unused.is_empty() {
        note_unlinked(tx, workspace, Some(id), Some(unused))?;
    }
    COLLECTIONS.put(tx, workspace, id, after)
}

/// What whoever fills a collection is told that somebody removes.
pub fn removed_meanwhile() -> Error {
    Error::RunFailed("The collection was removed while it was being filled.".to_owned())
}

/// The key of the unlinked blocks of a collection, or of a whole workspace.
fn unlinked_key(workspace: &WorkspaceId, id: Option<&CollectionId>) -> [u8; 32] {
    let mut key = [0; 32];
    key[..16].copy_from_slice(workspace.bytes());
    key[16..].copy_from_slice(id.map_or(&[0; 16], |id| id.bytes()));
    key
}

fn note_unlinked(
    tx: &WriteTx,
    workspace: &WorkspaceId,
    id: Option<&CollectionId>,
    blocks: Option<Vec<u64>>,
) -> Result<()> {
    let unlinked = UnlinkedBlocks { workspace: *workspace, collection: id.copied(), blocks };
    UNLINKED_BLOCKS.put(tx, &unlinked_key(workspace, id), &unlinked)
}

/// Removes a collection; its blocks are left to [`delete_batch`].
///
/// # Errors
/// When the database cannot be written.
pub fn remove(tx: &WriteTx, workspace: &WorkspaceId, id: &CollectionId) -> Result<()> {
    COLLECTIONS.remove(tx, workspace, id)?;
    if has_any(tx, &blocks_from(workspace, id, 0))? {
        note_unlinked(tx, workspace, Some(id), None)?;
    }
    Ok(())
}

/// Removes all collections of a workspace, whatever made them; their blocks are left to [`delete_batch`].
///
/// # Errors
/// When the database cannot be written.
pub fn remove_workspace(tx: &WriteTx, workspace: &WorkspaceId) -> Result<()> {
    COLLECTIONS.clear(tx, workspace)?;
    if has_any(tx, &KeyRange::prefix(workspace.bytes()))? {
        note_unlinked(tx, workspace, None, None)?;
    }
    Ok(())
}

/// Removes some of the unlinked blocks of a collection, or of a deleted workspace; false when none is left.
///
/// # Errors
/// When the database cannot be written.
pub fn delete_batch(tx: &WriteTx, workspace: &WorkspaceId, id: Option<&CollectionId>) -> Result<bool> {
    let key = unlinked_key(workspace, id);
    let Some(mut unlinked) = UNLINKED_BLOCKS.get(tx, &key)? else { return Ok(false) };
    let more = match (&mut unlinked.blocks, id) {
        (Some(numbers), Some(id)) => {
            let rest = numbers.split_off(numbers.len().min(COLLECTION_BLOCKS_AT_ONCE));
            for number in std::mem::replace(numbers, rest) {
                tx.remove(COLLECTION_BLOCKS, &keys::block(workspace, id, number))?;
            }
            !numbers.is_empty()
        }
        (_, Some(id)) => remove_batch(tx, &blocks_from(workspace, id, 0))?,
        (_, None) => remove_batch(tx, &KeyRange::prefix(workspace.bytes()))?,
    };
    if more && unlinked.blocks.is_some() {
        UNLINKED_BLOCKS.put(tx, &key, &unlinked)?;
    }
    if !more {
        UNLINKED_BLOCKS.remove(tx, &key)?;
    }
    Ok(more)
}

/// All blocks that were unlinked and are still to be removed.
///
/// # Errors
/// When the database cannot be read.
pub fn unlinked_blocks(tx: &impl Tx) -> Result<Vec<UnlinkedBlocks>> {
    UNLINKED_BLOCKS.list(tx)
}

/// The heads of all collections of a workspace.
///
/// # Errors
/// When the database cannot be read.
pub fn heads(tx: &impl Tx, workspace: &WorkspaceId) -> Result<Vec<(CollectionId, Collection)>> {
    COLLECTIONS.entries(tx, workspace)
}
