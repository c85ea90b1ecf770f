//! The write-ahead log: what was acknowledged is there after a kill at any moment, and nothing else is.
//!
//! A kill is played by copying the files of a running store: what its process holds in memory is not in the copy.

use crate::store::migrations::v7_checksums::tests::downgrade;
use crate::store::queries::timeline;
use crate::store::tables::{COUNTERS, FLOW_TIMELINE, MESSAGES, META};
use crate::store::wal::segment::{SEGMENT_BYTES, SEGMENT_RECORDS_MAX};
use crate::store::*;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::ops::ControlFlow;
use std::path::PathBuf;

type Rows = BTreeMap<Vec<u8>, Vec<u8>>;

/// The store, with a log in use: the first change after a clean end goes into the database itself.
fn open(folder: &Path) -> Store {
    let store = opened(folder).unwrap();
    store.write(|tx| tx.put(FLOW_TIMELINE, b"begun", b"1")).unwrap();
    store
}

fn opened(folder: &Path) -> std::result::Result<Store, OpenError> {
    Store::open(&folder.join("test.redb"))
}

/// Opens a folder whose log holds less than it did, and expects words that name its files and what to do.
fn is_refused(folder: &Path) -> String {
    let refused = opened(folder).err().expect("it must not be opened");
    assert!(matches!(refused, OpenError::Log(_)), "{refused}");
    let text = refused.to_string();
    assert!(text.contains("test.journal2") && text.contains("test.journal.lost"), "{text}");
    text
}

/// Opens it with what can be read, as somebody who has no backup does.
fn given_up(folder: &Path) -> Store {
    is_refused(folder);
    let lost = folder.join("test.journal.lost");
    fs::write(&lost, "").unwrap();
    let store = opened(folder).unwrap();
    assert!(!lost.exists(), "it gives up one fault and not the next");
    drop(store);
    // What could be read is in the database by now.
    for file in &Store::files(&folder.join("test.redb"))[1..] {
        let _ = fs::remove_file(file);
    }
    opened(folder).unwrap()
}

fn journal(folder: &Path) -> PathBuf {
    folder.join("test.journal")
}

/// The files as a kill at this moment leaves them. A checkpoint may be writing them, so they are read until nothing changed
/// between two times.
pub(in crate::store) fn killed(folder: &Path) -> tempfile::TempDir {
    let mut files = contents(folder);
    loop {
        let again = contents(folder);
        if again == files {
            break;
        }
        files = again;
    }
    let copy = tempfile::tempdir().unwrap();
    for (name, content) in files {
        fs::write(copy.path().join(name), content).unwrap();
    }
    copy
}

/// The files of a folder; the copy of an upgrade lies in a folder of its own.
fn contents(folder: &Path) -> BTreeMap<OsString, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let entries = entries.filter(|entry| entry.file_type().unwrap().is_file());
    entries.map(|entry| (entry.file_name(), fs::read(entry.path()).unwrap())).collect()
}

fn put(store: &Store, key: &str, value: &[u8]) {
    store.write(|tx| tx.put(MESSAGES, key.as_bytes(), value)).unwrap();
}

fn rows(store: &Store) -> Rows {
    let mut rows = Rows::new();
    let read = |key: &[u8], value: &[u8]| {
        rows.insert(key.to_vec(), value.to_vec());
        Ok(ControlFlow::Continue(()))
    };
    store.read_messages(|tx| tx.scan(MESSAGES, &KeyRange::all(), Order::Ascending, read)).unwrap();
    rows
}

#[test]
fn what_was_acknowledged_is_there_after_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    for round in 0..20 {
        put(&store, &format!("{round}"), &[round; 100]);
        let copy = killed(folder.path());
        // Opened twice: reading the log again must not depend on its having been read before.
        for _ in 0..2 {
            let again = killed(copy.path());
            assert_eq!(rows(&open(again.path())), rows(&store), "{round}");
        }
    }
    assert!(journal(folder.path()).metadata().unwrap().len() == SEGMENT_BYTES);
}

#[test]
fn a_full_journal_is_begun_anew() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    for round in 0..60 {
        put(&store, &format!("{round}"), &vec![round; 30_000]);
        if round % 7 == 0 {
            assert_eq!(rows(&open(killed(folder.path()).path())), rows(&store), "{round}");
        }
    }
    put(&store, "longer than a journal", &vec![1; 1_500_000]);
    put(&store, "after it", b"1");
    for number in 0..SEGMENT_RECORDS_MAX + 20 {
        put(&store, "many small ones", &number.to_be_bytes());
    }
    assert_eq!(rows(&open(killed(folder.path()).path())), rows(&store));
    assert!(journal(folder.path()).metadata().unwrap().len() == SEGMENT_BYTES);
}

#[test]
fn a_record_that_is_not_whole_ends_the_journal() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    put(&store, "first", b"1");
    let before = fs::read(journal(folder.path())).unwrap();
    put(&store, "second", b"2");
    let after = fs::read(journal(folder.path())).unwrap();
    let changed: Vec<_> = (0..after.len()).filter(|at| before[*at] != after[*at]).collect();
    let whole = rows(&store);
    let first = Rows::from([(b"first".to_vec(), b"1".to_vec())]);
    for at in &changed {
        let copy = killed(folder.path());
        let mut bytes = after.clone();
        bytes[*at] ^= 1;
        fs::write(journal(copy.path()), &bytes).unwrap();
        let store = open(copy.path());
        assert_eq!(rows(&store), first, "byte {at}");
        // The next record takes the place of the torn one.
        put(&store, "third", b"3");
        assert_eq!(rows(&open(killed(copy.path()).path())).len(), 2, "byte {at}");
    }
    for length in [changed[0], *changed.last().unwrap()] {
        let copy = killed(folder.path());
        fs::write(journal(copy.path()), &after[..length]).unwrap();
        let store = open(copy.path());
        assert_eq!(rows(&store), first, "cut at {length}");
        put(&store, "third", b"3");
        assert!(rows(&open(killed(copy.path()).path())).contains_key(b"third".as_slice()));
    }
    assert_eq!(rows(&open(killed(folder.path()).path())), whole);
}

#[test]
fn a_store_that_was_closed_needs_no_journal() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    put(&store, "a", b"1");
    drop(store);
    fs::remove_file(journal(folder.path())).unwrap();
    let store = opened(folder.path()).unwrap();
    assert_eq!(rows(&store).len(), 1);
    store.write(|tx| tx.remove(MESSAGES, b"a")).unwrap();
    drop(store);
    assert_eq!(rows(&open(folder.path())), Rows::new());
}

#[test]
fn a_journal_in_use_that_is_gone_emptied_or_another_one_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let other = fs::read(journal(folder.path())).unwrap();
    store.write(|tx| tx.put(META, b"large", &vec![0; 2_000_000])).unwrap();
    put(&store, "a", b"1");
    let in_use = folder.path().join("test.journal2");
    let whole = fs::read(&in_use).unwrap();
    let damages: [&dyn Fn(&Path); 5] = [
        &|path| fs::remove_file(path).unwrap(),
        &|path| fs::write(path, b"").unwrap(),
        &|path| fs::write(path, &whole[..20]).unwrap(),
        &|path| fs::write(path, vec![0; whole.len()]).unwrap(),
        &|path| fs::write(path, &other).unwrap(),
    ];
    for damage in damages {
        let copy = killed(folder.path());
        damage(&copy.path().join("test.journal2"));
        let text = is_refused(copy.path());
        assert!(text.contains("missing"), "{text}");
        assert_eq!(rows(&given_up(copy.path())), Rows::new());
    }
    assert_eq!(rows(&open(killed(folder.path()).path())).len(), 1);
}

#[test]
fn a_record_that_whole_ones_follow_is_damaged_and_the_others_can_be_kept() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let mut ends = vec![fs::read(journal(folder.path())).unwrap()];
    for key in ["first", "second", "third"] {
        put(&store, key, b"1");
        ends.push(fs::read(journal(folder.path())).unwrap());
    }
    let whole = ends.last().unwrap();
    for (number, key) in ["first", "second"].into_iter().enumerate() {
        let changed: Vec<_> =
            (0..whole.len()).filter(|at| ends[number][*at] != ends[number + 1][*at]).collect();
        for at in changed.into_iter().step_by(5) {
            let copy = killed(folder.path());
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            fs::write(journal(copy.path()), &bytes).unwrap();
            assert!(is_refused(copy.path()).contains("and 2 can"), "byte {at}");
            let found = rows(&given_up(copy.path()));
            assert_eq!((found.len(), found.contains_key(key.as_bytes())), (2, false), "byte {at}");
        }
    }
}

#[test]
fn a_full_journal_misses_the_file_that_goes_on_from_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    put(&store, "in the full one", b"1");
    store.engine.switch_segment_if_possible();
    put(&store, "in the other one", b"2");
    put(&store, "and another", b"3");
    let next = folder.path().join("test.journal2");
    let whole = fs::read(&next).unwrap();
    let of_both = rows(&open(killed(folder.path()).path()));
    assert_eq!(of_both.len(), 3);
    // Where only what leads from one segment to the other is damaged, every change can still be read.
    for (damage, readable) in [(None, 1), (Some(0), 3), (Some(30), 3), (Some(60), 2)] {
        let copy = killed(folder.path());
        let next = copy.path().join("test.journal2");
        match damage {
            None => fs::remove_file(&next).unwrap(),
            Some(at) => {
                let mut bytes = whole.clone();
                bytes[at] ^= 1;
                fs::write(&next, &bytes).unwrap();
            }
        }
        let kept = rows(&given_up(copy.path()));
        assert!(kept.contains_key(b"in the full one".as_slice()), "{damage:?}");
        assert_eq!(kept.len(), readable, "{damage:?}");
    }
    // The full one lacks its end, which the other one shows.
    let copy = killed(folder.path());
    let bytes = fs::read(journal(copy.path())).unwrap();
    let end = bytes.iter().rposition(|byte| *byte != 0).unwrap();
    fs::write(journal(copy.path()), &bytes[..end - 60]).unwrap();
    assert_eq!(rows(&given_up(copy.path())).len(), 2);
}

#[test]
fn after_a_flush_beside_it_the_journal_is_missed_as_well() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    put(&store, "a", b"1");
    store.engine.switch_segment_if_possible();
    put(&store, "b", b"2");
    store.write_group.checkpoint(&store.engine).unwrap();
    let copy = killed(folder.path());
    fs::remove_file(copy.path().join("test.journal2")).unwrap();
    assert_eq!(rows(&given_up(copy.path())).len(), 2);
    let copy = killed(folder.path());
    fs::remove_file(journal(copy.path())).unwrap();
    assert_eq!(rows(&opened(copy.path()).unwrap()).len(), 2, "the full one is needed no more");
}

#[test]
fn a_counter_is_never_put_back() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let count = |store: &Store| store.read_messages(timeline::next_sequence).unwrap();
    let set = |to: u64| {
        store.write(|tx| tx.put(COUNTERS, b"messages", &to.to_be_bytes())).unwrap();
    };
    set(7);
    set(5);
    assert_eq!(count(&open(killed(folder.path()).path())), 7);
}

#[test]
fn a_database_that_was_put_back_forgets_what_came_after() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    put(&store, "kept", b"1");
    drop(store);
    let database = folder.path().join("test.redb");
    let older = fs::read(&database).unwrap();
    for _ in 0..3 {
        let store = open(folder.path());
        put(&store, "later", b"2");
        put(&store, "kept", b"3");
        drop(store);
        fs::write(&database, &older).unwrap();
        assert_eq!(
            rows(&open(killed(folder.path()).path())),
            Rows::from([(b"kept".to_vec(), b"1".to_vec())])
        );
    }
}

#[test]
fn the_journal_of_another_database_does_not_count() {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (one, other) = (open(here.path()), open(there.path()));
    put(&one, "one", b"1");
    put(&other, "other", b"2");
    let mixed = killed(here.path());
    fs::copy(journal(there.path()), journal(mixed.path())).unwrap();
    assert_eq!(rows(&given_up(mixed.path())), Rows::new());
    let started_empty = tempfile::tempdir().unwrap();
    fs::copy(journal(there.path()), journal(started_empty.path())).unwrap();
    assert_eq!(rows(&open(started_empty.path())), Rows::new());
}

#[test]
fn a_database_from_before_the_journal_is_brought_forward() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    put(&store, "kept", b"1");
    drop(store);
    downgrade(&folder.path().join("test.redb"), 1);
    let file = redb::Database::open(folder.path().join("test.redb")).unwrap();
    let tx = file.begin_write().unwrap();
    tx.open_table(META).unwrap().remove(b"journal".as_slice()).unwrap();
    tx.commit().unwrap();
    drop(file);
    fs::remove_file(journal(folder.path())).unwrap();
    let store = open(folder.path());
    put(&store, "new", b"2");
    assert_eq!(rows(&open(killed(folder.path()).path())).len(), 2);
}

#[test]
fn a_journal_of_an_older_format_is_made_again_before_it_is_brought_forward() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    put(&store, "in the journal", b"1");
    put(&store, "too", b"2");
    let copy = killed(folder.path());
    downgrade(&copy.path().join("test.redb"), 6);
    let store = opened(copy.path()).unwrap();
    assert_eq!(rows(&store).len(), 2);
    assert_eq!(store.verify(&|| false).unwrap().damages, []);
}

#[test]
fn without_room_for_a_journal_the_database_takes_every_change() {
    let folder = tempfile::tempdir().unwrap();
    let store = opened(folder.path()).unwrap();
    for file in &Store::files(&folder.path().join("test.redb"))[1..] {
        fs::create_dir(file).unwrap();
    }
    put(&store, "a", b"1");
    let copy = tempfile::tempdir().unwrap();
    fs::copy(folder.path().join("test.redb"), copy.path().join("test.redb")).unwrap();
    assert_eq!(rows(&opened(copy.path()).unwrap()).len(), 1);
}

#[cfg(unix)]
#[test]
fn the_journal_is_for_its_owner_only() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    put(&open(folder.path()), "a", b"1");
    assert_eq!(journal(folder.path()).metadata().unwrap().permissions().mode() & 0o777, 0o600);
}

/// One change of an operation.
#[derive(Debug, Clone)]
enum Step {
    Put(u8, Vec<u8>),
    Remove(u8),
    RemovePrefix(u8),
    RemoveAll,
}

fn step() -> impl Strategy<Value = Step> {
    let key = || 0_u8..12;
    prop_oneof![
        6 => (key(), prop::collection::vec(any::<u8>(), 0..40)).prop_map(|(key, value)| Step::Put(key, value)),
        3 => key().prop_map(Step::Remove),
        1 => key().prop_map(Step::RemovePrefix),
        1 => Just(Step::RemoveAll),
    ]
}

fn run(tx: &WriteTx, step: &Step) -> Result<()> {
    match step {
        Step::Put(key, value) => tx.put(MESSAGES, &[*key, *key], value),
        Step::Remove(key) => tx.remove(MESSAGES, &[*key, *key]).map(drop),
        Step::RemovePrefix(key) => tx.remove_range(MESSAGES, &KeyRange::prefix(&[*key])).map(drop),
        Step::RemoveAll => tx.remove_range(MESSAGES, &KeyRange::all()).map(drop),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever is written, whenever the store is killed, closed or opened again: the rows are those of the running
    /// store, also beside changes of other tables and operations that failed.
    #[test]
    fn a_kill_at_any_moment_changes_nothing(
        operations in prop::collection::vec((prop::collection::vec(step(), 1..5), 0_u8..6), 1..12)
    ) {
        let mut folder = tempfile::tempdir().unwrap();
        let mut store = open(folder.path());
        for (steps, then) in &operations {
            store.write(|tx| {
                steps.iter().try_for_each(|step| run(tx, step))?;
                tx.put(FLOW_TIMELINE, b"other", &[*then])
            }).unwrap();
            let failed: Result<()> = store.write(|tx| {
                steps.iter().try_for_each(|step| run(tx, step))?;
                Err(crate::domain::error::Error::invalid("no"))
            });
            prop_assert!(failed.is_err());
            let expected = rows(&store);
            match then {
                0 => {
                    drop(store);
                    store = open(folder.path());
                }
                1 | 2 => {
                    let copy = killed(folder.path());
                    drop(store);
                    folder = copy;
                    store = open(folder.path());
                }
                _ => {}
            }
            prop_assert_eq!(&rows(&store), &expected);
        }
    }
}
