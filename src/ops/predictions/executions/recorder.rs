//! The engine's side of a record: a run begins, its steps begin and end and find their places, branches wait, the run ends.

use super::run_changes::{Change, RunClose};
use super::writer::{ExecutionWriter, Record};
use crate::app::App;
use crate::base::cancel::{CancelToken, HookGuard};
use crate::clock::Clock;
use crate::domain::error::{Conflict, Error, Result};
use crate::domain::ids::{ExecutionId, PauseId, WorkspaceId};
use crate::domain::predictions::execution::{
    ABANDONED, Execution, ExecutionEntry, ExecutionState, NewExecution, Pause, RunEnd, RunRequest, StepStart,
    has_secrets, remove_secrets,
};
use crate::domain::resource::ResourceId as _;
use crate::engine::agentflow::StepNote;
use crate::state::live_runs::{LiveRun, LiveRunGuard};
use crate::store::queries::executions::{self, PausedRun, StepChange, StoredRequest};
use crate::store::queries::messages::MessageBatch;
use serde_json::{Map, Value};
use std::borrow::Borrow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};

/// A step of a run, by when it began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct StepNumber(u64);

/// Writes the record of one run. Several branches may use it at once. Nothing here waits for the disk but
/// [`Self::sync`] and [`Self::finish`]. A recorder that is dropped without an end leaves a run that failed, never one in
/// progress.
pub struct ExecutionRecorder {
    writer: ExecutionWriter,
    clock: Clock,
    record: Arc<Record>,
    next_step: AtomicU64,
    /// Held while a place is given away, so that places are written in their order.
    next_place: Mutex<u64>,
    /// Steps that have not ended, and steps without a place.
    open: AtomicU64,
    unplaced: AtomicU64,
    has_ended: bool,
    /// What those see who watch the run; it ends for them when its record has its end.
    live: Arc<LiveRunGuard>,
    /// What ends the run when somebody stops it.
    stop: Option<HookGuard>,
}

/// Begins the record of a run. That its flow is there is looked at when the record is written: a run whose flow was deleted
/// meanwhile has none ([`ExecutionRecorder::is_gone`]).
///
/// # Errors
/// When what it was asked with has no stored form.
pub fn begin(app: &App, mut new: NewExecution) -> Result<ExecutionRecorder> {
    let request = StoredRequest::new(&std::mem::take(&mut new.request))?;
    let run = Execution::begin(new, app.clock.monotonic_now());
    let recorder = ExecutionRecorder::new(app, &run, (0, 0), Vec::new());
    recorder.submit(Change::Begin(Box::new((run, request))));
    Ok(recorder)
}

/// A run that waits, with what it takes to go on. Nothing of it is taken up yet.
#[derive(Debug)]
pub struct WaitingRun {
    pub execution: Execution,
    /// The canvas it began with, and what the engine left for itself.
    pub paused: PausedRun,
    /// What it was asked with.
    pub request: RunRequest,
}

/// Reads what it takes to go on with a run.
///
/// # Errors
/// 404; 409 when it waits for nothing.
pub fn find_waiting(app: &App, workspace: &WorkspaceId, id: &ExecutionId) -> Result<WaitingRun> {
    app.store.read_messages(|tx| {
        let execution = executions::find(tx, workspace, id)?.ok_or_else(|| id.not_found())?;
        let paused = executions::paused_run(tx, &execution)?;
        let paused = paused.ok_or(Error::Conflict(Conflict::NothingToAnswer))?;
        Ok(WaitingRun { execution, paused, request: executions::request(tx, id)?.unwrap_or_default() })
    })
}

/// Takes a run up again that waits for this answer. Of two answers to one pause the first wins. The record goes on behind what
/// it holds. `None` when the run went on since it was read, and waits for this still: what was read is out of date.
///
/// # Errors
/// 404; 409 while the run is under way, and when it does not wait for this.
pub fn resume(app: &App, read: &WaitingRun, answered: PauseId) -> Result<Option<ExecutionRecorder>> {
    let Execution { workspace, id, .. } = &read.execution;
    let now = app.clock.monotonic_now();
    let resumed = app.store.write(|tx| {
        let found = executions::find(tx, workspace, id)?.ok_or_else(|| id.not_found())?;
        // Who went on answered one of its pauses, and no pause comes twice.
        let is_open = |run: &Execution| run.pauses().any(|pause| pause.id == answered);
        let pauses = |run: &Execution| run.pauses().map(|pause| pause.id).collect::<Vec<_>>();
        let is_stale = found.state() == ExecutionState::Stopped && pauses(&found) != pauses(&read.execution);
        if is_stale && is_open(&found) {
            return Ok(None);
        }
        let execution = executions::edit(tx, workspace, id, |run| run.resume(answered, now))?;
        let execution = execution.ok_or_else(|| id.not_found())?;
        Ok(Some((execution, executions::entries(tx, id)?, executions::next_numbers(tx, id)?)))
    })?;
    Ok(resumed.map(|(execution, entries, next)| {
        let told = entries.into_iter().map(|placed| Arc::new(placed.entry)).collect();
        ExecutionRecorder::new(app, &execution, next, told)
    }))
}

/// Ends a run that waits for an answer, for good.
///
/// # Errors
/// 404; 409 while it is under way, and when it has ended.
pub fn terminate_paused(app: &App, workspace: &WorkspaceId, id: &ExecutionId) -> Result<Execution> {
    let now = app.clock.monotonic_now();
    let ended = app.store.write(|tx| executions::edit(tx, workspace, id, |run| run.terminate(now)))?;
    ended.ok_or_else(|| id.not_found())
}

impl ExecutionRecorder {
    fn new(app: &App, run: &Execution, (step, place): (u64, u64), told: Vec<Arc<ExecutionEntry>>) -> Self {
        Self {
            writer: app.executions.clone(),
            clock: app.clock.clone(),
            record: Arc::new(Record::new(run.workspace, run.id)),
            next_step: AtomicU64::new(step),
            next_place: Mutex::new(place),
            open: AtomicU64::new(0),
            unplaced: AtomicU64::new(0),
            has_ended: false,
            live: Arc::new(app.state.live_runs.register(run.id, told)),
            stop: None,
        }
    }

    #[must_use]
    pub fn id(&self) -> ExecutionId {
        self.record.id
    }

    /// What those see who watch the run.
    #[must_use]
    pub fn live(&self) -> Arc<LiveRun> {
        self.live.run()
    }

    /// Has this token set when somebody stops the run, until its record has its end.
    pub fn stop_with(&mut self, cancel: &CancelToken) {
        self.stop = Some(self.live.run().on_stop(cancel.clone()));
    }

    /// True once it is known that the record was deleted, with its flow: nothing is written any more.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        self.record.is_gone()
    }

    /// Notes a step that begins. Until it ends it counts as in flight.
    pub fn start(&self, mut start: StepStart) -> StepNumber {
        remove_secrets(&mut start.data);
        let step = self.next_step.fetch_add(1, Ordering::Relaxed);
        self.count_begun();
        self.submit(Change::Step(StepChange::began(step, start)));
        StepNumber(step)
    }

    /// Notes more of a step that is under way, for the case that it never ends.
    pub fn detail(&self, step: StepNumber, mut start: StepStart) {
        remove_secrets(&mut start.data);
        self.submit(Change::Step(StepChange::detailed(step.0, start)));
    }

    fn count_begun(&self) {
        self.open.fetch_add(1, Ordering::AcqRel);
        self.unplaced.fetch_add(1, Ordering::AcqRel);
    }

    /// Stores the entry of a step that has ended, once and for all, with what another run would need to take it over.
    ///
    /// # Errors
    /// When it has no stored form.
    pub fn end(
        &self,
        step: StepNumber,
        entry: impl Borrow<ExecutionEntry>,
        note: Option<&StepNote>,
    ) -> Result<()> {
        let entry = entry.borrow();
        // Most hold none, and an entry may be long.
        let change = if has_secrets(&entry.data) {
            let mut entry = entry.clone();
            remove_secrets(&mut entry.data);
            StepChange::ended(step.0, &entry, note)
        } else {
            StepChange::ended(step.0, entry, note)
        };
        self.submit(Change::Step(change?));
        self.open.fetch_sub(1, Ordering::AcqRel);
        Ok(())
    }

    /// Gives a step the next place in the record. Called in the order of the record, before or after the step ends.
    pub fn place(&self, step: StepNumber) {
        let mut next = self.next_place.lock().unwrap_or_else(PoisonError::into_inner);
        self.submit(Change::Step(StepChange::Placed { place: *next, step: step.0 }));
        self.unplaced.fetch_sub(1, Ordering::AcqRel);
        *next += 1;
    }

    /// Notes a branch that waits for an answer from here on, with what it takes to go on after a restart. The note takes the
    /// place of an earlier one; a canvas is kept once, however many runs wait with it.
    pub fn pause(&self, pause: Pause, paused: Arc<PausedRun>) {
        self.submit(Change::Pause(Box::new(pause), paused, self.clock.monotonic_now()));
    }

    /// Keeps the values that the next run of the conversation begins with.
    pub fn keep_values(&self, values: Map<String, Value>) {
        self.submit(Change::Values(values));
    }

    /// Waits until everything so far is durable.
    ///
    /// # Errors
    /// When something of it could not be stored.
    pub fn sync(&self) -> Result<()> {
        self.writer.wait(&self.record)
    }

    /// Ends the run, or leaves it stopped where a branch waits; what it came to, when that is durable. Steps still in flight
    /// are kept as terminated.
    ///
    /// # Errors
    /// 404 when the record was deleted meanwhile; when something of it could not be stored.
    pub fn finish(mut self, end: RunEnd) -> Result<Execution> {
        self.has_ended = true;
        let end = match self.writer.take_whole(&self.record, self.close(end)) {
            Ok(changes) => return self.writer.append_now(&self.record, &changes),
            Err(end) => end,
        };
        self.submit(Change::End(end));
        self.sync()?;
        let Record { workspace, id, .. } = &*self.record;
        let store = self.writer.store()?;
        store.read_messages(|tx| executions::find(tx, workspace, id))?.ok_or_else(|| id.not_found())
    }

    fn close(&self, end: RunEnd) -> RunClose {
        let is_complete =
            self.open.load(Ordering::Acquire) == 0 && self.unplaced.load(Ordering::Acquire) == 0;
        RunClose { end, date: self.clock.monotonic_now(), is_complete }
    }

    fn submit(&self, change: Change) {
        if !self.is_gone() {
            self.writer.submit(&self.record, [change]);
        }
    }
}

/// A run that came to rest, and whose record does not say so yet: it says so in the change that stores the answer, so that an
/// answer waits for the disk once.
pub struct RecordEnd(ExecutionRecorder);

/// How the end of a record is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// With all of the run, of which nothing was stored before.
    Append,
    /// Behind what is stored of the run.
    Queue,
}

impl RecordEnd {
    #[must_use]
    pub const fn new(recorder: ExecutionRecorder) -> Self {
        Self(recorder)
    }

    /// Ends the record and stores what was said, and calls `done` when both are durable, in this thread or another.
    pub fn store(self, said: MessageBatch, done: impl FnOnce(Result<()>) + Send + 'static) {
        let writer = self.0.writer.clone();
        if self.submit(said, done) == Way::Queue {
            writer.write_due();
        }
    }

    /// As [`Self::store`], and waits for it.
    ///
    /// # Errors
    /// 404 when the flow was deleted meanwhile; when they could not be stored.
    pub fn store_now(self, said: MessageBatch) -> Result<()> {
        let (done, stored) = mpsc::channel();
        let (writer, record) = (self.0.writer.clone(), self.0.record.clone());
        self.submit(said, move |result| {
            // Who waits below is there.
            let _ = done.send(result);
        });
        writer.wait(&record)?;
        stored.recv().map_err(Error::internal)?
    }

    fn submit(mut self, said: MessageBatch, done: impl FnOnce(Result<()>) + Send + 'static) -> Way {
        self.0.has_ended = true;
        let end = self.0.close(RunEnd::AtRest);
        // Who watches is told of the end when the record has it.
        let live = self.0.live.clone();
        let done = move |result| {
            drop(live);
            done(result);
        };
        let (writer, record) = (&self.0.writer, &self.0.record);
        match writer.take_whole(record, end) {
            Ok(changes) => {
                writer.append(record, &changes, said, done);
                Way::Append
            }
            Err(end) => {
                writer.submit(record, [Change::End(end), Change::Said(said, Box::new(done))]);
                Way::Queue
            }
        }
    }

    /// Ends the record of a run whose answer is not stored.
    ///
    /// # Errors
    /// When it could not be stored.
    pub fn store_alone(self) -> Result<()> {
        self.0.finish(RunEnd::AtRest).map(drop)
    }
}

impl Drop for ExecutionRecorder {
    fn drop(&mut self) {
        if !self.has_ended {
            self.submit(Change::End(self.close(RunEnd::Failed(ABANDONED.to_owned()))));
        }
    }
}
