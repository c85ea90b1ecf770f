//! Collections of vectors: a head, and blocks of about a megabyte that are read and written whole.
//!
//! New blocks are stored before the head names them, some at a time, so that a large change holds no other writer up.
//! A crash leaves blocks that no head names; the next change of the collection removes them.

use super::keys::{self, KeyRange};
use super::tables::{COLLECTION_BLOCKS, COLLECTIONS};
use super::tx::{Tx, WriteTx};
use crate::domain::collection::Collection;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{CollectionId, WorkspaceId};
use crate::vectors::Block;

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

/// Removes what an interrupted change left behind: every block from `number` on.
///
/// # Errors
/// When the database cannot be written.
pub fn sweep(tx: &WriteTx, workspace: &WorkspaceId, id: &CollectionId, number: u64) -> Result<()> {
    let range = KeyRange::between(&keys::block(workspace, id, number), &keys::block(workspace, id, u64::MAX));
    tx.remove_range(COLLECTION_BLOCKS, &range).map(drop)
}

/// Makes a head the one that counts and removes the blocks that only the head before named.
///
/// # Errors
/// When the database cannot be written.
pub fn settle(
    tx: &WriteTx,
    workspace: &WorkspaceId,
    id: &CollectionId,
    before: Option<&Collection>,
    after: &Collection,
) -> Result<()> {
    let unused = before.into_iter().flat_map(|head| &head.blocks);
    for number in unused.filter(|number| !after.blocks.contains(number)) {
        tx.remove(COLLECTION_BLOCKS, &keys::block(workspace, id, *number))?;
    }
    COLLECTIONS.put(tx, workspace, id, after)
}

/// Removes a collection; false when there was none.
///
/// # Errors
/// When the database cannot be written.
pub fn remove(tx: &WriteTx, workspace: &WorkspaceId, id: &CollectionId) -> Result<bool> {
    sweep(tx, workspace, id, 0)?;
    COLLECTIONS.remove(tx, workspace, id)
}

/// Removes all collections of a workspace, whatever made them.
///
/// # Errors
/// When the database cannot be written.
pub fn remove_workspace(tx: &WriteTx, workspace: &WorkspaceId) -> Result<()> {
    tx.remove_range(COLLECTION_BLOCKS, &KeyRange::prefix(workspace.bytes()))?;
    COLLECTIONS.clear(tx, workspace)
}

/// How many collections a workspace has.
///
/// # Errors
/// When the database cannot be read.
pub fn count(tx: &impl Tx, workspace: &WorkspaceId) -> Result<usize> {
    COLLECTIONS.count(tx, workspace)
}
