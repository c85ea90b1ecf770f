//! Runs that are stored whole, with their messages: seen at once, there after a kill, and counted once however often a log is
//! read.

use super::memtable::{chat, flow, home, open, settle_in};
use super::messages::message;
use super::wal::killed;
use crate::domain::ids::ExecutionId;
use crate::domain::predictions::execution::{
    Execution, ExecutionEntry, ExecutionState, NewExecution, RunEnd, RunRequest, StepStatus,
};
use crate::store::queries::executions::{
    self, ExecutionScope, StepChange, StoredRequest, TimeSpan, WholeRun,
};
use crate::store::queries::messages::{self, MessageBatch};
use crate::store::tables::FLOW_WORKSPACE;
use crate::store::{Order, Store};
use jiff::Timestamp;
use proptest::prelude::*;
use serde_json::json;
use std::ops::ControlFlow;

fn id(number: u8) -> ExecutionId {
    ExecutionId::from_bytes([number; 16])
}

/// A run that has finished, with one step.
fn run(number: u8) -> (Execution, Vec<StepChange>) {
    let new = NewExecution {
        id: id(number),
        flow: flow(number % 2),
        workspace: home(),
        chat: chat(number),
        session: format!("session {}", number % 3),
        is_test: false,
        from_execution: None,
        version: None,
        request: RunRequest::default(),
    };
    // Some share a moment, some a minute, and some neither.
    let time = Timestamp::from_millisecond(1_700_000_000_000 + i64::from(number / 4) * 9_000).unwrap();
    let mut run = Execution::begin(new, time);
    run.end(&RunEnd::AtRest, time);
    let entry = ExecutionEntry {
        node_id: format!("step {number}"),
        node_label: "Step".to_owned(),
        data: json!({"output": {"content": "x".repeat(2_000)}}).as_object().unwrap().clone(),
        previous_node_ids: Vec::new(),
        status: StepStatus::Finished,
    };
    let ended = StepChange::ended(0, &entry, None::<&()>).unwrap();
    (run, vec![ended, StepChange::Placed { place: 0, step: 0 }])
}

fn store_run(store: &Store, number: u8) -> crate::domain::error::Result<()> {
    let (run, steps) = run(number);
    let whole = WholeRun::new(&run, &StoredRequest::new(&RunRequest::default())?, steps.iter())?;
    let said = MessageBatch::new(&home(), &[message(run.flow, run.chat, &format!("answer {number}"))])?;
    store.append(said.with_run(whole))
}

fn remove(store: &Store, number: u8) {
    let removed = store.write(|tx| match executions::find(tx, &home(), &id(number))? {
        Some(run) => executions::remove(tx, &run).map(|()| true),
        None => Ok(false),
    });
    removed.unwrap();
}

/// All that can be read of runs: what stands in each list, with what each of them did.
fn seen(store: &Store) -> Vec<Vec<(ExecutionId, Vec<String>)>> {
    let sessions: Vec<String> = (0..3).map(|number| format!("session {number}")).collect();
    let mut scopes = vec![ExecutionScope::All, ExecutionScope::State(ExecutionState::Finished)];
    for number in 0..2 {
        scopes.push(ExecutionScope::Flow(flow(number)));
        scopes.push(ExecutionScope::FlowState(flow(number), ExecutionState::Finished));
    }
    scopes.extend(sessions.iter().map(|session| ExecutionScope::Session(session)));
    let read = |tx: &crate::store::MessagesTx| {
        let mut lists = Vec::new();
        for scope in scopes {
            let mut list = Vec::new();
            executions::walk(tx, &home(), scope, TimeSpan::ALWAYS, Order::Descending, |row| {
                list.push(row.id);
                Ok(ControlFlow::Continue(()))
            })?;
            let counted = executions::count(tx, &home(), scope, TimeSpan::ALWAYS)?;
            assert_eq!(counted, list.len() as u64, "{scope:?}");
            for skip in [list.len() / 2, list.len().saturating_sub(1)] {
                let page = executions::newest(tx, &home(), &[scope], TimeSpan::ALWAYS, (skip as u64, 3))?;
                let page: Vec<ExecutionId> = page.into_iter().map(|row| row.id).collect();
                assert_eq!(page, list.iter().skip(skip).take(3).copied().collect::<Vec<_>>(), "{scope:?}");
            }
            let mut told = Vec::new();
            for id in list {
                assert!(executions::find(tx, &home(), &id)?.is_some(), "it stands in {scope:?}");
                let entries = executions::entries(tx, &id)?;
                told.push((id, entries.into_iter().map(|placed| placed.entry.node_id).collect()));
            }
            lists.push(told);
        }
        Ok(lists)
    };
    store.read_messages(read).unwrap()
}

#[test]
fn a_run_is_seen_with_its_messages_as_soon_as_it_is_stored() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    settle_in(&store, 0);
    store_run(&store, 4).unwrap();
    let told = seen(&store);
    assert_eq!(told[0], [(id(4), vec!["step 4".to_owned()])]);
    assert_eq!(store.conversation(&home(), &flow(0), &chat(4), 10).unwrap().len(), 1);
    assert_eq!(seen(&open(killed(folder.path()).path())), told, "after a kill");
}

#[test]
fn no_run_follows_the_removal_of_its_flow() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    settle_in(&store, 0);
    store_run(&store, 2).unwrap();
    store
        .write(|tx| {
            messages::remove_flow(tx, &home(), &flow(0))?;
            executions::remove_of_flow(tx, &home(), &flow(0), 10)?;
            FLOW_WORKSPACE.remove(tx, &flow(0))
        })
        .unwrap();
    assert!(store_run(&store, 6).is_err());
    for store in [&store, &open(killed(folder.path()).path())] {
        assert!(seen(store).iter().all(Vec::is_empty));
    }
}

#[derive(Debug, Clone)]
enum Step {
    Store(u8),
    Remove(u8),
    /// The database gets what it lacks.
    Look,
    Rotate,
    Checkpoint,
    Kill,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => any::<u8>().prop_map(Step::Store),
        3 => any::<u8>().prop_map(Step::Remove),
        2 => Just(Step::Look),
        1 => Just(Step::Rotate),
        1 => Just(Step::Checkpoint),
        1 => Just(Step::Kill),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Lists say the same before a kill and after it, and their counts are those of their rows, whatever of the log the
    /// database had already.
    #[test]
    fn runs_are_counted_once_however_often_their_log_is_read(steps in prop::collection::vec(step(), 1..40)) {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path());
        (0..2).for_each(|number| settle_in(&store, number));
        let mut stored = [false; 256];
        for step in steps {
            match step {
                // A run has an id of its own.
                Step::Store(number) if stored[usize::from(number)] => {}
                Step::Store(number) => {
                    store_run(&store, number).unwrap();
                    stored[usize::from(number)] = true;
                }
                Step::Remove(number) => remove(&store, number),
                Step::Look => drop(seen(&store)),
                Step::Rotate => store.engine.switch_segment_if_possible(),
                Step::Checkpoint => store.write_group.checkpoint(&store.engine).unwrap(),
                Step::Kill => {
                    let copy = killed(folder.path());
                    // Read twice: a log that was read counts until the next checkpoint.
                    let first = seen(&open(killed(copy.path()).path()));
                    prop_assert_eq!(&seen(&open(copy.path())), &first);
                    prop_assert_eq!(&seen(&store), &first);
                    prop_assert_eq!(&seen(&open(killed(folder.path()).path())), &first);
                }
            }
        }
    }

    /// What closed in order has written what a kill would have left to the log, and the log is read over it all the same when
    /// the database was opened anew in between.
    #[test]
    fn a_log_that_is_read_over_what_it_led_to_changes_no_count(
        numbers in prop::collection::hash_set(any::<u8>(), 1..20), removed in prop::collection::vec(any::<u8>(), 0..10)
    ) {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path());
        (0..2).for_each(|number| settle_in(&store, number));
        for number in &numbers {
            store_run(&store, *number).unwrap();
        }
        removed.iter().for_each(|number| remove(&store, *number));
        let told = seen(&store);
        for _ in 0..2 {
            store.engine.poison();
            // The next writer opens it anew, over whatever its end had flushed.
            settle_in(&store, 1);
            prop_assert_eq!(&seen(&store), &told);
        }
    }
}
