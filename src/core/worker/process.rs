//! Keeping workers: starting them, ending them on time, and knowing why one died.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

/// Locks; a thread that panicked while it held the lock left nothing half done in what is kept here.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Why a worker is no longer there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitReason {
    /// It was killed because its time was up, on the clock on the wall or on the processor's.
    TimedOut,
    /// It ended by itself or was ended by someone else.
    Crashed,
}

/// A running worker. Dropped, it is killed, and its entry in the system's table is cleared.
pub(super) struct Process {
    child: Mutex<Child>,
    expired: AtomicBool,
}

impl Process {
    /// Starts `program role` with nothing but its two pipes.
    pub(super) fn start(program: &Path, role: &str) -> io::Result<(Arc<Self>, ChildStdin, ChildStdout)> {
        let mut child = Command::new(program)
            .arg(role)
            .env_clear()
            // Without it the C library would look for the zone in files that are out of reach.
            .env("TZ", "UTC0")
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let process = Arc::new(Self { child: Mutex::new(child), expired: AtomicBool::new(false) });
        let (stdin, stdout) = pipes.ok_or_else(|| io::Error::other("a worker without pipes"))?;
        Ok((process, stdin, stdout))
    }

    /// Ends it at once. Whoever waits for it finds its pipe closed.
    pub(super) fn kill(&self) {
        // It may be dead already.
        let _ = lock(&self.child).kill();
    }

    pub(super) fn is_alive(&self) -> bool {
        matches!(lock(&self.child).try_wait(), Ok(None))
    }

    /// Its number in the system.
    pub(super) fn id(&self) -> u32 {
        lock(&self.child).id()
    }

    /// Kills what may still be left of it, and tells why it died.
    pub(super) fn wait(&self) -> ExitReason {
        let mut child = lock(&self.child);
        // A worker that closed its pipe is about to end by itself; what it ends with is worth a moment.
        let _ = child.kill();
        let status = child.wait();
        #[cfg(unix)]
        if let Ok(status) = status {
            use std::os::unix::process::ExitStatusExt as _;
            let processor = rustix::process::Signal::XCPU.as_raw();
            if status.signal() == Some(processor) {
                return ExitReason::TimedOut;
            }
        }
        if self.expired.load(Ordering::SeqCst) { ExitReason::TimedOut } else { ExitReason::Crashed }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.wait();
    }
}

#[derive(Default)]
struct Deadlines {
    at: BTreeMap<(Instant, u64), Arc<Process>>,
    next: u64,
    closed: bool,
}

/// The clock on the wall: kills every worker whose time is up. One thread, which sleeps until the next deadline.
#[derive(Default)]
pub(super) struct DeadlineWatchdog {
    deadlines: Mutex<Deadlines>,
    changed: Condvar,
}

impl DeadlineWatchdog {
    pub(super) fn start() -> io::Result<Arc<Self>> {
        let watch = Arc::new(Self::default());
        let kept = watch.clone();
        thread::Builder::new().name("worker-watch".into()).spawn(move || kept.run())?;
        Ok(watch)
    }

    /// Kills `process` at `deadline`, unless the guard is dropped before.
    pub(super) fn kill_at(self: &Arc<Self>, deadline: Instant, process: Arc<Process>) -> DeadlineGuard {
        let mut deadlines = lock(&self.deadlines);
        deadlines.next += 1;
        let key = (deadline, deadlines.next);
        deadlines.at.insert(key, process);
        if deadlines.at.first_key_value().is_some_and(|(first, _)| *first == key) {
            self.changed.notify_one();
        }
        DeadlineGuard { watch: self.clone(), key }
    }

    pub(super) fn close(&self) {
        lock(&self.deadlines).closed = true;
        self.changed.notify_one();
    }

    fn run(&self) {
        let mut deadlines = lock(&self.deadlines);
        while !deadlines.closed {
            let now = Instant::now();
            let Some((&key, _)) = deadlines.at.first_key_value() else {
                deadlines = self.changed.wait(deadlines).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            if key.0 > now {
                let wait = self.changed.wait_timeout(deadlines, key.0 - now);
                deadlines = wait.unwrap_or_else(PoisonError::into_inner).0;
            } else if let Some(process) = deadlines.at.remove(&key) {
                process.expired.store(true, Ordering::SeqCst);
                process.kill();
            }
        }
    }
}

/// Ends the watching of one worker when dropped.
pub(super) struct DeadlineGuard {
    watch: Arc<DeadlineWatchdog>,
    key: (Instant, u64),
}

impl Drop for DeadlineGuard {
    fn drop(&mut self) {
        lock(&self.watch.deadlines).at.remove(&self.key);
    }
}
