//! The service's side of a run: lends a worker, hands it the code, sends its requests, and judges how it ended.

use super::call_handler::CallHandler;
use super::database::{DatabaseError, DatabaseHandler};
use super::error::ScriptError;
use super::fetch::{Fetch, FetchRequest};
use super::protocol::{ConsoleLine, FromWorker, RunEnd, ScriptJob, ScriptWorkerSetup, ToWorker};
use super::{ROLE, ScriptLimits, value};
use crate::base::cancel::{CancelReason, CancelToken};
use crate::limits;
use crate::worker::{ExitReason, Lease, LeaseError, Pool, Tenant, WorkerSpec, frame};
use serde_json::{Map, Value};
use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// What a worker may go beyond the wall before it is killed (manual 14.12).
const CODE_GRACE_MS: u64 = 500;
/// Longest code (manual 14.12).
const CODE_SOURCE_BYTES_MAX: usize = 256 * 1024;
/// Longest JSON of `$vars`, `$flow` and the named inputs together (manual 14.12).
const CODE_SCOPE_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Longest JSON of a result (manual 14.12).
const CODE_RESULT_BYTES_MAX: usize = 1024 * 1024;
/// How often a worker for code is used before another takes its place (manual 14.12).
const CODE_WORKER_USES_MAX: u32 = 200;
/// Longest message from a worker for code: its result and its console, or one request (manual 14.12).
const CODE_MESSAGE_FROM_WORKER_BYTES_MAX: usize = 8 * 1024 * 1024;

/// What the code sees.
#[derive(Clone, Default)]
pub struct ScriptScope {
    /// Whose code it is: a worker that ran it runs nobody else's.
    pub tenant: Tenant,
    /// `$name` for each; `vars` and `flow` cannot be named here, since theirs win.
    pub inputs: Map<String, Value>,
    pub vars: Map<String, Value>,
    pub flow: Map<String, Value>,
    /// What sends the requests of `fetch`; without it there is no `fetch`.
    pub fetch: Option<Arc<dyn Fetch>>,
}

/// What the service does for code, on the thread that waits for it.
#[derive(Clone, Copy, Default)]
pub struct ScriptServices<'a> {
    /// Takes the calls of `$tools`, one for each name that it has.
    pub calls: Option<&'a dyn CallHandler>,
    /// Asks databases; without it there is no `$db`.
    pub databases: Option<&'a dyn DatabaseHandler>,
}

/// What the code said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Console {
    /// Lines in the order in which they were said.
    pub lines: Vec<ConsoleLine>,
    /// Whether later lines were dropped because there were too many.
    pub cut: bool,
}

/// A run that is over.
#[derive(Debug)]
pub struct ScriptResult {
    /// What the code returned; nothing at all is null, and text that is a JSON list or object is that.
    pub result: Result<Value, ScriptError>,
    /// What it said, up to where it ended. Empty when the worker had to be killed.
    pub console: Console,
}

impl From<ScriptError> for ScriptResult {
    fn from(error: ScriptError) -> Self {
        Self { result: Err(error), console: Console::default() }
    }
}

/// What is to be run.
struct ScriptWork<'a> {
    source: &'a str,
    scope: &'a ScriptScope,
    scope_json: &'a [u8],
    services: ScriptServices<'a>,
}

/// What became of handing it to a worker.
enum WorkerAttempt {
    Finished(ScriptResult),
    /// The worker was gone before it began.
    NotStarted,
}

/// Runs code. A clone runs it in the same workers.
#[derive(Clone)]
pub struct ScriptRunner {
    pool: Pool,
    limits: ScriptLimits,
}

impl ScriptRunner {
    /// `program` is this program, see [`super::worker_program`]. No worker starts yet.
    ///
    /// # Errors
    /// When the system has no threads left.
    pub fn new(program: PathBuf, limits: ScriptLimits) -> io::Result<Self> {
        let greeting = serde_json::to_vec(&ScriptWorkerSetup { heap_bytes: limits.heap_bytes })?;
        let plan = WorkerSpec {
            program,
            role: ROLE,
            greeting,
            workers_max: limits.workers_max,
            uses_max: CODE_WORKER_USES_MAX,
            spare: true,
            queue: limits.queue,
        };
        Ok(Self { pool: Pool::new(plan)?, limits })
    }

    /// Starts the first worker ahead of the first run.
    pub fn warm(&self) {
        self.pool.warm();
    }

    /// Process numbers of the workers that wait for a run, for tests and diagnosis.
    #[must_use]
    pub fn idle_workers(&self) -> Vec<u32> {
        self.pool.idle_process_ids()
    }

    /// Runs `source`, the body of an async function, with what `scope` gives it. Waits for its turn and for its end;
    /// `cancel`, and the time that is left in it, ends both. The result has at most 1 MiB of JSON, 64 levels deep.
    #[must_use]
    pub fn run(&self, source: &str, scope: &ScriptScope, cancel: &CancelToken) -> ScriptResult {
        self.run_with(source, scope, ScriptServices::default(), cancel)
    }

    /// As [`Self::run`], with `$tools` and `$db`. What code asks of them is done on this thread, one after another.
    #[must_use]
    pub fn run_with(
        &self,
        source: &str,
        scope: &ScriptScope,
        served: ScriptServices<'_>,
        cancel: &CancelToken,
    ) -> ScriptResult {
        if source.len() > CODE_SOURCE_BYTES_MAX {
            return ScriptError::SourceTooLarge(CODE_SOURCE_BYTES_MAX).into();
        }
        let Ok(written) = serde_json::to_vec(&serde_json::json!({
            "inputs": scope.inputs, "vars": scope.vars, "flow": scope.flow,
        })) else {
            return ScriptError::Crashed.into();
        };
        if written.len() > CODE_SCOPE_BYTES_MAX {
            return ScriptError::ScopeTooLarge(CODE_SCOPE_BYTES_MAX).into();
        }
        let work = ScriptWork { source, scope, scope_json: &written, services: served };
        // A worker that died while it waited for work, which shows only now, has not run anything: another one can.
        let first = self.attempt(&work, cancel);
        let last = if let WorkerAttempt::NotStarted = first { self.attempt(&work, cancel) } else { first };
        match last {
            WorkerAttempt::Finished(ran) => ran,
            WorkerAttempt::NotStarted => ScriptError::Crashed.into(),
        }
    }

    fn attempt(&self, work: &ScriptWork<'_>, cancel: &CancelToken) -> WorkerAttempt {
        let failed = |error: ScriptError| WorkerAttempt::Finished(error.into());
        let mut lease = match self.pool.lease(work.scope.tenant, cancel) {
            Ok(lease) => lease,
            Err(LeaseError::Busy) => return failed(ScriptError::Busy),
            Err(LeaseError::CannotStart) => return failed(ScriptError::Unavailable),
            Err(LeaseError::Cancelled(reason)) => return failed(ScriptError::Cancelled(reason)),
        };
        let wall = cancel.time_left().map_or(self.limits.wall, |left| left.min(self.limits.wall));
        // The worker ends the run by its own clock; the watch is for one that no longer looks at it.
        lease.limit(Instant::now() + wall + Duration::from_millis(CODE_GRACE_MS), cancel);
        let mut began = false;
        let answers = work.services.calls.is_some() || work.services.databases.is_some();
        let requests = FetchThreads::new(&mut lease, work.scope.fetch.clone(), answers);
        let ended = requests.and_then(|requests| {
            let done = self.drive_worker(&mut lease, work, wall, &requests, &mut began);
            requests.close();
            done
        });
        match ended {
            Ok((ended, console)) => {
                if ended.keeps_worker_clean() {
                    lease.give_back();
                }
                WorkerAttempt::Finished(ScriptResult { result: result_of(ended, cancel), console })
            }
            Err(_) => match (cancel.reason(), lease.wait()) {
                (Some(reason), _) => failed(ScriptError::Cancelled(reason)),
                (None, ExitReason::TimedOut) => failed(ScriptError::Timeout),
                (None, ExitReason::Crashed) if began => failed(ScriptError::Crashed),
                (None, ExitReason::Crashed) => WorkerAttempt::NotStarted,
            },
        }
    }

    fn drive_worker(
        &self,
        lease: &mut Lease,
        work: &ScriptWork<'_>,
        wall: Duration,
        requests: &FetchThreads,
        began: &mut bool,
    ) -> io::Result<(RunEnd, Console)> {
        let milliseconds = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let job = ToWorker::Run(ScriptJob {
            source: work.source.to_owned(),
            fetch: work.scope.fetch.is_some(),
            calls: work.services.calls.map(CallHandler::names).unwrap_or_default(),
            databases: work.services.databases.is_some(),
            processor_ms: milliseconds(self.limits.processor),
            // Rounded up, so that a run whose time was all that was left of a longer one ends after that.
            wall_ms: milliseconds(wall).saturating_add(1),
            result_bytes_max: CODE_RESULT_BYTES_MAX,
        });
        lease.send(&serde_json::to_vec(&job)?)?;
        lease.send(work.scope_json)?;
        let (mut calls_left, mut queries_left) = (limits::CODE_CALLS_MAX, limits::CODE_QUERIES_MAX);
        let end = Instant::now() + wall;
        loop {
            let message = lease.receive(CODE_MESSAGE_FROM_WORKER_BYTES_MAX)?;
            match serde_json::from_slice(&message)? {
                FromWorker::Began => *began = true,
                FromWorker::Fetch { id, request } => requests.send(id, request)?,
                FromWorker::Call { id, name, arguments } => {
                    let Some(calls) = work.services.calls else {
                        return Err(io::ErrorKind::InvalidData.into());
                    };
                    calls_left = calls_left.checked_sub(1).ok_or(io::ErrorKind::InvalidData)?;
                    let answer = calls.call(&name, &serde_json::from_str(&arguments)?);
                    requests.answer(&ToWorker::Called { id, answer });
                }
                FromWorker::Query { id, ask } => {
                    let Some(databases) = work.services.databases else {
                        return Err(io::ErrorKind::InvalidData.into());
                    };
                    queries_left = queries_left.checked_sub(1).ok_or(io::ErrorKind::InvalidData)?;
                    let answer = databases.execute(&ask, end.saturating_duration_since(Instant::now()));
                    requests.answer(&ToWorker::Queried { id, answer });
                }
                FromWorker::Done { ended, mut lines, cut } => {
                    lines.truncate(limits::CODE_CONSOLE_LINES_MAX);
                    return Ok((ended, Console { lines, cut }));
                }
            }
        }
    }
}

fn result_of(ended: RunEnd, cancel: &CancelToken) -> Result<Value, ScriptError> {
    Err(match ended {
        // The worker keeps this limit too; this holds even if it has been taken over.
        RunEnd::Returned(text) if text.len() > CODE_RESULT_BYTES_MAX => {
            ScriptError::ResultTooLarge(CODE_RESULT_BYTES_MAX)
        }
        RunEnd::Returned(text) => return value::parse_result(&text),
        RunEnd::Syntax { message, line } => ScriptError::Syntax { message, line },
        RunEnd::Threw { message, line } => ScriptError::Threw { message, line },
        // The time the worker was given may have been what was left of the whole run.
        RunEnd::Timeout => cancel.reason().map_or(ScriptError::Timeout, ScriptError::Cancelled),
        RunEnd::Memory => ScriptError::Memory,
        RunEnd::Stack => ScriptError::Stack,
        RunEnd::NeverSettles => ScriptError::NeverSettles,
        RunEnd::ResultTooLarge => ScriptError::ResultTooLarge(CODE_RESULT_BYTES_MAX),
        RunEnd::NotJson(why) => ScriptError::NotJson(why),
    })
}

/// The requests of one run. Each has a thread of its own, which brings the answer to the worker if the run still lasts.
struct FetchThreads {
    fetch: Option<Arc<dyn Fetch>>,
    /// The way to the worker; gone when the run is over.
    reply_pipe: Arc<Mutex<Option<File>>>,
    /// Ends what is still under way when the run is over.
    cancel: CancelToken,
    /// The worker counts too; this holds even if it has been taken over.
    in_flight: Mutex<usize>,
}

impl FetchThreads {
    fn new(lease: &mut Lease, fetch: Option<Arc<dyn Fetch>>, answers: bool) -> io::Result<Self> {
        let door = if fetch.is_some() || answers { Some(lease.reply_pipe()?) } else { None };
        Ok(Self {
            fetch,
            reply_pipe: Arc::new(Mutex::new(door)),
            cancel: CancelToken::new(None),
            in_flight: Mutex::new(limits::CODE_FETCHES_MAX as usize),
        })
    }

    fn send(&self, id: u32, request: FetchRequest) -> io::Result<()> {
        let Some(fetch) = self.fetch.clone() else { return Err(io::ErrorKind::InvalidData.into()) };
        {
            let mut left = self.in_flight.lock().unwrap_or_else(PoisonError::into_inner);
            *left = left.checked_sub(1).ok_or(io::ErrorKind::InvalidData)?;
        }
        let (door, over) = (self.reply_pipe.clone(), self.cancel.clone());
        thread::Builder::new().name("script-fetch".into()).spawn(move || {
            let answer = fetch.fetch(request, &over);
            write_answer(&door, &ToWorker::Fetched { id, answer });
        })?;
        Ok(())
    }

    fn answer(&self, message: &ToWorker) {
        write_answer(&self.reply_pipe, message);
    }

    /// From here on no answer reaches the worker. Waits for one that is on the way, which an idle worker takes and drops.
    fn close(&self) {
        self.cancel.cancel(CancelReason::TimedOut);
        *self.reply_pipe.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// Brings an answer to the worker, if the run still lasts. One at a time, since an answer grows when it is written down.
fn write_answer(door: &Mutex<Option<File>>, message: &ToWorker) {
    const TOO_LARGE: &str = "the answer is too large";
    let mut door = door.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(pipe) = door.as_mut() else { return };
    let Ok(mut written) = serde_json::to_vec(message) else { return };
    if written.len() > limits::CODE_MESSAGE_TO_WORKER_BYTES_MAX {
        let refused = match message {
            ToWorker::Called { id, .. } => ToWorker::Called { id: *id, answer: Err(TOO_LARGE.to_owned()) },
            ToWorker::Fetched { id, .. } => ToWorker::Fetched { id: *id, answer: Err(TOO_LARGE.to_owned()) },
            ToWorker::Queried { id, .. } => {
                let fault = DatabaseError { message: TOO_LARGE.to_owned(), ..DatabaseError::default() };
                ToWorker::Queried { id: *id, answer: Err(fault) }
            }
            ToWorker::Run(_) => return,
        };
        written = serde_json::to_vec(&refused).unwrap_or_default();
    }
    // A worker that is gone needs no answer.
    let _ = frame::write(pipe, &written);
}
