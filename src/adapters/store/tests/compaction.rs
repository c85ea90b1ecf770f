//! Compaction: the file gets smaller, and whatever happens meanwhile nothing is lost.

use super::memtable::{conversation, say, settle_in};
use super::wal::killed;
use crate::domain::error::{Error, Result};
use crate::store::engine::create::{self, Placement};
use crate::store::snapshot::Snapshot;
use crate::store::tables::{LEADS, META};
use crate::store::wal::segment::SEGMENT_BYTES;
use crate::store::{KeyRange, Order as KeyOrder, Store, Tx as _, bytes_on_disk};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

/// Bytes of a row, of which several fit into a page of the database.
const ROW_BYTES: usize = 600;
const ROWS: usize = 8_000;

fn path(folder: &Path) -> PathBuf {
    folder.join("test.redb")
}

fn size(folder: &Path) -> u64 {
    bytes_on_disk(&fs::metadata(path(folder)).unwrap())
}

/// Which file has the name of the database. Its size says nothing about that: a checkpoint changes it at any time.
fn file(folder: &Path) -> u64 {
    fs::metadata(path(folder)).unwrap().ino()
}

fn key(number: usize) -> [u8; 8] {
    // Not in their order, as flows and conversations come.
    (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes()
}

fn put(store: &Store, number: usize, text: &str) {
    store.write(|tx| tx.put(LEADS, &key(number), text.as_bytes())).unwrap();
}

/// A store from which most of what it had was deleted.
fn thinned(folder: &Path) -> Store {
    let store = Store::open(&path(folder)).unwrap();
    settle_in(&store, 1);
    for part in 0..8 {
        let numbers = part * ROWS / 8..(part + 1) * ROWS / 8;
        store
            .write(|tx| {
                let row = |number| (key(number), vec![b'x'; ROW_BYTES]);
                tx.put_all(LEADS, numbers.clone().map(row).collect::<Vec<_>>())
            })
            .unwrap();
    }
    store
        .write(|tx| {
            (0..ROWS)
                .filter(|number| number % 10 != 0)
                .try_for_each(|number| tx.remove(LEADS, &key(number)).map(drop))
        })
        .unwrap();
    store
}

fn rows(store: &Store) -> BTreeMap<Vec<u8>, Vec<u8>> {
    let mut rows = BTreeMap::new();
    let read = |key: &[u8], value: &[u8]| {
        rows.insert(key.to_vec(), value.to_vec());
        Ok(ControlFlow::Continue(()))
    };
    store.read(|tx| tx.scan(LEADS, &KeyRange::all(), KeyOrder::Ascending, read)).unwrap();
    rows
}

fn compact(store: &Store, folder: &Path, go_on: &dyn Fn() -> Result<()>) -> bool {
    store.compact(&path(folder), go_on).unwrap().is_some()
}

#[test]
fn what_deletions_left_free_goes_back_to_the_disk() {
    let folder = tempfile::tempdir().unwrap();
    let store = thinned(folder.path());
    let (before, kept) = (size(folder.path()), rows(&store));
    assert_eq!(kept.len(), ROWS / 10);
    let sizes = store.compact(&path(folder.path()), &|| Ok(())).unwrap().expect("there is much to gain");
    assert!(size(folder.path()) * 3 < before, "{} after {before}", size(folder.path()));
    assert!(sizes.after * 3 < sizes.before, "{sizes:?}");
    let stored = (ROWS / 10 * ROW_BYTES) as u64;
    assert!(sizes.after < stored * 3 + (1 << 20), "{sizes:?} for {stored} bytes of rows");
    assert_eq!(rows(&store), kept);
    put(&store, 1, "after it");
    say(&store, 1, 1, "Hi").unwrap();
    let left = killed(folder.path());
    let opened = Store::open(&path(left.path())).unwrap();
    assert_eq!(rows(&opened).len(), kept.len() + 1);
    assert_eq!(conversation(&opened, 1, 1), ["Hi"]);
}

#[test]
fn a_file_as_small_as_it_can_be_stays_what_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let store = thinned(folder.path());
    assert!(compact(&store, folder.path(), &|| Ok(())));
    let small = file(folder.path());
    assert!(!compact(&store, folder.path(), &|| Ok(())));
    assert_eq!(file(folder.path()), small);
}

#[test]
fn what_is_written_while_a_copy_is_made_is_in_it_and_after_a_kill_at_any_step() {
    let folder = tempfile::tempdir().unwrap();
    let store = thinned(folder.path());
    let (step, kept) = (Cell::new(0_usize), rows(&store).len());
    let check = |seen: &Store, steps: usize| {
        let told: Vec<String> = (1..=steps).map(|step| format!("said {step}")).collect();
        assert_eq!(conversation(seen, 1, 1), told);
        // Each step puts a row, and takes away the one that the step before had put.
        assert_eq!(rows(seen).len(), kept + usize::from(steps > 0));
    };
    let go_on = || {
        let number = step.get() + 1;
        step.set(number);
        say(&store, 1, 1, &format!("said {number}")).unwrap();
        store
            .write(|tx| {
                tx.remove(LEADS, format!("step {}", number - 1).as_bytes())?;
                tx.put(LEADS, format!("step {number}").as_bytes(), b"here")
            })
            .unwrap();
        if number % 7 == 0 {
            let left = killed(folder.path());
            check(&Store::open(&path(left.path())).unwrap(), number);
        }
        Ok(())
    };
    assert!(compact(&store, folder.path(), &go_on));
    let steps = step.get();
    assert!(steps > 20);
    check(&store, steps);
    check(&Store::open(&path(killed(folder.path()).path())).unwrap(), steps);
    drop(store);
    check(&Store::open(&path(folder.path())).unwrap(), steps);
}

#[test]
fn a_checkpoint_in_between_makes_the_copy_begin_anew() {
    let folder = tempfile::tempdir().unwrap();
    let store = thinned(folder.path());
    let is_first = Cell::new(true);
    let large = vec![b'y'; 2 * SEGMENT_BYTES as usize];
    let go_on = || {
        if is_first.replace(false) {
            // More than a segment of the log holds is a checkpoint by itself.
            store.write(|tx| tx.put(LEADS, b"large", &large)).unwrap();
        }
        Ok(())
    };
    assert!(compact(&store, folder.path(), &go_on));
    assert_eq!(rows(&store).get(b"large".as_slice()), Some(&large));
    assert_eq!(rows(&Store::open(&path(killed(folder.path()).path())).unwrap()), rows(&store));
}

#[test]
fn a_store_that_never_rests_stays_what_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let store = thinned(folder.path());
    let count = Cell::new(0_usize);
    let go_on = || {
        count.set(count.get() + 1);
        if !count.get().is_multiple_of(20) {
            return Ok(());
        }
        store.write(|tx| tx.put(LEADS, b"large", &vec![b'y'; 2 * SEGMENT_BYTES as usize]))
    };
    let before = rows(&store).len();
    assert!(!compact(&store, folder.path(), &go_on));
    assert!(count.get() > 60, "it was tried more than once");
    assert_eq!(rows(&store).len(), before + 1);
}

#[test]
fn who_reads_the_old_database_reads_it_to_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let store = thinned(folder.path());
    let kept = rows(&store);
    let (begun, has_begun) = channel();
    let (go, may_go) = channel::<()>();
    thread::scope(|scope| {
        let (seen, begun) = (&store, begun);
        let reading = scope.spawn(move || {
            seen.read(|tx| {
                begun.send(()).unwrap();
                may_go.recv().unwrap();
                let mut seen = 0;
                tx.scan(LEADS, &KeyRange::all(), KeyOrder::Ascending, |_, _| {
                    seen += 1;
                    Ok(ControlFlow::Continue(()))
                })?;
                Ok(seen)
            })
            .unwrap()
        });
        has_begun.recv().unwrap();
        let before = file(folder.path());
        let compacting = scope.spawn(|| compact(&store, folder.path(), &|| Ok(())));
        while file(folder.path()) == before {
            thread::yield_now();
        }
        // Writers and other readers go on in the new one meanwhile.
        put(&store, 1, "after it");
        assert_eq!(rows(&store).len(), kept.len() + 1);
        assert!(!compacting.is_finished(), "the old one is still read");
        go.send(()).unwrap();
        assert_eq!(reading.join().unwrap(), kept.len());
        assert!(compacting.join().unwrap());
    });
}

#[test]
fn a_name_that_could_not_be_flushed_is_flushed_before_the_next_change() {
    let folder = tempfile::tempdir().unwrap();
    let store = thinned(folder.path());
    let (kept, path) = (rows(&store), path(folder.path()));
    // A checkpoint may come in between, as in any compaction.
    let is_replaced = (0..10).any(|_| {
        let beside = create::begin_beside(&path).unwrap();
        let snapshot = Snapshot::new(store.engine.begin_read().unwrap());
        let (copy, mark) = snapshot.copy_compact(beside.reopen().unwrap(), &|| Ok(())).unwrap();
        drop(snapshot);
        let replaced = store.write_group.run_alone(&store.engine, || {
            store.engine.replace(copy, mark, || {
                create::replace(beside, &path).unwrap();
                Ok(Placement::Volatile)
            })
        });
        replaced.unwrap().is_some()
    });
    assert!(is_replaced);
    assert!(store.engine.is_poisoned(), "nothing is written before it was opened anew");
    put(&store, 1, "after it");
    assert!(!store.engine.is_poisoned());
    assert_eq!(rows(&store).len(), kept.len() + 1);
}

#[test]
fn a_compaction_that_is_stopped_leaves_the_old_file_and_nothing_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = thinned(folder.path());
    let (before, kept) = (file(folder.path()), rows(&store));
    for stop_at in [1, 2, 10, 40] {
        let count = Cell::new(0);
        let go_on = || {
            count.set(count.get() + 1);
            if count.get() >= stop_at { Err(Error::Cancelled) } else { Ok(()) }
        };
        let stopped = store.compact(&path(folder.path()), &go_on);
        assert!(matches!(stopped, Err(Error::Cancelled)), "{stop_at}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3, "the database and its journals");
    }
    assert_eq!((file(folder.path()), rows(&store)), (before, kept));
    store.write(|tx| tx.put(META, b"other", b"1")).unwrap();
}

/// Figures for `tests/bench/README.md`: what a compaction gives back, how long it takes, and how long a writer waits for it at most.
#[test]
#[ignore = "it measures, and takes a minute"]
#[allow(clippy::print_stdout, reason = "a report for people")]
fn figures_of_a_compaction() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&path(folder.path())).unwrap();
    let (rows_before, bytes) = (40_000, 600);
    for part in 0..40 {
        let row = |number: usize| (key(part * 1_000 + number), vec![b'x'; bytes]);
        store.write(|tx| tx.put_all(LEADS, (0..1_000).map(row).collect::<Vec<_>>())).unwrap();
    }
    for kept_of in [1, 2, 10] {
        for part in 0..40 {
            let gone = (0..1_000).map(|number| part * 1_000 + number).filter(|number| number % kept_of != 0);
            store
                .write(|tx| gone.clone().try_for_each(|number| tx.remove(LEADS, &key(number)).map(drop)))
                .unwrap();
        }
        let (is_over, before) = (AtomicBool::new(false), size(folder.path()));
        let (took, longest) = thread::scope(|scope| {
            let writing = scope.spawn(|| {
                let mut longest = Duration::ZERO;
                for number in 0_u64.. {
                    if is_over.load(Ordering::SeqCst) {
                        break;
                    }
                    let begun = Instant::now();
                    store.write(|tx| tx.put(LEADS, b"written meanwhile", &number.to_be_bytes())).unwrap();
                    longest = longest.max(begun.elapsed());
                    thread::sleep(Duration::from_millis(20));
                }
                longest
            });
            let begun = Instant::now();
            compact(&store, folder.path(), &|| Ok(()));
            let took = begun.elapsed();
            is_over.store(true, Ordering::SeqCst);
            (took, writing.join().unwrap())
        });
        println!(
            "{} of {rows_before} rows of {bytes} bytes: {} kB to {} kB in {} ms; the longest write took {} ms",
            rows_before / kept_of,
            before / 1_000,
            size(folder.path()) / 1_000,
            took.as_millis(),
            longest.as_millis()
        );
    }
}
