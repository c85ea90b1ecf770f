//! Work that many threads want done at the same moment is done by one of them for all: each hands its item over and
//! sleeps once, instead of waiting for a lock, working, and waiting again for the work to count.
//!
//! Whoever finds nobody at work is the leader. It takes everything that was handed over and works, and before it tells
//! the others what came of it, it wakes the first of those who came meanwhile to lead next. So there is one leader as
//! long as anything waits, and none is left behind: leadership and the queue change under one lock, and a leader whose
//! work panics still tells everyone that theirs is lost and passes the leadership on.

use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Thread};

/// The queue before a kind of work.
pub(super) struct Combine<T, R> {
    queue: Mutex<Queue<T, R>>,
}

struct Queue<T, R> {
    waiting: Vec<(T, Arc<Slot<R>>)>,
    is_led: bool,
}

/// Where one thread waits. It is woken by name: that costs the teller a call of the system only when it sleeps.
struct Slot<R> {
    told: Mutex<Option<Told<R>>>,
    waits: Thread,
}

enum Told<R> {
    Lead,
    Done(R),
    Lost,
}

/// The thread that worked for this item panicked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Lost;

impl<R> Slot<R> {
    fn tell(&self, what: Told<R>) {
        *locked(&self.told) = Some(what);
        self.waits.unpark();
    }

    fn wait(&self) -> Told<R> {
        loop {
            if let Some(told) = locked(&self.told).take() {
                return told;
            }
            thread::park();
        }
    }
}

/// Whatever happens to a leader, the others hear of it.
struct Leading<'a, T, R> {
    of: &'a Combine<T, R>,
    slots: Vec<Arc<Slot<R>>>,
}

impl<T, R> Drop for Leading<'_, T, R> {
    fn drop(&mut self) {
        self.of.pass_on();
        self.slots.drain(..).for_each(|slot| slot.tell(Told::Lost));
    }
}

impl<T, R> Combine<T, R> {
    /// Nobody waits.
    pub(super) const fn new() -> Self {
        Self { queue: Mutex::new(Queue { waiting: Vec::new(), is_led: false }) }
    }

    /// Has `item` worked on, by this thread or another, and returns what came of it. `work` gets items in the order in
    /// which they were handed over and returns one result for each.
    ///
    /// # Errors
    /// [`Lost`] when the thread that worked on it panicked.
    ///
    /// # Panics
    /// When `work` panics in this thread.
    pub(super) fn run(&self, item: T, work: impl FnOnce(Vec<T>) -> Vec<R>) -> Result<R, Lost> {
        let slot = Arc::new(Slot { told: Mutex::new(None), waits: thread::current() });
        let is_led = {
            let mut queue = locked(&self.queue);
            queue.waiting.push((item, slot.clone()));
            mem::replace(&mut queue.is_led, true)
        };
        if is_led {
            match slot.wait() {
                Told::Done(result) => return Ok(result),
                Told::Lost => return Err(Lost),
                Told::Lead => {}
            }
        }
        let (items, slots) = mem::take(&mut locked(&self.queue).waiting).into_iter().unzip();
        let mut leading = Leading { of: self, slots };
        let results = work(items);
        let slots = mem::take(&mut leading.slots);
        drop(leading);
        let mut own = Err(Lost);
        for (theirs, result) in slots.into_iter().zip(results) {
            if Arc::ptr_eq(&theirs, &slot) {
                own = Ok(result);
            } else {
                theirs.tell(Told::Done(result));
            }
        }
        own
    }

    fn pass_on(&self) {
        let mut queue = locked(&self.queue);
        match queue.waiting.first() {
            Some((_, next)) => next.tell(Told::Lead),
            None => queue.is_led = false,
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn everyone_gets_the_result_of_their_own_item() {
        let combine = Combine::new();
        let (runs, at_work) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let work = |items: Vec<usize>| {
            assert_eq!(at_work.fetch_add(1, Ordering::SeqCst), 0, "one leads at a time");
            runs.fetch_add(1, Ordering::SeqCst);
            std::thread::yield_now();
            at_work.fetch_sub(1, Ordering::SeqCst);
            items.into_iter().map(|item| item * 2).collect()
        };
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let (combine, work) = (&combine, &work);
                scope.spawn(move || {
                    for round in 0..500 {
                        let item = thread * 1_000 + round;
                        assert_eq!(combine.run(item, work), Ok(item * 2));
                    }
                });
            }
        });
        assert!((1..=4_000).contains(&runs.load(Ordering::SeqCst)));
    }

    #[test]
    fn a_panic_loses_its_own_batch_and_no_other() {
        let combine: Combine<usize, usize> = Combine::new();
        let (begun, queued) = (Barrier::new(2), Barrier::new(2));
        std::thread::scope(|scope| {
            let leader = scope.spawn(|| {
                combine.run(0, |_| {
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
                        move || combine.run(item, |items| items)
                    })
                })
                .collect();
            while locked(&combine.queue).waiting.len() < 4 {
                std::thread::yield_now();
            }
            queued.wait();
            assert!(leader.join().is_err());
            for follower in followers {
                assert!(follower.join().unwrap().is_ok());
            }
        });
        assert_eq!(combine.run(7, |items| items), Ok(7));
    }
}
