//! Work that many threads want done at the same moment is done by one of them for all: each hands its item over instead
//! of waiting for a lock, working, and waiting again for the work to count.
//!
//! Whoever finds nobody at work is the leader: it takes everything that was handed over and works. There are two ways:
//! - [`GroupCommit::submit_and_wait`] sleeps until the item's result is there. Such a leader works one round. Before it
//!   tells the others what came of it, it wakes the first of those who came meanwhile to lead next;
//! - [`GroupCommit::submit`] has a callback called with the result, and its thread goes on to other work. Such a leader
//!   stays until nobody waits. Behind a leader that leaves it sleeps all the same: somebody must be there to lead next.
//!
//! So there is one leader as long as anything waits, and none is left behind: leadership and the queue change under one
//! lock, and when work panics everyone of that round is told that theirs is lost.

use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Thread};

/// A leader that stays waits for no more company when so many are there.
const COMPANY_MAX: usize = 32;

/// The queue before a kind of work.
pub(in crate::store) struct GroupCommit<T, R> {
    queue: Mutex<Queue<T, R>>,
}

struct Queue<T, R> {
    /// Behind a leader that leaves all of them sleep.
    waiting: Vec<(T, Waiter<R>)>,
    leader: Leader,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Leader {
    Nobody,
    OneRound,
    /// Works until nobody waits.
    UntilEmpty,
}

/// How the result of an item reaches who waits for it.
enum Waiter<R> {
    Parked(Arc<ParkSlot<R>>),
    Callback(Callback<R>),
}

type Callback<R> = Box<dyn FnOnce(Result<R, LeaderPanicked>) + Send>;

/// Where one thread waits. It is woken by name: that costs whoever wakes it a call of the system only when it sleeps.
struct ParkSlot<R> {
    signal: Mutex<Option<WakeSignal<R>>>,
    thread: Thread,
}

enum WakeSignal<R> {
    Lead,
    Result(Result<R, LeaderPanicked>),
}

/// The thread that worked for this item panicked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) struct LeaderPanicked;

impl<R> Waiter<R> {
    fn notify(self, result: Result<R, LeaderPanicked>) {
        match self {
            Self::Parked(slot) => slot.wake(WakeSignal::Result(result)),
            Self::Callback(call) => call(result),
        }
    }
}

impl<R> ParkSlot<R> {
    fn new() -> Arc<Self> {
        Arc::new(Self { signal: Mutex::new(None), thread: thread::current() })
    }

    fn wake(&self, signal: WakeSignal<R>) {
        *lock(&self.signal) = Some(signal);
        self.thread.unpark();
    }

    fn wait(&self) -> WakeSignal<R> {
        loop {
            if let Some(news) = lock(&self.signal).take() {
                return news;
            }
            thread::park();
        }
    }
}

impl<T, R> Queue<T, R> {
    /// Everything that waits, for a leader of this kind.
    fn take(&mut self, leader: Leader) -> (Vec<T>, Vec<Waiter<R>>) {
        self.leader = leader;
        mem::take(&mut self.waiting).into_iter().unzip()
    }

    /// Gives whoever slept at `slot` a callback instead.
    fn convert_to_callback(&mut self, slot: &Arc<ParkSlot<R>>, callback: Callback<R>) {
        let is_of_it = |told: &Waiter<R>| matches!(told, Waiter::Parked(other) if Arc::ptr_eq(other, slot));
        if let Some((_, told)) = self.waiting.iter_mut().find(|(_, told)| is_of_it(told)) {
            *told = Waiter::Callback(callback);
        }
    }
}

/// Whatever happens to a leader that leaves, the others hear of it.
struct LeaderGuard<'a, T, R> {
    group: &'a GroupCommit<T, R>,
    round: Vec<Waiter<R>>,
}

impl<T, R> Drop for LeaderGuard<'_, T, R> {
    fn drop(&mut self) {
        self.group.promote_next();
        self.round.drain(..).for_each(|told| told.notify(Err(LeaderPanicked)));
    }
}

impl<T, R> GroupCommit<T, R> {
    pub(in crate::store) const fn new() -> Self {
        Self { queue: Mutex::new(Queue { waiting: Vec::new(), leader: Leader::Nobody }) }
    }

    /// Has `item` worked on, by this thread or another, and returns what came of it. `work` gets items in the order in
    /// which they were handed over and returns one result for each.
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
        let slot = ParkSlot::new();
        let is_led = {
            let mut queue = lock(&self.queue);
            queue.waiting.push((item, Waiter::Parked(slot.clone())));
            let is_led = queue.leader != Leader::Nobody;
            if !is_led {
                queue.leader = Leader::OneRound;
            }
            is_led
        };
        if is_led && let WakeSignal::Result(result) = slot.wait() {
            return result;
        }
        let (items, round) = lock(&self.queue).take(Leader::OneRound);
        let mut guard = LeaderGuard { group: self, round };
        let results = work(items);
        let round = mem::take(&mut guard.round);
        drop(guard);
        let mut own = Err(LeaderPanicked);
        for (told, result) in round.into_iter().zip(results) {
            match told {
                Waiter::Parked(theirs) if Arc::ptr_eq(&theirs, &slot) => own = Ok(result),
                told => told.notify(Ok(result)),
            }
        }
        own
    }

    /// Has `item` worked on as [`Self::submit_and_wait`] does, and `done` called with what came of it, by this thread or
    /// another. What panics in `work` or in `done` ends there.
    pub(in crate::store) fn submit(
        &self,
        item: T,
        done: impl FnOnce(Result<R, LeaderPanicked>) + Send + 'static,
        work: impl Fn(Vec<T>) -> Vec<R>,
    ) {
        let done: Callback<R> = Box::new(done);
        let mut queue = lock(&self.queue);
        if queue.leader == Leader::OneRound {
            let slot = ParkSlot::new();
            queue.waiting.push((item, Waiter::Parked(slot.clone())));
            drop(queue);
            if let WakeSignal::Result(result) = slot.wait() {
                catch_panic(|| done(result));
                return;
            }
            queue = lock(&self.queue);
            queue.convert_to_callback(&slot, done);
        } else {
            queue.waiting.push((item, Waiter::Callback(done)));
            if queue.leader == Leader::UntilEmpty {
                return;
            }
        }
        while !queue.waiting.is_empty() {
            let (items, round) = queue.take(Leader::UntilEmpty);
            drop(queue);
            match catch_panic(|| work(items)) {
                Some(results) => round.into_iter().zip(results).for_each(|(told, result)| {
                    catch_panic(|| told.notify(Ok(result)));
                }),
                None => round.into_iter().for_each(|told| {
                    catch_panic(|| told.notify(Err(LeaderPanicked)));
                }),
            }
            queue = self.wait_for_company();
        }
        queue.leader = Leader::Nobody;
    }

    /// The queue, once those who are about to hand something over have done so: where the cores are busy a round is then
    /// worth more, and where they are not nothing is waited for.
    fn wait_for_company(&self) -> MutexGuard<'_, Queue<T, R>> {
        let mut count = 0;
        loop {
            thread::yield_now();
            let queue = lock(&self.queue);
            if queue.waiting.len() == count || count >= COMPANY_MAX {
                return queue;
            }
            count = queue.waiting.len();
        }
    }

    fn promote_next(&self) {
        let mut queue = lock(&self.queue);
        let next = queue.waiting.iter().find_map(|(_, told)| match told {
            Waiter::Parked(slot) => Some(slot),
            Waiter::Callback(_) => None,
        });
        match next {
            Some(next) => next.wake(WakeSignal::Lead),
            None => queue.leader = Leader::Nobody,
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
mod tests {
    use super::*;
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Eight threads, of which `hands_over` says who waits for nothing.
    fn all_at_once(hands_over: impl Fn(usize) -> bool + Sync) {
        let combine = GroupCommit::new();
        let (runs, at_work, told) = (AtomicUsize::new(0), AtomicUsize::new(0), Arc::new(AtomicUsize::new(0)));
        let work = |items: Vec<usize>| {
            assert_eq!(at_work.fetch_add(1, Ordering::SeqCst), 0, "one leads at a time");
            runs.fetch_add(1, Ordering::SeqCst);
            std::thread::yield_now();
            at_work.fetch_sub(1, Ordering::SeqCst);
            items.into_iter().map(|item| item * 2).collect()
        };
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let (combine, work, hands_over, told) = (&combine, &work, &hands_over, &told);
                scope.spawn(move || {
                    for round in 0..500 {
                        let item = thread * 1_000 + round;
                        if hands_over(item) {
                            let told = told.clone();
                            let done = move |result| {
                                assert_eq!(result, Ok(item * 2));
                                told.fetch_add(1, Ordering::SeqCst);
                            };
                            combine.submit(item, done, work);
                        } else {
                            assert_eq!(combine.submit_and_wait(item, work), Ok(item * 2));
                            told.fetch_add(1, Ordering::SeqCst);
                        }
                    }
                });
            }
        });
        assert_eq!(told.load(Ordering::SeqCst), 4_000, "everyone was told once");
        assert!((1..=4_000).contains(&runs.load(Ordering::SeqCst)));
        assert!(lock(&combine.queue).leader == Leader::Nobody);
    }

    #[test]
    fn everyone_gets_the_result_of_their_own_item() {
        all_at_once(|_| false);
    }

    #[test]
    fn everyone_who_does_not_wait_is_told_once() {
        all_at_once(|_| true);
    }

    #[test]
    fn those_who_wait_and_those_who_do_not_share_the_work() {
        all_at_once(|item| item % 3 != 0);
        all_at_once(|item| item / 1_000 % 2 == 0);
    }

    #[test]
    fn what_panics_for_those_who_do_not_wait_is_told_to_its_round_only() {
        let combine: GroupCommit<usize, usize> = GroupCommit::new();
        let told = Arc::new(Mutex::new(Vec::new()));
        let note = |item: usize| {
            let told = told.clone();
            move |result: Result<usize, LeaderPanicked>| {
                lock(&told).push((item, result));
                assert_ne!(item, 1, "whoever is told may panic too");
            }
        };
        let work = |items: Vec<usize>| {
            if items.contains(&0) {
                // These come while the first round is worked on.
                combine.submit(1, note(1), |_| unreachable!("somebody leads"));
                combine.submit(2, note(2), |_| unreachable!("somebody leads"));
                panic!("on purpose");
            }
            items
        };
        combine.submit(0, note(0), work);
        assert_eq!(*lock(&told), [(0, Err(LeaderPanicked)), (1, Ok(1)), (2, Ok(2))]);
        assert_eq!(combine.submit_and_wait(7, |items| items), Ok(7));
    }

    #[test]
    fn a_panic_loses_its_own_batch_and_no_other() {
        let combine: GroupCommit<usize, usize> = GroupCommit::new();
        let (begun, queued) = (Barrier::new(2), Barrier::new(2));
        std::thread::scope(|scope| {
            let leader = scope.spawn(|| {
                combine.submit_and_wait(0, |_| {
                    begun.wait();
                    queued.wait();
                    panic!("on purpose")
                })
            });
            begun.wait();
            let followers: Vec<_> = (1..5)
                .map(|item| {
                    scope.spawn({
                        let combine = &combine;
                        move || combine.submit_and_wait(item, |items| items)
                    })
                })
                .collect();
            while lock(&combine.queue).waiting.len() < 4 {
                std::thread::yield_now();
            }
            queued.wait();
            assert!(leader.join().is_err());
            for follower in followers {
                assert!(follower.join().unwrap().is_ok());
            }
        });
        assert_eq!(combine.submit_and_wait(7, |items| items), Ok(7));
    }
}
