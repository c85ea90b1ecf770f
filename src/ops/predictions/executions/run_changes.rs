//! What is to be written about one run.

use super::writer::OnStored;
use crate::base::json_size::json_size;
use crate::domain::error::Result;
use crate::domain::ids::{ExecutionId, WorkspaceId};
use crate::domain::predictions::execution::{Execution, Pause, RunEnd};
use crate::store::queries::executions::{self, PausedRun, RecordBatch, StepChange, StoredRequest, WholeRun};
use crate::store::queries::messages::MessageBatch;
use jiff::Timestamp;
use serde_json::{Map, Value};
use std::sync::Arc;

/// Something to be written about a run.
pub(super) enum Change {
    /// With what it was asked with, as that is stored.
    Begin(Box<(Execution, StoredRequest)>),
    Step(StepChange),
    Pause(Box<Pause>, Arc<PausedRun>, Timestamp),
    /// What the next run of the conversation begins with.
    Values(Map<String, Value>),
    End(RunClose),
    /// The question and the answer, and who wants to know that they are stored.
    Said(MessageBatch, OnStored),
}

/// The end of a run.
pub(super) struct RunClose {
    pub(super) end: RunEnd,
    pub(super) date: Timestamp,
    /// Every step of it ended and has its place.
    pub(super) is_complete: bool,
}

impl Change {
    /// Bytes that it holds, about.
    pub(super) fn bytes(&self) -> usize {
        const ROW_BYTES: usize = 2_048;
        match self {
            Self::Step(step) => step.bytes(),
            Self::Pause(_, paused, _) => ROW_BYTES + paused.canvas.len() + json_size(&paused.note),
            Self::Said(messages, _) => messages.bytes(),
            Self::Begin(begun) => ROW_BYTES + begun.1.bytes(),
            Self::Values(values) => ROW_BYTES + json_size(values),
            Self::End(_) => ROW_BYTES,
        }
    }

    /// True for what somebody waits for.
    pub(super) const fn is_awaited(&self) -> bool {
        matches!(self, Self::End(_) | Self::Said(..))
    }
}

/// Changes of one run, by what they change.
pub(super) struct RunChanges<'a> {
    begin: Option<&'a (Execution, StoredRequest)>,
    steps: Vec<StepChange>,
    pauses: Vec<(&'a Pause, &'a PausedRun, Timestamp)>,
    values: Option<&'a Map<String, Value>>,
    close: Option<&'a RunClose>,
    said: Vec<&'a MessageBatch>,
}

impl<'a> RunChanges<'a> {
    pub(super) fn gather(changes: &'a [Change]) -> Self {
        let mut run = Self {
            begin: None,
            steps: Vec::new(),
            pauses: Vec::new(),
            values: None,
            close: None,
            said: Vec::new(),
        };
        for change in changes {
            match change {
                Change::Begin(begin) => run.begin = Some(begin),
                Change::Step(step) => run.steps.push(step.clone()),
                Change::Pause(pause, paused, date) => run.pauses.push((pause, paused, *date)),
                Change::Values(values) => run.values = Some(values),
                Change::End(close) => run.close = Some(close),
                Change::Said(messages, _) => run.said.push(messages),
            }
        }
        run
    }

    /// Its messages, in their order.
    pub(super) fn said(&self) -> impl Iterator<Item = &'a MessageBatch> {
        self.said.iter().copied()
    }

    /// The run as one record: it ended, and nothing of it is stored. `None` where that is not all there is to say of it.
    ///
    /// # Errors
    /// When it has no stored form.
    pub(super) fn whole(&self) -> Result<Option<(Execution, WholeRun)>> {
        let Some((begun, request)) = self.begin.filter(|_| self.pauses.is_empty()) else { return Ok(None) };
        if !self.close.is_some_and(|close| close.is_complete) {
            return Ok(None);
        }
        let mut run = begun.clone();
        self.change_row(&mut run);
        let whole = WholeRun::new(&run, request, self.steps.iter())?;
        Ok(Some((run, whole)))
    }

    /// Writes everything but the messages; false when there is no such record any more.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub(super) fn write(
        &self,
        records: &mut RecordBatch<'_>,
        (workspace, id): (&WorkspaceId, &ExecutionId),
    ) -> Result<bool> {
        let Some(run) = self.write_row(records, workspace, id)? else { return Ok(false) };
        records.add_steps(id, &self.steps)?;
        match self.close.filter(|close| !close.is_complete).map(|close| &close.end) {
            None => {}
            Some(RunEnd::AtRest) => records.rest_steps(id)?,
            Some(_) => drop(records.terminate_steps(id)?),
        }
        // A run that came to its end in the same stroke needs nothing to go on.
        if let Some((_, paused, _)) = self.pauses.last()
            && !run.state().is_ended()
        {
            executions::keep_canvas(records.tx(), &run, paused)?;
        }
        Ok(true)
    }

    /// The row as it is now. What begins and ends in one stroke is written once.
    fn write_row(
        &self,
        records: &mut RecordBatch<'_>,
        workspace: &WorkspaceId,
        id: &ExecutionId,
    ) -> Result<Option<Execution>> {
        if let Some(begin) = self.begin {
            let (begun, request) = begin;
            let mut run = begun.clone();
            self.change_row(&mut run);
            if !records.begin(&run)? {
                return Ok(None);
            }
            executions::keep_request(records.tx(), id, request)?;
            return Ok(Some(run));
        }
        if self.pauses.is_empty() && self.values.is_none() && self.close.is_none() {
            return executions::find(records.tx(), workspace, id);
        }
        records.edit(workspace, id, |run| {
            self.change_row(run);
            Ok(())
        })
    }

    fn change_row(&self, run: &mut Execution) {
        for (pause, _, date) in &self.pauses {
            run.pause((*pause).clone(), *date);
        }
        if let Some(values) = self.values {
            run.values = Some(values.clone());
        }
        if let Some(close) = self.close {
            run.end(&close.end, close.date);
        }
    }
}
