//! The index of answers: what it says of a version is what its answers add up to, after a kill too, however much of the log the
//! database had already.

use super::memtable::{chat, flow, home, open, settle_in};
use super::messages::message;
use super::wal::killed;
use crate::domain::conversations::conversation::Message;
use crate::domain::conversations::feedback::{Feedback, Rating};
use crate::domain::conversations::receipt::{AnswerTally, Receipt};
use crate::domain::ids::{FeedbackId, FlowId, MessageId, WorkspaceId};
use crate::domain::predictions::prediction::{ChatType, MessageRole};
use crate::store::queries::answers::{self, AnswerPlace};
use crate::store::queries::feedback;
use crate::store::queries::messages::{self, MessageBatch};
use crate::store::queries::timeline::{self, MessagePosition};
use crate::store::tables::{FLOW_WORKSPACE, MESSAGES};
use crate::store::{MessagesTx, Store, keys};
use jiff::Timestamp;
use proptest::prelude::*;
use uuid::Uuid;

fn change(number: u8) -> Uuid {
    Uuid::from_bytes([number; 16])
}

/// Question and answer.
fn pair(in_flow: u8, in_chat: u8, of: u8, ms: u32) -> [Message; 2] {
    let asked = message(flow(in_flow), chat(in_chat), "Hi");
    let receipt = Some(Receipt { change: change(of), sha: None, ms });
    let answer = Message { role: MessageRole::Api, receipt, ..message(flow(in_flow), chat(in_chat), "Ho") };
    [asked, answer]
}

fn answer(store: &Store, in_flow: u8, in_chat: u8, of: u8, ms: u32) {
    let said = MessageBatch::new(&home(), &pair(in_flow, in_chat, of, ms)).unwrap();
    store.append(said).unwrap();
}

fn fail(store: &Store, in_flow: u8, in_chat: u8, of: u8) {
    let failed = MessageBatch::of_failure(&home(), &flow(in_flow), &chat(in_chat), change(of));
    store.append(failed).unwrap();
}

fn places(store: &Store, in_flow: u8, in_chat: u8) -> Vec<MessagePosition> {
    store.read_messages(|tx| timeline::of_chat(tx, &home(), &flow(in_flow), &chat(in_chat))).unwrap()
}

/// Rates the newest answer of a conversation.
fn rate(store: &Store, in_flow: u8, in_chat: u8, rating: Rating) {
    let Some(place) = places(store, in_flow, in_chat).pop() else { return };
    let created = Timestamp::from_second(2).unwrap();
    let rated = Feedback {
        id: FeedbackId::random(),
        message: MessageId::random(),
        rating,
        content: String::new(),
        created,
    };
    store.write(|tx| feedback::put(tx, &home(), &flow(in_flow), &place, &rated)).unwrap();
}

fn remove_chat(store: &Store, in_flow: u8, in_chat: u8) {
    let places = places(store, in_flow, in_chat);
    let forget = |tx: &_| {
        timeline::remove(tx, &home(), &flow(in_flow), &places)?;
        answers::remove_failures(tx, &home(), &flow(in_flow), Some(&chat(in_chat)), usize::MAX)
    };
    store.write(forget).unwrap();
}

/// All that can be read of a version.
fn seen(store: &Store, in_flow: u8, of: u8) -> (AnswerTally, Vec<AnswerPlace>) {
    let read = |tx: &MessagesTx| {
        let tally = answers::tally(tx, &home(), &flow(in_flow), &change(of))?;
        let all = answers::newest(tx, &home(), &flow(in_flow), &change(of), (0, usize::MAX))?;
        for skip in [1, all.len() / 2, all.len().saturating_sub(1), all.len(), all.len() + 9] {
            let page = answers::newest(tx, &home(), &flow(in_flow), &change(of), (skip as u64, 3))?;
            assert_eq!(page, all.iter().skip(skip).take(3).copied().collect::<Vec<_>>());
        }
        let count = |rating| all.iter().filter(|row| row.rating == Some(rating)).count() as u64;
        let mut times: Vec<u32> = all.iter().map(|row| row.ms).collect();
        times.sort_unstable();
        let middle = times.len().checked_sub(1).map(|last| times[last / 2].midpoint(times[times.len() / 2]));
        let expected = AnswerTally {
            answers: all.len() as u64,
            errors: tally.errors,
            median_ms: middle,
            up: count(Rating::Up),
            down: count(Rating::Down),
        };
        assert_eq!(tally, expected, "what is counted is what is there");
        Ok((tally, all))
    };
    store.read_messages(read).unwrap()
}

fn seen_everywhere(store: &Store) -> Vec<(AnswerTally, Vec<AnswerPlace>)> {
    (0..2).flat_map(|of_flow| (0..3).map(move |of| (of_flow, of))).map(|(f, of)| seen(store, f, of)).collect()
}

#[test]
fn a_version_is_told_from_counts_and_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    settle_in(&store, 0);
    for ms in [7_000, 10, 30] {
        answer(&store, 0, 1, 1, ms);
    }
    answer(&store, 0, 2, 2, 90_000_000);
    fail(&store, 0, 3, 1);
    rate(&store, 0, 1, Rating::Down);
    rate(&store, 0, 1, Rating::Up);
    let (tally, page) = seen(&store, 0, 1);
    let expected = AnswerTally { answers: 3, errors: 1, median_ms: Some(30), up: 1, down: 0 };
    assert_eq!(tally, expected);
    assert_eq!(page.iter().map(|row| row.ms).collect::<Vec<_>>(), [30, 10, 7_000], "the newest first");
    assert_eq!(seen(&store, 0, 2).0.median_ms, Some(90_000_000));
    assert_eq!(seen(&store, 0, 9).0, AnswerTally::default());
}

#[test]
fn questions_answers_of_drafts_and_those_of_the_test_chat_are_not_counted() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    settle_in(&store, 0);
    let mut tested = pair(0, 1, 1, 5);
    tested.iter_mut().for_each(|message| message.chat_type = ChatType::Internal);
    store.append(MessageBatch::new(&home(), &tested).unwrap()).unwrap();
    let mut drafted = pair(0, 1, 1, 5);
    drafted[1].receipt = None;
    store.append(MessageBatch::new(&home(), &drafted).unwrap()).unwrap();
    assert_eq!(seen(&store, 0, 1).0, AnswerTally::default());
    rate(&store, 0, 1, Rating::Up);
    remove_chat(&store, 0, 1);
    assert_eq!(seen(&store, 0, 1).0, AnswerTally::default());
}

#[test]
fn another_workspace_reads_nothing_of_a_version() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    settle_in(&store, 0);
    answer(&store, 0, 1, 1, 5);
    fail(&store, 0, 1, 1);
    let other = WorkspaceId::random();
    let read = |tx: &MessagesTx| {
        let page = answers::newest(tx, &other, &flow(0), &change(1), (0, 9))?;
        Ok((answers::tally(tx, &other, &flow(0), &change(1))?, page))
    };
    assert_eq!(store.read_messages(read).unwrap(), (AnswerTally::default(), Vec::new()));
    let removed = store.write(|tx| answers::remove_failures(tx, &other, &flow(0), None, 9)).unwrap();
    assert_eq!((removed, seen(&store, 0, 1).0.errors), (0, 1));
}

#[test]
fn an_answer_that_cannot_be_read_takes_its_row_along() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    settle_in(&store, 0);
    for of in [1, 2, 3] {
        answer(&store, 0, of, of, 5);
    }
    let place = places(&store, 0, 2).pop().unwrap();
    let key = keys::message(&flow(0), &place.chat, place.sequence);
    store.write(|tx| tx.put(MESSAGES, &key, b"no message")).unwrap();
    remove_chat(&store, 0, 2);
    assert_eq!([1, 2, 3].map(|of| seen(&store, 0, of).0.answers), [1, 0, 1]);
}

#[test]
fn nothing_of_a_flow_stays_in_the_index() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    (0..2).for_each(|number| settle_in(&store, number));
    for in_flow in 0..2 {
        answer(&store, in_flow, 1, 1, 5);
        fail(&store, in_flow, 1, 1);
    }
    store.write(|tx| messages::remove_flow(tx, &home(), &flow(0))).unwrap();
    for store in [&store, &open(killed(folder.path()).path())] {
        assert_eq!(seen(store, 0, 1), (AnswerTally::default(), Vec::new()));
        assert_eq!((seen(store, 1, 1).0.answers, seen(store, 1, 1).0.errors), (1, 1));
    }
}

#[test]
fn a_failure_of_a_flow_that_is_gone_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    settle_in(&store, 0);
    store.write(|tx| FLOW_WORKSPACE.remove(tx, &flow(0))).unwrap();
    let failed = MessageBatch::of_failure(&home(), &flow(0), &chat(1), change(1));
    assert!(store.append(failed).is_err());
    let unknown = MessageBatch::of_failure(&home(), &FlowId::random(), &chat(1), change(1));
    assert!(store.append(unknown).is_err());
}

#[derive(Debug, Clone)]
enum Step {
    Answer(u8, u8, u8, u32),
    Fail(u8, u8, u8),
    Rate(u8, u8, bool),
    RemoveChat(u8, u8),
    RemoveFlow(u8),
    /// The database gets what it lacks.
    Look,
    Rotate,
    Checkpoint,
    Kill,
}

fn step() -> impl Strategy<Value = Step> {
    let (in_flow, in_chat, of) = (0..2_u8, 0..3_u8, 0..3_u8);
    let ms = prop_oneof![0..50_u32, 1_000..2_000_u32, any::<u32>()];
    prop_oneof![
        8 => (in_flow.clone(), in_chat.clone(), of.clone(), ms).prop_map(|(f, c, of, ms)| Step::Answer(f, c, of, ms)),
        2 => (in_flow.clone(), in_chat.clone(), of).prop_map(|(f, c, of)| Step::Fail(f, c, of)),
        4 => (in_flow.clone(), in_chat.clone(), any::<bool>()).prop_map(|(f, c, up)| Step::Rate(f, c, up)),
        2 => (in_flow.clone(), in_chat).prop_map(|(f, c)| Step::RemoveChat(f, c)),
        1 => in_flow.prop_map(Step::RemoveFlow),
        2 => Just(Step::Look),
        1 => Just(Step::Rotate),
        1 => Just(Step::Checkpoint),
        2 => Just(Step::Kill),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// The index says the same before a kill and after it, and its counts are those of its rows.
    #[test]
    fn answers_are_counted_once_however_often_their_log_is_read(steps in prop::collection::vec(step(), 1..40)) {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path());
        (0..2).for_each(|number| settle_in(&store, number));
        for step in steps {
            match step {
                Step::Answer(in_flow, in_chat, of, ms) => answer(&store, in_flow, in_chat, of, ms),
                Step::Fail(in_flow, in_chat, of) => fail(&store, in_flow, in_chat, of),
                Step::Rate(in_flow, in_chat, up) => {
                    rate(&store, in_flow, in_chat, if up { Rating::Up } else { Rating::Down });
                }
                Step::RemoveChat(in_flow, in_chat) => remove_chat(&store, in_flow, in_chat),
                Step::RemoveFlow(number) => {
                    store.write(|tx| messages::remove_flow(tx, &home(), &flow(number))).unwrap();
                }
                Step::Look => drop(seen_everywhere(&store)),
                Step::Rotate => store.engine.switch_segment_if_possible(),
                Step::Checkpoint => store.write_group.checkpoint(&store.engine).unwrap(),
                Step::Kill => {
                    let copy = killed(folder.path());
                    let first = seen_everywhere(&open(killed(copy.path()).path()));
                    prop_assert_eq!(&seen_everywhere(&open(copy.path())), &first);
                    prop_assert_eq!(&seen_everywhere(&store), &first);
                    prop_assert_eq!(&seen_everywhere(&open(killed(folder.path()).path())), &first);
                }
            }
        }
        let told = seen_everywhere(&store);
        store.engine.poison();
        // The next writer opens it anew, over whatever its end had flushed.
        settle_in(&store, 1);
        prop_assert_eq!(&seen_everywhere(&store), &told);
    }
}
