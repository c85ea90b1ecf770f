//! What becomes of records without anybody asking: those that a kill left in progress, those beyond what is kept, and those
//! of flows that are gone.

use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{ExecutionId, FlowId, WorkspaceId};
use crate::domain::predictions::execution::{ExecutionLeftovers, ExecutionState};
use crate::store::queries::executions::{self, ExecutionScope, TimeSpan};
use crate::store::tables::{EXECUTION_LEFTOVERS, FLOW_WORKSPACE, WORKSPACES};
use crate::store::{MessageReader, Order, WriteTx};
use std::ops::ControlFlow;

/// Records that are removed or put right in one commit, so that no other writer waits long (manual 14.2).
const EXECUTIONS_AT_ONCE: usize = 32;

/// Puts right what a kill left in progress: steps in flight become entries that say so, and the run failed, unless nothing
/// was in flight and a branch waits for an answer.
///
/// # Errors
/// When the database cannot be read or written.
pub fn recover(app: &App) -> Result<()> {
    let left = match app.store.read_messages(interrupted) {
        // It was named in the log, and everything else is there.
        Err(Error::Damaged(_)) => return Ok(()),
        left => left?,
    };
    let now = app.clock.monotonic_now();
    for some in left.chunks(EXECUTIONS_AT_ONCE) {
        app.store.write(|tx| {
            for (workspace, id) in some {
                let was_in_flight = executions::terminate_steps(tx, id)?;
                executions::edit(tx, workspace, id, |run| {
                    run.recover(was_in_flight, now);
                    Ok(())
                })?;
            }
            Ok(())
        })?;
    }
    if !left.is_empty() {
        tracing::warn!(count = left.len(), "runs were under way when the service stopped last");
    }
    Ok(())
}

fn interrupted(tx: &impl MessageReader) -> Result<Vec<(WorkspaceId, ExecutionId)>> {
    let mut found = Vec::new();
    let scope = ExecutionScope::State(ExecutionState::InProgress);
    for workspace in WORKSPACES.list(tx)? {
        executions::walk(tx, &workspace.id, scope, TimeSpan::ALWAYS, Order::Ascending, |row| {
            found.push((workspace.id, row.id));
            Ok(ControlFlow::Continue(()))
        })?;
    }
    Ok(found)
}

/// Notes in the change that deletes a flow that its records are to go.
///
/// # Errors
/// When the database cannot be written.
pub fn unlink_flow(tx: &WriteTx, workspace: &WorkspaceId, flow: &FlowId) -> Result<()> {
    if executions::count(tx, workspace, ExecutionScope::Flow(*flow), TimeSpan::ALWAYS)? == 0 {
        return Ok(());
    }
    let left = ExecutionLeftovers { workspace: *workspace, flow: *flow };
    EXECUTION_LEFTOVERS.put(tx, flow, &left)
}

/// Removes the records of a deleted flow, some at a time; what is left when that fails goes in the next round of [`sweep`].
pub fn delete_for_flow(app: &App, workspace: &WorkspaceId, flow: &FlowId) {
    let left = ExecutionLeftovers { workspace: *workspace, flow: *flow };
    if let Err(error) = delete_leftovers(app, &left, &CancelToken::new(None)) {
        tracing::warn!(error = error.for_log(), %flow, "records of a deleted flow are left for later");
    }
}

fn delete_leftovers(app: &App, left: &ExecutionLeftovers, cancel: &CancelToken) -> Result<()> {
    while cancel.reason().is_none() {
        let has_more = app.store.write(|tx| {
            // An import may have brought the flow back: then they are its records again.
            let is_back = FLOW_WORKSPACE.get(tx, &left.flow)?.is_some();
            if !is_back && executions::remove_of_flow(tx, &left.workspace, &left.flow, EXECUTIONS_AT_ONCE)? {
                return Ok(true);
            }
            EXECUTION_LEFTOVERS.remove(tx, &left.flow).map(|_| false)
        })?;
        if !has_more {
            break;
        }
    }
    Ok(())
}

/// Removes what is beyond the newest records that a workspace keeps, what is older than anything is kept, and what deleted flows left behind, some at a time,
/// until `cancel` is set.
///
/// # Errors
/// When the database cannot be read or written.
pub fn sweep(app: &App, cancel: &CancelToken) -> Result<()> {
    for left in app.store.read(|tx| EXECUTION_LEFTOVERS.list(tx))? {
        delete_leftovers(app, &left, cancel)?;
    }
    let (keep, until) = (app.settings.executions_keep, app.kept_since());
    for workspace in app.store.read(|tx| WORKSPACES.list(tx))? {
        let remove = |tx: &WriteTx| executions::remove_beyond(tx, &workspace.id, keep, EXECUTIONS_AT_ONCE);
        while keep > 0 && cancel.reason().is_none() && app.store.write(remove)? {}
        let Some(until) = until else { continue };
        let remove = |tx: &WriteTx| executions::remove_until(tx, &workspace.id, until, EXECUTIONS_AT_ONCE);
        while cancel.reason().is_none() && app.store.write(remove)? {}
    }
    Ok(())
}
