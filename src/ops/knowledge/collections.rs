//! Collections of chunks with their vectors: searched in memory as long as they fit, changed as a whole.

use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::cards::kit::{CollectionEdit, Collections, NewRows};
use crate::domain::conversations::conversation::Conversation;
use crate::domain::conversations::uploads::{ChunkUsage, StoragePermit};
use crate::domain::error::{Error, Result};
use crate::domain::ids::{CollectionId, NamespaceId, WorkspaceId};
use crate::domain::knowledge::collection::Collection;
use crate::files::chat_files::StoreFileError;
use crate::limits::{COLLECTION_BLOCKS_AT_ONCE, COLLECTION_ROWS_MAX, INDEX_BYTES_MAX};
use crate::ops::accounts::membership;
use crate::ops::conversations::chunks;
use crate::ops::workspace::quota;
use crate::state::vector_indexes::IndexKey;
use crate::store::WriteTx;
use crate::store::queries::{chunk_records, collections};
use crate::vectors::{Block, BlockError, RowId, SearchHit, TopK, VectorIndex, VectorRow};
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io;
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
                Error::check_cancelled(&self.cancel)?;
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

    fn spool(&self) -> io::Result<File> {
        self.app.chat_files.spool().map_err(|fault| match fault {
            StoreFileError::Full(_) => io::ErrorKind::StorageFull.into(),
            StoreFileError::Io(cause) => cause,
        })
    }

    fn check_disk(&self) -> Result<()> {
        Ok(self.app.chat_files.check_disk()?)
    }

    fn change(&self, id: &CollectionId, edit: &CollectionEdit<'_>) -> Result<Collection> {
        // One at a time: what a change stores before it counts is not swept away by another one.
        let turn = CollectionLock::acquire(self.app);
        self.delete_unlinked(Some(id), &turn)?;
        let before = self.head(id)?;
        let next = before.as_ref().map_or(0, |head| head.next);
        while self.write(|tx| collections::remove_staged(tx, &self.workspace, id, next))? {
            Error::check_cancelled(&self.cancel)?;
        }
        let rebuilt = self.rebuild(id, before.as_ref(), edit).inspect_err(|fault| {
            // Whoever leaves waits for nothing: the next change removes what this one stored.
            if !matches!(fault, Error::Cancelled) {
                log_failure(self.remove_staged(id, next));
            }
        })?;
        let after = Collection {
            name: edit.name.to_owned(),
            space: edit.space,
            dimensions: rebuilt.dimensions,
            rows: rebuilt.rows,
            bytes: rebuilt.bytes,
            blocks: rebuilt.unchanged.into_iter().chain(next..rebuilt.next).collect(),
            next: rebuilt.next,
            stamp: Uuid::new_v4(),
            changed: self.app.clock.now(),
            conversation: edit.conversation.map(|leave| leave.conversation),
        };
        self.write(|tx| {
            if let Some(leave) = &edit.conversation {
                chunks::require_valid(tx, &self.workspace, leave)?;
            }
            chunks::check_quota(tx, &self.workspace, before.as_ref(), &after)?;
            quota::admit_collection(tx, &self.workspace, before.as_ref(), &after)?;
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

/// What a changed collection is made of. Its new blocks are stored some at a time, before anything names them.
struct Rebuild<'c, 'a> {
    collections: &'c WorkspaceCollections<'a>,
    id: &'c CollectionId,
    /// Numbers of blocks that stay as they are.
    unchanged: Vec<u64>,
    /// The block that takes the next rows.
    open: Block,
    /// Blocks that are stored together.
    waiting: Vec<Block>,
    /// The number of the next block that is stored.
    next: u64,
    dimensions: usize,
    rows: usize,
    bytes: usize,
}

impl<'c, 'a> Rebuild<'c, 'a> {
    fn begin(collections: &'c WorkspaceCollections<'a>, id: &'c CollectionId, next: u64) -> Self {
        let (unchanged, open, waiting) = (Vec::new(), Block::default(), Vec::new());
        Self { collections, id, unchanged, open, waiting, next, dimensions: 0, rows: 0, bytes: 0 }
    }

    fn count(&mut self, block: &Block) -> Result<()> {
        if self.rows > 0 && block.dimensions() != self.dimensions {
            return Err(Error::RunFailed("The vectors of a collection must have one length.".to_owned()));
        }
        self.rows += block.len();
        self.bytes += block.bytes();
        self.dimensions = block.dimensions();
        if self.rows > COLLECTION_ROWS_MAX || self.bytes > COLLECTION_BYTES_MAX {
            return Err(Error::RunFailed(format!(
                "A collection holds at most {COLLECTION_ROWS_MAX} chunks and {} GB.",
                COLLECTION_BYTES_MAX >> 30
            )));
        }
        Ok(())
    }

    fn put_unchanged(&mut self, number: u64, block: &Block) -> Result<()> {
        self.unchanged.push(number);
        self.count(block)
    }

    /// Adds the rows of a block to the open one, or puts it in its place.
    fn put_rows(&mut self, block: Block) -> Result<()> {
        if self.open.is_empty() {
            self.open = block;
        } else if self.open.bytes() + block.bytes() <= Block::BYTES {
            self.open.append(&block).map_err(dimension_error)?;
        } else {
            let full = std::mem::replace(&mut self.open, block);
            self.close(full)?;
        }
        Ok(())
    }

    fn put_row(&mut self, row: &VectorRow) -> Result<()> {
        if !self.open.has_room(row.vector.len(), row.text.len()) {
            let full = std::mem::take(&mut self.open);
            self.close(full)?;
        }
        self.open.push(row).map_err(dimension_error)
    }

    fn close(&mut self, block: Block) -> Result<()> {
        self.count(&block)?;
        self.waiting.push(block);
        if self.waiting.len() >= COLLECTION_BLOCKS_AT_ONCE { self.stage() } else { Ok(()) }
    }

    fn stage(&mut self) -> Result<()> {
        Error::check_cancelled(&self.collections.cancel)?;
        let bytes: Vec<Vec<u8>> = self.waiting.drain(..).map(|block| block.to_bytes()).collect();
        let workspace = &self.collections.workspace;
        self.collections.write(|tx| collections::stage(tx, workspace, self.id, self.next, &bytes))?;
        self.next += bytes.len() as u64;
        Ok(())
    }

    fn finish(mut self) -> Result<Self> {
        let last = std::mem::take(&mut self.open);
        if !last.is_empty() {
            self.close(last)?;
        }
        if !self.waiting.is_empty() {
            self.stage()?;
        }
        Ok(self)
    }
}

impl<'a> WorkspaceCollections<'a> {
    /// Removes what is left over of a collection, or of all that the workspace had: some in each commit, between which
    /// others write. For those who hold the lock.
    fn delete_unlinked(&self, id: Option<&CollectionId>, turn: &CollectionLock<'_>) -> Result<()> {
        while turn.delete_batch(&self.workspace, id)? {}
        Ok(())
    }

    /// Removes every block from `next` on.
    fn remove_staged(&self, id: &CollectionId, next: u64) -> Result<()> {
        while self.write(|tx| collections::remove_staged(tx, &self.workspace, id, next))? {}
        Ok(())
    }

    /// A block of a collection whose lock the caller has, so that nobody changes it; but somebody may remove it.
    fn locked_block(&self, id: &CollectionId, head: &Collection, number: u64) -> Result<Block> {
        Error::check_cancelled(&self.cancel)?;
        self.app.store.read(|tx| {
            if collections::head(tx, &self.workspace, id)?.is_none_or(|now| now.stamp != head.stamp) {
                return Err(collections::removed_meanwhile());
            }
            collections::block(tx, &self.workspace, id, number)
        })
    }

    /// Lets all of a collection stay as it is, but for its last block where that takes more rows. No other block is read.
    fn reopen(&self, rebuilt: &mut Rebuild<'_, 'a>, head: &Collection) -> Result<()> {
        rebuilt.unchanged.clone_from(&head.blocks);
        (rebuilt.dimensions, rebuilt.rows, rebuilt.bytes) = (head.dimensions, head.rows, head.bytes);
        let Some(last) = head.blocks.last() else { return Ok(()) };
        let block = self.locked_block(rebuilt.id, head, *last)?;
        if block.bytes() < Block::BYTES / 2 {
            rebuilt.unchanged.pop();
            rebuilt.rows -= block.len();
            rebuilt.bytes -= block.bytes();
            rebuilt.open = block;
        }
        Ok(())
    }

    /// Blocks that lose no row stay; the last one that is not full takes the first of the new rows.
    fn rebuild<'c>(
        &'c self,
        id: &'c CollectionId,
        before: Option<&Collection>,
        edit: &CollectionEdit<'_>,
    ) -> Result<Rebuild<'c, 'a>> {
        let mut rebuilt = Rebuild::begin(self, id, before.map_or(0, |head| head.next));
        let old = before.filter(|head| !edit.clear && head.space == edit.space);
        let is_all_new = edit.remove.is_empty() && old.is_some_and(|head| edit.absent_at == Some(head.stamp));
        if let Some(head) = old.filter(|_| is_all_new) {
            self.reopen(&mut rebuilt, head)?;
        } else if let Some(head) = old {
            let replaced = edit.add.ids();
            let goes = |name: &RowId| edit.remove.contains(name) || replaced.contains(name);
            let last = head.blocks.last().copied();
            for number in head.blocks.iter().copied() {
                let block = self.locked_block(id, head, number)?;
                let is_touched = (0..block.len()).any(|row| goes(block.id(row)));
                let takes_more = Some(number) == last && block.bytes() < Block::BYTES / 2;
                if is_touched || takes_more {
                    rebuilt.put_rows(block.filter(|name| !goes(name)))?;
                } else {
                    rebuilt.put_unchanged(number, &block)?;
                }
            }
        }
        match edit.add {
            NewRows::Held(rows) => rows.iter().try_for_each(|row| rebuilt.put_row(row))?,
            NewRows::Spooled(rows) => {
                for block in rows.blocks().map_err(Error::internal)? {
                    rebuilt.put_rows(block.map_err(Error::internal)?)?;
                }
            }
        }
        rebuilt.finish()
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
