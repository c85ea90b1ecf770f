//! The records of agentflow runs (manual 15): how the engine writes them, and how people look at them.

mod append;
mod cleanup;
mod recorder;
mod run_changes;
#[cfg(test)]
mod tests;
mod watch;
mod writer;

pub use self::cleanup::{delete_for_flow, recover, sweep, unlink_flow};
pub use self::recorder::{
    ExecutionRecorder, RecordEnd, StepNumber, WaitingRun, begin, find_waiting, resume, terminate_paused,
};
pub use self::watch::{RunUpdate, RunWatch, watch};
pub use self::writer::ExecutionWriter;
pub use crate::state::live_runs::LiveEvent;
pub use crate::store::queries::executions::PausedRun;

use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Conflict, Error, Result};
use crate::domain::flows::flow::Flow;
use crate::domain::ids::{ChatId, ExecutionId, FlowId, WorkspaceId};
use crate::domain::predictions::execution::{
    EXECUTION_TEXT_MAX_BYTES, Execution, ExecutionDetails, ExecutionEntry, ExecutionState, FlowOfRun,
    ShownEntries, ShownEntry, cut_texts, remove_sessions,
};
use crate::domain::resource::ResourceId as _;
use crate::ops::flows::access::{self, FlowAction};
use crate::store::queries::answers;
use crate::store::queries::executions::{self, ExecutionScope, TimeSpan};
use crate::store::tables::FLOWS;
use crate::store::{MessageReader, Order};
use jiff::Timestamp;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The permission to look at what runs did.
const SEE_RUNS: &str = "executions:view";
/// Rows of one page of records (manual 14.4).
pub const EXECUTION_PAGE_MAX: usize = 100;
/// Bytes of entries that one page of records holds; the rows behind come without theirs (manual 14.4).
const EXECUTION_PAGE_MAX_BYTES: usize = 64 * 1024 * 1024;
/// Records that are deleted in one commit.
const DELETED_AT_ONCE: usize = 32;

/// Which records are asked for; all of it must fit.
#[derive(Debug, Clone, Default)]
pub struct ExecutionFilter {
    pub id: Option<ExecutionId>,
    pub flow: Option<FlowId>,
    /// A part of the flow's name, in whatever case.
    pub flow_name: Option<String>,
    pub session: Option<String>,
    pub state: Option<ExecutionState>,
    /// Changed last then or later.
    pub start: Option<Timestamp>,
    /// Changed last then or earlier.
    pub end: Option<Timestamp>,
}

/// How much of the texts of a record is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextLength {
    Cut,
    Whole,
}

/// A page of the records of the caller's workspace, the one that changed last first, and how many there are in all.
/// `with_entries` brings along what they did.
///
/// # Errors
/// When the database cannot be read.
pub fn list(
    app: &App,
    caller: &Caller,
    filter: &ExecutionFilter,
    (page, limit): (u64, usize),
    with_entries: bool,
) -> Result<(Vec<ExecutionDetails>, u64)> {
    let limit = limit.min(EXECUTION_PAGE_MAX);
    let skip = page.saturating_sub(1).saturating_mul(limit as u64);
    app.executions.settle();
    app.store.read_messages(|tx| {
        let (ids, total) = find_page(tx, &caller.workspace, filter, (skip, limit))?;
        let (mut rows, mut flows, mut room) = (Vec::new(), HashMap::new(), EXECUTION_PAGE_MAX_BYTES);
        for id in ids {
            let Some(execution) = executions::find(tx, &caller.workspace, &id)? else { continue };
            let mut row = details(tx, caller, execution, &mut flows)?;
            if with_entries && row.is_open {
                row.entries = Some(shown_entries(tx, &id, TextLength::Cut, &mut room)?);
            }
            rows.push(row);
        }
        Ok((rows, total))
    })
}

/// These records as a list has them, each once: those that the caller may see of flows that they may see, and none of the others.
///
/// # Errors
/// When the database cannot be read.
pub(in crate::ops) fn rows_of(
    tx: &impl MessageReader,
    caller: &Caller,
    ids: impl Iterator<Item = ExecutionId>,
) -> Result<HashMap<ExecutionId, Arc<ExecutionDetails>>> {
    let (mut rows, mut flows) = (HashMap::new(), HashMap::new());
    if !caller.permissions.has(SEE_RUNS) {
        return Ok(rows);
    }
    for id in ids {
        let Entry::Vacant(place) = rows.entry(id) else { continue };
        let row = match executions::find(tx, &caller.workspace, &id) {
            Ok(Some(execution)) => details(tx, caller, execution, &mut flows),
            Ok(None) => continue,
            Err(fault) => Err(fault),
        };
        match row {
            Ok(row) if row.is_open => drop(place.insert(Arc::new(row))),
            // What is damaged was named in the log, and messages are read without it.
            Ok(_) | Err(Error::Damaged(_)) => {}
            Err(fault) => return Err(fault),
        }
    }
    Ok(rows)
}

/// The ids of a page, and how many records fit in all.
fn find_page(
    tx: &impl MessageReader,
    workspace: &WorkspaceId,
    filter: &ExecutionFilter,
    (skip, limit): (u64, usize),
) -> Result<(Vec<ExecutionId>, u64)> {
    let span = TimeSpan::between(filter.start, filter.end);
    let named = filter.flow_name.as_deref().filter(|name| !name.is_empty());
    let flows = match named {
        None => filter.flow.map(|flow| vec![flow]),
        Some(name) => Some(flows_named(tx, workspace, name, filter.flow)?),
    };
    let fits = |flow: &FlowId, state: ExecutionState| {
        filter.state.is_none_or(|wanted| wanted == state)
            && flows.as_ref().is_none_or(|flows| flows.contains(flow))
    };
    if let Some(id) = filter.id {
        let found = executions::find(tx, workspace, &id)?.filter(|run| {
            fits(&run.flow, run.state())
                && filter.session.as_ref().is_none_or(|session| *session == run.session)
                && span.contains(run.updated)
        });
        let ids = found.iter().filter(|_| skip == 0 && limit > 0).map(|run| run.id).collect();
        return Ok((ids, u64::from(found.is_some())));
    }
    let lists = match (&filter.session, &flows, filter.state) {
        (Some(session), None, None) => vec![ExecutionScope::Session(session)],
        (None, flows, state) => scopes(flows.as_deref(), state),
        // Those of a session are few: they are gone through.
        (Some(session), ..) => {
            return find_in_session(tx, workspace, session, span, fits, (skip, limit));
        }
    };
    let mut total = 0;
    for scope in &lists {
        total += executions::count(tx, workspace, *scope, span)?;
    }
    let rows = executions::newest(tx, workspace, &lists, span, (skip, limit))?;
    Ok((rows.into_iter().map(|row| row.id).collect(), total))
}

fn find_in_session(
    tx: &impl MessageReader,
    workspace: &WorkspaceId,
    session: &str,
    span: TimeSpan,
    fits: impl Fn(&FlowId, ExecutionState) -> bool,
    (skip, limit): (u64, usize),
) -> Result<(Vec<ExecutionId>, u64)> {
    let (mut ids, mut total) = (Vec::new(), 0);
    let scope = ExecutionScope::Session(session);
    executions::walk(tx, workspace, scope, span, Order::Descending, |row| {
        if fits(&row.flow, row.state) {
            if total >= skip && ids.len() < limit {
                ids.push(row.id);
            }
            total += 1;
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok((ids, total))
}

/// The lists that together hold what fits, none of them twice.
fn scopes(flows: Option<&[FlowId]>, state: Option<ExecutionState>) -> Vec<ExecutionScope<'static>> {
    let of_flow = |flow: &FlowId| {
        state.map_or(ExecutionScope::Flow(*flow), |state| ExecutionScope::FlowState(*flow, state))
    };
    match flows {
        Some(flows) => flows.iter().map(of_flow).collect(),
        None => vec![state.map_or(ExecutionScope::All, ExecutionScope::State)],
    }
}

fn flows_named(
    tx: &impl MessageReader,
    workspace: &WorkspaceId,
    name: &str,
    only: Option<FlowId>,
) -> Result<Vec<FlowId>> {
    let name = name.to_lowercase();
    let mut flows = FLOWS.list(tx, workspace)?;
    flows.retain(|flow| only.is_none_or(|only| only == flow.id) && flow.name.to_lowercase().contains(&name));
    Ok(flows.into_iter().map(|flow| flow.id).collect())
}

/// The row of a record, without its entries. `flows` are those that were looked up already.
fn details(
    tx: &impl MessageReader,
    caller: &Caller,
    mut execution: Execution,
    flows: &mut HashMap<FlowId, Option<FlowOfRun>>,
) -> Result<ExecutionDetails> {
    name_version(tx, &mut execution)?;
    let flow = match flows.entry(execution.flow) {
        Entry::Occupied(known) => known.get().clone(),
        Entry::Vacant(unknown) => {
            let found = FLOWS.get(tx, &caller.workspace, &execution.flow)?;
            unknown.insert(found.map(FlowOfRun::from)).clone()
        }
    };
    let is_open = flow
        .as_ref()
        .is_some_and(|flow| access::check_permission(caller, flow.kind, FlowAction::View).is_ok());
    Ok(ExecutionDetails { execution, flow, is_open, entries: None })
}

/// Says which version ran, where that was recorded after the run had begun.
///
/// # Errors
/// When the database cannot be read.
pub(in crate::ops) fn name_version(tx: &impl MessageReader, run: &mut Execution) -> Result<()> {
    if let (None, Some(change)) = (&run.flow_version, &run.change) {
        run.flow_version = answers::name_of(tx, &run.flow, change)?.map(|name| name.sha.short());
    }
    Ok(())
}

/// The entries of a run in the order of its record, as long as there is `room`.
fn shown_entries(
    tx: &impl MessageReader,
    id: &ExecutionId,
    length: TextLength,
    room: &mut usize,
) -> Result<ShownEntries> {
    if *room == 0 {
        return Ok(ShownEntries::LeftOut);
    }
    let (mut entries, mut has_room) = (Vec::new(), true);
    executions::scan_entries(tx, id, |bytes, row| {
        has_room = bytes <= *room;
        *room = room.saturating_sub(bytes);
        if !has_room {
            return Ok(ControlFlow::Break(()));
        }
        entries.push(shown_entry(row.entry, length));
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(if has_room { ShownEntries::All(entries) } else { ShownEntries::LeftOut })
}

fn shown_entry(mut entry: ExecutionEntry, length: TextLength) -> ShownEntry {
    let is_cut = length == TextLength::Cut && cut_texts(&mut entry.data, EXECUTION_TEXT_MAX_BYTES);
    ShownEntry { entry, is_cut }
}

/// A record with what the run did.
///
/// # Errors
/// 404.
pub fn read(app: &App, caller: &Caller, id: ExecutionId, length: TextLength) -> Result<ExecutionDetails> {
    app.executions.settle();
    app.store.read_messages(|tx| {
        let found = executions::find(tx, &caller.workspace, &id)?.ok_or_else(|| id.not_found())?;
        let mut row = details(tx, caller, found, &mut HashMap::new())?;
        if row.is_open {
            let mut room = usize::MAX;
            row.entries = Some(shown_entries(tx, &id, length, &mut room)?);
        }
        Ok(row)
    })
}

/// Requires that the caller may look at what runs did.
///
/// # Errors
/// 403.
pub(crate) fn require_reader(caller: &Caller) -> Result<()> {
    if caller.permissions.has(SEE_RUNS) {
        return Ok(());
    }
    Err(Error::Forbidden(format!("This needs the permission {SEE_RUNS}.")))
}

/// A record whose entries the caller may see, because they may see flows of its kind.
///
/// # Errors
/// 404; 403 for flows of a kind that the caller may not see.
fn find_visible(tx: &impl MessageReader, caller: &Caller, id: &ExecutionId) -> Result<Execution> {
    let found = executions::find(tx, &caller.workspace, id)?.ok_or_else(|| id.not_found())?;
    let flow = FLOWS.get(tx, &caller.workspace, &found.flow)?.ok_or_else(|| id.not_found())?;
    access::check_permission(caller, flow.kind, FlowAction::View)?;
    Ok(found)
}

/// A record that somebody shared, for everybody: without what tells whose conversation it was.
///
/// # Errors
/// 404, for one that is not shared as for none.
pub fn read_public(app: &App, id: ExecutionId) -> Result<ExecutionDetails> {
    app.store.read_messages(|tx| {
        let found = executions::find_anywhere(tx, &id)?.filter(|run| run.is_public);
        let execution = found.ok_or_else(|| id.not_found())?;
        let flow = FLOWS.get(tx, &execution.workspace, &execution.flow)?.ok_or_else(|| id.not_found())?;
        let mut room = usize::MAX;
        let mut entries = shown_entries(tx, &id, TextLength::Cut, &mut room)?;
        if let ShownEntries::All(all) = &mut entries {
            all.iter_mut().for_each(|shown| remove_sessions(&mut shown.entry.data));
        }
        Ok(ExecutionDetails { execution, flow: Some(flow.into()), is_open: true, entries: Some(entries) })
    })
}

/// Shares a record with everybody who has its address, or with nobody; `None` leaves it as it is. Only who may see what the run
/// did shows it to others.
///
/// # Errors
/// 404; 403 to share a run that the caller may not see.
pub fn share(
    app: &App,
    caller: &Caller,
    id: ExecutionId,
    is_public: Option<bool>,
) -> Result<ExecutionDetails> {
    let now = app.clock.monotonic_now();
    app.store.write(|tx| {
        if is_public == Some(true) {
            find_visible(tx, caller, &id)?;
            require_reader(caller)?;
        }
        let changed = executions::edit(tx, &caller.workspace, &id, |run| {
            if let Some(is_public) = is_public.filter(|wanted| *wanted != run.is_public) {
                run.is_public = is_public;
                run.updated = now;
            }
            Ok(())
        })?;
        details(tx, caller, changed.ok_or_else(|| id.not_found())?, &mut HashMap::new())
    })
}

/// Deletes a record with everything that belongs to it; a run that waits for an answer gets none any more.
///
/// # Errors
/// 404; 409 while the run is under way.
pub fn delete(app: &App, caller: &Caller, id: ExecutionId) -> Result<()> {
    app.store.write(|tx| {
        let found = executions::find(tx, &caller.workspace, &id)?.ok_or_else(|| id.not_found())?;
        if !found.state().is_deletable() {
            return Err(Conflict::RunUnderWay.into());
        }
        executions::remove(tx, &found)
    })
}

/// Deletes those records of the caller's workspace that are there and not under way; how many those were.
///
/// # Errors
/// 400 when none is named.
pub fn delete_each(app: &App, caller: &Caller, ids: &[ExecutionId]) -> Result<usize> {
    if ids.is_empty() {
        return Err(Error::invalid("'executionIds' names no execution."));
    }
    let mut deleted = 0;
    for some in ids.chunks(DELETED_AT_ONCE) {
        deleted += app.store.write(|tx| {
            let mut deleted = 0;
            for id in some {
                let found = executions::find(tx, &caller.workspace, id)?;
                if let Some(run) = found.filter(|run| run.state().is_deletable()) {
                    executions::remove(tx, &run)?;
                    deleted += 1;
                }
            }
            Ok(deleted)
        })?;
    }
    Ok(deleted)
}

/// How long a stop waits for the steps that are under way (manual 14.4).
const STOP_WAIT_SECONDS: u64 = 5;

/// Ends a run for good, whether it is under way or waits for a person.
///
/// # Errors
/// 404; 409 when it has ended, and when it does not end in time.
pub fn stop(app: &App, caller: &Caller, id: ExecutionId) -> Result<ExecutionDetails> {
    app.executions.settle();
    let found = app.store.read_messages(|tx| executions::find(tx, &caller.workspace, &id))?;
    let run = found.ok_or_else(|| id.not_found())?;
    match run.state() {
        ExecutionState::Stopped => drop(terminate_paused(app, &caller.workspace, &id)?),
        ExecutionState::InProgress => stop_under_way(app, &run)?,
        _ => return Err(Conflict::RunEnded.into()),
    }
    read(app, caller, id, TextLength::Cut)
}

/// Ends this run and no other of its conversation, and waits until its record says so.
fn stop_under_way(app: &App, run: &Execution) -> Result<()> {
    const LOOK: Duration = Duration::from_millis(20);
    let ends = Instant::now() + Duration::from_secs(STOP_WAIT_SECONDS);
    loop {
        let left = ends.saturating_duration_since(Instant::now());
        let has_ended = app.state.live_runs.stop(run.id, left);
        let now = app.store.read_messages(|tx| executions::find(tx, &run.workspace, &run.id))?;
        if now.is_none_or(|now| now.state() != ExecutionState::InProgress) {
            return Ok(());
        }
        if left.is_zero() {
            return Err(Conflict::RunUnderWay.into());
        }
        // Between its record and its board a run that is taken up again is in neither.
        if has_ended.is_none() {
            std::thread::sleep(LOOK);
        }
    }
}

/// Runs of a conversation that are looked at, the newest first (manual 14.4).
const CONVERSATION_RUNS_MAX: usize = 100;

/// What the newest run of a conversation has of which `pick` finds something, the newest first.
///
/// # Errors
/// When the database cannot be read, and what `pick` returns.
pub fn find_newest<T>(
    app: &App,
    flow: &Flow,
    (chat, session): (ChatId, &str),
    mut pick: impl FnMut(&Execution) -> Option<T>,
) -> Result<Option<T>> {
    app.store.read_messages(|tx| {
        let (mut found, mut seen) = (None, 0);
        let scope = ExecutionScope::Session(session);
        executions::walk(tx, &flow.workspace, scope, TimeSpan::ALWAYS, Order::Descending, |row| {
            if row.flow == flow.id {
                let run = executions::find(tx, &flow.workspace, &row.id)?.filter(|run| run.chat == chat);
                found = run.as_ref().and_then(&mut pick);
            }
            seen += 1;
            let ends = found.is_some() || seen >= CONVERSATION_RUNS_MAX;
            Ok(if ends { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        Ok(found)
    })
}
