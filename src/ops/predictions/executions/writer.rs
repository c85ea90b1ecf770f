//! Writes the records of runs, beside the runs. A commit waits for the disk, and a run of a thousand steps would wait a
//! thousand times; the log's cheap way (`Store::append_then`) is for messages alone, because whoever reads them waits for
//! them. So runs leave what they have to say here, and it is committed for many of them at once:
//! - what a run says on its way waits a moment ([`GATHER`]), because a run that is over by then is written once and not
//!   twice. A thread of its own looks after it;
//! - what somebody waits for, the end of a run with the answer that goes out, is committed by the thread that brings it,
//!   together with what others brought meanwhile. While it waits for the disk the next change gathers, so a busy service makes
//!   few large commits and an idle one makes each at once;
//! - a run that comes to its end before anything of it was written is not a change at all: it is appended to the log with its
//!   messages, as those of a chatflow are, and the database gets it later with many others.
//!
//! What a kill can lose beside the steps in flight is that moment and the length of one commit. Changes of a run are written in
//! their order. A run whose record is gone, because its flow was deleted, writes nothing any more.

use super::run_changes::{Change, RunChanges};
use crate::domain::error::{Error, Result};
use crate::domain::ids::{ExecutionId, WorkspaceId};
use crate::store::Store;
use crate::store::queries::executions::RecordBatch;
use crate::store::queries::messages::MessageBatch;
use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

/// How long what a run says on its way waits for more of it.
const GATHER: Duration = Duration::from_millis(20);
/// How often the thread looks for what has waited so long.
const LOOK: Duration = Duration::from_millis(5);
/// Bytes of changes in one commit: what a segment of the log takes with room to spare, as only what does not fit into one
/// costs a checkpoint.
const COMMIT_BYTES: usize = 512 * 1024;
/// Bytes of steps of all runs that wait to be written; a run that has more to say waits for the disk (manual 14.4).
const EXECUTION_QUEUE_MAX_BYTES: usize = 32 * 1024 * 1024;
/// How long the thread stays when nobody has anything to write.
const LINGER: Duration = Duration::from_secs(1);
/// A commit waits for no more company when so many runs are there.
const COMPANY_MAX: usize = 32;

/// Called when messages are durable, or with why they are not.
pub(super) type OnStored = Box<dyn FnOnce(Result<()>) + Send>;

/// Whose changes these are, and whether they reached the database.
pub(super) struct Record {
    pub(super) workspace: WorkspaceId,
    pub(super) id: ExecutionId,
    /// There is no such record any more.
    is_gone: AtomicBool,
    /// Something of it could not be stored.
    has_failed: AtomicBool,
    /// How many of its changes there were so far, and how many of them are settled.
    submitted: AtomicU64,
    pub(super) settled: AtomicU64,
}

impl Record {
    pub(super) const fn new(workspace: WorkspaceId, id: ExecutionId) -> Self {
        Self {
            workspace,
            id,
            is_gone: AtomicBool::new(false),
            has_failed: AtomicBool::new(false),
            submitted: AtomicU64::new(0),
            settled: AtomicU64::new(0),
        }
    }

    pub(super) fn is_gone(&self) -> bool {
        self.is_gone.load(Ordering::Acquire)
    }

    fn is_settled(&self, number: u64) -> bool {
        self.settled.load(Ordering::Acquire) >= number
    }
}

/// The queue before whoever writes records.
#[derive(Clone)]
pub struct ExecutionWriter(pub(super) Arc<WriterState>);

pub(super) struct WriterState {
    queue: Mutex<Queue>,
    /// The thread has something to do.
    work: Condvar,
    /// Something was written.
    pub(super) progress: Condvar,
    /// The thread must not keep a database open that everybody else has left.
    store: Weak<Store>,
}

#[derive(Default)]
pub(super) struct Queue {
    pub(super) runs: HashMap<ExecutionId, WaitingRun>,
    pub(super) bytes: usize,
    /// Somebody writes, and goes on as long as something is due.
    is_writing: bool,
    /// A batch is being committed: what it holds is not here any more, and not in the database yet.
    is_committing: bool,
    /// How many batches were.
    commits: u64,
    /// Runs that are being appended whole, which are not here any more and perhaps not to be read yet.
    pub(super) appending: HashSet<ExecutionId>,
    /// How many wait for those.
    pub(super) settlers: usize,
    has_thread: bool,
}

/// What is still to be written about one run.
pub(super) struct WaitingRun {
    record: Arc<Record>,
    pub(super) changes: Vec<Change>,
    pub(super) bytes: usize,
    since: Instant,
    /// Somebody waits for it.
    is_urgent: bool,
}

impl WaitingRun {
    fn is_due(&self, now: Instant) -> bool {
        self.is_urgent || self.bytes >= COMMIT_BYTES || now.duration_since(self.since) >= GATHER
    }

    /// Its first changes, about so many bytes of them.
    fn split(&mut self, room: usize) -> Self {
        let mut bytes = 0;
        let holds = |change: &Change| {
            let fits = bytes < room;
            bytes += if fits { change.bytes() } else { 0 };
            fits
        };
        let count = self.changes.iter().map(holds).take_while(|fits| *fits).count();
        let rest = self.changes.split_off(count);
        self.bytes = self.bytes.saturating_sub(bytes);
        let changes = std::mem::replace(&mut self.changes, rest);
        let Self { since, is_urgent, .. } = *self;
        Self { record: self.record.clone(), changes, bytes, since, is_urgent }
    }
}

impl Queue {
    /// What is to be written now, first what somebody waits for, then the oldest; nothing where nothing is due.
    fn next_batch(&mut self) -> Vec<WaitingRun> {
        let now = Instant::now();
        let mut due: Vec<(bool, Instant, ExecutionId)> = self
            .runs
            .iter()
            .filter(|(_, run)| run.is_due(now))
            .map(|(id, run)| (!run.is_urgent, run.since, *id))
            .collect();
        due.sort_unstable_by_key(|(is_patient, since, _)| (*is_patient, *since));
        let (mut batch, mut bytes) = (Vec::new(), 0);
        for (_, _, id) in due {
            if bytes >= COMMIT_BYTES {
                break;
            }
            let Some(run) = self.runs.get_mut(&id) else { continue };
            let part = run.split(COMMIT_BYTES - bytes);
            if run.changes.is_empty() {
                self.runs.remove(&id);
            }
            bytes += part.bytes;
            batch.push(part);
        }
        self.bytes = self.bytes.saturating_sub(bytes);
        batch
    }
}

impl ExecutionWriter {
    #[must_use]
    pub fn new(store: &Arc<Store>) -> Self {
        Self(Arc::new(WriterState {
            queue: Mutex::default(),
            work: Condvar::new(),
            progress: Condvar::new(),
            store: Arc::downgrade(store),
        }))
    }

    /// Leaves changes to be written soon, and returns at once unless too much waits already.
    pub(super) fn submit(&self, record: &Arc<Record>, changes: impl IntoIterator<Item = Change>) {
        let mut queue = self.0.lock();
        while queue.bytes > EXECUTION_QUEUE_MAX_BYTES && queue.has_thread {
            self.0.work.notify_one();
            queue = self.0.progress.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
        let (mut count, mut added) = (0, 0);
        let run = queue.runs.entry(record.id).or_insert_with(|| WaitingRun {
            record: record.clone(),
            changes: Vec::new(),
            bytes: 0,
            since: Instant::now(),
            is_urgent: false,
        });
        for change in changes {
            run.is_urgent |= change.is_awaited();
            added += change.bytes();
            run.changes.push(change);
            count += 1;
        }
        run.bytes += added;
        queue.bytes += added;
        record.submitted.fetch_add(count, Ordering::AcqRel);
        if std::mem::replace(&mut queue.has_thread, true) {
            return;
        }
        drop(queue);
        let shared = self.0.clone();
        let spawned = thread::Builder::new().name("executions".to_owned()).spawn(move || shared.run());
        if spawned.is_err() {
            // The system gives no thread, so this one does it.
            self.0.lock().has_thread = false;
            self.urge(record);
            self.0.write_due(None);
        }
    }

    /// Has what is due written by this thread, unless another one is at it.
    pub(super) fn write_due(&self) {
        self.0.write_due(None);
    }

    /// The database, while somebody keeps it open.
    pub(super) fn store(&self) -> Result<Arc<Store>> {
        self.0.store()
    }

    fn urge(&self, record: &Record) {
        if let Some(run) = self.0.lock().runs.get_mut(&record.id) {
            run.is_urgent = true;
        }
    }

    /// Waits until everything so far of this record is durable.
    ///
    /// # Errors
    /// [`Error::Internal`] when something of it could not be stored.
    pub(super) fn wait(&self, record: &Record) -> Result<()> {
        let number = record.submitted.load(Ordering::Acquire);
        self.urge(record);
        loop {
            self.0.write_due(Some((record, number)));
            let queue = self.0.lock();
            if record.is_settled(number) {
                break;
            }
            // Somebody else writes. Who leaves while something is urgent wakes all who wait, and one of them goes on.
            if queue.is_writing {
                drop(self.0.progress.wait(queue).unwrap_or_else(PoisonError::into_inner));
            }
        }
        if record.has_failed.load(Ordering::Acquire) {
            return Err(Error::internal("the record of a run could not be stored"));
        }
        Ok(())
    }

    /// Has everything written that runs said so far, for who wants to look at it.
    pub(super) fn settle(&self) {
        let urge = |run: &mut WaitingRun| {
            run.is_urgent = true;
            run.record.clone()
        };
        let mut queue = self.0.lock();
        let waiting: Vec<Arc<Record>> = queue.runs.values_mut().map(urge).collect();
        let commits = queue.commits;
        while queue.is_committing && queue.commits == commits {
            queue = self.0.progress.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
        drop(queue);
        for record in waiting {
            // What cannot be stored is in the log, and not there to be seen.
            let _ = self.wait(&record);
        }
        self.settle_appends();
    }
}

impl WriterState {
    pub(super) fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn store(&self) -> Result<Arc<Store>> {
        self.store.upgrade().ok_or_else(|| Error::internal("the database is closed"))
    }

    /// Looks after what nobody waits for, until nothing came for a while.
    fn run(&self) {
        let mut busy = Instant::now();
        loop {
            let queue = self.lock();
            // Nobody wakes the thread for what may wait: that would cost more than to look.
            let mut queue = self.work.wait_timeout(queue, LOOK).unwrap_or_else(PoisonError::into_inner).0;
            if !queue.runs.is_empty() {
                drop(queue);
                busy = Instant::now();
                self.write_due(None);
            } else if busy.elapsed() > LINGER {
                queue.has_thread = false;
                return;
            }
        }
    }

    /// Writes until nothing is due, or until so much of one record is settled; then others go on.
    fn write_due(&self, until: Option<(&Record, u64)>) {
        let mut queue = self.lock();
        if queue.is_writing {
            return;
        }
        queue.is_writing = true;
        loop {
            let batch = queue.next_batch();
            if batch.is_empty() {
                break;
            }
            queue.is_committing = true;
            drop(queue);
            self.write(batch);
            if until.is_some_and(|(record, number)| record.is_settled(number)) {
                queue = self.lock();
                break;
            }
            queue = self.wait_for_company();
        }
        queue.is_writing = false;
        if queue.runs.values().any(|run| run.is_urgent) {
            drop(queue);
            self.work.notify_one();
            self.progress.notify_all();
        }
    }

    /// The queue, once those who are about to end have done so: where the cores are busy a commit is then worth more, and where
    /// they are not nothing is waited for.
    fn wait_for_company(&self) -> MutexGuard<'_, Queue> {
        let mut known = 0;
        loop {
            thread::yield_now();
            let queue = self.lock();
            let urgent = queue.runs.values().filter(|run| run.is_urgent).count();
            if urgent == known || urgent >= COMPANY_MAX {
                return queue;
            }
            known = urgent;
        }
    }

    /// Commits a batch and tells those who wait for it. Where a run of several cannot be written, as its rows are damaged, each
    /// is committed by itself: that one is nothing to the others.
    fn write(&self, batch: Vec<WaitingRun>) {
        let parts = match self.commit_caught(&batch) {
            Err(Fault::Rows(_)) if batch.len() > 1 => batch
                .into_iter()
                .map(|run| {
                    let alone = vec![run];
                    (self.commit_caught(&alone), alone)
                })
                .collect(),
            written => vec![(written, batch)],
        };
        let mut queue = self.lock();
        queue.is_committing = false;
        queue.commits += 1;
        for (written, runs) in &parts {
            for run in runs {
                if written.is_err() {
                    run.record.has_failed.store(true, Ordering::Release);
                }
                run.record.settled.fetch_add(run.changes.len() as u64, Ordering::AcqRel);
            }
        }
        drop(queue);
        self.progress.notify_all();
        parts.into_iter().for_each(|(written, runs)| tell(written, runs));
    }

    fn commit_caught(&self, batch: &[WaitingRun]) -> std::result::Result<Vec<Result<()>>, Fault> {
        let panicked = |_| Err(Fault::Database(Error::internal("the thread that stored a record failed")));
        let written = catch_unwind(AssertUnwindSafe(|| self.commit(batch))).unwrap_or_else(panicked);
        if let Err(Fault::Rows(error) | Fault::Database(error)) = &written {
            tracing::error!(error = error.for_log(), "the records of runs could not be stored");
        }
        written
    }

    /// What came of the messages in the batch.
    fn commit(&self, batch: &[WaitingRun]) -> std::result::Result<Vec<Result<()>>, Fault> {
        let store = self.store().map_err(Fault::Database)?;
        let runs: Vec<(&Record, RunChanges<'_>)> =
            batch.iter().map(|run| (&*run.record, RunChanges::gather(&run.changes))).collect();
        let said: Vec<&MessageBatch> = runs.iter().flat_map(|(_, changes)| changes.said()).collect();
        let has_written = AtomicBool::new(false);
        let (gone, stored) = store
            .write_with_messages(&said, |tx| {
                has_written.store(false, Ordering::Release);
                let (mut records, mut gone) = (RecordBatch::new(tx), Vec::new());
                for (record, changes) in &runs {
                    if !changes.write(&mut records, (&record.workspace, &record.id))? {
                        gone.push(*record);
                    }
                }
                records.finish()?;
                has_written.store(true, Ordering::Release);
                Ok(gone)
            })
            .map_err(if has_written.load(Ordering::Acquire) { Fault::Database } else { Fault::Rows })?;
        gone.iter().for_each(|record| record.is_gone.store(true, Ordering::Release));
        Ok(stored)
    }
}

/// Why a batch was not stored.
enum Fault {
    /// What one of its runs has to say could not be written, so nothing was.
    Rows(Error),
    /// The database failed: what it holds of the batch is not known.
    Database(Error),
}

/// Tells those who wait for messages in a batch what came of them.
fn tell(written: std::result::Result<Vec<Result<()>>, Fault>, batch: Vec<WaitingRun>) {
    let mut stored = written.unwrap_or_default().into_iter();
    for change in batch.into_iter().flat_map(|run| run.changes) {
        if let Change::Said(_, done) = change {
            let failed = || Err(Error::internal("the record of a run could not be stored"));
            let result = stored.next().unwrap_or_else(failed);
            // What fails for one of those who are told is nothing to the others.
            let _ = catch_unwind(AssertUnwindSafe(|| done(result)));
        }
    }
}
