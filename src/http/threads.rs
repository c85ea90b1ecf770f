//! The threads that requests run on.
//!
//! An idle thread is woken by name, and the one that ran last comes first: its stack and what it reads are in the cache still,
//! and those that were needed once leave when nobody needed them for a while. tokio's own pool wakes whoever slept longest,
//! through a lock that all of them share; with runs this short that was a tenth of their cost (tests/bench/README.md).

use crate::limits::{BLOCKING_THREAD_IDLE_SECONDS, REQUEST_STACK_BYTES};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

type Job = Box<dyn FnOnce() + Send>;

/// Threads that come and go with the requests. They are as many as there are jobs at once: who gives jobs bounds them.
#[derive(Default)]
pub(super) struct Threads {
    idle: Arc<Idle>,
}

/// Who has nothing to do; whoever ran last is last.
type Idle = Mutex<Vec<Arc<Seat>>>;

/// Where one thread waits.
struct Seat {
    job: Mutex<Option<Job>>,
    waits: Thread,
}

impl Threads {
    /// Has `job` run on a thread of its own. A panic of it ends there.
    ///
    /// # Errors
    /// When the system gives no thread; the job is dropped.
    pub(super) fn run(&self, job: impl FnOnce() + Send + 'static) -> io::Result<()> {
        let job: Job = Box::new(job);
        let seat = locked(&self.idle).pop();
        if let Some(seat) = seat {
            *locked(&seat.job) = Some(job);
            seat.waits.unpark();
            return Ok(());
        }
        let idle = self.idle.clone();
        let named = thread::Builder::new().name("request".to_owned()).stack_size(REQUEST_STACK_BYTES);
        named.spawn(move || work(&idle, job)).map(drop)
    }
}

fn work(idle: &Idle, first: Job) {
    let seat = Arc::new(Seat { job: Mutex::new(None), waits: thread::current() });
    let mut next = Some(first);
    while let Some(job) = next {
        // The panic hook has logged it.
        let _ = catch_unwind(AssertUnwindSafe(job));
        locked(idle).push(seat.clone());
        next = wait(&seat, idle, Duration::from_secs(BLOCKING_THREAD_IDLE_SECONDS));
    }
}

/// The next job; `None` when there was none for `most`, and the thread is on the list no more.
fn wait(seat: &Arc<Seat>, idle: &Idle, most: Duration) -> Option<Job> {
    let end = Instant::now() + most;
    loop {
        if let Some(job) = locked(&seat.job).take() {
            return Some(job);
        }
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            let mut idle = locked(idle);
            if let Some(place) = idle.iter().position(|other| Arc::ptr_eq(other, seat)) {
                idle.remove(place);
                return None;
            }
            // Somebody chose it just now: the job comes.
            drop(idle);
            thread::park();
        } else {
            thread::park_timeout(left);
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    /// Runs a job and says which thread did.
    fn run(threads: &Threads) -> thread::ThreadId {
        let (tell, told) = mpsc::channel();
        threads.run(move || tell.send(thread::current().id()).unwrap()).unwrap();
        told.recv().unwrap()
    }

    /// Waits until so many are idle.
    fn idle(threads: &Threads, count: usize) {
        while locked(&threads.idle).len() != count {
            thread::yield_now();
        }
    }

    #[test]
    fn a_thread_is_used_again_and_the_one_that_ran_last_comes_first() {
        let threads = Threads::default();
        let first = run(&threads);
        idle(&threads, 1);
        assert_eq!(run(&threads), first);
        idle(&threads, 1);
        let (go, wait) = mpsc::channel::<()>();
        threads.run(move || assert!(wait.recv().is_ok())).unwrap();
        let second = run(&threads);
        assert_ne!(second, first, "the first is at work");
        idle(&threads, 1);
        go.send(()).unwrap();
        idle(&threads, 2);
        assert_eq!(run(&threads), first);
    }

    #[test]
    fn a_panic_ends_the_job_and_not_the_thread() {
        let threads = Threads::default();
        let first = run(&threads);
        idle(&threads, 1);
        threads.run(|| panic!("on purpose")).unwrap();
        idle(&threads, 1);
        assert_eq!(run(&threads), first);
    }

    #[test]
    fn every_job_runs_once_whoever_gives_it() {
        let threads = Threads::default();
        let (tell, told) = mpsc::channel();
        thread::scope(|scope| {
            for giver in 0..4 {
                let (threads, tell) = (&threads, tell.clone());
                scope.spawn(move || {
                    for number in 0..200 {
                        let tell = tell.clone();
                        threads.run(move || tell.send(giver * 1_000 + number).unwrap()).unwrap();
                    }
                });
            }
        });
        drop(tell);
        let mut all: Vec<i32> = told.iter().collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 800);
    }

    #[test]
    fn a_thread_nobody_needs_leaves() {
        let idle = Idle::default();
        let seat = Arc::new(Seat { job: Mutex::new(None), waits: thread::current() });
        locked(&idle).push(seat.clone());
        assert!(wait(&seat, &idle, Duration::ZERO).is_none());
        assert!(locked(&idle).is_empty());
        *locked(&seat.job) = Some(Box::new(|| ()));
        assert!(wait(&seat, &idle, Duration::ZERO).is_some(), "a job that was given is never left behind");
    }
}
