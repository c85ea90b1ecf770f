//! The threads that requests run on.
//!
//! An idle thread is woken by name, and the one that ran last comes first: its stack and what it reads are in the cache
//! still, and those that were needed once leave when nobody needed them for a while. tokio's own pool wakes whoever slept
//! longest, through a lock that all of them share; with runs this short that was a tenth of their cost
//! (tests/bench/README.md).

use crate::limits::BLOCKING_THREAD_IDLE_SECONDS;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

/// The stack of a thread that a request runs on; only what is used of it takes memory (manual 14.2).
const REQUEST_STACK_BYTES: usize = 2 * 1024 * 1024;

type PoolJob = Box<dyn FnOnce() + Send>;

/// Threads that come and go with the requests. They are as many as there are jobs at once: who gives jobs bounds them. A
/// clone is the same pool.
#[derive(Clone)]
pub(in crate::http) struct ThreadPool {
    idle: Arc<IdleWorkers>,
    stack_bytes: usize,
}

impl Default for ThreadPool {
    fn default() -> Self {
        Self { idle: Arc::default(), stack_bytes: REQUEST_STACK_BYTES }
    }
}

/// Who has nothing to do; whoever ran last is last.
type IdleWorkers = Mutex<Vec<Arc<PoolWorker>>>;

/// Where one thread waits.
struct PoolWorker {
    job: Mutex<Option<PoolJob>>,
    thread: Thread,
}

impl ThreadPool {
    /// A pool whose threads want a stack that no system has, so that it gives none.
    #[cfg(test)]
    pub(in crate::http) fn without_threads() -> Self {
        Self { idle: Arc::default(), stack_bytes: isize::MAX.unsigned_abs() / 2 }
    }

    /// Has `job` run on a thread of its own. A panic of it ends there.
    ///
    /// # Errors
    /// When the system gives no thread; the job is dropped.
    pub(in crate::http) fn spawn(&self, job: impl FnOnce() + Send + 'static) -> io::Result<()> {
        let job: PoolJob = Box::new(job);
        let seat = lock(&self.idle).pop();
        if let Some(seat) = seat {
            *lock(&seat.job) = Some(job);
            seat.thread.unpark();
            return Ok(());
        }
        let idle = self.idle.clone();
        let named = thread::Builder::new().name("request".to_owned()).stack_size(self.stack_bytes);
        named.spawn(move || run_worker(&idle, job)).map(drop)
    }
}

fn run_worker(idle: &IdleWorkers, first: PoolJob) {
    let seat = Arc::new(PoolWorker { job: Mutex::new(None), thread: thread::current() });
    let mut next = Some(first);
    while let Some(job) = next {
        // The panic hook has logged it.
        let _ = catch_unwind(AssertUnwindSafe(job));
        lock(idle).push(seat.clone());
        next = next_job(&seat, idle, Duration::from_secs(BLOCKING_THREAD_IDLE_SECONDS));
    }
}

/// The next job; `None` when there was none for `most`, and the thread is on the list no more.
fn next_job(seat: &Arc<PoolWorker>, idle: &IdleWorkers, most: Duration) -> Option<PoolJob> {
    let end = Instant::now() + most;
    loop {
        if let Some(job) = lock(&seat.job).take() {
            return Some(job);
        }
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            let mut idle = lock(idle);
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

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    /// Runs a job and says which thread did.
    fn run(threads: &ThreadPool) -> thread::ThreadId {
        let (tell, told) = mpsc::channel();
        threads.spawn(move || tell.send(thread::current().id()).unwrap()).unwrap();
        told.recv().unwrap()
    }

    /// Waits until so many are idle.
    fn idle(threads: &ThreadPool, count: usize) {
        while lock(&threads.idle).len() != count {
            thread::yield_now();
        }
    }

    #[test]
    fn a_thread_is_used_again_and_the_one_that_ran_last_comes_first() {
        let threads = ThreadPool::default();
        let first = run(&threads);
        idle(&threads, 1);
        assert_eq!(run(&threads), first);
        idle(&threads, 1);
        let (go, next_job) = mpsc::channel::<()>();
        threads.spawn(move || assert!(next_job.recv().is_ok())).unwrap();
        let second = run(&threads);
        assert_ne!(second, first, "the first is at work");
        idle(&threads, 1);
        go.send(()).unwrap();
        idle(&threads, 2);
        assert_eq!(run(&threads), first);
    }

    #[test]
    fn a_panic_ends_the_job_and_not_the_thread() {
        let threads = ThreadPool::default();
        let first = run(&threads);
        idle(&threads, 1);
        threads.spawn(|| panic!("on purpose")).unwrap();
        idle(&threads, 1);
        assert_eq!(run(&threads), first);
    }

    #[test]
    fn every_job_runs_once_whoever_gives_it() {
        let threads = ThreadPool::default();
        let (tell, told) = mpsc::channel();
        thread::scope(|scope| {
            for giver in 0..4 {
                let (threads, tell) = (&threads, tell.clone());
                scope.spawn(move || {
                    for number in 0..200 {
                        let tell = tell.clone();
                        threads.spawn(move || tell.send(giver * 1_000 + number).unwrap()).unwrap();
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
        let idle = IdleWorkers::default();
        let seat = Arc::new(PoolWorker { job: Mutex::new(None), thread: thread::current() });
        lock(&idle).push(seat.clone());
        assert!(next_job(&seat, &idle, Duration::ZERO).is_none());
        assert!(lock(&idle).is_empty());
        *lock(&seat.job) = Some(Box::new(|| ()));
        assert!(
            next_job(&seat, &idle, Duration::ZERO).is_some(),
            "a job that was given is never left behind"
        );
    }
}
