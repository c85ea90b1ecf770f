//! Records of agentflow runs: a small row each, its entries one by one beside it, and what lists of them need.

mod canvases;
mod entries;
mod index;
#[cfg(test)]
mod tests;

pub use self::canvases::{PausedRun, keep_canvas, paused_run};
pub use self::entries::{
    PlacedEntry, StepChange, entries, entry_count, next_numbers, scan_entries, terminate_steps, write_steps,
};
pub use self::index::{ExecutionKey, ExecutionScope, TimeSpan, count, newest, newest_date, walk};

use super::messages::is_in_workspace;
use crate::domain::error::Result;
use crate::domain::ids::{ExecutionId, FlowId, WorkspaceId};
use crate::domain::predictions::execution::Execution;
use crate::store::tables::{EXECUTION_WORKSPACE, EXECUTIONS};
use crate::store::transaction::{Order, Tx, WriteTx};
use std::ops::ControlFlow;

/// The record, if this workspace has it.
///
/// # Errors
/// [`crate::domain::error::Error::Internal`] when the database cannot be read.
pub fn find(tx: &impl Tx, workspace: &WorkspaceId, id: &ExecutionId) -> Result<Option<Execution>> {
    EXECUTIONS.get(tx, workspace, id)
}

/// The record, whichever workspace has it: for those who are shown what is shared.
///
/// # Errors
/// As [`find`].
pub fn find_anywhere(tx: &impl Tx, id: &ExecutionId) -> Result<Option<Execution>> {
    EXECUTION_WORKSPACE.get(tx, id)?.map_or(Ok(None), |workspace| find(tx, &workspace, id))
}

/// Stores a record that begins; false when its flow is not (any more) in its workspace.
///
/// # Errors
/// [`crate::domain::error::Error::Internal`] when the database cannot be written.
pub fn begin(tx: &WriteTx, run: &Execution) -> Result<bool> {
    if !is_in_workspace(tx, &run.workspace, &run.flow)? {
        return Ok(false);
    }
    EXECUTION_WORKSPACE.put(tx, &run.id, &run.workspace)?;
    index::replace(tx, None, Some(run))?;
    EXECUTIONS.put(tx, &run.workspace, &run.id, run)?;
    Ok(true)
}

/// Edits a record; `None` when the workspace has none. What a run that waited needs goes away when it waits no more.
///
/// # Errors
/// [`crate::domain::error::Error::Internal`] when the database cannot be written, else what `edit` returns.
pub fn edit(
    tx: &WriteTx,
    workspace: &WorkspaceId,
    id: &ExecutionId,
    edit: impl FnOnce(&mut Execution) -> Result<()>,
) -> Result<Option<Execution>> {
    let Some(before) = find(tx, workspace, id)? else { return Ok(None) };
    let mut after = before.clone();
    edit(&mut after)?;
    index::replace(tx, Some(&before), Some(&after))?;
    EXECUTIONS.put(tx, workspace, id, &after)?;
    if after.state().is_ended() {
        canvases::release(tx, &after)?;
    }
    Ok(Some(after))
}

/// Removes a record with everything that belongs to it.
///
/// # Errors
/// [`crate::domain::error::Error::Internal`] when the database cannot be written.
pub fn remove(tx: &WriteTx, run: &Execution) -> Result<()> {
    index::replace(tx, Some(run), None)?;
    entries::remove(tx, &run.id)?;
    canvases::release(tx, run)?;
    EXECUTION_WORKSPACE.remove(tx, &run.id)?;
    EXECUTIONS.remove(tx, &run.workspace, &run.id).map(drop)
}

/// Removes some records of a flow, whatever their state; false when those were the last.
///
/// # Errors
/// [`crate::domain::error::Error::Internal`] when the database cannot be written.
pub fn remove_of_flow(tx: &WriteTx, workspace: &WorkspaceId, flow: &FlowId, most: usize) -> Result<bool> {
    let found = newest(tx, workspace, &[ExecutionScope::Flow(*flow)], TimeSpan::ALWAYS, (0, most))?;
    for row in &found {
        if let Some(run) = find(tx, workspace, &row.id)? {
            remove(tx, &run)?;
        }
    }
    if found.len() < most {
        canvases::remove_flow(tx, flow)?;
    }
    Ok(found.len() >= most)
}

/// Removes the oldest records beyond the newest `keep` of a workspace, some at a time; true when there may be more. What is
/// under way or waits for an answer stays.
///
/// # Errors
/// [`crate::domain::error::Error::Internal`] when the database cannot be written.
pub fn remove_beyond(tx: &WriteTx, workspace: &WorkspaceId, keep: u64, most: usize) -> Result<bool> {
    let excess = count(tx, workspace, ExecutionScope::All, TimeSpan::ALWAYS)?.saturating_sub(keep);
    let wanted = usize::try_from(excess).unwrap_or(usize::MAX).min(most);
    let (mut outdated, mut looked_at) = (Vec::new(), 0);
    walk(tx, workspace, ExecutionScope::All, TimeSpan::ALWAYS, Order::Ascending, |row| {
        if outdated.len() >= wanted || looked_at >= excess {
            return Ok(ControlFlow::Break(()));
        }
        looked_at += 1;
        if row.state.is_ended() {
            outdated.push(row.id);
        }
        Ok(ControlFlow::Continue(()))
    })?;
    for id in &outdated {
        if let Some(run) = find(tx, workspace, id)? {
            remove(tx, &run)?;
        }
    }
    Ok(!outdated.is_empty() && outdated.len() >= most)
}
