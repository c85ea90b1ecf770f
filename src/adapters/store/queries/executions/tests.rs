//! Lists and their counts, the order of entries, and what goes away with a record.

use super::*;
use crate::domain::ids::{ChatId, PauseId};
use crate::domain::predictions::execution::{
    ExecutionEntry, ExecutionState, NewExecution, Pause, RunEnd, RunRequest, StepStart, StepStatus,
};
use crate::store::tables::{
    EXECUTION_COUNTS, EXECUTION_ENTRIES, EXECUTION_INDEX, EXECUTION_ORDER, EXECUTION_STEPS, FLOW_WORKSPACE,
    PAUSED_CANVASES, PAUSED_RUNS,
};
use crate::store::transaction::{ReadTx, ReadableIn, Tx};
use crate::store::{KeyRange, Store, keys};
use jiff::Timestamp;
use serde_json::{Map, Value, json};
use std::cell::Cell;

/// A snapshot that counts the rows it hands out.
struct CountingTx<'a> {
    tx: &'a ReadTx,
    rows: Cell<usize>,
}

impl CountingTx<'_> {
    fn count_row(&self) {
        self.rows.set(self.rows.get() + 1);
    }
}

impl Tx for CountingTx<'_> {
    fn get_with<R>(
        &self,
        table: impl ReadableIn<Self>,
        key: &[u8],
        read: impl FnOnce(&[u8]) -> Result<R>,
    ) -> Result<Option<R>> {
        self.count_row();
        self.tx.get_with(table.definition(), key, read)
    }

    fn has(&self, table: impl ReadableIn<Self>, key: &[u8]) -> Result<bool> {
        self.count_row();
        self.tx.has(table.definition(), key)
    }

    fn scan(
        &self,
        table: impl ReadableIn<Self>,
        range: &KeyRange,
        order: Order,
        mut each: impl FnMut(&[u8], &[u8]) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        self.tx.scan(table.definition(), range, order, |key, value| {
            self.count_row();
            each(key, value)
        })
    }

    fn scan_keys(
        &self,
        table: impl ReadableIn<Self>,
        range: &KeyRange,
        order: Order,
        mut each: impl FnMut(&[u8]) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        self.tx.scan_keys(table.definition(), range, order, |key| {
            self.count_row();
            each(key)
        })
    }

    fn row_count(&self, table: impl ReadableIn<Self>) -> Result<u64> {
        self.tx.row_count(table.definition())
    }
}

impl MessageReader for CountingTx<'_> {}

fn store() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("x.redb")).unwrap();
    (folder, store)
}

fn at(millisecond: i64) -> Timestamp {
    Timestamp::from_millisecond(1_700_000_000_000 + millisecond).unwrap()
}

fn new(workspace: WorkspaceId, flow: FlowId) -> NewExecution {
    NewExecution {
        id: ExecutionId::random(),
        flow,
        workspace,
        chat: ChatId::random(),
        session: "s".to_owned(),
        is_test: false,
        from_execution: None,
        version: None,
        request: RunRequest::default(),
    }
}

/// A flow in its workspace.
fn home(store: &Store) -> (WorkspaceId, FlowId) {
    let (workspace, flow) = (WorkspaceId::random(), FlowId::random());
    store.write(|tx| FLOW_WORKSPACE.put(tx, &flow, &workspace)).unwrap();
    (workspace, flow)
}

fn ended(workspace: WorkspaceId, flow: FlowId, millisecond: i64, end: &RunEnd) -> Execution {
    let mut run = Execution::begin(new(workspace, flow), at(millisecond));
    run.end(end, at(millisecond));
    run
}

fn waiting(workspace: WorkspaceId, flow: FlowId, millisecond: i64) -> Execution {
    let mut run = Execution::begin(new(workspace, flow), at(millisecond));
    let pause = Pause {
        id: PauseId::random(),
        node_id: "h".to_owned(),
        node_label: "H".to_owned(),
        iteration_index: None,
        created: at(millisecond),
        timeout_at: None,
        action: Map::new(),
    };
    run.pause(pause, at(millisecond));
    run.end(&RunEnd::AtRest, at(millisecond));
    run
}

/// Puts a run into the lists.
fn list(tx: &WriteTx, run: &Execution) -> Result<()> {
    let mut changes = IndexChanges::default();
    changes.replace(None, Some(run));
    changes.write(tx)
}

fn entry(node: &str) -> ExecutionEntry {
    ExecutionEntry {
        node_id: node.to_owned(),
        node_label: node.to_owned(),
        data: json!({"output": {"content": node}}).as_object().unwrap().clone(),
        previous_node_ids: Vec::new(),
        status: StepStatus::Finished,
    }
}

fn start(node: &str) -> StepStart {
    StepStart {
        node_id: node.to_owned(),
        node_label: node.to_owned(),
        previous_node_ids: vec!["before".to_owned()],
        data: Map::new(),
        note: None,
    }
}

const ALWAYS: TimeSpan = TimeSpan::ALWAYS;

fn ids(
    tx: &impl MessageReader,
    workspace: &WorkspaceId,
    scope: ExecutionScope<'_>,
    page: (u64, usize),
) -> Vec<ExecutionId> {
    newest(tx, workspace, &[scope], ALWAYS, page).unwrap().iter().map(|row| row.id).collect()
}

#[test]
fn lists_of_many_runs_read_as_few_rows_as_those_of_ten() {
    let (_folder, store) = store();
    let (workspace, flow) = home(&store);
    let other = FlowId::random();
    // Some in a minute, over two months: every tenth failed, and every fourth is of another flow.
    let time = |number: i64| number * 447_111;
    for first in (0..10_000).step_by(1_000) {
        store
            .write(|tx| {
                (first..first + 1_000).try_for_each(|number| {
                    let end = if number % 10 == 0 { RunEnd::Failed("no".to_owned()) } else { RunEnd::AtRest };
                    let whose = if number % 4 == 0 { other } else { flow };
                    list(tx, &ended(workspace, whose, time(number), &end))
                })
            })
            .unwrap();
    }
    store
        .read_messages(|tx| {
            let tx = CountingTx { tx, rows: Cell::new(0) };
            let read =
                |what: &str, least: u64, page: u64, scope: ExecutionScope<'_>, span| -> Result<usize> {
                    tx.rows.set(0);
                    assert_eq!(count(&tx, &workspace, scope, span)?, least, "{what}");
                    let rows = newest(&tx, &workspace, &[scope], span, (page, 12))?;
                    assert_eq!(rows.len(), 12, "{what}");
                    assert!(tx.rows.get() < 2_500, "{what}: {} rows", tx.rows.get());
                    Ok(tx.rows.get())
                };
            let few = [
                read("all", 10_000, 0, ExecutionScope::All, ALWAYS)?,
                read("a flow", 7_500, 0, ExecutionScope::Flow(flow), ALWAYS)?,
                read("a state", 1_000, 0, ExecutionScope::State(ExecutionState::Error), ALWAYS)?,
                read("both", 500, 0, ExecutionScope::FlowState(flow, ExecutionState::Error), ALWAYS)?,
                read("a session", 10_000, 0, ExecutionScope::Session("s"), ALWAYS)?,
            ];
            assert!(few.iter().all(|rows| *rows < 100), "{few:?}");
            read("the last page", 10_000, 9_988, ExecutionScope::All, ALWAYS)?;
            let span = TimeSpan::between(Some(at(time(1_000))), Some(at(time(6_000))));
            read("a time", 5_001, 0, ExecutionScope::All, span)?;
            read("its last page", 5_001, 4_989, ExecutionScope::All, span)?;
            Ok(())
        })
        .unwrap();
}

/// A minute in which very many runs ended, as long as its slices hold all of them, and as a database of before has it.
#[test]
fn a_page_in_the_middle_of_a_busy_minute_walks_along_few_rows() {
    let (_folder, store) = store();
    let (workspace, flow) = home(&store);
    let mut runs: Vec<ExecutionId> = Vec::new();
    for first in (0..4_000).step_by(1_000) {
        let some: Vec<Execution> = (first..first + 1_000)
            .map(|number| ended(workspace, flow, number * 5, &RunEnd::AtRest))
            .collect();
        store.write(|tx| some.iter().try_for_each(|run| list(tx, run))).unwrap();
        runs.extend(some.iter().map(|run| run.id));
    }
    runs.reverse();
    let page = |most: usize| {
        let read = |tx: &crate::store::MessagesTx| {
            let tx = CountingTx { tx, rows: Cell::new(0) };
            let found = ids(&tx, &workspace, ExecutionScope::All, (2_000, 12));
            assert_eq!(found, runs[2_000..2_012]);
            assert!(tx.rows.get() < most, "{} rows", tx.rows.get());
            Ok(())
        };
        store.read_messages(read).unwrap();
    };
    page(600);
    // One slice of all is missing, so none of them counts.
    let time = 1_700_000_000_000 + 7;
    let scope = ExecutionScope::All.bytes();
    let slice = keys::execution_count(&workspace, &scope, 3, time >> 6);
    assert!(store.write(|tx| tx.remove(EXECUTION_COUNTS, &slice)).unwrap());
    page(4_000);
}

#[test]
fn a_page_and_a_total_are_those_of_a_walk_whatever_the_times() {
    let (_folder, store) = store();
    let (workspace, flow) = home(&store);
    // A generator of its own, so that a failure comes again: times in a burst, hours apart, and years apart.
    let mut seed = 7_u64;
    let mut random = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    let mut runs: Vec<(i64, ExecutionId)> = Vec::new();
    for _ in 0..400 {
        let width = [1_000, 10_000, 10_000_000, 300_000_000_000][usize::try_from(random(4)).unwrap()];
        let time = i64::try_from(random(width)).unwrap();
        let run = ended(workspace, flow, time, &RunEnd::AtRest);
        runs.push((time, run.id));
        store.write(|tx| list(tx, &run)).unwrap();
    }
    runs.sort_unstable();
    runs.reverse();
    store
        .read_messages(|tx| {
            for _ in 0..200 {
                let edges = [random(400), random(400)].map(|place| runs[usize::try_from(place).unwrap()].0);
                let (from, until) = (edges[0].min(edges[1]), edges[0].max(edges[1]));
                let expected: Vec<ExecutionId> = runs
                    .iter()
                    .filter(|(time, _)| (from..=until).contains(time))
                    .map(|(_, id)| *id)
                    .collect();
                let span = TimeSpan::between(Some(at(from)), Some(at(until)));
                assert_eq!(count(tx, &workspace, ExecutionScope::All, span)?, expected.len() as u64);
                let skip = random(expected.len() as u64 + 2);
                let page = newest(tx, &workspace, &[ExecutionScope::All], span, (skip, 9))?;
                let page: Vec<ExecutionId> = page.iter().map(|row| row.id).collect();
                let rest: Vec<_> =
                    expected.into_iter().skip(usize::try_from(skip).unwrap()).take(9).collect();
                assert_eq!(page, rest, "{from} to {until} from {skip}");
            }
            Ok(())
        })
        .unwrap();
}

#[test]
fn several_lists_are_one_list_newest_first() {
    let (_folder, store) = store();
    let (workspace, one) = home(&store);
    let other = FlowId::random();
    store.write(|tx| FLOW_WORKSPACE.put(tx, &other, &workspace)).unwrap();
    let runs: Vec<Execution> = (0..200)
        .map(|number| ended(workspace, if number % 3 == 0 { one } else { other }, number, &RunEnd::AtRest))
        .collect();
    store.write(|tx| runs.iter().try_for_each(|run| begin(tx, run).map(drop))).unwrap();
    let scopes = [ExecutionScope::Flow(one), ExecutionScope::Flow(other)];
    let page = store.read_messages(|tx| newest(tx, &workspace, &scopes, ALWAYS, (70, 5))).unwrap();
    let expected: Vec<ExecutionId> = runs.iter().rev().skip(70).take(5).map(|run| run.id).collect();
    assert_eq!(page.iter().map(|row| row.id).collect::<Vec<_>>(), expected);
}

#[test]
fn a_run_stands_in_the_lists_of_what_it_is_now() {
    let (_folder, store) = store();
    let (workspace, flow) = home(&store);
    let run = Execution::begin(new(workspace, flow), at(0));
    assert!(store.write(|tx| begin(tx, &run)).unwrap());
    let listed = |state| {
        store.read_messages(|tx| Ok(ids(tx, &workspace, ExecutionScope::State(state), (0, 9)))).unwrap()
    };
    assert_eq!(listed(ExecutionState::InProgress), [run.id]);
    let end = |run: &mut Execution| {
        run.end(&RunEnd::AtRest, at(80_000));
        Ok(())
    };
    store.write(|tx| edit(tx, &workspace, &run.id, end)).unwrap();
    assert_eq!(
        (listed(ExecutionState::InProgress), listed(ExecutionState::Finished)),
        (vec![], vec![run.id])
    );
    store.write(|tx| remove(tx, &find(tx, &workspace, &run.id)?.unwrap())).unwrap();
    store
        .read_messages(|tx| {
            assert_eq!((tx.row_count(EXECUTION_INDEX)?, tx.row_count(EXECUTION_COUNTS)?), (0, 0));
            assert_eq!(find_anywhere(tx, &run.id)?, None);
            Ok(())
        })
        .unwrap();
}

#[test]
fn no_run_begins_in_a_flow_that_is_gone_or_elsewhere() {
    let (_folder, store) = store();
    let (workspace, flow) = home(&store);
    for (workspace, flow) in [(WorkspaceId::random(), flow), (workspace, FlowId::random())] {
        let run = Execution::begin(new(workspace, flow), at(0));
        assert!(!store.write(|tx| begin(tx, &run)).unwrap());
        assert_eq!(store.read_messages(|tx| find_anywhere(tx, &run.id)).unwrap(), None);
    }
}

#[test]
fn entries_are_shown_in_the_order_of_the_record_and_the_others_behind() {
    let (_folder, store) = store();
    let run = ExecutionId::random();
    let write = |changes: &[StepChange]| store.write(|tx| write_steps(tx, &run, changes)).unwrap();
    write(&[StepChange::began(0, start("a")), StepChange::began(1, start("b"))]);
    write(&[StepChange::ended(1, &entry("b"), None::<&Value>).unwrap()]);
    let shown = || {
        let all = store.read_messages(|tx| entries(tx, &run)).unwrap();
        all.into_iter().map(|row| (row.place, row.entry.node_id)).collect::<Vec<_>>()
    };
    assert_eq!(shown(), [(None, "b".to_owned())]);
    write(&[
        StepChange::ended(0, &entry("a"), None::<&Value>).unwrap(),
        StepChange::Placed { place: 0, step: 0 },
    ]);
    assert_eq!(shown(), [(Some(0), "a".to_owned()), (None, "b".to_owned())]);
    write(&[StepChange::Placed { place: 1, step: 1 }]);
    assert_eq!(shown(), [(Some(0), "a".to_owned()), (Some(1), "b".to_owned())]);
    assert_eq!(store.read_messages(|tx| next_numbers(tx, &run)).unwrap(), (2, 2));
}

#[test]
fn what_begins_and_ends_in_one_stroke_leaves_no_note() {
    let (_folder, store) = store();
    let run = ExecutionId::random();
    let both = [StepChange::began(0, start("a")), StepChange::ended(0, &entry("a"), None::<&Value>).unwrap()];
    store.write(|tx| write_steps(tx, &run, &both)).unwrap();
    store.read_messages(|tx| tx.row_count(EXECUTION_STEPS)).map(|rows| assert_eq!(rows, 0)).unwrap();
}

#[test]
fn steps_under_way_become_entries_that_say_so() {
    let (_folder, store) = store();
    let run = ExecutionId::random();
    let changes = [
        StepChange::began(0, start("a")),
        StepChange::began(1, start("b")),
        StepChange::ended(1, &entry("b"), None::<&Value>).unwrap(),
    ];
    store.write(|tx| write_steps(tx, &run, &changes)).unwrap();
    assert!(store.write(|tx| terminate_steps(tx, &run)).unwrap());
    let all = store.read_messages(|tx| entries(tx, &run)).unwrap();
    let shown: Vec<_> =
        all.iter().map(|row| (row.place, row.entry.node_id.as_str(), row.entry.status)).collect();
    assert_eq!(
        shown,
        [(Some(0), "a", StepStatus::Terminated), (Some(1), "b", StepStatus::Finished)],
        "in the order in which they began"
    );
    assert_eq!(all[0].entry.previous_node_ids, ["before"]);
    assert!(!store.write(|tx| terminate_steps(tx, &run)).unwrap(), "nothing is left");
}

#[test]
fn a_canvas_is_kept_once_and_as_long_as_a_run_waits_with_it() {
    let (_folder, store) = store();
    let (workspace, flow) = home(&store);
    let (one, other) = (waiting(workspace, flow, 0), waiting(workspace, flow, 1));
    let paused = |note: &str| PausedRun { canvas: "{}".to_owned(), note: Value::from(note) };
    store
        .write(|tx| {
            begin(tx, &one)?;
            begin(tx, &other)?;
            keep_canvas(tx, &one, &paused("a"))?;
            keep_canvas(tx, &other, &paused("b"))?;
            keep_canvas(tx, &other, &paused("c"))
        })
        .unwrap();
    let kept = || {
        store.read_messages(|tx| Ok((tx.row_count(PAUSED_CANVASES)?, tx.row_count(PAUSED_RUNS)?))).unwrap()
    };
    assert_eq!(kept(), (1, 2));
    assert_eq!(store.read_messages(|tx| paused_run(tx, &other)).unwrap(), Some(paused("c")));
    store.write(|tx| edit(tx, &workspace, &one.id, |run| run.terminate(at(5)))).unwrap();
    assert_eq!(kept(), (1, 1));
    store.write(|tx| remove(tx, &other)).unwrap();
    assert_eq!(kept(), (0, 0));
}

#[test]
fn the_oldest_go_some_at_a_time_and_what_is_under_way_or_waits_stays() {
    let (_folder, store) = store();
    let (workspace, flow) = home(&store);
    let waits = waiting(workspace, flow, 0);
    let runs = Execution::begin(new(workspace, flow), at(1));
    let done: Vec<Execution> =
        (2..12).map(|number| ended(workspace, flow, number, &RunEnd::AtRest)).collect();
    store
        .write(|tx| {
            [&waits, &runs].into_iter().chain(&done).try_for_each(|run| {
                begin(tx, run)?;
                write_steps(tx, &run.id, &[StepChange::ended(0, &entry("a"), None::<&Value>)?])
            })
        })
        .unwrap();
    let clean = |most| store.write(|tx| remove_beyond(tx, &workspace, 6, most)).unwrap();
    assert!(clean(3), "there may be more");
    while clean(3) {}
    let mut left: Vec<ExecutionId> = done[4..].iter().rev().map(|run| run.id).collect();
    left.extend([runs.id, waits.id]);
    store
        .read_messages(|tx| {
            assert_eq!(ids(tx, &workspace, ExecutionScope::All, (0, 99)), left);
            assert_eq!(tx.row_count(EXECUTION_ENTRIES)?, left.len() as u64);
            Ok(())
        })
        .unwrap();
}

#[test]
fn all_records_of_a_flow_go_some_at_a_time() {
    let (_folder, store) = store();
    let (workspace, flow) = home(&store);
    let waits = waiting(workspace, flow, 0);
    store
        .write(|tx| {
            begin(tx, &waits)?;
            keep_canvas(tx, &waits, &PausedRun { canvas: "{}".to_owned(), note: Value::Null })?;
            (1..8)
                .try_for_each(|number| begin(tx, &ended(workspace, flow, number, &RunEnd::AtRest)).map(drop))
        })
        .unwrap();
    assert!(store.write(|tx| remove_of_flow(tx, &workspace, &flow, 5)).unwrap());
    assert!(!store.write(|tx| remove_of_flow(tx, &workspace, &flow, 5)).unwrap());
    store
        .read_messages(|tx| {
            for table in [EXECUTION_INDEX, EXECUTION_COUNTS, EXECUTION_ORDER, PAUSED_CANVASES, PAUSED_RUNS] {
                assert_eq!(tx.row_count(table)?, 0);
            }
            Ok(())
        })
        .unwrap();
}
