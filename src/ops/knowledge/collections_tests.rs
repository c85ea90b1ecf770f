//! Collections: what changes leave, what searches see of them, and how they go.

use super::*;
use crate::cards::kit::RowSpool;
use crate::domain::accounts::user::Workspace;
use crate::domain::ids::OrganizationId;
use crate::store::tables::WORKSPACES;
use crate::vectors::VectorRow;

fn row(number: u32) -> VectorRow {
    let mut id = RowId::default();
    id[..4].copy_from_slice(&number.to_le_bytes());
    let vector = (0..64).map(|at| if at == number % 64 { 1.0 } else { number as f32 / 1e6 }).collect();
    VectorRow { id, vector, text: format!("row {number} {}", "x".repeat(2_000)) }
}

fn rows(numbers: std::ops::Range<u32>) -> Vec<VectorRow> {
    numbers.map(row).collect()
}

fn edit<'e>(add: &'e [VectorRow], remove: &'e HashSet<RowId>) -> CollectionEdit<'e> {
    let (clear, conversation, absent_at) = (false, None, None);
    let add = NewRows::Held(add);
    CollectionEdit { name: "c", space: [1; 32], clear, add, absent_at, conversation, remove }
}

fn place(app: &App) -> (WorkspaceCollections<'_>, CollectionId) {
    let (id, created) = (WorkspaceId::random(), app.clock.now());
    let (organization, name) = (OrganizationId::random(), "Here".to_owned());
    let here =
        Workspace { id, organization, name, description: String::new(), created, updated: None, quota: None };
    app.store.write(|tx| WORKSPACES.put(tx, &id, &here)).unwrap();
    (WorkspaceCollections::new(app, id, CancelToken::new(None)), CollectionId::random())
}

fn nearest(shelves: &WorkspaceCollections<'_>, id: &CollectionId, number: u32) -> String {
    let hits = shelves.nearest(id, &row(number).vector, 1, None).unwrap();
    hits.first().map_or_else(String::new, |hit| hit.text.split(" x").next().unwrap().to_owned())
}

#[test]
fn rows_that_are_known_to_be_new_are_added_as_any_others() {
    let (_folder, app) = App::temporary();
    let (shelves, id) = place(&app);
    let (twin, none) = (CollectionId::random(), HashSet::new());
    let mut stamp = None;
    for batch in 0..60 {
        let add = rows(batch * 40..(batch + 1) * 40);
        let quick = shelves.change(&id, &CollectionEdit { absent_at: stamp, ..edit(&add, &none) }).unwrap();
        let whole = shelves.change(&twin, &edit(&add, &none)).unwrap();
        stamp = Some(quick.stamp);
        let facts = |head: &Collection| (head.rows, head.bytes, head.dimensions, head.blocks.len());
        assert_eq!(facts(&quick), facts(&whole), "{batch}");
    }
    assert_eq!(shelves.row_ids(&id).unwrap(), shelves.row_ids(&twin).unwrap());
    assert_eq!(nearest(&shelves, &id, 2_345), "row 2345");
    // Who knows an older state of it knows nothing: the rows take the place of those of their ids.
    let again = rows(0..10);
    let stale = CollectionEdit { absent_at: Some(Uuid::new_v4()), ..edit(&again, &none) };
    assert_eq!(shelves.change(&id, &stale).unwrap().rows, 2_400);
}

#[test]
fn a_collection_holds_exactly_what_its_changes_leave() {
    let (_folder, app) = App::temporary();
    let (shelves, id) = place(&app);
    let none = HashSet::new();
    let mut expected: HashSet<RowId> = HashSet::new();
    for (add, remove) in [(0..2_000, 0..0), (2_000..2_001, 5..900), (10..30, 1_990..2_001), (0..0, 0..0)] {
        let add = rows(add);
        let remove: HashSet<RowId> = rows(remove).iter().map(|row| row.id).collect();
        expected.retain(|name| !remove.contains(name));
        expected.extend(add.iter().map(|row| row.id));
        let head = shelves.change(&id, &edit(&add, &remove)).unwrap();
        assert_eq!(shelves.row_ids(&id).unwrap(), expected);
        assert_eq!((head.rows, head.dimensions), (expected.len(), 64));
        assert_eq!(shelves.collection(&id).unwrap().unwrap(), head);
    }
    assert_eq!(nearest(&shelves, &id, 20), "row 20");
    let head = shelves.change(&id, &CollectionEdit { clear: true, ..edit(&rows(7..8), &none) }).unwrap();
    assert_eq!((head.rows, head.blocks.len()), (1, 1));
    assert_eq!(nearest(&shelves, &id, 7), "row 7");
    let emptied = shelves.change(&id, &CollectionEdit { clear: true, ..edit(&[], &none) }).unwrap();
    assert_eq!((emptied.rows, emptied.bytes), (0, 0));
    assert_eq!(nearest(&shelves, &id, 7), "");
}

#[test]
fn rows_of_another_space_go_with_the_change() {
    let (_folder, app) = App::temporary();
    let (shelves, id) = place(&app);
    let none = HashSet::new();
    shelves.change(&id, &edit(&rows(0..5), &none)).unwrap();
    let head = shelves.change(&id, &CollectionEdit { space: [2; 32], ..edit(&rows(9..10), &none) }).unwrap();
    assert_eq!(head.rows, 1);
}

#[test]
fn rows_that_waited_in_a_file_count_as_those_at_hand() {
    let (_folder, app) = App::temporary();
    let (shelves, id) = place(&app);
    let (twin, none) = (CollectionId::random(), HashSet::new());
    let (first, more) = (rows(0..700), rows(650..2_000));
    let mut spool = RowSpool::default();
    for row in &more {
        spool.push(row, || shelves.spool()).unwrap();
    }
    let spooled = spool.finish(|| shelves.spool()).unwrap();
    let gone: HashSet<RowId> = rows(0..10).iter().map(|row| row.id).collect();
    for place in [&id, &twin] {
        shelves.change(place, &edit(&first, &none)).unwrap();
    }
    let waited = CollectionEdit { add: NewRows::Spooled(&spooled), ..edit(&[], &gone) };
    let waited = shelves.change(&id, &waited).unwrap();
    let held = shelves.change(&twin, &edit(&more, &gone)).unwrap();
    assert_eq!((waited.rows, waited.dimensions), (held.rows, held.dimensions));
    assert_eq!(shelves.row_ids(&id).unwrap(), shelves.row_ids(&twin).unwrap());
    let found = |place| shelves.nearest(place, &row(1_234).vector, 5, None).unwrap();
    let texts = |place| found(place).into_iter().map(|hit| hit.text).collect::<Vec<_>>();
    assert_eq!(texts(&id), texts(&twin));
}

#[test]
fn a_change_that_fails_keeps_none_of_its_blocks() {
    let (_folder, app) = App::temporary();
    let (shelves, id) = place(&app);
    let none = HashSet::new();
    let head = shelves.change(&id, &edit(&rows(0..3), &none)).unwrap();
    let mut many = rows(10..9_000);
    many.push(VectorRow { vector: vec![1.0], ..row(9_000) });
    assert!(shelves.change(&id, &edit(&many, &none)).is_err());
    assert!(!is_there(&app, &shelves, &id, head.next), "some were stored by then");
    assert_eq!((shelves.row_ids(&id).unwrap().len(), nearest(&shelves, &id, 2)), (3, "row 2".to_owned()));
}

#[test]
fn a_change_that_broke_off_is_not_seen_and_its_blocks_go_with_the_next_one() {
    let (_folder, app) = App::temporary();
    let (shelves, id) = place(&app);
    let none = HashSet::new();
    let head = shelves.change(&id, &edit(&rows(0..3), &none)).unwrap();
    let left = VectorIndex::from_rows(&rows(50..1_500)).unwrap();
    let bytes: Vec<Vec<u8>> = left.blocks().iter().map(|block| block.to_bytes()).collect();
    app.store.write(|tx| collections::stage(tx, &shelves.workspace, &id, head.next, &bytes)).unwrap();
    assert!(["row 0", "row 1", "row 2"].contains(&nearest(&shelves, &id, 60).as_str()));
    assert_eq!(shelves.row_ids(&id).unwrap().len(), 3);
    let last = head.next + bytes.len() as u64 - 1;
    let has = |number| app.store.read(|tx| collections::block(tx, &shelves.workspace, &id, number));
    assert!(has(last).is_ok());
    shelves.change(&id, &edit(&rows(3..4), &none)).unwrap();
    assert!(has(last).is_err(), "swept");
    assert_eq!(shelves.row_ids(&id).unwrap().len(), 4);
}

#[test]
fn a_change_that_is_cancelled_changes_nothing() {
    let (_folder, app) = App::temporary();
    let (shelves, id) = place(&app);
    let none = HashSet::new();
    shelves.change(&id, &edit(&rows(0..3), &none)).unwrap();
    shelves.cancel.cancel(crate::base::cancel::CancelReason::CallerLeft);
    assert!(shelves.change(&id, &edit(&rows(3..1_000), &none)).is_err());
    let later = WorkspaceCollections::new(&app, shelves.workspace, CancelToken::new(None));
    assert_eq!(later.row_ids(&id).unwrap().len(), 3);
}

#[test]
fn searches_during_changes_see_one_state_or_the_next() {
    let (_folder, app) = App::temporary();
    let (shelves, id) = place(&app);
    let none = HashSet::new();
    let fill = |from: u32| {
        let rows = rows(from..from + 700);
        let edit = CollectionEdit { clear: true, ..edit(&rows, &none) };
        shelves.change(&id, &edit).unwrap();
    };
    fill(0);
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| (1..12).for_each(|round| fill(round % 2 * 1_000)));
        while !writer.is_finished() {
            let found = shelves.nearest(&id, &row(1).vector, 700, None).unwrap();
            let is_new = |hit: &&SearchHit| u32::from_le_bytes(hit.id[..4].try_into().unwrap()) >= 1_000;
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

/// A collection of several commits' worth of blocks.
fn large(shelves: &WorkspaceCollections<'_>, id: &CollectionId) -> Collection {
    let none = HashSet::new();
    let heavy = |row: VectorRow| VectorRow { text: row.text + &"x".repeat(100_000), ..row };
    let rows: Vec<VectorRow> = rows(0..200).into_iter().map(heavy).collect();
    let head = shelves.change(id, &edit(&rows, &none)).unwrap();
    assert!(head.blocks.len() > 2 * COLLECTION_BLOCKS_AT_ONCE, "{}", head.blocks.len());
    head
}

fn is_there(app: &App, shelves: &WorkspaceCollections<'_>, id: &CollectionId, number: u64) -> bool {
    app.store.read(|tx| collections::block(tx, &shelves.workspace, id, number)).is_ok()
}

fn left_over(app: &App) -> usize {
    app.store.read(collections::unlinked_blocks).unwrap().len()
}

#[test]
fn a_removed_collection_is_gone_at_once_and_its_blocks_some_at_a_time() {
    let (_folder, app) = App::temporary();
    let (shelves, id) = place(&app);
    let (other, workspace) = (CollectionId::random(), shelves.workspace);
    let head = large(&shelves, &id);
    shelves.change(&other, &edit(&rows(0..3), &HashSet::new())).unwrap();
    let last = *head.blocks.last().unwrap();
    app.store.write(|tx| unlink(tx, &workspace, &id)).unwrap();
    assert!(shelves.collection(&id).unwrap().is_none());
    assert!(is_there(&app, &shelves, &id, last) && left_over(&app) == 1, "a crash would leave this");
    assert!(app.store.write(|tx| collections::delete_batch(tx, &workspace, Some(&id))).unwrap());
    assert!(
        !is_there(&app, &shelves, &id, 0) && is_there(&app, &shelves, &id, last),
        "one commit of several"
    );
    delete_leftovers(&app, &CancelToken::new(None)).unwrap();
    assert!(!is_there(&app, &shelves, &id, last) && left_over(&app) == 0);
    assert_eq!(nearest(&shelves, &other, 2), "row 2");
}

#[test]
fn a_collection_is_filled_anew_before_its_old_blocks_are_gone() {
    let (_folder, app) = App::temporary();
    let (shelves, id) = place(&app);
    let head = large(&shelves, &id);
    app.store.write(|tx| unlink(tx, &shelves.workspace, &id)).unwrap();
    shelves.change(&id, &edit(&rows(7..8), &HashSet::new())).unwrap();
    delete_leftovers(&app, &CancelToken::new(None)).unwrap();
    assert_eq!((nearest(&shelves, &id, 7), left_over(&app)), ("row 7".to_owned(), 0));
    assert!(!is_there(&app, &shelves, &id, *head.blocks.last().unwrap()));
}

#[test]
fn what_a_change_replaces_is_left_over_and_removed() {
    let (_folder, app) = App::temporary();
    let (shelves, id) = place(&app);
    let none = HashSet::new();
    let before = large(&shelves, &id);
    let after = shelves.change(&id, &CollectionEdit { clear: true, ..edit(&rows(7..8), &none) }).unwrap();
    assert_eq!(left_over(&app), 0);
    assert!(before.blocks.iter().all(|number| !is_there(&app, &shelves, &id, *number)));
    // As when the process ends right behind the commit that counts.
    let again = Collection { blocks: Vec::new(), ..after.clone() };
    let settled =
        app.store.write(|tx| collections::set_head(tx, &shelves.workspace, &id, Some(&after), &again));
    settled.unwrap();
    assert!(left_over(&app) == 1 && is_there(&app, &shelves, &id, after.blocks[0]));
    delete_leftovers(&app, &CancelToken::new(None)).unwrap();
    assert!(left_over(&app) == 0 && !is_there(&app, &shelves, &id, after.blocks[0]));
}

#[test]
fn a_change_of_a_collection_that_was_removed_meanwhile_does_not_count() {
    let (_folder, app) = App::temporary();
    let (shelves, id) = place(&app);
    let head = shelves.change(&id, &edit(&rows(0..3), &HashSet::new())).unwrap();
    app.store.write(|tx| unlink(tx, &shelves.workspace, &id)).unwrap();
    let settled =
        app.store.write(|tx| collections::set_head(tx, &shelves.workspace, &id, Some(&head), &head));
    assert!(settled.is_err() && shelves.collection(&id).unwrap().is_none());
}

#[test]
fn the_collections_of_a_deleted_workspace_go_alike() {
    let (_folder, app) = App::temporary();
    let (shelves, id) = place(&app);
    let (others, kept) = place(&app);
    let head = large(&shelves, &id);
    others.change(&kept, &edit(&rows(0..3), &HashSet::new())).unwrap();
    app.store.write(|tx| collections::remove_workspace(tx, &shelves.workspace)).unwrap();
    assert!(shelves.collection(&id).unwrap().is_none() && left_over(&app) == 1);
    release_workspace(&app, &shelves.workspace);
    assert!(left_over(&app) == 0 && head.blocks.iter().all(|number| !is_there(&app, &shelves, &id, *number)));
    assert_eq!(nearest(&others, &kept, 2), "row 2");
}
