//! Collections of passages with their vectors: searched in memory as long as they fit, changed as a whole.

use super::places;
use crate::app::App;
use crate::boards::indexes::IndexKey;
use crate::cards::kit::{Edit, Library};
use crate::domain::cancel::Cancel;
use crate::domain::collection::Collection;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{CollectionId, NamespaceId, WorkspaceId};
use crate::limits::{
    COLLECTION_BLOCKS_AT_ONCE, COLLECTION_BYTES_MAX, COLLECTION_ROWS_MAX, COLLECTIONS_MAX, INDEX_BYTES_MAX,
};
use crate::store::{WriteTx, collections, passage_records};
use crate::vectors::{Best, Block, Hit, Index, Misfit, RowId};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, PoisonError};
use uuid::Uuid;

/// How often a search begins anew because the collection changed while it was read.
const TRIES_MAX: usize = 5;

/// The collections of a workspace, for one run.
pub struct Shelves<'a> {
    app: &'a App,
    workspace: WorkspaceId,
    cancel: Cancel,
}

impl<'a> Shelves<'a> {
    /// The collections of `workspace`.
    #[must_use]
    pub const fn new(app: &'a App, workspace: WorkspaceId, cancel: Cancel) -> Self {
        Self { app, workspace, cancel }
    }

    /// A change of what is kept: a fill that outlives its flow outlives its workspace too, and leaves nothing there.
    fn write<T>(&self, f: impl Fn(&WriteTx) -> Result<T>) -> Result<T> {
        self.app.store.write(|tx| {
            places::must_stand(tx, &self.workspace)?;
            f(tx)
        })
    }

    fn head(&self, id: &CollectionId) -> Result<Option<Collection>> {
        self.app.store.read_but_messages(|tx| collections::head(tx, &self.workspace, id))
    }

    /// Hands each block to `each`; false when the collection is not any more what `head` says.
    fn blocks(
        &self,
        id: &CollectionId,
        head: &Collection,
        mut each: impl FnMut(u64, Block) -> Result<()>,
    ) -> Result<bool> {
        self.app.store.read_but_messages(|tx| {
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
    fn index(&self, id: &CollectionId, head: &Collection) -> Result<Option<Arc<Index>>> {
        let mut content = [0; 32];
        content[..16].copy_from_slice(head.stamp.as_bytes());
        let key = IndexKey { workspace: self.workspace, owner: *id.bytes(), content };
        let mut is_same = true;
        let index = self.app.boards.indexes.get(key, &self.cancel, || {
            let mut index = Index::default();
            is_same = self.blocks(id, head, |_, block| {
                index.add(block);
                Ok(())
            })?;
            if is_same { Ok(index) } else { Err(Error::Cancelled) }
        });
        if is_same { index.map(Some) } else { Ok(None) }
    }

    /// As [`Library::nearest`]; `None` when the collection changed meanwhile.
    fn try_nearest(
        &self,
        id: &CollectionId,
        head: &Collection,
        query: &[f32],
        most: usize,
        fits: Option<&dyn Fn(&str) -> bool>,
    ) -> Result<Option<Vec<Hit>>> {
        if head.bytes <= INDEX_BYTES_MAX {
            let Some(index) = self.index(id, head)? else { return Ok(None) };
            return index.nearest(query, most, fits).map(Some).map_err(unlike);
        }
        // What is too large to be kept is read for each question, a block at a time.
        let mut best = Best::of(query, most);
        let whole = self.blocks(id, head, |_, block| best.look(&block, fits).map_err(unlike))?;
        Ok(whole.then(|| best.found()))
    }
}

fn unlike(misfit: Misfit) -> Error {
    Error::Failed(format!("The collection was filled with other embeddings: {misfit}. Fill it again."))
}

impl Library for Shelves<'_> {
    fn collection(&self, id: &CollectionId) -> Result<Option<Collection>> {
        self.head(id)
    }

    fn names(&self, id: &CollectionId) -> Result<HashSet<RowId>> {
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
    ) -> Result<Vec<Hit>> {
        for _ in 0..TRIES_MAX {
            let Some(head) = self.head(id)? else { return Ok(Vec::new()) };
            if let Some(hits) = self.try_nearest(id, &head, query, most, fits)? {
                return Ok(hits);
            }
        }
        Err(changes_too_fast())
    }

    fn change(&self, id: &CollectionId, edit: &Edit<'_>) -> Result<Collection> {
        // One at a time: what a change stores before it counts is not swept away by another one.
        let _turn = self.app.boards.collection_writes.lock().unwrap_or_else(PoisonError::into_inner);
        let before = self.head(id)?;
        let next = before.as_ref().map_or(0, |head| head.next);
        let draft = self.draft(id, before.as_ref(), edit)?;
        self.write(|tx| collections::sweep(tx, &self.workspace, id, next))?;
        let mut number = next;
        for some in draft.new.chunks(COLLECTION_BLOCKS_AT_ONCE) {
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
            blocks: draft.kept.into_iter().chain(next..number).collect(),
            next: number,
            stamp: Uuid::new_v4(),
            changed: self.app.clock.now(),
        };
        self.write(|tx| {
            if before.is_none() && collections::count(tx, &self.workspace)? >= COLLECTIONS_MAX {
                return Err(Error::Failed(format!(
                    "The workspace has {COLLECTIONS_MAX} collections, which are the most it can have."
                )));
            }
            collections::settle(tx, &self.workspace, id, before.as_ref(), &after)
        })?;
        self.app.boards.indexes.forget(&self.workspace, id.bytes());
        Ok(after)
    }

    fn records(&self, namespace: &NamespaceId) -> Result<HashMap<RowId, String>> {
        self.app.store.read_but_messages(|tx| passage_records::all(tx, &self.workspace, namespace))
    }

    fn change_records(
        &self,
        namespace: &NamespaceId,
        put: &[(RowId, String)],
        remove: &[RowId],
    ) -> Result<()> {
        self.write(|tx| passage_records::change(tx, &self.workspace, namespace, put, remove))
    }
}

/// What a changed collection is made of.
#[derive(Default)]
struct Draft {
    /// Numbers of blocks that stay as they are.
    kept: Vec<u64>,
    new: Vec<Block>,
    dimensions: usize,
    rows: usize,
    bytes: usize,
}

impl Draft {
    fn count(&mut self, block: &Block) {
        self.rows += block.len();
        self.bytes += block.bytes();
        self.dimensions = block.dimensions();
    }
}

impl Shelves<'_> {
    /// Blocks that lose no row stay; the last one that is not full takes the first of the new rows.
    fn draft(&self, id: &CollectionId, before: Option<&Collection>, edit: &Edit<'_>) -> Result<Draft> {
        let mut draft = Draft::default();
        let mut open = Block::default();
        let old = before.filter(|head| !edit.clear && head.space == edit.space);
        if let Some(head) = old {
            let replaced: HashSet<&RowId> = edit.add.iter().map(|row| &row.id).collect();
            let goes = |name: &RowId| edit.remove.contains(name) || replaced.contains(name);
            let last = head.blocks.last().copied();
            let whole = self.blocks(id, head, |number, block| {
                let is_touched = (0..block.len()).any(|row| goes(block.id(row)));
                let takes_more = Some(number) == last && block.bytes() < Block::BYTES / 2;
                if !is_touched && !takes_more {
                    draft.count(&block);
                    draft.kept.push(number);
                    return Ok(());
                }
                let block = block.retained(|name| !goes(name));
                if open.is_empty() {
                    open = block;
                } else if open.bytes() + block.bytes() <= Block::BYTES {
                    open.append(&block).map_err(unlike)?;
                } else {
                    draft.count(&open);
                    draft.new.push(std::mem::replace(&mut open, block));
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
                draft.new.push(std::mem::take(&mut open));
            }
            open.push(row).map_err(unlike)?;
        }
        if !open.is_empty() {
            draft.count(&open);
            draft.new.push(open);
        }
        if draft.rows > COLLECTION_ROWS_MAX || draft.bytes > COLLECTION_BYTES_MAX {
            return Err(Error::Failed(format!(
                "A collection holds at most {COLLECTION_ROWS_MAX} passages and {} GB.",
                COLLECTION_BYTES_MAX >> 30
            )));
        }
        if draft.new.iter().any(|block| block.dimensions() != draft.dimensions) {
            return Err(Error::Failed("The vectors of a collection must have one length.".to_owned()));
        }
        Ok(draft)
    }
}

/// Removes a collection inside a transaction of its owner; what is in memory is forgotten by [`forget`].
///
/// # Errors
/// When the database cannot be written.
pub fn remove(tx: &WriteTx, workspace: &WorkspaceId, id: &CollectionId) -> Result<()> {
    collections::remove(tx, workspace, id).map(drop)
}

/// Frees the memory of a collection.
pub fn forget(app: &App, workspace: &WorkspaceId, id: &CollectionId) {
    app.boards.indexes.forget(workspace, id.bytes());
}

fn changes_too_fast() -> Error {
    Error::Failed("The collection changes faster than it can be read.".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::OrganizationId;
    use crate::domain::user::Workspace;
    use crate::store::tables::WORKSPACES;
    use crate::vectors::Row;

    fn row(number: u32) -> Row {
        let mut id = RowId::default();
        id[..4].copy_from_slice(&number.to_le_bytes());
        let vector = (0..64).map(|at| if at == number % 64 { 1.0 } else { number as f32 / 1e6 }).collect();
        Row { id, vector, text: format!("row {number} {}", "x".repeat(2_000)) }
    }

    fn rows(numbers: std::ops::Range<u32>) -> Vec<Row> {
        numbers.map(row).collect()
    }

    fn edit<'e>(add: &'e [Row], remove: &'e HashSet<RowId>) -> Edit<'e> {
        Edit { name: "c", space: [1; 32], clear: false, add, remove }
    }

    fn place(app: &App) -> (Shelves<'_>, CollectionId) {
        let (id, created) = (WorkspaceId::random(), app.clock.now());
        let (organization, name) = (OrganizationId::random(), "Here".to_owned());
        let here = Workspace { id, organization, name, description: String::new(), created, updated: None };
        app.store.write(|tx| WORKSPACES.put(tx, &id, &here)).unwrap();
        (Shelves::new(app, id, Cancel::new(None)), CollectionId::random())
    }

    fn nearest(shelves: &Shelves<'_>, id: &CollectionId, number: u32) -> String {
        let hits = shelves.nearest(id, &row(number).vector, 1, None).unwrap();
        hits.first().map_or_else(String::new, |hit| hit.text.split(" x").next().unwrap().to_owned())
    }

    #[test]
    fn a_collection_holds_exactly_what_its_changes_leave() {
        let (_folder, app) = App::temporary();
        let (shelves, id) = place(&app);
        let none = HashSet::new();
        let mut expected: HashSet<RowId> = HashSet::new();
        for (add, remove) in [(0..2_000, 0..0), (2_000..2_001, 5..900), (10..30, 1_990..2_001), (0..0, 0..0)]
        {
            let add = rows(add);
            let remove: HashSet<RowId> = rows(remove).iter().map(|row| row.id).collect();
            expected.retain(|name| !remove.contains(name));
            expected.extend(add.iter().map(|row| row.id));
            let head = shelves.change(&id, &edit(&add, &remove)).unwrap();
            assert_eq!(shelves.names(&id).unwrap(), expected);
            assert_eq!((head.rows, head.dimensions), (expected.len(), 64));
            assert_eq!(shelves.collection(&id).unwrap().unwrap(), head);
        }
        assert_eq!(nearest(&shelves, &id, 20), "row 20");
        let head = shelves.change(&id, &Edit { clear: true, ..edit(&rows(7..8), &none) }).unwrap();
        assert_eq!((head.rows, head.blocks.len()), (1, 1));
        assert_eq!(nearest(&shelves, &id, 7), "row 7");
        let emptied = shelves.change(&id, &Edit { clear: true, ..edit(&[], &none) }).unwrap();
        assert_eq!((emptied.rows, emptied.bytes), (0, 0));
        assert_eq!(nearest(&shelves, &id, 7), "");
    }

    #[test]
    fn rows_of_another_space_go_with_the_change() {
        let (_folder, app) = App::temporary();
        let (shelves, id) = place(&app);
        let none = HashSet::new();
        shelves.change(&id, &edit(&rows(0..5), &none)).unwrap();
        let head = shelves.change(&id, &Edit { space: [2; 32], ..edit(&rows(9..10), &none) }).unwrap();
        assert_eq!(head.rows, 1);
    }

    #[test]
    fn a_change_that_broke_off_is_not_seen_and_its_blocks_go_with_the_next_one() {
        let (_folder, app) = App::temporary();
        let (shelves, id) = place(&app);
        let none = HashSet::new();
        let head = shelves.change(&id, &edit(&rows(0..3), &none)).unwrap();
        let left = Index::of(&rows(50..1_500)).unwrap();
        let bytes: Vec<Vec<u8>> = left.blocks().iter().map(|block| block.to_bytes()).collect();
        app.store.write(|tx| collections::stage(tx, &shelves.workspace, &id, head.next, &bytes)).unwrap();
        assert!(["row 0", "row 1", "row 2"].contains(&nearest(&shelves, &id, 60).as_str()));
        assert_eq!(shelves.names(&id).unwrap().len(), 3);
        let last = head.next + bytes.len() as u64 - 1;
        let has = |number| app.store.read(|tx| collections::block(tx, &shelves.workspace, &id, number));
        assert!(has(last).is_ok());
        shelves.change(&id, &edit(&rows(3..4), &none)).unwrap();
        assert!(has(last).is_err(), "swept");
        assert_eq!(shelves.names(&id).unwrap().len(), 4);
    }

    #[test]
    fn a_change_that_is_cancelled_changes_nothing() {
        let (_folder, app) = App::temporary();
        let (shelves, id) = place(&app);
        let none = HashSet::new();
        shelves.change(&id, &edit(&rows(0..3), &none)).unwrap();
        shelves.cancel.cancel(crate::domain::cancel::Reason::CallerLeft);
        assert!(shelves.change(&id, &edit(&rows(3..1_000), &none)).is_err());
        let later = Shelves::new(&app, shelves.workspace, Cancel::new(None));
        assert_eq!(later.names(&id).unwrap().len(), 3);
    }

    #[test]
    fn searches_during_changes_see_one_state_or_the_next() {
        let (_folder, app) = App::temporary();
        let (shelves, id) = place(&app);
        let none = HashSet::new();
        let fill = |from: u32| {
            let rows = rows(from..from + 700);
            let edit = Edit { clear: true, ..edit(&rows, &none) };
            shelves.change(&id, &edit).unwrap();
        };
        fill(0);
        std::thread::scope(|scope| {
            let writer = scope.spawn(|| (1..12).for_each(|round| fill(round % 2 * 1_000)));
            while !writer.is_finished() {
                let found = shelves.nearest(&id, &row(1).vector, 700, None).unwrap();
                let is_new = |hit: &&Hit| u32::from_le_bytes(hit.id[..4].try_into().unwrap()) >= 1_000;
                let new = found.iter().filter(is_new).count();
                assert!(found.len() == 700 && (new == 0 || new == 700), "{new}");
            }
        });
    }

    #[test]
    fn a_workspace_does_not_see_the_collections_of_another() {
        let (_folder, app) = App::temporary();
        let (shelves, id) = place(&app);
        shelves.change(&id, &edit(&rows(0..3), &HashSet::new())).unwrap();
        let (other, _) = place(&app);
        assert!(other.collection(&id).unwrap().is_none());
        assert!(other.nearest(&id, &row(1).vector, 3, None).unwrap().is_empty());
    }
}
