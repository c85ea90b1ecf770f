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
//! `begin_write`. (2) `begin_write`: for a commit, which holds no lock and ends. (3) A leader for `filled`: the
//! queue it waits for consists of callers that need only `state`, and whoever leaves `state` last, or aborts the
//! batch, wakes it. (4) A follower for `done`, and whoever must not join an open batch that began too early: its leader
//! publishes in every case, by a drop guard if the commit itself panics, and an abort publishes too. A closure that
//! starts a second write in its own thread would wait for itself: that is refused by a panic that says so.
//!
//! **Why it ends.** An operation runs again only because another one failed after it had written, and that one
//! leaves with its error after at most one more run; and once when it waited for a batch that had begun before messages
//! its caller was told of, because every batch after that sees them.

use super::handle::Handle;
use super::tail::Bound;
use super::tx::WriteTx;
use crate::domain::error::{Error, Result};
use std::cell::Cell;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// A leader stops waiting for company at this many writers, so that a steady stream cannot delay the first.
const MEMBERS_MAX: usize = 512;

/// The open batch and the queue before it.
#[derive(Default)]
pub(super) struct Commits {
    state: Mutex<State>,
    /// Callers that wait for `state`. Raised before the wait, lowered by the one who got it.
    queued: AtomicUsize,
}

#[derive(Default)]
struct State {
    open: Option<Open>,
    /// The batch that was committed last, or is being committed.
    last: Option<Arc<Batch>>,
}

/// A transaction that still takes writers.
struct Open {
    tx: WriteTx,
    batch: Arc<Batch>,
    /// How many operations have written into it.
    members: usize,
}

/// What the members of one transaction share.
#[derive(Default)]
struct Batch {
    outcome: Mutex<Known>,
    /// With `outcome`: the outcome is known.
    done: Condvar,
    /// With `Commits::state`: the leader has reason to look again.
    filled: Condvar,
}

#[derive(Default)]
struct Known {
    outcome: Option<Outcome>,
    /// Members that sleep until it is: waking nobody costs a call of the system too.
    waiting: usize,
}

#[derive(Debug, Clone)]
enum Outcome {
    Committed,
    RunAgain,
    Failed(Arc<str>),
}

/// A commit that did not reach the disk, as told to each of its members.
#[derive(Debug)]
pub(super) struct NotCommitted(pub(super) Arc<str>);

impl fmt::Display for NotCommitted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the change could not be stored: {}", self.0)
    }
}

impl std::error::Error for NotCommitted {}

impl Batch {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.outcome.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The first outcome stays.
    fn publish(&self, outcome: Outcome) {
        let mut known = self.known();
        known.outcome.get_or_insert(outcome);
        let somebody_waits = known.waiting > 0;
        drop(known);
        if somebody_waits {
            self.done.notify_all();
        }
    }

    fn wait(&self) -> Outcome {
        let mut known = self.known();
        known.waiting += 1;
        loop {
            if let Some(outcome) = known.outcome.clone() {
                known.waiting -= 1;
                return outcome;
            }
            known = self.done.wait(known).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn is_settled(&self) -> bool {
        self.known().outcome.is_some()
    }
}

/// Publishes a failure if the commit never comes to publish what became of it.
struct Unpublished<'a>(&'a Batch);

impl Drop for Unpublished<'_> {
    fn drop(&mut self) {
        self.0.publish(Outcome::Failed("the commit ended in a panic".into()));
    }
}

thread_local! {
    static WRITING: Cell<bool> = const { Cell::new(false) };
}

/// Marks this thread as inside a write.
struct Writing;

impl Writing {
    fn begin() -> Self {
        assert!(
            !WRITING.replace(true),
            "a write inside a write would wait for itself: pass the transaction on"
        );
        Self
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        WRITING.set(false);
    }
}

/// What one run of a closure came to.
enum Run<T> {
    Over(Result<T>),
    Again,
}

impl Commits {
    /// Runs `operation` in a transaction and returns when it is durable, or has failed.
    pub(super) fn write<T>(&self, handle: &Handle, operation: &impl Fn(&WriteTx) -> Result<T>) -> Result<T> {
        let _writing = Writing::begin();
        let mut ahead = handle.tail.ahead();
        loop {
            if let Run::Over(result) = self.attempt(handle, operation, ahead.take()) {
                return result;
            }
        }
    }

    /// Has the database flushed if a file of the journal waits for it, after whoever flushes already.
    pub(super) fn flush(&self, handle: &Handle) -> Result<()> {
        self.write(handle, &|tx: &WriteTx| {
            tx.ask_flush();
            Ok(())
        })
    }

    /// Waits until the database has all messages below `ahead`. Inside a write it does not: what that write sees was settled
    /// when its transaction began.
    pub(super) fn settle(&self, handle: &Handle, ahead: Bound) -> Result<()> {
        while !WRITING.get() && handle.tail.is_below(ahead) {
            let mut state = self.enter();
            if handle.tail.is_below(ahead) && !state.has_members() {
                // A transaction stores them when it begins, so one that was left over must not be taken.
                state.abort(handle);
                state.begin_if_none(handle)?;
            }
            if state.has_members() {
                // It was begun before, or has them. Whether its members succeed is theirs to know.
                drop(self.follow(state, Ok(())));
            } else {
                self.leave_unwritten(state, handle);
            }
        }
        Ok(())
    }

    /// Opens a sick database anew, if that is possible without waiting. For readers.
    pub(super) fn try_heal(&self, handle: &Handle) {
        let Ok(state) = self.state.try_lock() else { return };
        let writers_are_gone =
            state.open.is_none() && state.last.as_ref().is_none_or(|last| last.is_settled());
        if writers_are_gone && handle.is_sick() {
            // A failure shows in the read that follows.
            let _ = handle.reopen();
        }
    }

    /// Runs the operation in the open transaction, or a new one. It sees all messages below `ahead`: an open transaction that
    /// does not is waited for, and a new one does.
    fn attempt<T>(
        &self,
        handle: &Handle,
        operation: &impl Fn(&WriteTx) -> Result<T>,
        ahead: Option<Bound>,
    ) -> Run<T> {
        let mut state = self.enter();
        if state.open.as_ref().is_some_and(|open| ahead.is_some_and(|ahead| open.tx.bound() < ahead)) {
            if state.has_members() {
                drop(self.follow(state, Ok(())));
                return Run::Again;
            }
            state.abort(handle);
        }
        loop {
            if let Err(error) = state.begin_if_none(handle) {
                return Run::Over(Err(error));
            }
            let open = state.open.as_mut().expect("opened in the line above");
            let saw_others = open.members > 0;
            open.tx.start_operation();
            let ran = catch_unwind(AssertUnwindSafe(|| operation(&open.tx)));
            let wrote = open.tx.wrote();
            let result = match ran {
                Ok(result) => result,
                Err(panic) => {
                    state.abort(handle);
                    drop(state);
                    resume_unwind(panic);
                }
            };
            if let Err(error) = &result {
                handle.notice(error);
            }
            return match (wrote, result) {
                (false, result) if saw_others => self.follow(state, result),
                (false, result) => {
                    self.leave_unwritten(state, handle);
                    Run::Over(result)
                }
                (true, Ok(value)) => {
                    open.members += 1;
                    if saw_others { self.follow(state, Ok(value)) } else { self.lead(state, handle, value) }
                }
                (true, Err(error)) => {
                    state.abort(handle);
                    if saw_others {
                        continue;
                    }
                    Run::Over(Err(error))
                }
            };
        }
    }

    fn enter(&self) -> MutexGuard<'_, State> {
        self.queued.fetch_add(1, Ordering::Relaxed);
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        self.queued.fetch_sub(1, Ordering::Relaxed);
        state
    }

    fn nobody_queues(&self) -> bool {
        self.queued.load(Ordering::Relaxed) == 0
    }

    /// True while somebody waits to begin.
    #[cfg(test)]
    pub(super) fn has_queue(&self) -> bool {
        !self.nobody_queues()
    }

    /// Nothing is in the transaction: the next in the queue may have it, or it ends here.
    fn leave_unwritten(&self, mut state: MutexGuard<'_, State>, handle: &Handle) {
        if self.nobody_queues() {
            state.abort(handle);
        }
    }

    fn lead<T>(&self, mut state: MutexGuard<'_, State>, handle: &Handle, value: T) -> Run<T> {
        let batch = state.open.as_ref().expect("the leader has just written into it").batch.clone();
        while state.members_of(&batch).is_some_and(|members| members < MEMBERS_MAX) && !self.nobody_queues() {
            state = batch.filled.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.members_of(&batch).is_some() {
            let open = state.open.take().expect("it has members");
            state.last = Some(batch.clone());
            drop(state);
            let unpublished = Unpublished(&batch);
            batch.publish(match handle.commit(open.tx) {
                Ok(()) => Outcome::Committed,
                Err(error) => Outcome::Failed(error.to_string().into()),
            });
            drop(unpublished);
        } else {
            drop(state); // a later member failed and took the transaction down
        }
        settle(&batch, Ok(value))
    }

    fn follow<T>(&self, state: MutexGuard<'_, State>, result: Result<T>) -> Run<T> {
        let open = state.open.as_ref().expect("the follower has just been in it");
        let batch = open.batch.clone();
        let is_full = open.members >= MEMBERS_MAX;
        if is_full || self.nobody_queues() {
            batch.filled.notify_one();
        }
        drop(state);
        settle(&batch, result)
    }
}

fn settle<T>(batch: &Batch, result: Result<T>) -> Run<T> {
    match batch.wait() {
        Outcome::Committed => Run::Over(result),
        Outcome::RunAgain => Run::Again,
        Outcome::Failed(why) => Run::Over(Err(Error::internal(NotCommitted(why)))),
    }
}

impl State {
    fn begin_if_none(&mut self, handle: &Handle) -> Result<()> {
        if self.open.is_some() {
            return Ok(());
        }
        let tx = match handle.begin_write() {
            Ok(tx) if !handle.is_sick() => tx,
            refused => {
                drop(refused);
                // Opening anew needs the file's lock, which a commit that is still failing holds.
                if let Some(last) = &self.last {
                    last.wait();
                }
                handle.reopen()?;
                handle.begin_write()?
            }
        };
        self.open = Some(Open { tx, batch: Arc::default(), members: 0 });
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
    fn abort(&mut self, handle: &Handle) {
        let Some(open) = self.open.take() else { return };
        // Told first: should the abort panic, nobody is left waiting. They queue for `state`, which is held here.
        open.batch.publish(Outcome::RunAgain);
        open.batch.filled.notify_all();
        if open.tx.abort().is_err() {
            handle.mark_sick();
        }
    }
}
