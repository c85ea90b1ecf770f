//! Collections of chunks with their vectors: searched in memory as long as they fit, changed as a whole.

use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::cards::kit::{CollectionEdit, Collections};
use crate::domain::conversations::conversation::Conversation;
use crate::domain::conversations::uploads::{ChunkUsage, StoragePermit};
use crate::domain::error::{Error, Result};
use crate::domain::ids::{CollectionId, NamespaceId, WorkspaceId};
use crate::domain::knowledge::collection::Collection;
use crate::limits::{COLLECTION_BLOCKS_AT_ONCE, COLLECTION_ROWS_MAX, INDEX_BYTES_MAX};
use crate::ops::accounts::membership;
use crate::ops::conversations::chunks;
use crate::state::vector_indexes::IndexKey;
use crate::store::WriteTx;
use crate::store::queries::{chunk_records, collections};
use crate::vectors::{Block, BlockError, RowId, SearchHit, TopK, VectorIndex};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, MutexGuard, PoisonError};
use uuid::Uuid;

/// Bytes of one collection: vectors, chunks and their metadata (manual 14.8).
const COLLECTION_BYTES_MAX: usize = 4 * 1024 * 1024 * 1024;
/// How often a search begins anew because the collection changed while it was read.
const TRIES_MAX: usize = 5;
/// Collections that are removed in one commit.
const UNLINKED_AT_ONCE: usize = 16;

/// The collections of a workspace, for one run.
pub struct WorkspaceCollections<'a> {
    app: &'a App,
    workspace: WorkspaceId,
    cancel: CancelToken,
}

impl<'a> WorkspaceCollections<'a> {
    /// The collections of `workspace`.
    #[must_use]
    pub const fn new(app: &'a App, workspace: WorkspaceId, cancel: CancelToken) -> Self {
        Self { app, workspace, cancel }
    }

    /// A change of what is kept: an upsert that outlives its flow outlives its workspace too, and leaves nothing there.
    fn write<T>(&self, f: impl Fn(&WriteTx) -> Result<T>) -> Result<T> {
        self.app.store.write(|tx| {
            membership::require_workspace(tx, &self.workspace)?;
            f(tx)
        })
    }

    fn head(&self, id: &CollectionId) -> Result<Option<Collection>> {
        self.app.store.read(|tx| collections::head(tx, &self.workspace, id))
    }

    /// Hands each block to `each`; false when the collection is not any more what `head` says.
    fn blocks(
        &self,
        id: &CollectionId,
        head: &Collection,
        mut each: impl FnMut(u64, Block) -> Result<()>,
    ) -> Result<bool> {
        self.app.store.read(|tx| {
            if collections::head(tx, &self.workspace, id)?.is_none_or(|now| now.stamp != head.stamp) {
                return Ok(false);
            }
            for number in &head.blocks {
                if self.cancel.reason().is_some() {
                    return Err(Error::Cancelled);
                }
                each(*number, collections::block(tx, &self.workspace, id, *number)?)?;
            }
            Ok(true)
        })
    }

    /// The collection in memory; `None` when it changed meanwhile.
    fn index(&self, id: &CollectionId, head: &Collection) -> Result<Option<Arc<VectorIndex>>> {
        let mut content = [0; 32];
        content[..16].copy_from_slice(head.stamp.as_bytes());
        let key = IndexKey { workspace: self.workspace, owner: *id.bytes(), content };
        let mut is_same = true;
        let index = self.app.state.vector_indexes.get_or_build(key, &self.cancel, || {
            let mut index = VectorIndex::default();
            is_same = self.blocks(id, head, |_, block| {
                index.add(block);
                Ok(())
            })?;
            if is_same { Ok(index) } else { Err(Error::Cancelled) }
        });
        if is_same { index.map(Some) } else { Ok(None) }
    }

    /// As [`Collections::nearest`]; `None` when the collection changed meanwhile.
    fn try_nearest(
        &self,
        id: &CollectionId,
        head: &Collection,
        query: &[f32],
        most: usize,
        fits: Option<&dyn Fn(&str) -> bool>,
    ) -> Result<Option<Vec<SearchHit>>> {
        if head.bytes <= INDEX_BYTES_MAX {
            let Some(index) = self.index(id, head)? else { return Ok(None) };
            return index.nearest(query, most, fits).map(Some).map_err(dimension_error);
        }
        // What is too large to be kept is read for each question, a block at a time.
        let mut best = TopK::new(query, most);
        let whole = self.blocks(id, head, |_, block| best.scan(&block, fits).map_err(dimension_error))?;
        Ok(whole.then(|| best.into_hits()))
    }
}

fn dimension_error(misfit: BlockError) -> Error {
    Error::RunFailed(format!("The collection was filled with other embeddings: {misfit}. Fill it again."))
}

impl Collections for WorkspaceCollections<'_> {
    fn collection(&self, id: &CollectionId) -> Result<Option<Collection>> {
        self.head(id)
    }

    fn row_ids(&self, id: &CollectionId) -> Result<HashSet<RowId>> {
        for _ in 0..TRIES_MAX {
            let Some(head) = self.head(id)? else { return Ok(HashSet::new()) };
            let mut names = HashSet::with_capacity(head.rows);
            let whole = self.blocks(id, &head, |_, block| {
                names.extend((0..block.len()).map(|row| *block.id(row)));
                Ok(())
            })?;
            if whole {
                return Ok(names);
            }
        }
        Err(changes_too_fast())
    }

    fn nearest(
        &self,
        id: &CollectionId,
        query: &[f32],
        most: usize,
        fits: Option<&dyn Fn(&str) -> bool>,
    ) -> Result<Vec<SearchHit>> {
        for _ in 0..TRIES_MAX {
            let Some(head) = self.head(id)? else { return Ok(Vec::new()) };
            if let Some(hits) = self.try_nearest(id, &head, query, most, fits)? {
                return Ok(hits);
            }
        }
        Err(changes_too_fast())
    }

    fn reserve(&self, conversation: &Conversation, elsewhere: ChunkUsage) -> Result<StoragePermit> {
        chunks::reserve(self.app, &self.workspace, conversation, elsewhere)
    }

    fn require_valid(&self, leave: &StoragePermit) -> Result<()> {
        self.app.store.read(|tx| chunks::require_valid(tx, &self.workspace, leave))
    }

    fn change(&self, id: &CollectionId, edit: &CollectionEdit<'_>) -> Result<Collection> {
        // One at a time: what a change stores before it counts is not swept away by another one.
        let turn = CollectionLock::acquire(self.app);
        self.delete_unlinked(Some(id), &turn)?;
        let before = self.head(id)?;
        let next = before.as_ref().map_or(0, |head| head.next);
        let draft = self.rebuild(id, before.as_ref(), edit)?;
        while self.write(|tx| collections::remove_staged(tx, &self.workspace, id, next))? {
            if self.cancel.reason().is_some() {
                return Err(Error::Cancelled);
            }
        }
        let mut number = next;
        for some in draft.new_blocks.chunks(COLLECTION_BLOCKS_AT_ONCE) {
            if self.cancel.reason().is_some() {
                return Err(Error::Cancelled);
            }
            let bytes: Vec<Vec<u8>> = some.iter().map(Block::to_bytes).collect();
            self.write(|tx| collections::stage(tx, &self.workspace, id, number, &bytes))?;
            number += some.len() as u64;
        }
        let after = Collection {
            name: edit.name.to_owned(),
            space: edit.space,
            dimensions: draft.dimensions,
            rows: draft.rows,
            bytes: draft.bytes,
            blocks: draft.unchanged_blocks.into_iter().chain(next..number).collect(),
            next: number,
            stamp: Uuid::new_v4(),
            changed: self.app.clock.now(),
            conversation: edit.conversation.map(|leave| leave.conversation),
        };
        self.write(|tx| {
            if let Some(leave) = &edit.conversation {
                chunks::require_valid(tx, &self.workspace, leave)?;
            }
            chunks::check_quota(tx, &self.workspace, before.as_ref(), &after)?;
            collections::set_head(tx, &self.workspace, id, before.as_ref(), &after)
        })?;
        self.app.state.vector_indexes.evict(&self.workspace, id.bytes());
        // The change counts; what it left over would go with the next one too.
        log_failure(self.delete_unlinked(Some(id), &turn));
        Ok(after)
    }

    fn records(&self, namespace: &NamespaceId) -> Result<HashMap<RowId, String>> {
        self.app.store.read(|tx| chunk_records::all(tx, &self.workspace, namespace))
    }

    fn change_records(
        &self,
        namespace: &NamespaceId,
        put: &[(RowId, String)],
        remove: &[RowId],
    ) -> Result<()> {
        self.write(|tx| chunk_records::update(tx, &self.workspace, namespace, put, remove))
    }
}

/// What a changed collection is made of.
#[derive(Default)]
struct Rebuild {
    /// Numbers of blocks that stay as they are.
    unchanged_blocks: Vec<u64>,
    new_blocks: Vec<Block>,
    dimensions: usize,
    rows: usize,
    bytes: usize,
}

impl Rebuild {
    fn count(&mut self, block: &Block) {
        self.rows += block.len();
        self.bytes += block.bytes();
        self.dimensions = block.dimensions();
    }
}

impl WorkspaceCollections<'_> {
    /// Removes what is left over of a collection, or of all that the workspace had: some in each commit, between which
    /// others write. For those who hold the lock.
    fn delete_unlinked(&self, id: Option<&CollectionId>, turn: &CollectionLock<'_>) -> Result<()> {
        while turn.delete_batch(&self.workspace, id)? {}
        Ok(())
    }

    /// All of a collection as it is, but for its last block where that takes more rows. No other block is read.
    fn reopen(&self, id: &CollectionId, head: &Collection) -> Result<(Rebuild, Block)> {
        let mut draft = Rebuild {
            unchanged_blocks: head.blocks.clone(),
            new_blocks: Vec::new(),
            dimensions: head.dimensions,
            rows: head.rows,
            bytes: head.bytes,
        };
        let Some(last) = head.blocks.last() else { return Ok((draft, Block::default())) };
        let block = self.app.store.read(|tx| collections::block(tx, &self.workspace, id, *last))?;
        if block.bytes() >= Block::BYTES / 2 {
            return Ok((draft, Block::default()));
        }
        draft.unchanged_blocks.pop();
        draft.rows -= block.len();
        draft.bytes -= block.bytes();
        Ok((draft, block))
    }

    /// Blocks that lose no row stay; the last one that is not full takes the first of the new rows.
    fn rebuild(
        &self,
        id: &CollectionId,
        before: Option<&Collection>,
        edit: &CollectionEdit<'_>,
    ) -> Result<Rebuild> {
        let mut draft = Rebuild::default();
        let mut open = Block::default();
        let old = before.filter(|head| !edit.clear && head.space == edit.space);
        let is_all_new = edit.remove.is_empty() && old.is_some_and(|head| edit.absent_at == Some(head.stamp));
        if let Some(head) = old.filter(|_| is_all_new) {
            (draft, open) = self.reopen(id, head)?;
        } else if let Some(head) = old {
            let replaced: HashSet<&RowId> = edit.add.iter().map(|row| &row.id).collect();
            let goes = |name: &RowId| edit.remove.contains(name) || replaced.contains(name);
            let last = head.blocks.last().copied();
            let whole = self.blocks(id, head, |number, block| {
                let is_touched = (0..block.len()).any(|row| goes(block.id(row)));
                let takes_more = Some(number) == last && block.bytes() < Block::BYTES / 2;
                if !is_touched && !takes_more {
                    draft.count(&block);
                    draft.unchanged_blocks.push(number);
                    return Ok(());
                }
                let block = block.filter(|name| !goes(name));
                if open.is_empty() {
                    open = block;
                } else if open.bytes() + block.bytes() <= Block::BYTES {
                    open.append(&block).map_err(dimension_error)?;
                } else {
                    draft.count(&open);
                    draft.new_blocks.push(std::mem::replace(&mut open, block));
                }
                Ok(())
            })?;
            if !whole {
                return Err(Error::internal("a collection changed although it was locked"));
            }
        }
        for row in edit.add {
            if !open.has_room(row.vector.len(), row.text.len()) {
                draft.count(&open);
                draft.new_blocks.push(std::mem::take(&mut open));
            }
            open.push(row).map_err(dimension_error)?;
        }
        if !open.is_empty() {
            draft.count(&open);
            draft.new_blocks.push(open);
        }
        if draft.rows > COLLECTION_ROWS_MAX || draft.bytes > COLLECTION_BYTES_MAX {
            return Err(Error::RunFailed(format!(
                "A collection holds at most {COLLECTION_ROWS_MAX} chunks and {} GB.",
                COLLECTION_BYTES_MAX >> 30
            )));
        }
        if draft.new_blocks.iter().any(|block| block.dimensions() != draft.dimensions) {
            return Err(Error::RunFailed("The vectors of a collection must have one length.".to_owned()));
        }
        Ok(draft)
    }
}

/// Removes a collection inside a transaction of its owner; [`release`] follows it.
///
/// # Errors
/// When the database cannot be written.
pub fn unlink(tx: &WriteTx, workspace: &WorkspaceId, id: &CollectionId) -> Result<()> {
    collections::remove(tx, workspace, id)
}

/// Frees the memory and the blocks of a collection that was removed.
pub fn release(app: &App, workspace: &WorkspaceId, id: &CollectionId) {
    app.state.vector_indexes.evict(workspace, id.bytes());
    log_failure(delete_unlinked(app, workspace, Some(id), &CancelToken::new(None)));
}

/// As [`release`], for all collections of a workspace that was deleted.
pub fn release_workspace(app: &App, workspace: &WorkspaceId) {
    app.state.vector_indexes.evict_workspace(workspace);
    log_failure(delete_unlinked(app, workspace, None, &CancelToken::new(None)));
}

/// Removes what an earlier process left over.
///
/// # Errors
/// When the database cannot be read or written.
pub fn delete_leftovers(app: &App, cancel: &CancelToken) -> Result<()> {
    for leftover in app.store.read(collections::unlinked_blocks)? {
        delete_unlinked(app, &leftover.workspace, leftover.collection.as_ref(), cancel)?;
    }
    Ok(())
}

/// As [`WorkspaceCollections::delete_unlinked`], taking the lock for each commit.
fn delete_unlinked(
    app: &App,
    workspace: &WorkspaceId,
    id: Option<&CollectionId>,
    cancel: &CancelToken,
) -> Result<()> {
    while CollectionLock::acquire(app).delete_batch(workspace, id)? {
        if cancel.reason().is_some() {
            break;
        }
    }
    Ok(())
}

/// The right to change collections, which one thread has at a time. Whoever has it hands it on to what needs it, and calls
/// nothing that waits for one of its own: [`release`], [`release_workspace`], [`delete_leftovers`].
pub(in crate::ops) struct CollectionLock<'a> {
    app: &'a App,
    _guard: MutexGuard<'a, ()>,
}

impl<'a> CollectionLock<'a> {
    pub(in crate::ops) fn acquire(app: &'a App) -> Self {
        Self { app, _guard: app.state.collection_writes.lock().unwrap_or_else(PoisonError::into_inner) }
    }

    fn delete_batch(&self, workspace: &WorkspaceId, id: Option<&CollectionId>) -> Result<bool> {
        self.app.store.write(|tx| collections::delete_batch(tx, workspace, id))
    }

    /// Removes collections from all lists, some in each commit; [`release`] follows once this is over.
    pub(in crate::ops) fn unlink(&self, workspace: &WorkspaceId, gone: &[CollectionId]) -> Result<()> {
        for some in gone.chunks(UNLINKED_AT_ONCE) {
            self.app
                .store
                .write(|tx| some.iter().try_for_each(|id| collections::remove(tx, workspace, id)))?;
        }
        Ok(())
    }
}

/// What is not removed now is left over for the next start.
fn log_failure(cleared: Result<()>) {
    cleared.unwrap_or_else(|error| {
        tracing::warn!(error = error.for_log(), "blocks of a collection were not removed");
    });
}

fn changes_too_fast() -> Error {
    Error::RunFailed("The collection changes faster than it can be read.".to_owned())
}

#[cfg(test)]
#[path = "collections_tests.rs"]
mod tests;
