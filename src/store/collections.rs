//! Collections of vectors: a head, and blocks of about a megabyte that are read and written whole.
//!
//! New blocks are stored before the head names them, some at a time, so that a large change holds no other writer up.
//! A crash leaves blocks that no head names; the next change of the collection removes them. What goes is unnamed in one
//! commit, noted as left over there, and removed some blocks at a time afterwards, if need be after the next start.

use super::keys::{self, KeyRange};
use super::tables::{COLLECTION_BLOCKS, COLLECTIONS, LEFTOVERS};
use super::tx::{Order, Tx, WriteTx};
use crate::domain::collection::{Collection, Leftover};
use crate::domain::error::{Error, Result};
use crate::domain::ids::{CollectionId, WorkspaceId};
use crate::limits::COLLECTION_BLOCKS_AT_ONCE;
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
    tx.look(COLLECTION_BLOCKS, &keys::block(workspace, id, number), read)?
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
pub fn sweep(tx: &WriteTx, workspace: &WorkspaceId, id: &CollectionId, number: u64) -> Result<bool> {
    remove_some(tx, &blocks_from(workspace, id, number))
}

fn blocks_from(workspace: &WorkspaceId, id: &CollectionId, number: u64) -> KeyRange {
    KeyRange::between(&keys::block(workspace, id, number), &keys::block(workspace, id, u64::MAX))
}

/// Removes the first blocks of a range; true when there may be more.
fn remove_some(tx: &WriteTx, range: &KeyRange) -> Result<bool> {
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

fn has_some(tx: &impl Tx, range: &KeyRange) -> Result<bool> {
    let mut is_there = false;
    tx.scan_keys(COLLECTION_BLOCKS, range, Order::Ascending, |_| {
        is_there = true;
        Ok(ControlFlow::Break(()))
    })?;
    Ok(is_there)
}

/// Makes a head the one that counts, and leaves the blocks that only the head before named to [`clear_some`].
///
/// # Errors
/// When the collection was removed meanwhile, or the database cannot be written.
pub fn settle(
    tx: &WriteTx,
    workspace: &WorkspaceId,
    id: &CollectionId,
    before: Option<&Collection>,
    after: &Collection,
) -> Result<()> {
    let was_removed = LEFTOVERS.get(tx, &leftover_key(workspace, Some(id)))?.is_some()
        || LEFTOVERS.get(tx, &leftover_key(workspace, None))?.is_some();
    if was_removed {
        return Err(Error::Failed("The collection was removed while it was being filled.".to_owned()));
    }
    let kept: HashSet<u64> = after.blocks.iter().copied().collect();
    let unused = before.into_iter().flat_map(|head| &head.blocks).copied();
    let unused: Vec<u64> = unused.filter(|number| !kept.contains(number)).collect();
    if !unused.is_empty() {
        leave(tx, workspace, Some(id), Some(unused))?;
    }
    COLLECTIONS.put(tx, workspace, id, after)
}

/// The key of what is left over of a collection, or of a whole workspace.
fn leftover_key(workspace: &WorkspaceId, id: Option<&CollectionId>) -> [u8; 32] {
    let mut key = [0; 32];
    key[..16].copy_from_slice(workspace.bytes());
    key[16..].copy_from_slice(id.map_or(&[0; 16], |id| id.bytes()));
    key
}

fn leave(
    tx: &WriteTx,
    workspace: &WorkspaceId,
    id: Option<&CollectionId>,
    blocks: Option<Vec<u64>>,
) -> Result<()> {
    let leftover = Leftover { workspace: *workspace, collection: id.copied(), blocks };
    LEFTOVERS.put(tx, &leftover_key(workspace, id), &leftover)
}

/// Removes a collection; its blocks are left to [`clear_some`].
///
/// # Errors
/// When the database cannot be written.
pub fn remove(tx: &WriteTx, workspace: &WorkspaceId, id: &CollectionId) -> Result<()> {
    COLLECTIONS.remove(tx, workspace, id)?;
    if has_some(tx, &blocks_from(workspace, id, 0))? {
        leave(tx, workspace, Some(id), None)?;
    }
    Ok(())
}

/// Removes all collections of a workspace, whatever made them; their blocks are left to [`clear_some`].
///
/// # Errors
/// When the database cannot be written.
pub fn remove_workspace(tx: &WriteTx, workspace: &WorkspaceId) -> Result<()> {
    COLLECTIONS.clear(tx, workspace)?;
    if has_some(tx, &KeyRange::prefix(workspace.bytes()))? {
        leave(tx, workspace, None, None)?;
    }
    Ok(())
}

/// Removes some of what is left over of a collection, or of a deleted workspace; false when nothing is left of it.
///
/// # Errors
/// When the database cannot be written.
pub fn clear_some(tx: &WriteTx, workspace: &WorkspaceId, id: Option<&CollectionId>) -> Result<bool> {
    let key = leftover_key(workspace, id);
    let Some(mut leftover) = LEFTOVERS.get(tx, &key)? else { return Ok(false) };
    let more = match (&mut leftover.blocks, id) {
        (Some(numbers), Some(id)) => {
            let rest = numbers.split_off(numbers.len().min(COLLECTION_BLOCKS_AT_ONCE));
            for number in std::mem::replace(numbers, rest) {
                tx.remove(COLLECTION_BLOCKS, &keys::block(workspace, id, number))?;
            }
            !numbers.is_empty()
        }
        (_, Some(id)) => remove_some(tx, &blocks_from(workspace, id, 0))?,
        (_, None) => remove_some(tx, &KeyRange::prefix(workspace.bytes()))?,
    };
    if more && leftover.blocks.is_some() {
        LEFTOVERS.put(tx, &key, &leftover)?;
    }
    if !more {
        LEFTOVERS.remove(tx, &key)?;
    }
    Ok(more)
}

/// All that is left over.
///
/// # Errors
/// When the database cannot be read.
pub fn leftovers(tx: &impl Tx) -> Result<Vec<Leftover>> {
    LEFTOVERS.list(tx)
}

/// The heads of all collections of a workspace.
///
/// # Errors
/// When the database cannot be read.
pub fn heads(tx: &impl Tx, workspace: &WorkspaceId) -> Result<Vec<(CollectionId, Collection)>> {
    COLLECTIONS.entries(tx, workspace)
}
