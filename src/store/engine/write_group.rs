//! Shared commits: writers that arrive while another one commits go into one transaction together and share
//! its flush to disk. No thread of its own: closures run where they were called, one after the other.
//!
//! One batch at a time is open. Who writes into it first is its leader; those who write after are followers.
//! The leader waits until nobody queues (or the batch is full), takes the transaction out, commits it without
//! holding any lock, and tells the followers. Those who arrive meanwhile queue behind the next batch's first
//! writer, which waits in `begin_write` for the commit to end. A lone caller pays for its closure and its
//! commit, nothing else.
//!
//! **What an operation may rely on.** It sees a committed state plus the writes of members before it in the
//! same batch, and learns its result only when that batch is durable. So nobody acts on what is not on disk:
//! - it failed and wrote nothing: the batch is not touched. The error counts once the writes it saw are durable;
//! - it failed after it wrote: the transaction is aborted and everyone in it runs again. The failed one runs
//!   again at once, alone, if it had seen writes of others: its error must come from a committed state;
//! - it panicked: the transaction is aborted, the others run again, the panic goes on in its own thread;
//! - the commit failed: every member gets the error, the next writer opens the database anew.
//!
//! **Why nothing waits for ever.** There are four waits. (1) For `state`: its holder runs one closure or is in
//! `begin_write`. (2) `begin_write`: for a commit, which holds no lock and ends. (3) A leader for `leader_wakeup`: the
//! queue it waits for consists of callers that need only `state`, and whoever leaves `state` last, or aborts the
//! batch, wakes it. (4) A follower for `done`, and whoever must not join an open batch that began too early: its leader
//! publishes in every case, by a drop guard if the commit itself panics, and an abort publishes too. A closure that
//! starts a second write in its own thread would wait for itself: that is refused by a panic that says so.
//!
//! **Why it ends.** An operation runs again only because another one failed after it had written, and that one
//! leaves with its error after at most one more run; and once when it waited for a batch that had begun before messages
//! its caller was told of, because every batch after that sees them.

use super::database::StorageEngine;
use crate::domain::error::{Error, Result};
use crate::store::transaction::WriteTx;
use crate::store::wal::memtable::Watermark;
use std::cell::Cell;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// A leader stops waiting for company at this many writers, so that a steady stream cannot delay the first.
const MEMBERS_MAX: usize = 512;

/// The open batch and the queue before it.
#[derive(Default)]
pub(in crate::store) struct WriteGroup {
    state: Mutex<QueueState>,
    /// Callers that wait for `state`. Raised before the wait, lowered by the one who got it.
    queue_length: AtomicUsize,
}

#[derive(Default)]
struct QueueState {
    open: Option<OpenBatch>,
    /// The batch that was committed last, or is being committed.
    last: Option<Arc<Batch>>,
}

/// A transaction that still takes writers.
struct OpenBatch {
    tx: WriteTx,
    batch: Arc<Batch>,
    /// How many operations have written into it.
    members: usize,
}

/// What the members of one transaction share.
#[derive(Default)]
struct Batch {
    shared: Mutex<SharedResult>,
    /// With `shared`: the outcome is known.
    done: Condvar,
    /// With `WriteGroup::state`: the leader has reason to look again.
    leader_wakeup: Condvar,
}

#[derive(Default)]
struct SharedResult {
    result: Option<BatchResult>,
    /// Members that sleep until it is: waking nobody costs a call of the system too.
    waiters: usize,
}

#[derive(Debug, Clone)]
enum BatchResult {
    Committed,
    RunAgain,
    Failed(Arc<str>),
}

/// A commit that did not reach the disk, as told to each of its members.
#[derive(Debug)]
pub(in crate::store) struct CommitError(pub(in crate::store) Arc<str>);

impl fmt::Display for CommitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the change could not be stored: {}", self.0)
    }
}

impl std::error::Error for CommitError {}

impl Batch {
    fn lock_result(&self) -> MutexGuard<'_, SharedResult> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn publish(&self, result: BatchResult) {
        let mut shared = self.lock_result();
        shared.result.get_or_insert(result);
        let somebody_waits = shared.waiters > 0;
        drop(shared);
        if somebody_waits {
            self.done.notify_all();
        }
    }

    fn wait(&self) -> BatchResult {
        let mut shared = self.lock_result();
        shared.waiters += 1;
        loop {
            if let Some(outcome) = shared.result.clone() {
                shared.waiters -= 1;
                return outcome;
            }
            shared = self.done.wait(shared).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn is_finished(&self) -> bool {
        self.lock_result().result.is_some()
    }
}

/// Publishes a failure if the commit never comes to publish what became of it.
struct PublishOnDrop<'a>(&'a Batch);

impl Drop for PublishOnDrop<'_> {
    fn drop(&mut self) {
        self.0.publish(BatchResult::Failed("the commit ended in a panic".into()));
    }
}

thread_local! {
    static WRITING: Cell<bool> = const { Cell::new(false) };
}

/// Marks this thread as inside a write.
struct WriteScope;

impl WriteScope {
    fn enter() -> Self {
        assert!(
            !WRITING.replace(true),
            "a write inside a write would wait for itself: pass the transaction on"
        );
        Self
    }
}

impl Drop for WriteScope {
    fn drop(&mut self) {
        WRITING.set(false);
    }
}

/// What one run of a closure came to.
enum WriteAttempt<T> {
    Done(Result<T>),
    Retry,
}

impl WriteGroup {
    /// Runs `operation` in a transaction and returns when it is durable, or has failed.
    pub(in crate::store) fn write<T>(
        &self,
        engine: &StorageEngine,
        operation: &impl Fn(&WriteTx) -> Result<T>,
    ) -> Result<T> {
        let _writing = WriteScope::enter();
        let mut watermark = engine.memtable.latest();
        loop {
            if let WriteAttempt::Done(result) = self.try_run(engine, operation, watermark.take()) {
                return result;
            }
        }
    }

    /// Makes a checkpoint if a segment of the log waits for one, after whoever makes one already.
    pub(in crate::store) fn checkpoint(&self, engine: &StorageEngine) -> Result<()> {
        self.write(engine, &|tx: &WriteTx| {
            tx.request_checkpoint();
            Ok(())
        })
    }

    /// Waits until the database has all messages below `latest`. Inside a write it does not: what that write sees was
    /// settled when its transaction began.
    pub(in crate::store) fn drain_memtable(
        &self,
        engine: &StorageEngine,
        watermark: Watermark,
    ) -> Result<()> {
        while !WRITING.get() && engine.memtable.is_behind(watermark) {
            let mut state = self.lock_state();
            if engine.memtable.is_behind(watermark) && !state.has_members() {
                // A transaction stores them when it begins, so one that was left over must not be taken.
                state.abort(engine);
                state.ensure_open(engine)?;
            }
            if state.has_members() {
                // It was begun before, or has them. Whether its members succeed is theirs to know.
                drop(self.join_batch(state, Ok(())));
            } else {
                self.release_unwritten(state, engine);
            }
        }
        Ok(())
    }

    /// Opens a poisoned database anew, if that is possible without waiting. For readers.
    pub(in crate::store) fn try_recover(&self, engine: &StorageEngine) {
        let Ok(state) = self.state.try_lock() else { return };
        let writers_are_gone =
            state.open.is_none() && state.last.as_ref().is_none_or(|last| last.is_finished());
        if writers_are_gone && engine.is_poisoned() {
            // A failure shows in the read that follows.
            let _ = engine.reopen();
        }
    }

    /// Runs the operation in the open transaction, or a new one. It sees all messages below `latest`: an open transaction
    /// that does not is waited for, and a new one does.
    fn try_run<T>(
        &self,
        engine: &StorageEngine,
        operation: &impl Fn(&WriteTx) -> Result<T>,
        watermark: Option<Watermark>,
    ) -> WriteAttempt<T> {
        let mut state = self.lock_state();
        if state.open.as_ref().is_some_and(|open| watermark.is_some_and(|ahead| open.tx.watermark() < ahead))
        {
            if state.has_members() {
                drop(self.join_batch(state, Ok(())));
                return WriteAttempt::Retry;
            }
            state.abort(engine);
        }
        loop {
            if let Err(error) = state.ensure_open(engine) {
                return WriteAttempt::Done(Err(error));
            }
            let open = state.open.as_mut().expect("opened in the line above");
            let saw_others = open.members > 0;
            open.tx.start_operation();
            let outcome = catch_unwind(AssertUnwindSafe(|| operation(&open.tx)));
            let wrote = open.tx.has_written();
            let result = match outcome {
                Ok(result) => result,
                Err(panic) => {
                    state.abort(engine);
                    drop(state);
                    resume_unwind(panic);
                }
            };
            if let Err(error) = &result {
                engine.inspect_error(error);
            }
            return match (wrote, result) {
                (false, result) if saw_others => self.join_batch(state, result),
                (false, result) => {
                    self.release_unwritten(state, engine);
                    WriteAttempt::Done(result)
                }
                (true, Ok(value)) => {
                    open.members += 1;
                    if saw_others {
                        self.join_batch(state, Ok(value))
                    } else {
                        self.lead_batch(state, engine, value)
                    }
                }
                (true, Err(error)) => {
                    state.abort(engine);
                    if saw_others {
                        continue;
                    }
                    WriteAttempt::Done(Err(error))
                }
            };
        }
    }

    fn lock_state(&self) -> MutexGuard<'_, QueueState> {
        self.queue_length.fetch_add(1, Ordering::Relaxed);
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        self.queue_length.fetch_sub(1, Ordering::Relaxed);
        state
    }

    fn nobody_queues(&self) -> bool {
        self.queue_length.load(Ordering::Relaxed) == 0
    }

    /// True while somebody waits to begin.
    #[cfg(test)]
    pub(in crate::store) fn has_queue(&self) -> bool {
        !self.nobody_queues()
    }

    /// Nothing is in the transaction: the next in the queue may have it, or it ends here.
    fn release_unwritten(&self, mut state: MutexGuard<'_, QueueState>, engine: &StorageEngine) {
        if self.nobody_queues() {
            state.abort(engine);
        }
    }

    fn lead_batch<T>(
        &self,
        mut state: MutexGuard<'_, QueueState>,
        engine: &StorageEngine,
        value: T,
    ) -> WriteAttempt<T> {
        let batch = state.open.as_ref().expect("the leader has just written into it").batch.clone();
        while state.members_of(&batch).is_some_and(|members| members < MEMBERS_MAX) && !self.nobody_queues() {
            state = batch.leader_wakeup.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.members_of(&batch).is_some() {
            let open = state.open.take().expect("it has members");
            state.last = Some(batch.clone());
            drop(state);
            let publish_on_drop = PublishOnDrop(&batch);
            batch.publish(match engine.commit(open.tx) {
                Ok(()) => BatchResult::Committed,
                Err(error) => BatchResult::Failed(error.to_string().into()),
            });
            drop(publish_on_drop);
        } else {
            drop(state); // a later member failed and took the transaction down
        }
        wait_for_result(&batch, Ok(value))
    }

    fn join_batch<T>(&self, state: MutexGuard<'_, QueueState>, result: Result<T>) -> WriteAttempt<T> {
        let open = state.open.as_ref().expect("the follower has just been in it");
        let batch = open.batch.clone();
        let is_full = open.members >= MEMBERS_MAX;
        if is_full || self.nobody_queues() {
            batch.leader_wakeup.notify_one();
        }
        drop(state);
        wait_for_result(&batch, result)
    }
}

fn wait_for_result<T>(batch: &Batch, result: Result<T>) -> WriteAttempt<T> {
    match batch.wait() {
        BatchResult::Committed => WriteAttempt::Done(result),
        BatchResult::RunAgain => WriteAttempt::Retry,
        BatchResult::Failed(why) => WriteAttempt::Done(Err(Error::internal(CommitError(why)))),
    }
}

impl QueueState {
    fn ensure_open(&mut self, engine: &StorageEngine) -> Result<()> {
        if self.open.is_some() {
            return Ok(());
        }
        let tx = match engine.begin_write() {
            Ok(tx) if !engine.is_poisoned() => tx,
            refused => {
                drop(refused);
                // Opening anew needs the file's lock, which a commit that is still failing holds.
                if let Some(last) = &self.last {
                    last.wait();
                }
                engine.reopen()?;
                engine.begin_write()?
            }
        };
        self.open = Some(OpenBatch { tx, batch: Arc::default(), members: 0 });
        Ok(())
    }

    /// True when somebody waits for the open transaction's end.
    fn has_members(&self) -> bool {
        self.open.as_ref().is_some_and(|open| open.members > 0)
    }

    /// How many have written into `batch`; `None` when it is not open any more.
    fn members_of(&self, batch: &Arc<Batch>) -> Option<usize> {
        self.open.as_ref().filter(|open| Arc::ptr_eq(&open.batch, batch)).map(|open| open.members)
    }

    /// Drops the open transaction and sends its members round again.
    fn abort(&mut self, engine: &StorageEngine) {
        let Some(open) = self.open.take() else { return };
        // Told first: should the abort panic, nobody is left waiting. They queue for `state`, which is held here.
        open.batch.publish(BatchResult::RunAgain);
        open.batch.leader_wakeup.notify_all();
        if open.tx.abort().is_err() {
            engine.poison();
        }
    }
}
