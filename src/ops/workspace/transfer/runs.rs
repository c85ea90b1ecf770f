//! Records of runs in a file. They go out when they are asked for, the newest of them, and come in with the flows they are
//! of, or where those are here. What came in is read: it waits for nobody, and nobody but its workspace sees it.

use super::ItemKind;
use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::Result;
use crate::domain::flows::flow::{Flow, FlowKind};
use crate::domain::ids::{ChatId, ExecutionId, FlowId};
use crate::domain::predictions::execution::{
    Execution, ExecutionEntry, ExecutionState, ExecutionStatus, INTERRUPTED, remove_secrets,
};
use crate::ops::conversations::messages::Budget;
use crate::ops::flows::access::{self, FlowAction};
use crate::ops::predictions::executions::{name_version, require_reader};
use crate::store::Order;
use crate::store::queries::executions::{self, ExecutionScope, TimeSpan};
use crate::store::tables::FLOWS;
use crate::wire::workspace::executions::{ExecutionRow, FileExecution};
use crate::wire::workspace::export::ExportFile;
use crate::wire::workspace::import::ImportItemView;
use serde::Deserialize as _;
use serde_json::Value;
use std::collections::HashMap;
use std::ops::ControlFlow;

/// The list of the file they stand in.
const GROUP: &str = "Execution";
/// Records of runs in one file.
const RUNS_MAX: usize = 5_000;
/// Length of all records of runs of one file.
const RUN_BYTES_MAX: usize = 32 * 1024 * 1024;
/// Steps of a run that comes in.
const STEPS_MAX: usize = 20_000;
/// Records that are stored in one commit.
const RUNS_AT_ONCE: usize = 32;

/// Adds the newest records of flows that the caller may export and see; true when some were left out.
///
/// # Errors
/// 403 for a caller who may not see records.
pub(super) fn add_runs(app: &App, caller: &Caller, file: &mut ExportFile) -> Result<bool> {
    require_reader(caller)?;
    let mut room = Budget::new(RUNS_MAX, RUN_BYTES_MAX);
    app.store.read_messages(|tx| {
        let mut flows: HashMap<FlowId, bool> = HashMap::new();
        for flow in FLOWS.list(tx, &caller.workspace)? {
            flows.insert(flow.id, ItemKind::Flow(flow.kind).check_export(caller).is_ok());
        }
        let mut ids = Vec::new();
        let all = (&caller.workspace, ExecutionScope::All, TimeSpan::ALWAYS);
        executions::walk(tx, all.0, all.1, all.2, Order::Descending, |row| {
            if flows.get(&row.flow) == Some(&true) {
                ids.push(row.id);
            }
            let is_full = ids.len() > RUNS_MAX;
            Ok(if is_full { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        for id in ids {
            let Some(mut run) = executions::find(tx, &caller.workspace, &id)? else { continue };
            name_version(tx, &mut run)?;
            let entries: Vec<ExecutionEntry> =
                executions::entries(tx, &id)?.into_iter().map(|placed| placed.entry).collect();
            let row = ExecutionRow::new(run, &entries);
            if !room.try_take(&row)? {
                break;
            }
            file.execution.push(row);
        }
        Ok(())
    })?;
    Ok(room.is_truncated())
}

/// Takes records in, or tells how many would come in. `homes` are the ids here of the flows of the file.
///
/// # Errors
/// When the database cannot be read or written.
pub(super) fn import(
    app: &App,
    caller: &Caller,
    rows: &[Value],
    homes: &HashMap<FlowId, FlowId>,
    is_import: bool,
) -> Result<Vec<ImportItemView>> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    if !ItemKind::Flow(FlowKind::Agentflow).can_import(caller) {
        let why = "Records of runs come in with the permission to import agentflows.";
        return Ok(vec![ImportItemView::left_out(GROUP, rows.len(), why)]);
    }
    let stored = take_in(app, caller, &rows[..rows.len().min(RUNS_MAX)], homes, is_import)?;
    Ok(tell(stored, rows.len() - stored))
}

/// What is said of records, by how many came in and how many did not.
pub(super) fn tell(stored: usize, left: usize) -> Vec<ImportItemView> {
    let why = "Records that are here already, and those of flows that are not here, stay outside.";
    let told = [
        (stored > 0).then(|| ImportItemView::listed(GROUP, stored)),
        (left > 0).then(|| ImportItemView::left_out(GROUP, left, why)),
    ];
    told.into_iter().flatten().collect()
}

/// Takes some records in, or counts those that would come in; how many.
///
/// # Errors
/// When the database cannot be read or written.
pub(super) fn take_in(
    app: &App,
    caller: &Caller,
    rows: &[Value],
    homes: &HashMap<FlowId, FlowId>,
    is_import: bool,
) -> Result<usize> {
    let arrivals = |id: &FlowId| homes.values().any(|home| home == id);
    let here = app.store.read(|tx| FLOWS.list(tx, &caller.workspace))?;
    let here: HashMap<FlowId, Flow> = here.into_iter().map(|flow| (flow.id, flow)).collect();
    let may_have = |id: &FlowId| match here.get(id) {
        Some(flow) => access::check_permission(caller, flow.kind, FlowAction::View).is_ok(),
        // Only told of so far.
        None => !is_import && arrivals(id),
    };
    let read = |row: &Value| {
        let file = FileExecution::deserialize(row).ok()?;
        let flow = FlowId::parse(file.agentflow_id.as_deref()?)?;
        let flow = homes.get(&flow).copied().unwrap_or(flow);
        read_run(caller, &file, flow).filter(|_| may_have(&flow))
    };
    let runs: Vec<(Execution, Vec<ExecutionEntry>)> = rows.iter().filter_map(read).collect();
    let mut stored = runs.len();
    if is_import {
        stored = 0;
        for some in runs.chunks(RUNS_AT_ONCE) {
            stored += app.store.write(|tx| {
                let mut stored = 0;
                for (run, entries) in some {
                    let known = executions::find_anywhere(tx, &run.id)?;
                    let is_here =
                        |known: &Execution| known.workspace == run.workspace && known.flow == run.flow;
                    if known.as_ref().is_some_and(is_here) {
                        continue;
                    }
                    // Another workspace has the one of this id, or a flow that was made once more.
                    let id = known.map_or(run.id, |_| ExecutionId::random());
                    stored += usize::from(executions::import(tx, &Execution { id, ..run.clone() }, entries)?);
                }
                Ok(stored)
            })?;
        }
    }
    Ok(stored)
}

/// A record as it is kept here; `None` when it is none.
fn read_run(caller: &Caller, file: &FileExecution, flow: FlowId) -> Option<(Execution, Vec<ExecutionEntry>)> {
    let mut entries = file.entries().filter(|entries| entries.len() <= STEPS_MAX)?;
    entries.iter_mut().for_each(|entry| remove_secrets(&mut entry.data));
    let (created, updated, stopped) = file.dates()?;
    let error = || file.error.clone().unwrap_or_else(|| INTERRUPTED.to_owned());
    let status = match ExecutionState::parse(file.state.as_deref()?)? {
        ExecutionState::Finished => ExecutionStatus::Finished,
        ExecutionState::Error | ExecutionState::InProgress => ExecutionStatus::Error { error: error() },
        ExecutionState::Timeout => ExecutionStatus::Timeout { error: error() },
        // What it waited for nobody can answer here.
        ExecutionState::Terminated | ExecutionState::Stopped => ExecutionStatus::Terminated,
    };
    let chat = file.chat_id.as_deref().or(file.session_id.as_deref()).and_then(ChatId::parse);
    let chat = chat.unwrap_or_else(ChatId::random);
    let run = Execution {
        id: ExecutionId::parse(file.id.as_deref()?)?,
        flow,
        workspace: caller.workspace,
        chat,
        session: file.session_id.clone().unwrap_or_else(|| chat.to_string()),
        is_test: file.is_test,
        status,
        is_public: false,
        created,
        updated,
        stopped: Some(stopped.unwrap_or(updated)),
        from_execution: None,
        change: None,
        flow_version: None,
        values: None,
        callback: None,
    };
    Some((run, entries))
}
