//! Writes the records of runs, beside the runs. A commit waits for the disk, and a run of a thousand steps would wait a
//! thousand times; the log's cheap way (`Store::append_then`) is for messages alone, because whoever reads them waits for
//! them. So runs leave what they have to say in one queue, and a thread of its own takes whatever is there, of all runs, and
//! commits it as one change. While it waits for the disk the next change gathers, so a busy service makes few large commits
//! and an idle one makes each at once: what a kill can lose beside the steps in flight is the length of one commit.
//!
//! Changes of a run are written in their order. What begins and ends while a commit goes on is written once. A run whose
//! record is gone, because its flow was deleted, writes nothing any more.

use crate::domain::error::{Error, Result};
use crate::domain::ids::{ExecutionId, WorkspaceId};
use crate::domain::predictions::execution::{Execution, Pause, RunEnd};
use crate::store::queries::executions::{self, PausedRun, StepChange};
use crate::store::{Store, WriteTx};
use jiff::Timestamp;
use serde_json::{Map, Value};
use std::collections::{HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::Duration;

/// Bytes of changes in one commit: what a segment of the log takes with room to spare, as only what does not fit into one
/// costs a checkpoint.
const COMMIT_BYTES: usize = 512 * 1024;
/// Bytes of steps of all runs that wait to be written; a run that has more to say waits for the disk (manual 14.4).
const EXECUTION_QUEUE_MAX_BYTES: usize = 32 * 1024 * 1024;
/// How long the thread stays when nobody has anything to write.
const LINGER: Duration = Duration::from_secs(1);

/// Something to be written about a run.
pub(super) enum Change {
    Begin(Box<Execution>),
    Step(StepChange),
    Pause(Box<Pause>, Arc<PausedRun>, Timestamp),
    /// What the next run of the conversation begins with.
    Values(Map<String, Value>),
    End(RunEnd, Timestamp),
}

impl Change {
    fn bytes(&self) -> usize {
        const ROW_BYTES: usize = 2_048;
        match self {
            Self::Step(step) => step.bytes(),
            Self::Pause(_, paused, _) => ROW_BYTES + paused.canvas.len(),
            Self::Begin(_) | Self::End(..) | Self::Values(_) => ROW_BYTES,
        }
    }
}

/// Whose changes these are, and whether they reached the database.
pub(super) struct Record {
    pub(super) workspace: WorkspaceId,
    pub(super) id: ExecutionId,
    /// There is no such record any more.
    is_gone: AtomicBool,
    /// Something of it could not be stored.
    has_failed: AtomicBool,
}

impl Record {
    pub(super) const fn new(workspace: WorkspaceId, id: ExecutionId) -> Self {
        Self { workspace, id, is_gone: AtomicBool::new(false), has_failed: AtomicBool::new(false) }
    }

    pub(super) fn is_gone(&self) -> bool {
        self.is_gone.load(Ordering::Acquire)
    }
}

/// The queue before the thread that writes records.
#[derive(Clone)]
pub struct ExecutionWriter(Arc<Shared>);

struct Shared {
    queue: Mutex<Queue>,
    /// There is something to write.
    work: Condvar,
    /// Something was written.
    progress: Condvar,
    /// The thread must not keep a database open that everybody else has left.
    store: Weak<Store>,
}

#[derive(Default)]
struct Queue {
    changes: VecDeque<(Arc<Record>, Change)>,
    bytes: usize,
    /// How many changes there were so far, and how many of them are settled.
    submitted: u64,
    settled: u64,
    has_thread: bool,
}

impl ExecutionWriter {
    #[must_use]
    pub fn new(store: &Arc<Store>) -> Self {
        Self(Arc::new(Shared {
            queue: Mutex::default(),
            work: Condvar::new(),
            progress: Condvar::new(),
            store: Arc::downgrade(store),
        }))
    }

    /// Leaves a change to be written, and returns at once unless too much waits already. The number is for [`Self::wait`].
    pub(super) fn submit(&self, record: &Arc<Record>, change: Change) -> u64 {
        let mut queue = self.0.lock();
        while queue.bytes > EXECUTION_QUEUE_MAX_BYTES && queue.has_thread {
            queue = self.0.progress.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
        queue.bytes += change.bytes();
        queue.changes.push_back((record.clone(), change));
        queue.submitted += 1;
        let number = queue.submitted;
        let needs_thread = !std::mem::replace(&mut queue.has_thread, true);
        drop(queue);
        if !needs_thread {
            self.0.work.notify_one();
            return number;
        }
        let shared = self.0.clone();
        let spawned = thread::Builder::new().name("executions".to_owned()).spawn(move || shared.run(LINGER));
        if spawned.is_err() {
            // The system gives no thread, so this one does it.
            self.0.run(Duration::ZERO);
        }
        number
    }

    /// The database, while somebody keeps it open.
    pub(super) fn store(&self) -> Result<Arc<Store>> {
        self.0.store()
    }

    /// Waits until this change and all before it are durable.
    ///
    /// # Errors
    /// [`Error::Internal`] when something of this record could not be stored.
    pub(super) fn wait(&self, record: &Record, number: u64) -> Result<()> {
        let mut queue = self.0.lock();
        while queue.settled < number {
            queue = self.0.progress.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
        drop(queue);
        if record.has_failed.load(Ordering::Acquire) {
            return Err(Error::internal("the record of a run could not be stored"));
        }
        Ok(())
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn store(&self) -> Result<Arc<Store>> {
        self.store.upgrade().ok_or_else(|| Error::internal("the database is closed"))
    }

    /// Writes until nothing came for a while.
    fn run(&self, linger: Duration) {
        while let Some(batch) = self.next_batch(linger) {
            let written = catch_unwind(AssertUnwindSafe(|| self.write(&batch)))
                .unwrap_or_else(|_| Err(Error::internal("the thread that stored a record failed")));
            if let Err(error) = written {
                tracing::error!(error = error.for_log(), "the records of runs could not be stored");
                for (record, _) in &batch {
                    record.has_failed.store(true, Ordering::Release);
                }
            }
            self.lock().settled += batch.len() as u64;
            self.progress.notify_all();
        }
    }

    /// What is to be written next; `None` when the thread may end.
    fn next_batch(&self, linger: Duration) -> Option<Vec<(Arc<Record>, Change)>> {
        let mut queue = self.lock();
        if queue.changes.is_empty() {
            let idle = |queue: &mut Queue| queue.changes.is_empty();
            let waited = self.work.wait_timeout_while(queue, linger, idle);
            queue = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        let (mut batch, mut bytes) = (Vec::new(), 0);
        while bytes < COMMIT_BYTES
            && let Some((record, change)) = queue.changes.pop_front()
        {
            bytes += change.bytes();
            batch.push((record, change));
        }
        queue.bytes = queue.bytes.saturating_sub(bytes);
        queue.has_thread = !batch.is_empty();
        queue.has_thread.then_some(batch)
    }

    fn write(&self, batch: &[(Arc<Record>, Change)]) -> Result<()> {
        let store = self.store()?;
        let runs = RunChanges::gather(batch);
        let gone = store.write(|tx| {
            let mut gone = Vec::new();
            for run in &runs {
                if !run.write(tx)? {
                    gone.push(run.record);
                }
            }
            Ok(gone)
        })?;
        gone.iter().for_each(|record| record.is_gone.store(true, Ordering::Release));
        Ok(())
    }
}

/// What is to be written about one run.
struct RunChanges<'a> {
    record: &'a Record,
    begin: Option<&'a Execution>,
    steps: Vec<StepChange>,
    pauses: Vec<(&'a Pause, &'a PausedRun, Timestamp)>,
    values: Option<&'a Map<String, Value>>,
    end: Option<(&'a RunEnd, Timestamp)>,
}

impl<'a> RunChanges<'a> {
    /// The changes of a batch, by run.
    fn gather(batch: &'a [(Arc<Record>, Change)]) -> Vec<Self> {
        let (mut runs, mut places): (Vec<Self>, HashMap<ExecutionId, usize>) = Default::default();
        for (record, change) in batch {
            let place = *places.entry(record.id).or_insert_with(|| {
                runs.push(Self {
                    record,
                    begin: None,
                    steps: Vec::new(),
                    pauses: Vec::new(),
                    values: None,
                    end: None,
                });
                runs.len() - 1
            });
            let run = &mut runs[place];
            match change {
                Change::Begin(begin) => run.begin = Some(begin),
                Change::Step(step) => run.steps.push(step.clone()),
                Change::Pause(pause, paused, date) => run.pauses.push((pause, paused, *date)),
                Change::Values(values) => run.values = Some(values),
                Change::End(end, date) => run.end = Some((end, *date)),
            }
        }
        runs
    }

    /// False when there is no such record any more.
    fn write(&self, tx: &WriteTx) -> Result<bool> {
        let Record { workspace, id, .. } = self.record;
        let is_there = match self.begin {
            Some(begin) => executions::begin(tx, begin)?,
            None => executions::find(tx, workspace, id)?.is_some(),
        };
        if !is_there {
            return Ok(false);
        }
        executions::write_steps(tx, id, &self.steps)?;
        if self.end.is_some() {
            executions::terminate_steps(tx, id)?;
        }
        if self.pauses.is_empty() && self.values.is_none() && self.end.is_none() {
            return Ok(true);
        }
        let changed = executions::edit(tx, workspace, id, |run| {
            for (pause, _, date) in &self.pauses {
                run.pause((*pause).clone(), *date);
            }
            if let Some(values) = self.values {
                run.values = Some(values.clone());
            }
            if let Some((end, date)) = self.end {
                run.end(end, date);
            }
            Ok(())
        })?;
        // A run that came to its end in the same stroke needs nothing to go on.
        if let (Some(run), Some((_, paused, _))) = (changed, self.pauses.last())
            && !run.state().is_ended()
        {
            executions::keep_canvas(tx, &run, paused)?;
        }
        Ok(true)
    }
}
