//! The newest messages: seen at once, there after a kill, and in their place among other changes.
//!
//! A kill is played by copying the files of a running store: what its process holds in memory is not in the copy.

use super::Disk;
use super::messages::message;
use super::wal::killed;
use crate::domain::error::Result;
use crate::domain::ids::{ChatId, FlowId, WorkspaceId};
use crate::store::engine::database::StorageEngine;
use crate::store::engine::recovery::LogPaths;
use crate::store::queries::messages::{self, MessageBatch};
use crate::store::queries::timeline;
use crate::store::tables::{FLOW_WORKSPACE, META};
use crate::store::wal::log::{KnownLength, LogMark, LogSpace, WriteAheadLog};
use crate::store::wal::segment::SEGMENT_BYTES;
use crate::store::{OpenError, Order, Store, WriteTx};
use proptest::prelude::*;
use std::path::Path;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The store, with a log in use: the first change after a clean end goes into the database itself.
pub(in crate::store) fn open(folder: &Path) -> Store {
    let store = Store::open(&folder.join("test.redb")).unwrap();
    store.write(|tx| tx.put(META, b"begun", b"1")).unwrap();
    store
}

/// Ids that a generated operation can name by a small number.
pub(in crate::store) fn flow(number: u8) -> FlowId {
    FlowId::from_bytes([number; 16])
}

pub(in crate::store) fn chat(number: u8) -> ChatId {
    ChatId::from_bytes([number; 16])
}

pub(in crate::store) fn home() -> WorkspaceId {
    WorkspaceId::from_bytes([7; 16])
}

pub(in crate::store) fn settle_in(store: &Store, number: u8) {
    store.write(|tx| FLOW_WORKSPACE.put(tx, &flow(number), &home())).unwrap();
}

pub(in crate::store) fn say(store: &Store, in_flow: u8, in_chat: u8, text: &str) -> Result<()> {
    store.append(MessageBatch::new(&home(), &[message(flow(in_flow), chat(in_chat), text)])?)
}

/// What a conversation's memory reads.
pub(in crate::store) fn conversation(store: &Store, in_flow: u8, in_chat: u8) -> Vec<String> {
    let found = store.conversation(&home(), &flow(in_flow), &chat(in_chat), 1_000).unwrap();
    found.into_iter().map(|message| message.content).collect()
}

pub(in crate::store) fn stored(store: &Store, in_flow: u8, in_chat: u8) -> Vec<String> {
    let found = store
        .read_messages(|tx| messages::of_chat(tx, &home(), &flow(in_flow), &chat(in_chat), 1_000))
        .unwrap();
    found.into_iter().map(|message| message.content).collect()
}

#[test]
fn a_message_is_seen_as_soon_as_it_is_stored() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    settle_in(&store, 1);
    for number in 0..20 {
        say(&store, 1, number % 3, &number.to_string()).unwrap();
        let seen = conversation(&store, 1, number % 3);
        assert_eq!(seen.last(), Some(&number.to_string()));
        if number % 4 == 0 {
            assert_eq!(stored(&store, 1, number % 3), seen);
        }
    }
    assert_eq!(store.conversation(&home(), &flow(1), &chat(0), 2).unwrap().len(), 2);
    assert_eq!(store.conversation(&WorkspaceId::random(), &flow(1), &chat(0), 2).unwrap().len(), 0);
    assert_eq!(store.conversation(&home(), &flow(2), &chat(0), 2).unwrap().len(), 0);
}

#[test]
fn a_reader_waits_for_a_writer_only_when_it_looks_at_messages() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    settle_in(&store, 1);
    let (begun, end) = (Barrier::new(2), Barrier::new(2));
    let is_written = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let wait = |_: &WriteTx| {
                begun.wait();
                end.wait();
                is_written.store(true, Ordering::SeqCst);
                Ok(())
            };
            store.write(wait).unwrap();
        });
        begun.wait();
        say(&store, 1, 1, "Hi").unwrap();
        // Would these wait, nobody would let the writer end.
        assert!(store.read(|tx| FLOW_WORKSPACE.get(tx, &flow(1))).unwrap().is_some());
        assert_eq!(conversation(&store, 1, 1), ["Hi"]);
        let reader = scope.spawn(|| (stored(&store, 1, 1), is_written.load(Ordering::SeqCst)));
        std::thread::sleep(Duration::from_millis(50));
        assert!(!reader.is_finished());
        end.wait();
        assert_eq!(reader.join().unwrap(), (vec!["Hi".to_owned()], true));
    });
}

#[test]
fn a_change_sees_the_messages_before_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    settle_in(&store, 1);
    say(&store, 1, 1, "Hi").unwrap();
    assert_eq!(store.write(|tx| messages::remove_flow(tx, &home(), &flow(1))).unwrap(), 1);
    assert_eq!(conversation(&store, 1, 1), Vec::<String>::new());
    assert_eq!(stored(&open(killed(folder.path()).path()), 1, 1), Vec::<String>::new());
}

#[test]
fn messages_of_both_files_are_there_when_a_flush_does_not_come_to_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    settle_in(&store, 1);
    let long = "x".repeat(60_000);
    let mut said = 0;
    // Nobody makes a checkpoint here, so the second segment is taken and stays in use.
    let keep = |text: &str| {
        let said = [MessageBatch::new(&home(), &[message(flow(1), chat(1), text)]).unwrap()];
        store.engine.append_messages(&said).unwrap()
    };
    while matches!(keep(&format!("{said} {long}")), crate::store::engine::database::AppendResult::Done(_)) {
        said += 1;
    }
    assert!(said * long.len() as u64 as usize > SEGMENT_BYTES as usize, "both files are full");
    for _ in 0..2 {
        let copy = killed(folder.path());
        let again = open(copy.path());
        assert_eq!(stored(&again, 1, 1).len(), said);
        // The checkpoint of the full segment is made with the first change, and both are written again.
        for number in 0..said * 2 {
            say(&again, 1, 2, &format!("{number} {long}")).unwrap();
        }
        let again = open(killed(copy.path()).path());
        assert_eq!((stored(&again, 1, 1).len(), stored(&again, 1, 2).len()), (said, said * 2));
    }
    // Whoever finds no room makes a checkpoint and goes on.
    say(&store, 1, 1, "the last").unwrap();
    assert_eq!(stored(&open(killed(folder.path()).path()), 1, 1), conversation(&store, 1, 1));
}

#[test]
fn a_file_that_goes_on_from_what_is_not_there_tells_that_the_other_one_lacks_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    settle_in(&store, 1);
    let before = killed(folder.path());
    let long = "x".repeat(60_000);
    for number in 0..20 {
        let said =
            [MessageBatch::new(&home(), &[message(flow(1), chat(1), &format!("{number} {long}"))]).unwrap()];
        store.engine.append_messages(&said).unwrap();
    }
    let after = killed(folder.path());
    std::fs::copy(after.path().join("test.journal2"), before.path().join("test.journal2")).unwrap();
    let refused = Store::open(&before.path().join("test.redb")).err().unwrap();
    assert!(matches!(refused, OpenError::Log(_)), "{refused}");
}

#[test]
fn what_no_file_holds_is_a_change_like_others() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    settle_in(&store, 1);
    drop(store);
    // Its log is empty: the other segment must not be taken, because nothing would lead to it.
    let store = open(folder.path());
    let long = "x".repeat(SEGMENT_BYTES as usize);
    let said = [MessageBatch::new(&home(), &[message(flow(1), chat(1), &long)]).unwrap()];
    assert!(matches!(
        store.engine.append_messages(&said),
        Ok(crate::store::engine::database::AppendResult::UseTransaction)
    ));
    settle_in(&store, 2);
    let again = open(killed(folder.path()).path());
    assert!(again.read(|tx| FLOW_WORKSPACE.get(tx, &flow(2))).unwrap().is_some());
    say(&store, 1, 1, &long).unwrap();
    assert_eq!(stored(&open(killed(folder.path()).path()), 1, 1), [long]);
}

#[test]
fn without_room_for_a_journal_messages_go_into_the_database() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    drop(store);
    for file in &Store::files(&folder.path().join("test.redb"))[1..] {
        let _ = std::fs::remove_file(file);
        std::fs::create_dir(file).unwrap();
    }
    let store = open(folder.path());
    settle_in(&store, 1);
    for number in 0..3 {
        say(&store, 1, 1, &number.to_string()).unwrap();
    }
    let copy = tempfile::tempdir().unwrap();
    std::fs::copy(folder.path().join("test.redb"), copy.path().join("test.redb")).unwrap();
    assert_eq!(stored(&open(copy.path()), 1, 1), ["0", "1", "2"]);
}

#[test]
fn nothing_follows_a_record_that_may_or_may_not_be_there() {
    let folder = tempfile::tempdir().unwrap();
    let paths = WriteAheadLog::paths(&folder.path().join("test.redb"));
    let mut journals = WriteAheadLog::empty(&paths, 1);
    let room = |journals: &mut WriteAheadLog| journals.find_space(10, || 9);
    let restart = |journals: &mut WriteAheadLog, generation| {
        let begun = journals.begin_segment(|| generation).unwrap();
        journals.reset(begun.mark(), Some(begun));
    };
    assert_eq!(room(&mut journals), LogSpace::Unavailable, "the database does not count on it");
    restart(&mut journals, 2);
    assert_eq!(room(&mut journals), LogSpace::Available);
    journals.append(&[1; 10]).unwrap();
    journals.switch_segment(3);
    std::fs::create_dir(&paths[1]).unwrap();
    assert!(journals.append(&[1; 10]).is_err());
    std::fs::remove_dir(&paths[1]).unwrap();
    assert_eq!(room(&mut journals), LogSpace::Unavailable);
    assert!(journals.begin_segment(|| 4).is_none(), "both files count");
    journals.reset(LogMark { epoch: 4, length: KnownLength::Bytes(0) }, None);
    restart(&mut journals, 5);
    assert_eq!(room(&mut journals), LogSpace::Available);
    journals.append(&[1; 10]).unwrap();
}

#[test]
fn a_flush_that_fails_loses_no_message() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.redb");
    let disk = Disk::default();
    let open = || {
        let under = disk.clone();
        let opener = move || redb::Database::builder().create_with_backend(under.clone());
        let handle =
            StorageEngine::new(opener().unwrap(), Box::new(opener), Some(LogPaths::new(&path))).unwrap();
        Store::new(handle).unwrap()
    };
    let store = open();
    settle_in(&store, 1);
    let mut expected = Vec::new();
    for round in 0..4 {
        for number in 0..3 {
            expected.push(format!("{round} {number}"));
            say(&store, 1, 1, expected.last().unwrap()).unwrap();
        }
        disk.full.store(true, Ordering::SeqCst);
        let beyond = vec![1; SEGMENT_BYTES as usize + 1];
        assert!(store.write(|tx| tx.put(META, b"other", &beyond)).is_err());
        disk.full.store(false, Ordering::SeqCst);
        if round % 2 == 0 {
            store.engine.switch_segment_if_possible();
        }
        expected.push(format!("{round} after"));
        say(&store, 1, 1, expected.last().unwrap()).unwrap();
        assert_eq!(conversation(&store, 1, 1), expected);
        assert_eq!(stored(&store, 1, 1), expected);
    }
    std::mem::forget(store);
    assert_eq!(stored(&open(), 1, 1), expected);
}

#[test]
fn a_change_that_joins_others_sees_what_was_acknowledged_before_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    settle_in(&store, 1);
    let (inside, leave) = (Barrier::new(2), Barrier::new(2));
    let is_first = AtomicBool::new(true);
    std::thread::scope(|scope| {
        let (store, inside, leave, is_first) = (&store, &inside, &leave, &is_first);
        scope.spawn(move || {
            let other = |tx: &WriteTx| {
                if is_first.swap(false, Ordering::SeqCst) {
                    inside.wait();
                    leave.wait();
                }
                tx.put(META, b"other", b"1")
            };
            store.write(other).unwrap();
        });
        inside.wait();
        say(store, 1, 1, "Hi").unwrap();
        let removed =
            scope.spawn(move || store.write(|tx| messages::remove_flow(tx, &home(), &flow(1))).unwrap());
        while !store.write_group.has_queue() {
            std::thread::yield_now();
        }
        leave.wait();
        assert_eq!(removed.join().unwrap(), 1);
    });
    assert_eq!(conversation(&store, 1, 1), Vec::<String>::new());
    assert_eq!(stored(&open(killed(folder.path()).path()), 1, 1), Vec::<String>::new());
}

#[test]
fn what_was_said_is_neither_lost_nor_told_twice_while_everything_happens_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    settle_in(&store, 1);
    let (speakers, rounds) = (4_u8, 120);
    let (start, over) = (Barrier::new(usize::from(speakers) + 2), AtomicBool::new(false));
    let long = "x".repeat(5_000);
    std::thread::scope(|scope| {
        let (store, start, over, long) = (&store, &start, &over, &long);
        let said: Vec<_> = (0..speakers)
            .map(|speaker| {
                scope.spawn(move || {
                    start.wait();
                    for round in 0..rounds {
                        say(store, 1, speaker, &format!("{round} {long}")).unwrap();
                        let seen = conversation(store, 1, speaker);
                        assert_eq!(seen.len(), round + 1);
                        assert!(seen[round].starts_with(&format!("{round} ")));
                    }
                })
            })
            .collect();
        scope.spawn(move || {
            start.wait();
            while !over.load(Ordering::SeqCst) {
                let seen = stored(store, 1, 0);
                let numbers: Vec<usize> =
                    seen.iter().map(|text| text.split(' ').next().unwrap().parse().unwrap()).collect();
                assert_eq!(numbers, (0..seen.len()).collect::<Vec<_>>());
            }
        });
        scope.spawn(move || {
            start.wait();
            let mut number = 0_u64;
            while !over.load(Ordering::SeqCst) {
                number += 1;
                store.write(|tx| tx.put(META, b"other", &number.to_be_bytes())).unwrap();
            }
        });
        said.into_iter().for_each(|speaker| speaker.join().unwrap());
        over.store(true, Ordering::SeqCst);
    });
    let again = open(killed(folder.path()).path());
    for speaker in 0..speakers {
        assert_eq!(stored(&again, 1, speaker).len(), rounds);
    }
    let mut last = None;
    let walked = again.read_messages(|tx| {
        timeline::scan_timeline(tx, &home(), &flow(1), 0, Order::Ascending, |place| {
            assert!(last < Some(place.sequence), "every message has a number of its own");
            last = Some(place.sequence);
            Ok(std::ops::ControlFlow::Continue(()))
        })
    });
    walked.unwrap();
}

/// Something that happens to a store.
#[derive(Debug, Clone)]
enum Step {
    Say(u8, u8, usize),
    RemoveConversation(u8, u8),
    RemoveFlow(u8),
    MakeFlow(u8),
    /// A change that has nothing to do with messages.
    Other(usize),
    /// Everybody reads, which stores the messages of the memtable.
    Read,
    Rotate,
    Flush,
    Close,
    Kill,
}

fn step() -> impl Strategy<Value = Step> {
    let (flow, chat, length) = (|| 0_u8..2, || 0_u8..2, || 0_usize..3_000);
    prop_oneof![
        12 => (flow(), chat(), length()).prop_map(|(flow, chat, length)| Step::Say(flow, chat, length)),
        2 => (flow(), chat()).prop_map(|(flow, chat)| Step::RemoveConversation(flow, chat)),
        1 => flow().prop_map(Step::RemoveFlow),
        2 => flow().prop_map(Step::MakeFlow),
        1 => prop_oneof![length(), Just(SEGMENT_BYTES as usize)].prop_map(Step::Other),
        2 => Just(Step::Read),
        2 => Just(Step::Rotate),
        2 => Just(Step::Flush),
        1 => Just(Step::Close),
        3 => Just(Step::Kill),
    ]
}

fn remove_conversation(tx: &WriteTx, in_flow: u8, in_chat: u8) -> Result<()> {
    let places = timeline::of_chat(tx, &home(), &flow(in_flow), &chat(in_chat))?;
    timeline::remove(tx, &home(), &flow(in_flow), &places).map(drop)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Whatever happens, in whatever order: what was acknowledged is there, and what was removed is not, for every reader
    /// and after every kill.
    #[test]
    fn what_is_acknowledged_stays_and_what_is_removed_goes(steps in prop::collection::vec(step(), 1..60)) {
        let mut folder = tempfile::tempdir().unwrap();
        let mut store = open(folder.path());
        let mut expected: [[Vec<String>; 2]; 2] = Default::default();
        let mut lives = [false; 2];
        for (number, step) in steps.into_iter().enumerate() {
            match step {
                Step::Say(flow, chat, length) => {
                    let text = format!("{number} {}", "x".repeat(length));
                    let said = say(&store, flow, chat, &text);
                    prop_assert_eq!(said.is_ok(), lives[usize::from(flow)]);
                    if said.is_ok() {
                        expected[usize::from(flow)][usize::from(chat)].push(text);
                    }
                }
                Step::RemoveConversation(flow, chat) => {
                    store.write(|tx| remove_conversation(tx, flow, chat)).unwrap();
                    expected[usize::from(flow)][usize::from(chat)].clear();
                }
                Step::RemoveFlow(number) => {
                    store.write(|tx| {
                        messages::remove_flow(tx, &home(), &flow(number))?;
                        FLOW_WORKSPACE.remove(tx, &flow(number)).map(drop)
                    }).unwrap();
                    lives[usize::from(number)] = false;
                    expected[usize::from(number)] = Default::default();
                }
                Step::MakeFlow(number) => {
                    settle_in(&store, number);
                    lives[usize::from(number)] = true;
                }
                Step::Other(length) => {
                    store.write(|tx| tx.put(META, b"other", &vec![1; length])).unwrap();
                }
                Step::Read => drop(stored(&store, 0, 0)),
                Step::Rotate => store.engine.switch_segment_if_possible(),
                Step::Flush => store.write_group.checkpoint(&store.engine).unwrap(),
                Step::Close => {
                    drop(store);
                    store = open(folder.path());
                }
                Step::Kill => {
                    let copy = killed(folder.path());
                    drop(store);
                    folder = copy;
                    store = open(folder.path());
                }
            }
            for flow in 0..2 {
                for chat in 0..2 {
                    prop_assert_eq!(
                        &conversation(&store, flow, chat),
                        &expected[usize::from(flow)][usize::from(chat)],
                    );
                }
            }
        }
        let again = killed(folder.path());
        let again = open(again.path());
        for flow in 0..2 {
            for chat in 0..2 {
                prop_assert_eq!(&stored(&store, flow, chat), &stored(&again, flow, chat));
                prop_assert_eq!(&stored(&again, flow, chat), &expected[usize::from(flow)][usize::from(chat)]);
            }
        }
    }
}
