//! The thread that makes checkpoints: it makes them all, and what fails there is felt by the writers it concerns.

use super::Disk;
use super::memtable::{conversation, say, settle_in, stored};
use crate::store::Store;
use crate::store::engine::database::StorageEngine;
use crate::store::engine::recovery::LogPaths;
use crate::store::tables::META;
use crate::store::wal::segment::SEGMENT_BYTES;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::thread;

/// Bytes of a message, of which a few dozen fill a segment.
const LONG: usize = 60_000;

fn open(disk: &Disk, folder: &Path) -> Store {
    let under = disk.clone();
    let opener = move || redb::Database::builder().create_with_backend(under.clone());
    let paths = LogPaths::new(&folder.join("test.redb"));
    let store =
        Store::new(StorageEngine::new(opener().unwrap(), Box::new(opener), Some(paths)).unwrap()).unwrap();
    settle_in(&store, 1);
    store
}

#[test]
fn one_thread_makes_the_checkpoints_whoever_fills_the_segments() {
    let (disk, folder) = (Disk::default(), tempfile::tempdir().unwrap());
    let store = open(&disk, folder.path());
    disk.flushers.lock().unwrap().clear();
    let (speakers, rounds) = (4_u8, 40);
    thread::scope(|scope| {
        for speaker in 0..speakers {
            let store = &store;
            scope.spawn(move || {
                for round in 0..rounds {
                    say(store, 1, speaker, &format!("{round} {}", "x".repeat(LONG))).unwrap();
                }
            });
        }
    });
    let said = usize::from(speakers) * rounds * LONG;
    for speaker in 0..speakers {
        assert_eq!(stored(&store, 1, speaker).len(), rounds);
    }
    drop(store);
    let flushers = disk.flushers.lock().unwrap();
    assert!(flushers.len() > said / SEGMENT_BYTES as usize, "{} flushes", flushers.len());
    assert!(flushers.iter().all(|name| name == "checkpoints"), "{flushers:?}");
}

#[test]
fn a_checkpoint_that_fails_on_its_thread_is_felt_by_writers_and_loses_nothing() {
    let (disk, folder) = (Disk::default(), tempfile::tempdir().unwrap());
    let store = open(&disk, folder.path());
    let mut acknowledged = Vec::new();
    for round in 0..3 {
        disk.full.store(true, Ordering::SeqCst);
        // Both segments have room for fewer.
        let refused = (0..3 * SEGMENT_BYTES as usize / LONG).find(|number| {
            let text = format!("{round} {number} {}", "x".repeat(LONG));
            let result = say(&store, 1, 1, &text);
            acknowledged.extend(result.is_ok().then_some(text));
            result.is_err()
        });
        assert!(refused.is_some(), "nobody was told of a disk that is full");
        disk.full.store(false, Ordering::SeqCst);
        store.write(|tx| tx.put(META, b"other", b"1")).unwrap();
        let seen = conversation(&store, 1, 1);
        assert!(
            acknowledged.iter().all(|text| seen.contains(text)),
            "{} of {}",
            seen.len(),
            acknowledged.len()
        );
    }
}

#[test]
fn a_store_that_is_closed_while_a_checkpoint_is_asked_for_closes() {
    for _ in 0..20 {
        let (disk, folder) = (Disk::default(), tempfile::tempdir().unwrap());
        let store = open(&disk, folder.path());
        say(&store, 1, 1, "Hi").unwrap();
        store.engine.switch_segment_if_possible();
        say(&store, 1, 1, "Ho").unwrap();
        store.checkpointer.request_checkpoint();
        drop(store);
        assert_eq!(conversation(&open(&disk, folder.path()), 1, 1), ["Hi", "Ho"]);
    }
}
