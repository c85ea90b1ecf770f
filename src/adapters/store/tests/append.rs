//! Many who append at once, and what is kept of what they read.

use super::memtable::{chat, conversation, flow, home, open, say, settle_in, stored};
use super::messages::message;
use super::wal::killed;
use crate::domain::error::Error;
use crate::store::engine::read_cache::ReadCache;
use crate::store::queries::messages::{self, MessageBatch};
use crate::store::tables::{
    EXECUTION_INDEX, EXECUTION_REQUESTS_TABLE, FLOW_WORKSPACE, META, TRIGGER_LOG, WEBHOOK_ANSWERS,
    WEBHOOK_SIGNATURES,
};
use crate::store::{Tx, WriteTx};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;

#[test]
fn whoever_is_told_by_a_call_is_told_when_it_is_durable() {
    const EACH: usize = 40;
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    settle_in(&store, 1);
    let told = Arc::new(Mutex::new(Vec::new()));
    let (tell, all) = mpsc::channel();
    thread::scope(|scope| {
        for number in 0..4 {
            let (store, told, tell) = (&store, &told, tell.clone());
            scope.spawn(move || {
                for one in 0..EACH {
                    let text = format!("{number} {one}");
                    let said = MessageBatch::new(&home(), &[message(flow(1), chat(number), &text)]).unwrap();
                    let (told, tell) = (told.clone(), tell.clone());
                    store.append_then(said, move |appended| {
                        appended.unwrap();
                        told.lock().unwrap().push((number, text));
                        tell.send(()).unwrap();
                    });
                }
            });
        }
        for _ in 0..4 {
            let known = told.lock().unwrap().clone();
            let copy = killed(folder.path());
            let again = open(copy.path());
            for (number, text) in known {
                assert!(stored(&again, 1, number).contains(&text), "{text} was acknowledged");
            }
        }
    });
    drop(tell);
    assert_eq!(all.iter().count(), 4 * EACH, "everyone was told once");
    (0..4).for_each(|number| assert_eq!(stored(&store, 1, number).len(), EACH));
}

#[test]
fn whoever_is_told_by_a_call_is_told_of_a_refusal_too() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let (tell, told) = mpsc::channel();
    let said = MessageBatch::new(&home(), &[message(flow(9), chat(1), "Hi")]).unwrap();
    store.append_then(said, move |appended| tell.send(appended).unwrap());
    assert!(matches!(told.recv().unwrap(), Err(Error::NotFound(_))));
}

#[test]
fn what_is_recalled_is_never_older_than_what_was_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let write = |number: u64| {
        store.write(|tx: &WriteTx| tx.put(META, b"number", &number.to_be_bytes())).unwrap();
    };
    write(0);
    let (memo, acknowledged, is_over) = (ReadCache::default(), AtomicU64::new(0), AtomicBool::new(false));
    let read = |tx: &crate::store::ReadTx| {
        let number =
            tx.get_with(META, b"number", |bytes| Ok(u64::from_be_bytes(bytes.try_into().unwrap())))?;
        Ok(number.unwrap())
    };
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while !is_over.load(Ordering::SeqCst) {
                    let least = acknowledged.load(Ordering::SeqCst);
                    assert!(store.read_cached(&memo, &1, read).unwrap() >= least);
                }
            });
        }
        for number in 1..200 {
            write(number);
            acknowledged.store(number, Ordering::SeqCst);
        }
        is_over.store(true, Ordering::SeqCst);
    });
    let unread =
        |_: &crate::store::ReadTx| -> crate::domain::error::Result<u64> { unreachable!("nothing changed") };
    assert_eq!(store.read_cached(&memo, &1, read).unwrap(), 199);
    assert_eq!(store.read_cached(&memo, &1, unread).unwrap(), 199);
}

#[test]
fn what_runs_leave_behind_makes_nothing_unknown() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    settle_in(&store, 1);
    let (memo, reads) = (ReadCache::default(), AtomicU64::new(0));
    let read = |_: &crate::store::ReadTx| Ok(reads.fetch_add(1, Ordering::SeqCst));
    let recall = || store.read_cached(&memo, &1, read).unwrap();
    assert_eq!(recall(), 0);
    store.write(|tx: &WriteTx| tx.put(EXECUTION_INDEX, b"run", b"row")).unwrap();
    say(&store, 1, 1, "Hi").unwrap();
    store.write(|tx: &WriteTx| tx.remove(EXECUTION_INDEX, b"run").map(drop)).unwrap();
    for table in [EXECUTION_REQUESTS_TABLE, WEBHOOK_SIGNATURES, WEBHOOK_ANSWERS, TRIGGER_LOG] {
        store.write(|tx: &WriteTx| tx.put(table, b"run", b"row")).unwrap();
    }
    assert_eq!(recall(), 0);
    store.write(|tx: &WriteTx| tx.put(META, b"something", b"else")).unwrap();
    assert_eq!(recall(), 1);
}

#[test]
fn messages_and_what_is_written_with_them_are_stored_together() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    settle_in(&store, 1);
    say(&store, 1, 1, "before").unwrap();
    let batch =
        |in_flow, text: &str| MessageBatch::new(&home(), &[message(flow(in_flow), chat(1), text)]).unwrap();
    let (known, unknown) = (batch(1, "together"), batch(9, "nowhere"));
    let (number, stored) = store
        .write_with_messages(&[&known, &unknown], |tx| {
            tx.put(EXECUTION_INDEX, b"run", b"row")?;
            Ok(7)
        })
        .unwrap();
    assert_eq!((number, stored[0].is_ok()), (7, true));
    assert!(matches!(stored[1], Err(Error::NotFound(_))));
    assert_eq!(conversation(&store, 1, 1), ["before", "together"]);
    let failed = store.write_with_messages(&[&known], |_| Err::<(), _>(Error::invalid("no")));
    assert!(failed.is_err());
    assert_eq!(conversation(&store, 1, 1), ["before", "together"]);
    let copy = killed(folder.path());
    assert_eq!(conversation(&open(copy.path()), 1, 1), ["before", "together"]);
}

#[test]
fn a_message_is_seen_that_waits_for_the_database_behind_one_that_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    settle_in(&store, 1);
    let later = MessageBatch::new(&home(), &[message(flow(1), chat(1), "second")]).unwrap();
    // It is appended while the change is under way, which so does not bring it along.
    let said = AtomicBool::new(false);
    store
        .write_with_messages(&[&later], |_| {
            if !said.swap(true, Ordering::SeqCst) {
                thread::scope(|scope| scope.spawn(|| say(&store, 1, 1, "first").unwrap()).join().unwrap());
            }
            Ok(())
        })
        .unwrap();
    assert_eq!(conversation(&store, 1, 1), ["first", "second"]);
    assert_eq!(stored(&store, 1, 1), ["first", "second"]);
}

#[test]
fn no_message_follows_the_removal_of_its_flow() {
    for _ in 0..10 {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path());
        settle_in(&store, 1);
        let is_over = AtomicBool::new(false);
        thread::scope(|scope| {
            for number in 0..3 {
                let (store, is_over) = (&store, &is_over);
                scope.spawn(move || {
                    while !is_over.load(Ordering::SeqCst) {
                        // Refused while there is no such flow.
                        let _ = say(store, 1, number, "Hi");
                    }
                });
            }
            for _ in 0..10 {
                let removed = store.write(|tx| {
                    messages::remove_flow(tx, &home(), &flow(1))?;
                    FLOW_WORKSPACE.remove(tx, &flow(1))
                });
                removed.unwrap();
                settle_in(&store, 1);
            }
            is_over.store(true, Ordering::SeqCst);
        });
        // Before anything is read: the copy is what the log says.
        let copy = killed(folder.path());
        let again = open(copy.path());
        for number in 0..3 {
            assert_eq!(stored(&again, 1, number).len(), conversation(&store, 1, number).len());
        }
    }
}
