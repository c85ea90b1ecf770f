//! Records of agentflow runs: a small row each, its entries one by one beside it, and what lists of them need.

mod canvases;
mod entries;
mod index;
mod list_writer;
#[cfg(test)]
mod tests;
mod whole;

pub use self::canvases::PausedRun;
pub use self::canvases::{keep_canvas, paused_run};
pub(crate) use self::entries::write_steps;
pub use self::entries::{
    StepChange, entries, entry_count, next_numbers, rest_steps, scan_entries, terminate_steps,
};
pub use self::index::{ExecutionScope, TimeSpan, count, newest, newest_date, walk};
pub(in crate::store) use self::list_writer::ListWriter;
pub use self::whole::WholeRun;
pub(in crate::store) use self::whole::store as store_whole;

use self::entries::StepRows;
use self::index::IndexChanges;
use super::messages::workspace_of;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{ExecutionId, FlowId, PauseId, WorkspaceId};
use crate::domain::predictions::execution::{Execution, ExecutionEntry, RunRequest};
use crate::store::tables::{EXECUTION_REQUESTS, EXECUTION_REQUESTS_TABLE, EXECUTION_WORKSPACE, EXECUTIONS};
use crate::store::transaction::{MessageReader, Order, WriteTx};
use jiff::Timestamp;
use std::collections::HashMap;
use std::ops::ControlFlow;

/// The record, if this workspace has it.
///
/// # Errors
/// [`crate::domain::error::Error::Internal`] when the database cannot be read.
pub fn find(tx: &impl MessageReader, workspace: &WorkspaceId, id: &ExecutionId) -> Result<Option<Execution>> {
    EXECUTIONS.get(tx, workspace, id)
}

/// The record, whichever workspace has it: for those who are shown what is shared.
///
/// # Errors
/// As [`find`].
pub fn find_anywhere(tx: &impl MessageReader, id: &ExecutionId) -> Result<Option<Execution>> {
    EXECUTION_WORKSPACE.get(tx, id)?.map_or(Ok(None), |workspace| find(tx, &workspace, id))
}

/// Stores a record that came to its end elsewhere; false when its flow is not here, or there is a record of this id.
///
/// # Errors
/// [`crate::domain::error::Error::Internal`] when the database cannot be written.
pub fn import(tx: &WriteTx, run: &Execution, entries: &[ExecutionEntry]) -> Result<bool> {
    if EXECUTION_WORKSPACE.get(tx, &run.id)?.is_some() || !begin(tx, run)? {
        return Ok(false);
    }
    let mut changes = Vec::with_capacity(entries.len() * 2);
    for (step, entry) in (0..).zip(entries) {
        changes.push(StepChange::ended(step, entry, None::<&()>)?);
        changes.push(StepChange::Placed { place: step, step });
    }
    write_steps(tx, &run.id, &changes)?;
    Ok(true)
}

/// True when a run waits for the answer to this pause.
///
/// # Errors
/// As [`find`].
pub fn is_open(
    tx: &impl MessageReader,
    workspace: &WorkspaceId,
    id: &ExecutionId,
    pause: &PauseId,
) -> Result<bool> {
    let run = find(tx, workspace, id)?;
    Ok(run.is_some_and(|run| run.pauses().any(|open| open.id == *pause)))
}

/// Keeps what a run was asked with.
///
/// # Errors
/// [`crate::domain::error::Error::Internal`] when the database cannot be written.
pub fn keep_request(tx: &WriteTx, id: &ExecutionId, request: &StoredRequest) -> Result<()> {
    tx.put(EXECUTION_REQUESTS_TABLE, id.bytes(), &request.0)
}

/// What a run was asked with, as it is stored. It may be long, and is written out before the transaction, for which others
/// wait.
pub struct StoredRequest(Vec<u8>);

impl StoredRequest {
    /// # Errors
    /// [`crate::domain::error::Error::Internal`] when it has no stored form.
    pub fn new(request: &RunRequest) -> Result<Self> {
        serde_json::to_vec(request).map(Self).map_err(Error::internal)
    }

    pub const fn bytes(&self) -> usize {
        self.0.len()
    }
}

/// What a run was asked with; `None` where that is not kept.
///
/// # Errors
/// As [`find`].
pub fn request(tx: &impl MessageReader, id: &ExecutionId) -> Result<Option<RunRequest>> {
    EXECUTION_REQUESTS.get(tx, id)
}

/// Changes of several records in one transaction, which are whole when [`Self::finish`] has returned. What they have in common
/// is read and written once.
pub struct RecordBatch<'t> {
    tx: &'t WriteTx,
    index: IndexChanges,
    steps: StepRows,
    /// Records that begin.
    begun: Vec<Execution>,
    /// Where flows live, as far as anybody asked.
    flows: HashMap<FlowId, Option<WorkspaceId>>,
}

impl<'t> RecordBatch<'t> {
    #[must_use]
    pub fn new(tx: &'t WriteTx) -> Self {
        Self {
            tx,
            index: IndexChanges::default(),
            steps: StepRows::default(),
            begun: Vec::new(),
            flows: HashMap::new(),
        }
    }

    /// The transaction, for what stands in no list.
    #[must_use]
    pub const fn tx(&self) -> &'t WriteTx {
        self.tx
    }

    /// Stores a record that begins, and that nothing else of this batch asks for; false when its flow is not (any more) in its
    /// workspace.
    ///
    /// # Errors
    /// [`crate::domain::error::Error::Internal`] when the database cannot be read.
    pub fn begin(&mut self, run: &Execution) -> Result<bool> {
        let workspace = match self.flows.get(&run.flow) {
            Some(known) => *known,
            None => *self.flows.entry(run.flow).or_insert(workspace_of(self.tx, &run.flow)?),
        };
        if workspace != Some(run.workspace) {
            return Ok(false);
        }
        self.index.replace(None, Some(run));
        self.begun.push(run.clone());
        Ok(true)
    }

    /// Stores what became of steps of a run.
    ///
    /// # Errors
    /// [`crate::domain::error::Error::Internal`] when a step has no stored form.
    pub fn add_steps(&mut self, run: &ExecutionId, changes: &[StepChange]) -> Result<()> {
        self.steps.add(run, changes)
    }

    /// Ends what is under way of a run, as [`terminate_steps`].
    ///
    /// # Errors
    /// As there.
    pub fn terminate_steps(&mut self, run: &ExecutionId) -> Result<bool> {
        self.steps.write(self.tx)?;
        terminate_steps(self.tx, run)
    }

    /// Leaves a run that waits, or is complete, as [`rest_steps`].
    ///
    /// # Errors
    /// As there.
    pub fn rest_steps(&mut self, run: &ExecutionId) -> Result<()> {
        self.steps.write(self.tx)?;
        rest_steps(self.tx, run)
    }

    /// Edits a record; `None` when the workspace has none. What a run that waited needs goes away when it waits no more.
    ///
    /// # Errors
    /// [`crate::domain::error::Error::Internal`] when the database cannot be written, else what `edit` returns.
    pub fn edit(
        &mut self,
        workspace: &WorkspaceId,
        id: &ExecutionId,
        edit: impl FnOnce(&mut Execution) -> Result<()>,
    ) -> Result<Option<Execution>> {
        let Some(before) = find(self.tx, workspace, id)? else { return Ok(None) };
        let mut after = before.clone();
        edit(&mut after)?;
        EXECUTIONS.put(self.tx, workspace, id, &after)?;
        self.index.replace(Some(&before), Some(&after));
        if after.state().is_ended() {
            canvases::release(self.tx, &after)?;
        }
        Ok(Some(after))
    }

    /// Writes what was gathered, and puts lists in line with it.
    ///
    /// # Errors
    /// [`crate::domain::error::Error::Internal`] when the database cannot be written.
    pub fn finish(mut self) -> Result<()> {
        if !self.begun.is_empty() {
            EXECUTION_WORKSPACE.put_all(self.tx, self.begun.iter().map(|run| (&run.id, &run.workspace)))?;
            EXECUTIONS.put_all(self.tx, self.begun.iter().map(|run| (&run.workspace, &run.id, run)))?;
        }
        self.steps.write(self.tx)?;
        self.index.write(self.tx)
    }
}

/// Stores one record that begins, as [`RecordBatch::begin`].
///
/// # Errors
/// As there.
pub(crate) fn begin(tx: &WriteTx, run: &Execution) -> Result<bool> {
    let mut batch = RecordBatch::new(tx);
    let is_stored = batch.begin(run)?;
    batch.finish().map(|()| is_stored)
}

/// Edits one record, as [`RecordBatch::edit`].
///
/// # Errors
/// As there.
pub fn edit(
    tx: &WriteTx,
    workspace: &WorkspaceId,
    id: &ExecutionId,
    edit: impl FnOnce(&mut Execution) -> Result<()>,
) -> Result<Option<Execution>> {
    let mut batch = RecordBatch::new(tx);
    let edited = batch.edit(workspace, id, edit)?;
    batch.finish().map(|()| edited)
}

/// Removes a record with everything that belongs to it.
///
/// # Errors
/// [`crate::domain::error::Error::Internal`] when the database cannot be written.
pub fn remove(tx: &WriteTx, run: &Execution) -> Result<()> {
    let mut index = IndexChanges::default();
    index.replace(Some(run), None);
    index.write(tx)?;
    entries::remove(tx, &run.id)?;
    canvases::release(tx, run)?;
    EXECUTION_REQUESTS.remove(tx, &run.id)?;
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
    remove_ended(tx, workspace, TimeSpan::ALWAYS, excess, most)
}

/// Removes records of a workspace that were last changed up to a time, at most `most` of them, and none of a run that is not over. True
/// where it had to stop there.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be written.
pub fn remove_until(tx: &WriteTx, workspace: &WorkspaceId, until: Timestamp, most: usize) -> Result<bool> {
    remove_ended(tx, workspace, TimeSpan::between(None, Some(until)), u64::MAX, most)
}

/// Removes ended ones among the oldest `among` of a span.
fn remove_ended(
    tx: &WriteTx,
    workspace: &WorkspaceId,
    span: TimeSpan,
    among: u64,
    most: usize,
) -> Result<bool> {
    let wanted = usize::try_from(among).unwrap_or(usize::MAX).min(most);
    let (mut outdated, mut looked_at) = (Vec::new(), 0);
    walk(tx, workspace, ExecutionScope::All, span, Order::Ascending, |row| {
        if outdated.len() >= wanted || looked_at >= among {
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
