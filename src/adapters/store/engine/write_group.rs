//! Shared commits: writers that arrive while another one commits go into one transaction together and share
//! its flush to disk. No thread of its own: closures run where they were called, one after the other.
//!
//! One transaction at a time is open. Whoever has written into it joins a group commit (`group_commit.rs`), of which the
//! first is the leader. It waits until nobody queues for the transaction (or the batch is full), takes it out, commits it
//! without holding any lock, and tells the others. Those who arrive meanwhile queue behind the next batch's first
//! writer, which waits in `begin_write` for the commit to end. A lone caller pays for its closure and its
//! commit, nothing else.
//!
//! **What an operation may rely on.** It sees a committed state plus the writes of members before it in the
//! same batch, and learns its result only when that batch is durable. So nobody acts on what is not on disk:
//! - it failed and wrote nothing: the batch is not touched. The error counts once the writes it saw are durable;
//! - it failed after it wrote: the transaction is aborted and everyone in it runs again. The failed one runs
//!   again at once if it had seen writes of others: its error must come from a committed state. If that does not fail,
//!   its transaction takes nobody else;
//! - it panicked: the transaction is aborted, the others run again, the panic goes on in its own thread;
//! - the commit failed: every member gets the error, the next writer opens the database anew.
//!
//! **Why nothing waits for ever.** There are three waits. (1) For `open`: its holder runs one closure, is in `begin_write`,
//! or waits for a commit that fails. (2) `begin_write`: for a commit, which holds no lock and ends. (3) A member for its
//! result, or for a reason to lead: members join while they hold `open`, so the transaction and the queue of the group
//! commit have the same members at any time. The leader waits for callers that need only `open`, and whoever leaves `open`
//! last wakes it; an abort gives all members their result; and a round that began ends for all of them, by a drop guard if
//! the commit itself panics. A closure that starts a second write in its own thread would wait for itself: that is refused
//! by a panic that says so.
//!
//! **Why it ends.** An operation runs again only because another one failed after it had written, and that one
//! leaves with its error, or with its own commit, after at most one more run. Were others let into its transaction,
//! one of them could fail for what it wrote and send it round again: of many that want the last free place each would
//! keep all others from it for ever. And it runs again once when it waited for a batch that had begun before messages
//! its caller was told of, because every batch after that sees them.

use super::database::StorageEngine;
use super::group_commit::{GroupCommit, LeaderPanicked, Submission, WakeSignal};
use crate::domain::error::{Error, Result};
use crate::store::transaction::WriteTx;
use crate::store::wal::memtable::Watermark;
use std::cell::Cell;
use std::iter;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A leader stops waiting for company at this many writers, so that a steady stream cannot delay the first.
const MEMBERS_MAX: usize = 512;

/// The open transaction, the queue before it, and those who wait for its commit.
#[derive(Default)]
pub(in crate::store) struct WriteGroup {
    open: Mutex<Option<OpenTransaction>>,
    /// Callers that wait for `open`. Raised before the wait, lowered by the one who got it.
    queue_length: AtomicUsize,
    /// Joined while `open` is held, as are rounds begun and members dismissed.
    commits: GroupCommit<(), BatchResult>,
}

/// A transaction that was not taken out yet.
struct OpenTransaction {
    tx: WriteTx,
    /// How many operations have written into it.
    members: usize,
    /// Its one member failed behind others before: it is committed before anybody else writes.
    is_exclusive: bool,
}

impl OpenTransaction {
    /// True when the leader need not wait for more members.
    fn is_full(&self) -> bool {
        self.is_exclusive || self.members >= MEMBERS_MAX
    }

    /// True when the next operation may run in it, which is to see all messages below `watermark`.
    fn admits(&self, watermark: Option<Watermark>) -> bool {
        !self.is_exclusive && watermark.is_none_or(|ahead| self.tx.watermark() >= ahead)
    }
}

type OpenGuard<'a> = MutexGuard<'a, Option<OpenTransaction>>;

/// What became of a transaction, as each of its members is told.
#[derive(Debug, Clone)]
enum BatchResult {
    Committed,
    RunAgain,
    Failed(Arc<str>),
}

/// A commit that did not reach the disk, as told to each of its members.
#[derive(Debug, thiserror::Error)]
#[error("the change could not be stored: {0}")]
pub(in crate::store) struct CommitError(pub(in crate::store) Arc<str>);

thread_local! {
    static WRITING: Cell<bool> = const { Cell::new(false) };
}

/// True in a thread whose closure runs in a transaction.
pub(in crate::store) fn is_in_write() -> bool {
    WRITING.get()
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
        // Whoever writes first commits for all: this thread, unless somebody else is quicker once more.
        let open = self.lock_open();
        if has_members(&open) {
            drop(self.join_batch(open, engine, Ok(())));
        } else {
            self.release_unwritten(open, engine);
        }
        self.write(engine, &|tx: &WriteTx| {
            tx.request_checkpoint();
            Ok(())
        })
    }

    /// Waits until the database has all messages below `watermark`. Inside a write it does not: what that write sees was
    /// settled when its transaction began.
    pub(in crate::store) fn drain_memtable(
        &self,
        engine: &StorageEngine,
        watermark: Watermark,
    ) -> Result<()> {
        while !is_in_write() && engine.memtable.is_behind(watermark) {
            let mut open = self.lock_open();
            if engine.memtable.is_behind(watermark) && !has_members(&open) {
                // A transaction stores them when it begins, so one that was left over must not be taken.
                self.abort(&mut open, engine);
                self.ensure_open(&mut open, engine)?;
            }
            if has_members(&open) {
                // It was begun before, or has them. Whether its members succeed is theirs to know.
                drop(self.join_batch(open, engine, Ok(())));
            } else {
                self.release_unwritten(open, engine);
            }
        }
        Ok(())
    }

    /// Does something while no change is open or being committed, and none begins.
    pub(in crate::store) fn run_alone<T>(
        &self,
        engine: &StorageEngine,
        work: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        loop {
            let mut open = self.lock_open();
            if has_members(&open) {
                // Whether its members succeed is theirs to know.
                drop(self.join_batch(open, engine, Ok(())));
                continue;
            }
            self.abort(&mut open, engine);
            self.wait_for_commit();
            return work();
        }
    }

    /// Opens a poisoned database anew, if that is possible without waiting. For readers.
    pub(in crate::store) fn try_recover(&self, engine: &StorageEngine) {
        let Ok(open) = self.open.try_lock() else { return };
        let writers_are_gone = open.is_none() && self.commits.is_idle();
        if writers_are_gone && engine.is_poisoned() {
            // A failure shows in the read that follows.
            let _ = engine.reopen();
        }
    }

    /// Runs the operation in the open transaction, or a new one. It sees all messages below `watermark`: an open transaction
    /// that does not is waited for, as is one that takes nobody else, and a new one does.
    fn try_run<T>(
        &self,
        engine: &StorageEngine,
        operation: &impl Fn(&WriteTx) -> Result<T>,
        watermark: Option<Watermark>,
    ) -> WriteAttempt<T> {
        let mut guard = self.lock_open();
        if guard.as_ref().is_some_and(|open| !open.admits(watermark)) {
            if has_members(&guard) {
                drop(self.join_batch(guard, engine, Ok(())));
                return WriteAttempt::Retry;
            }
            self.abort(&mut guard, engine);
        }
        let mut has_failed = false;
        loop {
            let open = match self.ensure_open(&mut guard, engine) {
                Ok(open) => open,
                Err(error) => return WriteAttempt::Done(Err(error)),
            };
            let saw_others = open.members > 0;
            open.tx.start_operation();
            let outcome = catch_unwind(AssertUnwindSafe(|| operation(&open.tx)));
            let wrote = open.tx.has_written();
            let result = match outcome {
                Ok(result) => result,
                Err(panic) => {
                    self.abort(&mut guard, engine);
                    drop(guard);
                    resume_unwind(panic);
                }
            };
            if let Err(error) = &result {
                engine.inspect_error(error);
            }
            return match (wrote, result) {
                (false, result) if saw_others => self.join_batch(guard, engine, result),
                (false, result) => {
                    self.release_unwritten(guard, engine);
                    WriteAttempt::Done(result)
                }
                (true, Ok(value)) => {
                    open.members += 1;
                    open.is_exclusive = has_failed;
                    self.join_batch(guard, engine, Ok(value))
                }
                (true, Err(error)) => {
                    self.abort(&mut guard, engine);
                    if saw_others {
                        has_failed = true;
                        continue;
                    }
                    WriteAttempt::Done(Err(error))
                }
            };
        }
    }

    fn lock_open(&self) -> OpenGuard<'_> {
        self.queue_length.fetch_add(1, Ordering::Relaxed);
        let open = self.lock_open_as_leader();
        self.queue_length.fetch_sub(1, Ordering::Relaxed);
        open
    }

    /// A leader that comes back is not among those it waits for.
    fn lock_open_as_leader(&self) -> OpenGuard<'_> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
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
    fn release_unwritten(&self, mut open: OpenGuard<'_>, engine: &StorageEngine) {
        if self.nobody_queues() {
            self.abort(&mut open, engine);
        }
    }

    /// Waits until the open transaction is committed, or commits it. It has members.
    fn join_batch<'a, T>(
        &'a self,
        mut guard: OpenGuard<'a>,
        engine: &StorageEngine,
        result: Result<T>,
    ) -> WriteAttempt<T> {
        let is_complete = |open: &OpenTransaction| open.is_full() || self.nobody_queues();
        let has_come_last = guard.as_ref().is_some_and(is_complete);
        let submission = self.commits.join((), has_come_last);
        let mut leads = submission.is_leader() && has_come_last;
        loop {
            if leads && let Some(open) = guard.take_if(|open| is_complete(open)) {
                return conclude(self.commit(guard, engine, open.tx, &submission), result);
            }
            drop(guard);
            if let WakeSignal::Result(told) = submission.wait() {
                return conclude(told, result);
            }
            guard = self.lock_open_as_leader();
            // Nobody is dismissed while this is held.
            if let Some(told) = submission.try_result() {
                return conclude(told, result);
            }
            leads = true;
        }
    }

    fn commit(
        &self,
        guard: OpenGuard<'_>,
        engine: &StorageEngine,
        tx: WriteTx,
        leader: &Submission<BatchResult>,
    ) -> Result<BatchResult, LeaderPanicked> {
        let round = self.commits.begin_round();
        drop(guard);
        let result = match engine.commit(tx) {
            Ok(()) => BatchResult::Committed,
            Err(error) => BatchResult::Failed(error.to_string().into()),
        };
        round.finish(leader, iter::repeat(result))
    }

    fn ensure_open<'a>(
        &self,
        slot: &'a mut Option<OpenTransaction>,
        engine: &StorageEngine,
    ) -> Result<&'a mut OpenTransaction> {
        if slot.is_none() {
            let tx = match engine.begin_write() {
                Ok(tx) if !engine.is_poisoned() => tx,
                refused => {
                    drop(refused);
                    self.wait_for_commit();
                    engine.reopen()?;
                    engine.begin_write()?
                }
            };
            *slot = Some(OpenTransaction { tx, members: 0, is_exclusive: false });
        }
        Ok(slot.as_mut().expect("it was opened in the lines above"))
    }

    /// Opening anew needs the file's lock, which a commit that is still failing holds. Nothing is open, so nobody else
    /// joins: the round after it is one of nothing.
    fn wait_for_commit(&self) {
        // Whether that commit panicked is its members' to know.
        let _ = self.commits.submit_and_wait((), |nothing| vec![BatchResult::RunAgain; nothing.len()]);
    }

    /// Drops the open transaction and sends its members round again.
    fn abort(&self, slot: &mut Option<OpenTransaction>, engine: &StorageEngine) {
        let Some(open) = slot.take() else { return };
        if open.members > 0 {
            // Told first: should the abort panic, nobody is left waiting. They queue for `open`, which is held here.
            self.commits.dismiss(&BatchResult::RunAgain);
        }
        if open.tx.abort().is_err() {
            engine.poison();
        }
    }
}

/// True when somebody waits for the open transaction's end.
fn has_members(open: &Option<OpenTransaction>) -> bool {
    open.as_ref().is_some_and(|open| open.members > 0)
}

/// What an operation came to whose own result is this one, when its batch came to that.
fn conclude<T>(batch: Result<BatchResult, LeaderPanicked>, result: Result<T>) -> WriteAttempt<T> {
    match batch {
        Ok(BatchResult::Committed) => WriteAttempt::Done(result),
        Ok(BatchResult::RunAgain) => WriteAttempt::Retry,
        Ok(BatchResult::Failed(why)) => WriteAttempt::Done(Err(Error::internal(CommitError(why)))),
        Err(LeaderPanicked) => {
            let why = "the commit ended in a panic".into();
            WriteAttempt::Done(Err(Error::internal(CommitError(why))))
        }
    }
}
