//! Group commit: work that many threads want done at the same moment is done by one of them for all. Each submits its item
//! instead of waiting for a lock, working, and waiting again for the work to count. Messages are appended to the log like
//! this, and the writers of one transaction (`write_group.rs`) commit it like this.
//!
//! Whoever finds nobody at work is the leader: it takes everything that was submitted and works. There are three ways in:
//! - [`GroupCommit::submit_and_wait`] sleeps until the item's result is there. Such a leader works one round. Before it
//!   tells the others what came of it, it wakes the first of those who came meanwhile to lead next;
//! - [`GroupCommit::submit`] has a callback called with the result, and its thread goes on to other work. Such a leader
//!   stays until nobody waits. Behind a leader that leaves it sleeps all the same: somebody must be there to lead next;
//! - [`GroupCommit::join`] is the first in its parts, for who has more to decide: when a round begins, which a leader may
//!   put off until company has come, and whether what was submitted still counts ([`GroupCommit::dismiss`]).
//!
//! So there is one leader as long as anything waits, and none is left behind: leadership and the queue change under one
//! lock, and when work panics everyone of that round is told that theirs is lost.

use std::iter;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// A leader that stays waits for no more company when so many are there.
const COMPANY_MAX: usize = 32;

/// The queue before a kind of work.
pub(in crate::store) struct GroupCommit<T, R> {
    queue: Mutex<Queue<T, R>>,
}

/// What was submitted for the next round.
struct Queue<T, R> {
    items: Vec<T>,
    /// One for each item. Behind a leader that leaves all of them sleep.
    waiters: Vec<Waiter<R>>,
    /// Where those of them sleep that do.
    batch: Option<Arc<Batch<R>>>,
    leader: Leader,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Leader {
    Nobody,
    /// The first of those who wait is to work one round, and has not begun.
    Elected,
    OneRound,
    /// Works until nobody waits.
    UntilEmpty,
}

/// How the result of an item reaches who waits for it.
enum Waiter<R> {
    /// Its thread sleeps. Its place in the queue.
    Parked(usize),
    Callback(Callback<R>),
}

type Callback<R> = Box<dyn FnOnce(Result<R, LeaderPanicked>) + Send>;

/// The threads that sleep until one round is over. They are woken together, which costs whoever wakes them one call of the
/// system, and none when nobody sleeps.
struct Batch<R> {
    state: Mutex<BatchState<R>>,
    /// With `state`: the results are there. All but the first wait for this.
    done: Condvar,
    /// The first has reason to lead, or its result.
    first_wakeup: Condvar,
}

struct BatchState<R> {
    /// Those of the round that is over, by place. One that is missing fell to a panic.
    results: Option<Vec<Option<R>>>,
    /// The first of them leads, and somebody wants it to look whether it is time to begin.
    leads: bool,
    sleepers: usize,
    is_first_asleep: bool,
}

/// Why a thread that waits for its result is woken.
pub(in crate::store) enum WakeSignal<R> {
    /// It is the leader, and may have reason to begin its round.
    Lead,
    Result(Result<R, LeaderPanicked>),
}

/// The thread that worked for this item panicked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) struct LeaderPanicked;

impl<R> BatchState<R> {
    fn take_result(&mut self, place: usize) -> Option<Result<R, LeaderPanicked>> {
        let results = self.results.as_mut()?;
        Some(results.get_mut(place).and_then(Option::take).ok_or(LeaderPanicked))
    }
}

impl<R> Batch<R> {
    fn new() -> Self {
        let state = BatchState { results: None, leads: false, sleepers: 0, is_first_asleep: false };
        Self { state: Mutex::new(state), done: Condvar::new(), first_wakeup: Condvar::new() }
    }

    /// Has the first of them look whether it is time to begin the round that it leads.
    fn wake_leader(&self) {
        let mut state = lock(&self.state);
        state.leads = true;
        if state.is_first_asleep {
            self.first_wakeup.notify_one();
        }
    }

    fn publish(&self, results: Vec<Option<R>>) {
        let mut state = lock(&self.state);
        state.results = Some(results);
        let (is_first_asleep, sleepers) = (state.is_first_asleep, state.sleepers);
        drop(state);
        if is_first_asleep {
            self.first_wakeup.notify_one();
        }
        if sleepers > 0 {
            self.done.notify_all();
        }
    }

    fn wait(&self, place: usize) -> WakeSignal<R> {
        let mut state = lock(&self.state);
        loop {
            if let Some(result) = state.take_result(place) {
                return WakeSignal::Result(result);
            }
            if place > 0 {
                state.sleepers += 1;
                state = self.done.wait(state).unwrap_or_else(PoisonError::into_inner);
                state.sleepers -= 1;
            } else if mem::take(&mut state.leads) {
                return WakeSignal::Lead;
            } else {
                state.is_first_asleep = true;
                state = self.first_wakeup.wait(state).unwrap_or_else(PoisonError::into_inner);
                state.is_first_asleep = false;
            }
        }
    }
}

impl<T, R> Queue<T, R> {
    /// Adds an item whose thread sleeps until there is a result.
    fn park(&mut self, item: T) -> (Arc<Batch<R>>, usize) {
        let batch = self.batch.get_or_insert_with(|| Arc::new(Batch::new())).clone();
        let place = self.waiters.len();
        self.items.push(item);
        self.waiters.push(Waiter::Parked(place));
        (batch, place)
    }

    /// Everything that waits.
    fn take(&mut self) -> (Vec<T>, RoundWaiters<R>) {
        let waiters = RoundWaiters { waiters: mem::take(&mut self.waiters), batch: self.batch.take() };
        (mem::take(&mut self.items), waiters)
    }
}

/// Who waits for the results of a round. Those that were told nothing hear in the end that theirs is lost.
struct RoundWaiters<R> {
    waiters: Vec<Waiter<R>>,
    batch: Option<Arc<Batch<R>>>,
}

impl<R> RoundWaiters<R> {
    /// Makes all calls; returns the results of the others, by place.
    fn call_back(&mut self, results: impl IntoIterator<Item = R>) -> Vec<Option<R>> {
        let (mut results, mut parked) = (results.into_iter(), Vec::new());
        for waiter in self.waiters.drain(..) {
            let result = results.next();
            match waiter {
                Waiter::Callback(call) => drop(catch_panic(|| call(result.ok_or(LeaderPanicked)))),
                Waiter::Parked(place) => {
                    parked.resize_with(place, || None);
                    parked.push(result);
                }
            }
        }
        parked
    }

    fn wake(&mut self, results: Vec<Option<R>>) {
        if let Some(batch) = self.batch.take() {
            batch.publish(results);
        }
    }

    fn tell(&mut self, results: impl IntoIterator<Item = R>) {
        let parked = self.call_back(results);
        self.wake(parked);
    }
}

impl<R> Drop for RoundWaiters<R> {
    fn drop(&mut self) {
        self.tell(iter::empty());
    }
}

/// An item that this thread submitted and waits for.
pub(in crate::store) struct Submission<R> {
    batch: Arc<Batch<R>>,
    place: usize,
    is_leader: bool,
}

impl<R> Submission<R> {
    /// True when nobody led: this thread does from the beginning, and is woken only when somebody asks it to look again.
    pub(in crate::store) const fn is_leader(&self) -> bool {
        self.is_leader
    }

    /// Sleeps until there is something to know.
    pub(in crate::store) fn wait(&self) -> WakeSignal<R> {
        self.batch.wait(self.place)
    }

    /// The result, if the item has one already.
    pub(in crate::store) fn try_result(&self) -> Option<Result<R, LeaderPanicked>> {
        lock(&self.batch.state).take_result(self.place)
    }
}

/// What a leader took to work on. Whatever happens to the leader, the next one leads and the others hear of it.
pub(in crate::store) struct Round<'a, T, R> {
    group: &'a GroupCommit<T, R>,
    items: Vec<T>,
    waiters: Option<RoundWaiters<R>>,
}

impl<T, R> Round<'_, T, R> {
    /// Has the next one lead, and gives everybody the result of their item; the leader gets its own in return.
    ///
    /// # Errors
    /// [`LeaderPanicked`] when there are too few results.
    pub(in crate::store) fn finish(
        mut self,
        own: &Submission<R>,
        results: impl IntoIterator<Item = R>,
    ) -> Result<R, LeaderPanicked> {
        let waiters = self.waiters.take();
        drop(self);
        let Some(mut waiters) = waiters else { return Err(LeaderPanicked) };
        let mut parked = waiters.call_back(results);
        let own_result = parked.get_mut(own.place).and_then(Option::take);
        waiters.wake(parked);
        own_result.ok_or(LeaderPanicked)
    }
}

impl<T, R> Drop for Round<'_, T, R> {
    fn drop(&mut self) {
        self.group.promote_next();
    }
}

impl<T, R> Default for GroupCommit<T, R> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T, R> GroupCommit<T, R> {
    pub(in crate::store) const fn new() -> Self {
        let queue = Queue { items: Vec::new(), waiters: Vec::new(), batch: None, leader: Leader::Nobody };
        Self { queue: Mutex::new(queue) }
    }

    /// Has `item` worked on, by this thread or another, and returns what came of it. `work` gets items in the order in
    /// which they were submitted and returns one result for each.
    ///
    /// # Errors
    /// [`LeaderPanicked`] when the thread that worked on it panicked.
    ///
    /// # Panics
    /// When `work` panics in this thread.
    pub(in crate::store) fn submit_and_wait(
        &self,
        item: T,
        work: impl FnOnce(Vec<T>) -> Vec<R>,
    ) -> Result<R, LeaderPanicked> {
        let submission = self.join(item, false);
        if !submission.is_leader()
            && let WakeSignal::Result(result) = submission.wait()
        {
            return result;
        }
        let mut round = self.begin_round();
        let results = work(mem::take(&mut round.items));
        round.finish(&submission, results)
    }

    /// Submits `item` for the round of whoever leads next. Who leads learns it from the submission or is woken for it, and
    /// must then begin a round, unless the item gets its result before. `wakes_leader` has whoever leads look again
    /// whether it is time to.
    pub(in crate::store) fn join(&self, item: T, wakes_leader: bool) -> Submission<R> {
        let mut queue = lock(&self.queue);
        let (batch, place) = queue.park(item);
        let is_leader = queue.leader == Leader::Nobody;
        if is_leader {
            queue.leader = Leader::Elected;
        } else if wakes_leader && queue.leader == Leader::Elected {
            batch.wake_leader();
        }
        Submission { batch, place, is_leader }
    }

    /// Takes everything that waits. Called by the leader.
    pub(in crate::store) fn begin_round(&self) -> Round<'_, T, R> {
        let mut queue = lock(&self.queue);
        queue.leader = Leader::OneRound;
        let (items, waiters) = queue.take();
        Round { group: self, items, waiters: Some(waiters) }
    }

    /// Gives everything that waits this result. Who was to lead a round of it leads none; one that is being worked on is
    /// not concerned.
    pub(in crate::store) fn dismiss(&self, result: &R)
    where
        R: Clone,
    {
        let mut queue = lock(&self.queue);
        if queue.leader == Leader::Elected {
            queue.leader = Leader::Nobody;
        }
        let (_, mut waiters) = queue.take();
        drop(queue);
        waiters.tell(iter::repeat(result.clone()));
    }

    /// True when nobody works and nobody is to.
    pub(in crate::store) fn is_idle(&self) -> bool {
        lock(&self.queue).leader == Leader::Nobody
    }

    /// Has `item` worked on as [`Self::submit_and_wait`] does, and `done` called with what came of it, by this thread or
    /// another. What panics in `work` or in `done` ends there.
    pub(in crate::store) fn submit(
        &self,
        item: T,
        done: impl FnOnce(Result<R, LeaderPanicked>) + Send + 'static,
        work: impl Fn(Vec<T>) -> Vec<R>,
    ) {
        let mut queue = lock(&self.queue);
        if matches!(queue.leader, Leader::Elected | Leader::OneRound) {
            let (batch, place) = queue.park(item);
            drop(queue);
            if let WakeSignal::Result(result) = batch.wait(place) {
                catch_panic(|| done(result));
                return;
            }
            queue = lock(&self.queue);
            if let Some(waiter) = queue.waiters.get_mut(place) {
                *waiter = Waiter::Callback(Box::new(done));
            }
        } else {
            queue.items.push(item);
            queue.waiters.push(Waiter::Callback(Box::new(done)));
            if queue.leader == Leader::UntilEmpty {
                return;
            }
        }
        queue.leader = Leader::UntilEmpty;
        while !queue.waiters.is_empty() {
            let (items, mut waiters) = queue.take();
            drop(queue);
            if let Some(results) = catch_panic(|| work(items)) {
                waiters.tell(results);
            }
            drop(waiters);
            queue = self.wait_for_company();
        }
        queue.leader = Leader::Nobody;
    }

    /// The queue, once those who are about to submit something have done so: where the cores are busy a round is then
    /// worth more, and where they are not nothing is waited for.
    fn wait_for_company(&self) -> MutexGuard<'_, Queue<T, R>> {
        let mut count = 0;
        loop {
            thread::yield_now();
            let queue = lock(&self.queue);
            if queue.waiters.len() == count || count >= COMPANY_MAX {
                return queue;
            }
            count = queue.waiters.len();
        }
    }

    fn promote_next(&self) {
        let mut queue = lock(&self.queue);
        queue.leader = if queue.batch.is_some() { Leader::Elected } else { Leader::Nobody };
        if let Some(batch) = &queue.batch {
            batch.wake_leader();
        }
    }
}

/// What `f` returns; `None` when it panicked, which the log has.
fn catch_panic<T>(f: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(f)).ok()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
#[path = "group_commit_tests.rs"]
mod tests;
