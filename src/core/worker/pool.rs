//! The service's side of workers: as many as may live, one ready ahead of need, and a fair queue before them.

use super::frame;
use super::process::{DeadlineGuard, DeadlineWatchdog, ExitReason, Process, lock};
use crate::base::cancel::{CancelReason, CancelToken, HookGuard};
use crate::base::spooled_file::ByteSource;
use std::collections::VecDeque;
use std::io;
use std::path::PathBuf;
use std::process::{ChildStdin, ChildStdout};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

/// A worker that is not ready by then never will be.
const START_SECONDS_MAX: u64 = 20;
/// The longest a worker's word that it is ready can be.
const READY_BYTES_MAX: usize = 64;
/// How long nobody tries again after workers could not be started.
const START_AGAIN_SECONDS: u64 = 1;

/// What a pool keeps, and how many.
#[derive(Debug, Clone)]
pub struct WorkerSpec {
    /// The program whose process a worker is: this one.
    pub program: PathBuf,
    /// The argument by which the program knows its role.
    pub role: &'static str,
    /// The first message a worker gets. It answers with any message of up to 64 bytes as soon as it can take work.
    pub greeting: Vec<u8>,
    /// Most workers alive at the same time.
    pub workers_max: usize,
    /// How often a worker is lent before another takes its place.
    pub uses_max: u32,
    /// Whether a worker is kept ready while all others are lent.
    pub spare: bool,
    /// How long one waits for a free worker.
    pub queue: Duration,
}

/// Whose work a worker does: what one tenant's work leaves behind in a process never meets another's.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tenant(pub [u8; 16]);

/// Why there is no worker to lend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeaseError {
    /// All were busy for as long as one waits.
    Busy,
    /// None could be started.
    CannotStart,
    Cancelled(CancelReason),
}

struct Worker {
    process: Arc<Process>,
    stdin: ChildStdin,
    stdout: ChildStdout,
    uses: u32,
    /// Whose work it did; `None` while it did none.
    tenant: Option<Tenant>,
}

impl Worker {
    fn can_serve(&self, tenant: Tenant) -> bool {
        self.tenant.is_none_or(|own| own == tenant)
    }
}

/// One who waits for a worker.
struct QueueEntry {
    ticket: u64,
    tenant: Tenant,
}

#[derive(Default)]
struct PoolQueue {
    idle: Vec<Worker>,
    /// Idle, lent or being started.
    alive_count: usize,
    starting: usize,
    /// Those who wait, the longest waiting first.
    waiting: VecDeque<QueueEntry>,
    next_ticket: u64,
    failed_at: Option<Instant>,
}

impl PoolQueue {
    /// Takes an idle worker for this tenant, one of its own before an untouched one.
    fn idle_for(&mut self, tenant: Tenant) -> Option<Worker> {
        let own = self.idle.iter().rposition(|worker| worker.tenant == Some(tenant));
        let found = own.or_else(|| self.idle.iter().rposition(|worker| worker.can_serve(tenant)));
        found.map(|index| self.idle.swap_remove(index))
    }

    /// Ends an idle worker that can do nothing for the one who waits longest; false when there is none.
    fn evict(&mut self) -> bool {
        let Some(first) = self.waiting.front() else { return false };
        let foreign = self.idle.iter().position(|worker| !worker.can_serve(first.tenant));
        foreign.map(|index| drop(self.idle.swap_remove(index))).inspect(|()| self.alive_count -= 1).is_some()
    }

    /// How many who wait find no idle worker that may serve them.
    fn unserved_count(&self) -> usize {
        let untouched = self.idle.iter().filter(|worker| worker.tenant.is_none()).count();
        let has_none =
            |waiting: &&QueueEntry| self.idle.iter().all(|idle| idle.tenant != Some(waiting.tenant));
        self.waiting.iter().filter(has_none).count().saturating_sub(untouched)
    }
}

struct PoolState {
    spec: WorkerSpec,
    state: Mutex<PoolQueue>,
    changed: Condvar,
    watchdog: Arc<DeadlineWatchdog>,
    /// Orders to start one worker. A system ties a worker's life to the thread that started it, so one thread that
    /// lives as long as the pool starts them all.
    worker_requests: SyncSender<()>,
}

impl Drop for PoolState {
    fn drop(&mut self) {
        self.watchdog.close();
    }
}

/// Workers of one role. A clone lends from the same ones; the last one dropped ends them.
#[derive(Clone)]
pub struct Pool(Arc<PoolState>);

impl Pool {
    /// A pool without a worker; the first one starts when it is needed, or with [`Pool::warm`].
    ///
    /// # Errors
    /// When the system has no threads left.
    pub fn new(plan: WorkerSpec) -> io::Result<Self> {
        let (worker_requests, taken) = sync_channel(plan.workers_max);
        let watch = DeadlineWatchdog::start()?;
        let shared = Arc::new(PoolState {
            spec: plan,
            state: Mutex::default(),
            changed: Condvar::new(),
            watchdog: watch,
            worker_requests,
        });
        let kept = Arc::downgrade(&shared);
        thread::Builder::new().name("worker-start".into()).spawn(move || run_starter(&kept, &taken))?;
        Ok(Self(shared))
    }

    /// Starts a worker ahead of the first need.
    pub(crate) fn warm(&self) {
        let mut state = lock(&self.0.state);
        if state.alive_count == 0 {
            self.0.request_worker(&mut state);
        }
    }

    /// Lends a worker that did no work, or work of this tenant only. Those who wait are served in the order in which they
    /// came.
    ///
    /// # Errors
    /// As [`LeaseError`].
    pub fn lease(&self, tenant: Tenant, cancel: &CancelToken) -> Result<Lease, LeaseError> {
        let shared = &self.0;
        let end = Instant::now() + shared.spec.queue;
        let woken = Arc::downgrade(shared);
        let hook = cancel.on_cancel(move || {
            if let Some(shared) = woken.upgrade() {
                // Under the lock, so that it cannot fall between a look at the token and the wait.
                let _state = lock(&shared.state);
                shared.changed.notify_all();
            }
        });
        let worker = shared.wait(tenant, cancel, end);
        drop(hook);
        worker.map(|worker| Lease {
            shared: shared.clone(),
            worker: Some(worker),
            hook: None,
            deadline: None,
        })
    }

    /// Process numbers of the workers that wait for work, for tests and diagnosis.
    #[must_use]
    pub(crate) fn idle_process_ids(&self) -> Vec<u32> {
        lock(&self.0.state).idle.iter().map(|worker| worker.process.id()).collect()
    }
}

impl PoolState {
    /// False when no more may live, or nobody takes orders any more.
    fn request_worker(&self, state: &mut PoolQueue) -> bool {
        // There is room in the channel for as many as may live.
        let is_taken = state.alive_count < self.spec.workers_max && self.worker_requests.try_send(()).is_ok();
        if is_taken {
            state.alive_count += 1;
            state.starting += 1;
        }
        is_taken
    }

    /// Orders as many as those who wait need, and the spare one.
    fn refill(&self, state: &mut PoolQueue) {
        let rest = state.failed_at.is_some_and(|at| at.elapsed() < Duration::from_secs(START_AGAIN_SECONDS));
        if rest {
            return;
        }
        let spare = usize::from(self.spec.spare && state.idle.is_empty());
        while state.starting < state.unserved_count().max(spare) && self.request_worker(state) {}
        // Workers of others stand in the way of one who could otherwise wait for ever.
        if state.starting == 0 && state.unserved_count() > 0 && state.evict() {
            self.request_worker(state);
        }
    }

    fn wait(&self, tenant: Tenant, cancel: &CancelToken, end: Instant) -> Result<Worker, LeaseError> {
        let mut state = lock(&self.state);
        let ticket = state.next_ticket;
        state.next_ticket += 1;
        state.waiting.push_back(QueueEntry { ticket, tenant });
        let found = loop {
            if let Some(reason) = cancel.reason() {
                break Err(LeaseError::Cancelled(reason));
            }
            if state.waiting.front().is_some_and(|first| first.ticket == ticket)
                && let Some(mut worker) = state.idle_for(tenant)
            {
                if worker.process.is_alive() {
                    worker.tenant = Some(tenant);
                    break Ok(worker);
                }
                state.alive_count -= 1;
                continue;
            }
            self.refill(&mut state);
            if state.alive_count == 0 {
                break Err(LeaseError::CannotStart);
            }
            let now = Instant::now();
            if now >= end {
                break Err(LeaseError::Busy);
            }
            let wait = cancel.time_left().map_or(end - now, |left| left.min(end - now));
            state = self.changed.wait_timeout(state, wait).unwrap_or_else(PoisonError::into_inner).0;
        };
        state.waiting.retain(|waiting| waiting.ticket != ticket);
        self.refill(&mut state);
        drop(state);
        // The next in the queue may go.
        self.changed.notify_all();
        found
    }

    fn start_one(&self) -> io::Result<Worker> {
        let (process, mut stdin, mut stdout) = Process::start(&self.spec.program, self.spec.role)?;
        let end = Instant::now() + Duration::from_secs(START_SECONDS_MAX);
        let watched = self.watchdog.kill_at(end, process.clone());
        frame::write(&mut stdin, &self.spec.greeting)?;
        frame::read(&mut stdout, READY_BYTES_MAX)?.ok_or(io::ErrorKind::UnexpectedEof)?;
        drop(watched);
        Ok(Worker { process, stdin, stdout, uses: 0, tenant: None })
    }

    fn give_back(&self, worker: Option<Worker>) {
        let mut state = lock(&self.state);
        match worker {
            Some(worker) => state.idle.push(worker),
            None => {
                state.alive_count -= 1;
                self.refill(&mut state);
            }
        }
        drop(state);
        self.changed.notify_all();
    }
}

fn run_starter(shared: &Weak<PoolState>, worker_requests: &Receiver<()>) {
    while worker_requests.recv().is_ok() {
        let Some(shared) = shared.upgrade() else { return };
        let started = shared.start_one();
        let mut state = lock(&shared.state);
        state.starting -= 1;
        match started {
            Ok(worker) => {
                state.failed_at = None;
                state.idle.push(worker);
            }
            Err(error) => {
                tracing::error!(
                    target: "flowkeep::worker::pool",
                    role = shared.spec.role, %error,
                    "a worker process could not be started"
                );
                state.alive_count -= 1;
                state.failed_at = Some(Instant::now());
            }
        }
        drop(state);
        shared.changed.notify_all();
    }
}

/// A worker that is lent. Dropped, it is killed; only [`Lease::give_back`] returns it.
pub struct Lease {
    shared: Arc<PoolState>,
    /// There until it is given back or dropped.
    worker: Option<Worker>,
    hook: Option<HookGuard>,
    deadline: Option<DeadlineGuard>,
}

impl Lease {
    fn worker(&mut self) -> &mut Worker {
        self.worker.as_mut().expect("a lease holds its worker until it ends")
    }

    /// Kills the worker at `deadline`, or as soon as `cancel` is set.
    pub fn limit(&mut self, deadline: Instant, cancel: &CancelToken) {
        let process = self.worker().process.clone();
        self.deadline = Some(self.shared.watchdog.kill_at(deadline, process.clone()));
        self.hook = Some(cancel.on_cancel(move || process.kill()));
    }

    /// Sends one message.
    ///
    /// # Errors
    /// When the worker is gone.
    pub fn send(&mut self, message: &[u8]) -> io::Result<()> {
        frame::write(&mut self.worker().stdin, message)
    }

    /// Sends a file as one message, a piece at a time.
    ///
    /// # Errors
    /// When the worker is gone, or the file cannot be read to its end.
    pub fn send_from(&mut self, content: &dyn ByteSource) -> io::Result<()> {
        frame::copy(&mut self.worker().stdin, content)
    }

    /// Waits for one message of at most `bytes_max` bytes.
    ///
    /// # Errors
    /// When the worker is gone, or sent something else.
    pub fn receive(&mut self, bytes_max: usize) -> io::Result<Vec<u8>> {
        frame::read(&mut self.worker().stdout, bytes_max)?.ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }

    /// A second way to the worker, for answers that other threads bring.
    ///
    /// # Errors
    /// When the system has no descriptors left.
    #[cfg(unix)]
    pub(crate) fn reply_pipe(&mut self) -> io::Result<std::fs::File> {
        use std::os::fd::AsFd as _;
        Ok(self.worker().stdin.as_fd().try_clone_to_owned()?.into())
    }

    /// The same, where pipes are handles.
    ///
    /// # Errors
    /// When the system has no handles left.
    #[cfg(windows)]
    pub(crate) fn reply_pipe(&mut self) -> io::Result<std::fs::File> {
        use std::os::windows::io::AsHandle as _;
        Ok(self.worker().stdin.as_handle().try_clone_to_owned()?.into())
    }

    /// Returns the worker, which did its work and waits for more.
    pub fn give_back(mut self) {
        self.hook = None;
        self.deadline = None;
        if let Some(mut worker) = self.worker.take() {
            worker.uses += 1;
            let kept = (worker.uses < self.shared.spec.uses_max).then_some(worker);
            self.shared.give_back(kept);
        }
    }

    /// Kills the worker, which did something else than its work, and tells why it died if it was dead already.
    #[must_use]
    pub fn wait(mut self) -> ExitReason {
        self.worker().process.wait()
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.hook = None;
        self.deadline = None;
        if let Some(worker) = self.worker.take() {
            // Its processor time is free before the next one starts.
            drop(worker);
            self.shared.give_back(None);
        }
    }
}
