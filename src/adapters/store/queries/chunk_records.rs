//! Which chunks are in a vector store, by namespace: what a record manager remembers (manual 10.7).

use crate::domain::error::{Error, Result};
use crate::domain::ids::{NamespaceId, WorkspaceId};
use crate::store::keys::{self, KeyRange};
use crate::store::tables::CHUNK_RECORDS;
use crate::store::transaction::{Order, Tx, WriteTx};
use std::collections::HashMap;
use std::ops::ControlFlow;

/// Names a chunk by what it says.
pub(crate) type ChunkKey = [u8; 16];

/// All records of a namespace: the source of each chunk.
///
/// # Errors
/// When the database cannot be read.
pub fn all(
    tx: &impl Tx,
    workspace: &WorkspaceId,
    namespace: &NamespaceId,
) -> Result<HashMap<ChunkKey, String>> {
    let mut found = HashMap::new();
    let range = KeyRange::prefix(&keys::in_workspace(workspace, namespace));
    tx.scan(CHUNK_RECORDS, &range, Order::Ascending, |key, source| {
        let key = key.get(32..).and_then(|key| key.try_into().ok());
        let key: ChunkKey = key.ok_or_else(|| Error::internal("a record's key is too short"))?;
        found.insert(key, String::from_utf8(source.to_vec()).map_err(Error::internal)?);
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(found)
}

/// Stores and removes records.
///
/// # Errors
/// When the database cannot be written.
pub fn update(
    tx: &WriteTx,
    workspace: &WorkspaceId,
    namespace: &NamespaceId,
    put: &[(ChunkKey, String)],
    remove: &[ChunkKey],
) -> Result<()> {
    let key = |of: &ChunkKey| keys::chunk_record(workspace, namespace, of);
    if !put.is_empty() {
        tx.put_all(CHUNK_RECORDS, put.iter().map(|(of, source)| (key(of), source.as_bytes())))?;
    }
    remove.iter().try_for_each(|of| tx.remove(CHUNK_RECORDS, &key(of)).map(drop))
}

/// Removes what is remembered in a workspace.
///
/// # Errors
/// When the database cannot be written.
pub fn remove_workspace(tx: &WriteTx, workspace: &WorkspaceId) -> Result<()> {
    tx.remove_range(CHUNK_RECORDS, &KeyRange::prefix(workspace.bytes())).map(drop)
}
