//! Records as the engine writes them, as a kill leaves them and as people see them.

mod ends;
mod pause_ends;
mod resumes;

use super::*;
use crate::base::cancel::CancelToken;
use crate::domain::accounts::caller::{Permission, PermissionSet};
use crate::domain::flows::flow::FlowKind;
use crate::domain::flows::flow_change::FlowChange;
use crate::domain::ids::PauseId;
use crate::domain::predictions::execution::{
    ABANDONED, ExecutionEntry, INTERRUPTED, NewExecution, Pause, RunEnd, RunRequest, StepStart, StepStatus,
};
use crate::ops::flows;
use crate::settings::{Environment, Flags, Settings};
use crate::store::tables::EXECUTION_LEFTOVERS;
use serde_json::{Map, Value, json};
use std::sync::Arc;

fn map(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

fn agentflow(app: &App, caller: &Caller, name: &str) -> FlowId {
    let change = FlowChange { kind: Some(FlowKind::Agentflow.to_string()), ..FlowChange::chatflow(name) };
    flows::create(app, caller, &change).unwrap().flow.id
}

fn new(caller: &Caller, flow: FlowId, session: &str) -> NewExecution {
    NewExecution {
        id: ExecutionId::next(),
        flow,
        workspace: caller.workspace,
        chat: ChatId::random(),
        session: session.to_owned(),
        is_test: false,
        from_execution: None,
        version: None,
        request: RunRequest::default(),
    }
}

fn start(node: &str) -> StepStart {
    StepStart {
        node_id: node.to_owned(),
        node_label: node.to_uppercase(),
        previous_node_ids: Vec::new(),
        data: map(json!({"id": node})),
        note: None,
    }
}

fn entry(node: &str, output: &Value) -> ExecutionEntry {
    ExecutionEntry {
        node_id: node.to_owned(),
        node_label: node.to_uppercase(),
        data: map(json!({"id": node, "output": output})),
        previous_node_ids: Vec::new(),
        status: StepStatus::Finished,
    }
}

/// Stores a step that has ended at the next place in the record.
fn append(recorder: &ExecutionRecorder, entry: ExecutionEntry) {
    let step = recorder.start(StepStart::of(&entry));
    recorder.end(step, entry, None).unwrap();
    recorder.place(step);
}

fn pause(app: &App, node: &str) -> Pause {
    Pause {
        id: PauseId::random(),
        node_id: node.to_owned(),
        node_label: node.to_uppercase(),
        iteration_index: None,
        created: app.clock.monotonic_now(),
        timeout_at: None,
        action: map(json!({"id": node})),
    }
}

fn paused() -> Arc<PausedRun> {
    Arc::new(PausedRun { canvas: r#"{"nodes":[]}"#.to_owned(), note: json!({"at": 1}) })
}

/// A run of one step that has finished.
fn finished(app: &App, caller: &Caller, flow: FlowId, session: &str) -> ExecutionId {
    let recorder = begin(app, new(caller, flow, session)).unwrap();
    append(&recorder, entry("a", &json!({"content": "x"})));
    recorder.finish(RunEnd::AtRest).unwrap().id
}

fn waiting(app: &App, caller: &Caller, flow: FlowId, session: &str) -> (ExecutionId, PauseId) {
    let recorder = begin(app, new(caller, flow, session)).unwrap();
    let pause = pause(app, "h");
    let id = pause.id;
    recorder.pause(pause, paused());
    (recorder.finish(RunEnd::AtRest).unwrap().id, id)
}

fn shown(app: &App, caller: &Caller, id: ExecutionId) -> Vec<(String, StepStatus)> {
    let row = read(app, caller, id, TextLength::Whole).unwrap();
    let Some(ShownEntries::All(all)) = row.entries else { panic!("no entries") };
    all.into_iter().map(|shown| (shown.entry.node_id, shown.entry.status)).collect()
}

fn find(app: &App, caller: &Caller, filter: &ExecutionFilter) -> (Vec<ExecutionId>, u64) {
    let (rows, total) = list(app, caller, filter, (1, 100), false).unwrap();
    (rows.into_iter().map(|row| row.execution.id).collect(), total)
}

/// As after a kill: everything that was written is there, and nobody ended anything.
fn after_kill(app: &App, recorder: ExecutionRecorder) {
    recorder.sync().unwrap();
    std::mem::forget(recorder);
    recover(app).unwrap();
}

#[test]
fn a_record_is_in_its_order_although_branches_end_in_another() {
    let (_folder, app, caller) = App::with_owner();
    let recorder = begin(&app, new(&caller, agentflow(&app, &caller, "f"), "s")).unwrap();
    let id = recorder.id();
    let (slow, quick) = (recorder.start(start("slow")), recorder.start(start("quick")));
    recorder.end(quick, entry("quick", &json!({})), None).unwrap();
    recorder.place(slow);
    recorder.sync().unwrap();
    assert_eq!(shown(&app, &caller, id), [("quick".to_owned(), StepStatus::Finished)], "what has ended");
    recorder.end(slow, entry("slow", &json!({})), None).unwrap();
    recorder.place(quick);
    assert_eq!(recorder.finish(RunEnd::AtRest).unwrap().state(), ExecutionState::Finished);
    let nodes: Vec<String> = shown(&app, &caller, id).into_iter().map(|(node, _)| node).collect();
    assert_eq!(nodes, ["slow", "quick"]);
}

#[test]
fn a_thousand_steps_of_many_branches_are_all_there_in_order() {
    let (_folder, app, caller) = App::with_owner();
    let recorder = begin(&app, new(&caller, agentflow(&app, &caller, "f"), "s")).unwrap();
    let id = recorder.id();
    let steps: Vec<StepNumber> = (0..400).map(|n| recorder.start(start(&n.to_string()))).collect();
    std::thread::scope(|scope| {
        for branch in 0..4 {
            let (recorder, steps) = (&recorder, &steps);
            scope.spawn(move || {
                for n in (branch..400).step_by(4) {
                    recorder.end(steps[n], entry(&n.to_string(), &json!("x".repeat(5_000))), None).unwrap();
                }
            });
        }
    });
    steps.iter().for_each(|step| recorder.place(*step));
    recorder.finish(RunEnd::AtRest).unwrap();
    let nodes: Vec<String> = shown(&app, &caller, id).into_iter().map(|(node, _)| node).collect();
    assert_eq!(nodes, (0..400).map(|n| n.to_string()).collect::<Vec<_>>());
}

#[test]
fn a_recorder_that_is_dropped_leaves_a_run_that_failed() {
    let (_folder, app, caller) = App::with_owner();
    let recorder = begin(&app, new(&caller, agentflow(&app, &caller, "f"), "s")).unwrap();
    let id = recorder.id();
    recorder.start(start("a"));
    drop(recorder);
    // What is written later is written behind it.
    finished(&app, &caller, agentflow(&app, &caller, "g"), "s");
    let row = read(&app, &caller, id, TextLength::Cut).unwrap();
    assert_eq!(row.execution.error(), Some(ABANDONED));
    assert_eq!(shown(&app, &caller, id), [("a".to_owned(), StepStatus::Terminated)]);
}

#[test]
fn a_kill_loses_the_steps_in_flight_and_says_so() {
    let (_folder, app, caller) = App::with_owner();
    let recorder = begin(&app, new(&caller, agentflow(&app, &caller, "f"), "s")).unwrap();
    let id = recorder.id();
    append(&recorder, entry("a", &json!({})));
    recorder.start(start("b"));
    after_kill(&app, recorder);
    assert_eq!(read(&app, &caller, id, TextLength::Cut).unwrap().execution.error(), Some(INTERRUPTED));
    let expected = [("a".to_owned(), StepStatus::Finished), ("b".to_owned(), StepStatus::Terminated)];
    assert_eq!(shown(&app, &caller, id), expected);
}

#[test]
fn a_kill_while_a_run_only_waits_leaves_it_waiting() {
    let (_folder, app, caller) = App::with_owner();
    let flow = agentflow(&app, &caller, "f");
    let recorder = begin(&app, new(&caller, flow, "s")).unwrap();
    let id = recorder.id();
    append(&recorder, entry("a", &json!({})));
    recorder.pause(pause(&app, "h"), paused());
    after_kill(&app, recorder);
    assert_eq!(read(&app, &caller, id, TextLength::Cut).unwrap().execution.state(), ExecutionState::Stopped);
    assert_eq!(find_waiting(&app, &caller.workspace, &id).unwrap().paused, *paused());
}

#[test]
fn a_database_that_is_opened_again_has_no_run_in_progress() {
    let folder = tempfile::tempdir().unwrap();
    let open = || {
        let flags = Flags::default().with("SERVICE_DATA_DIR", "--data-dir", folder.path().to_str());
        let settings = Settings::from_vars(|_| None, flags).unwrap();
        App::open(settings, Environment::new(|_| None)).unwrap()
    };
    let id = {
        let app = open();
        let new_owner = crate::domain::accounts::registration::NewOwner {
            name: "Ada".to_owned(),
            email: "ada@example.org".to_owned(),
            password: "correct horse".to_owned(),
        };
        crate::ops::accounts::owner::create(&app, &new_owner, None).unwrap();
        let caller = crate::ops::accounts::owner::operator(&app).unwrap().unwrap();
        let recorder = begin(&app, new(&caller, agentflow(&app, &caller, "f"), "s")).unwrap();
        recorder.sync().unwrap();
        let store = Arc::downgrade(&app.store);
        drop(app);
        let id = recorder.id();
        std::mem::forget(recorder);
        while store.strong_count() > 0 {
            std::thread::yield_now();
        }
        id
    };
    let app = open();
    let caller = crate::ops::accounts::owner::operator(&app).unwrap().unwrap();
    assert_eq!(read(&app, &caller, id, TextLength::Cut).unwrap().execution.error(), Some(INTERRUPTED));
}

#[test]
fn the_newest_run_that_waits_is_found_by_its_conversation() {
    let (_folder, app, caller) = App::with_owner();
    let flow = agentflow(&app, &caller, "f");
    let (id, _) = waiting(&app, &caller, flow, "s");
    waiting(&app, &caller, flow, "s");
    finished(&app, &caller, flow, "s");
    let chat = read(&app, &caller, id, TextLength::Cut).unwrap().execution.chat;
    let flow = app.store.read_messages(|tx| FLOWS.get(tx, &caller.workspace, &flow)).unwrap().unwrap();
    let newest = |chat: ChatId| {
        let waits = |run: &Execution| run.pauses().next().map(|_| run.id);
        find_newest(&app, &flow, (chat, "s"), waits).unwrap()
    };
    assert_eq!((newest(chat), newest(ChatId::random())), (Some(id), None));
    terminate_paused(&app, &caller.workspace, &id).unwrap();
    assert_eq!(newest(chat), None);
}

#[test]
fn nothing_secret_is_kept_of_a_step() {
    let (_folder, app, caller) = App::with_owner();
    let recorder = begin(&app, new(&caller, agentflow(&app, &caller, "f"), "s")).unwrap();
    let id = recorder.id();
    let output = json!({"FLOWISE_CREDENTIAL_ID": "seen", "headers": {"Authorization": "Bearer seen"}});
    append(&recorder, entry("a", &output));
    recorder.start(StepStart { data: map(output), ..start("b") });
    recorder.finish(RunEnd::Terminated).unwrap();
    let row = read(&app, &caller, id, TextLength::Whole).unwrap();
    assert!(!format!("{:?}", row.entries).contains("seen"), "{:?}", row.entries);
}

#[test]
fn each_filter_narrows_the_list_and_its_total() {
    let (_folder, app, caller) = App::with_owner();
    let (one, other) = (agentflow(&app, &caller, "Orders"), agentflow(&app, &caller, "Returns of orders"));
    let first = finished(&app, &caller, one, "s");
    let second = finished(&app, &caller, other, "s");
    let (third, _) = waiting(&app, &caller, other, "t");
    let whole = ExecutionFilter::default();
    assert_eq!(find(&app, &caller, &whole), (vec![third, second, first], 3));
    let filters = [
        (ExecutionFilter { id: Some(second), ..whole.clone() }, vec![second]),
        (ExecutionFilter { id: Some(second), session: Some("t".to_owned()), ..whole.clone() }, vec![]),
        (ExecutionFilter { flow: Some(other), ..whole.clone() }, vec![third, second]),
        (
            ExecutionFilter { flow_name: Some("ORDERS".to_owned()), ..whole.clone() },
            vec![third, second, first],
        ),
        (ExecutionFilter { flow_name: Some("returns".to_owned()), ..whole.clone() }, vec![third, second]),
        (ExecutionFilter { flow_name: Some("x".to_owned()), ..whole.clone() }, vec![]),
        (ExecutionFilter { session: Some("s".to_owned()), ..whole.clone() }, vec![second, first]),
        (ExecutionFilter { session: Some("s".to_owned()), flow: Some(one), ..whole.clone() }, vec![first]),
        (ExecutionFilter { state: Some(ExecutionState::Stopped), ..whole.clone() }, vec![third]),
        (
            ExecutionFilter { state: Some(ExecutionState::Finished), flow: Some(other), ..whole.clone() },
            vec![second],
        ),
    ];
    for (filter, expected) in filters {
        let total = expected.len() as u64;
        assert_eq!(find(&app, &caller, &filter), (expected, total), "{filter:?}");
    }
    let date = read(&app, &caller, second, TextLength::Cut).unwrap().execution.updated;
    let since = ExecutionFilter { start: Some(date), ..whole.clone() };
    assert!(find(&app, &caller, &since).0.starts_with(&[third, second]));
    let never = ExecutionFilter { end: Some(Timestamp::UNIX_EPOCH), ..whole };
    assert_eq!(find(&app, &caller, &never), (vec![], 0));
}

#[test]
fn a_page_holds_its_rows_and_entries_only_when_they_are_asked_for() {
    let (_folder, app, caller) = App::with_owner();
    let flow = agentflow(&app, &caller, "f");
    let ids: Vec<ExecutionId> = (0..5).map(|_| finished(&app, &caller, flow, "s")).collect();
    let (rows, total) = list(&app, &caller, &ExecutionFilter::default(), (2, 2), false).unwrap();
    assert_eq!(total, 5);
    assert_eq!(rows.iter().map(|row| row.execution.id).collect::<Vec<_>>(), [ids[2], ids[1]]);
    assert!(rows.iter().all(|row| row.entries.is_none()));
    let (rows, _) = list(&app, &caller, &ExecutionFilter::default(), (1, 2), true).unwrap();
    assert!(rows.iter().all(|row| matches!(&row.entries, Some(ShownEntries::All(all)) if all.len() == 1)));
}

#[test]
fn who_may_not_see_the_flow_sees_no_steps_of_its_runs() {
    let (_folder, app, owner) = App::with_owner();
    let id = finished(&app, &owner, agentflow(&app, &owner, "f"), "s");
    let holding = |names: &[&str]| {
        let held = names.iter().map(|name| Permission::parse(name).unwrap()).collect();
        Caller { permissions: PermissionSet::Only(held), ..owner.clone() }
    };
    for (caller, sees) in [
        (holding(&["executions:view", "chatflows:view"]), false),
        (holding(&["executions:view", "agentflows:view"]), true),
    ] {
        let one = read(&app, &caller, id, TextLength::Cut).unwrap();
        let (all, _) = list(&app, &caller, &ExecutionFilter::default(), (1, 9), true).unwrap();
        assert_eq!((one.entries.is_some(), all[0].entries.is_some()), (sees, sees));
    }
}

#[test]
fn long_texts_are_cut_unless_the_whole_is_asked_for() {
    let (_folder, app, caller) = App::with_owner();
    let recorder = begin(&app, new(&caller, agentflow(&app, &caller, "f"), "s")).unwrap();
    let long = "x".repeat(EXECUTION_TEXT_MAX_BYTES + 1);
    append(&recorder, entry("a", &json!(long)));
    let id = recorder.finish(RunEnd::AtRest).unwrap().id;
    let told = |length| {
        let row = read(&app, &caller, id, length).unwrap();
        let Some(ShownEntries::All(all)) = row.entries else { panic!("no entries") };
        (all[0].entry.data["output"].as_str().unwrap().len(), all[0].is_cut)
    };
    assert_eq!(told(TextLength::Cut), (EXECUTION_TEXT_MAX_BYTES, true));
    assert_eq!(told(TextLength::Whole), (EXECUTION_TEXT_MAX_BYTES + 1, false));
}

#[test]
fn a_shared_record_is_open_to_everybody_and_no_other_is() {
    let (_folder, app, caller) = App::with_owner();
    let recorder = begin(&app, new(&caller, agentflow(&app, &caller, "f"), "s")).unwrap();
    append(&recorder, entry("a", &json!({"sessionId": "hidden", "content": "x"})));
    let id = recorder.finish(RunEnd::AtRest).unwrap().id;
    assert!(matches!(read_public(&app, id), Err(Error::NotFound(_))));
    share(&app, &caller, id, Some(true)).unwrap();
    let row = read_public(&app, id).unwrap();
    let told = format!("{:?}", row.entries);
    assert!(told.contains("content") && !told.contains("hidden"), "{told}");
    share(&app, &caller, id, None).unwrap();
    assert!(read_public(&app, id).is_ok(), "what is not said stays");
    share(&app, &caller, id, Some(false)).unwrap();
    assert!(matches!(read_public(&app, id), Err(Error::NotFound(_))));
}

#[test]
fn another_workspace_neither_sees_nor_changes_a_record() {
    let (_folder, app, caller) = App::with_owner();
    let id = finished(&app, &caller, agentflow(&app, &caller, "f"), "s");
    let other = Caller { workspace: WorkspaceId::random(), ..caller.clone() };
    assert!(matches!(read(&app, &other, id, TextLength::Cut), Err(Error::NotFound(_))));
    assert!(matches!(share(&app, &other, id, Some(true)), Err(Error::NotFound(_))));
    assert!(matches!(delete(&app, &other, id), Err(Error::NotFound(_))));
    assert_eq!(delete_each(&app, &other, &[id]).unwrap(), 0);
    assert_eq!(find(&app, &other, &ExecutionFilter::default()), (vec![], 0));
    assert!(matches!(find_waiting(&app, &other.workspace, &id), Err(Error::NotFound(_))));
    assert!(read(&app, &caller, id, TextLength::Cut).is_ok());
}

#[test]
fn what_is_under_way_is_not_deleted() {
    let (_folder, app, caller) = App::with_owner();
    let flow = agentflow(&app, &caller, "f");
    let recorder = begin(&app, new(&caller, flow, "s")).unwrap();
    recorder.sync().unwrap();
    assert!(matches!(delete(&app, &caller, recorder.id()), Err(Error::Conflict(Conflict::RunUnderWay))));
    let done = finished(&app, &caller, flow, "s");
    let (waits, _) = waiting(&app, &caller, flow, "s");
    let named = [recorder.id(), done, waits, ExecutionId::random()];
    assert_eq!(delete_each(&app, &caller, &named).unwrap(), 2);
    let id = recorder.finish(RunEnd::AtRest).unwrap().id;
    delete(&app, &caller, id).unwrap();
    assert_eq!(find(&app, &caller, &ExecutionFilter::default()).1, 0);
}

#[test]
fn deleting_a_flow_deletes_its_records_and_those_under_way_write_no_more() {
    let (_folder, app, caller) = App::with_owner();
    let flow = agentflow(&app, &caller, "f");
    let (waits, _) = waiting(&app, &caller, flow, "s");
    let recorder = begin(&app, new(&caller, flow, "s")).unwrap();
    recorder.sync().unwrap();
    flows::delete(&app, &caller, &flow).unwrap();
    assert!(matches!(read(&app, &caller, waits, TextLength::Cut), Err(Error::NotFound(_))));
    append(&recorder, entry("a", &json!({})));
    let id = recorder.id();
    assert!(matches!(recorder.finish(RunEnd::AtRest), Err(Error::NotFound(_))));
    assert_eq!(app.store.read_messages(|tx| executions::entry_count(tx, &id)).unwrap(), 0);
    assert_eq!(app.store.read_messages(|tx| EXECUTION_LEFTOVERS.list(tx)).unwrap(), []);
}

#[test]
fn what_a_deleted_flow_left_behind_goes_later() {
    let (_folder, app, caller) = App::with_owner();
    let flow = agentflow(&app, &caller, "f");
    let id = finished(&app, &caller, flow, "s");
    // As when the process ended between the two.
    app.store
        .write(|tx| {
            unlink_flow(tx, &caller.workspace, &flow)?;
            crate::store::tables::FLOW_WORKSPACE.remove(tx, &flow)
        })
        .unwrap();
    sweep(&app, &CancelToken::new(None)).unwrap();
    assert!(matches!(read(&app, &caller, id, TextLength::Cut), Err(Error::NotFound(_))));
}

#[test]
fn a_workspace_keeps_as_many_records_as_the_operator_says() {
    let folder = tempfile::tempdir().unwrap();
    let flags = Flags::default().with("SERVICE_DATA_DIR", "--data-dir", folder.path().to_str());
    let vars = |name: &str| (name == "SERVICE_EXECUTIONS_KEEP").then(|| "2".to_owned());
    let settings = Settings::from_vars(vars, flags).unwrap();
    let app = App::open(settings, Environment::new(|_| None)).unwrap();
    let new_owner = crate::domain::accounts::registration::NewOwner {
        name: "Ada".to_owned(),
        email: "ada@example.org".to_owned(),
        password: "correct horse".to_owned(),
    };
    crate::ops::accounts::owner::create(&app, &new_owner, None).unwrap();
    let caller = crate::ops::accounts::owner::operator(&app).unwrap().unwrap();
    let flow = agentflow(&app, &caller, "f");
    let ids: Vec<ExecutionId> = (0..4).map(|_| finished(&app, &caller, flow, "s")).collect();
    sweep(&app, &CancelToken::new(None)).unwrap();
    assert_eq!(find(&app, &caller, &ExecutionFilter::default()), (vec![ids[3], ids[2]], 2));
}
