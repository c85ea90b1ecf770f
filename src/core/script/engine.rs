//! The engine: one run of code in globals of its own, within its limits of time, memory and stack.

use super::host_functions::{PendingCalls, build_host_object};
use super::protocol::{FromWorker, RunEnd, ScriptJob, ToWorker};
use super::value;
use super::worker::Pipes;
use crate::worker::sandbox;
use nix::sys::resource::{UsageWho, getrusage};
use rquickjs::context::EvalOptions;
use rquickjs::promise::PromiseState;
use rquickjs::{Coerced, Context, Ctx, Error, Function, Object, Promise, Runtime, Value};
use rustix::time::{ClockId, clock_gettime};
use std::cell::{Cell, RefCell};
use std::io;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Stack of the engine (manual 14.12).
const CODE_STACK_BYTES: usize = 1024 * 1024;
/// Longest message of an error that code threw (manual 14.12).
const CODE_MESSAGE_BYTES_MAX: usize = 2_000;
const PRELUDE: &str = include_str!("prelude/core.js");
/// What the code is called in its own stack traces.
const CODE_NAME: &str = "code";

/// Time left, looked at by the engine itself every few thousand steps.
#[derive(Default)]
struct RunClock {
    processor_end: Cell<Duration>,
    wall_end: Cell<Option<Instant>>,
    over: Cell<bool>,
}

impl RunClock {
    fn start(&self, job: &ScriptJob) {
        let processor = Duration::from_millis(job.processor_ms);
        // The system's own wall stands behind ours, for what never comes back to the engine's loop.
        sandbox::limit_processor(processor.as_millis().div_ceil(1_000).try_into().unwrap_or(u64::MAX / 2));
        self.processor_end.set(processor_time() + processor);
        self.wall_end.set(Some(Instant::now() + Duration::from_millis(job.wall_ms)));
    }

    fn is_over(&self) -> bool {
        if let Some(end) = self.wall_end.get()
            && !self.over.get()
        {
            self.over.set(Instant::now() >= end || processor_time() >= self.processor_end.get());
        }
        self.over.get()
    }
}

fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or_default())
}

/// The most memory the process has had at any time.
fn memory_peak_bytes() -> usize {
    let usage = getrusage(UsageWho::RUSAGE_SELF).map_or(0, |usage| usage.max_rss());
    // In kibibytes, but on systems of Apple in bytes.
    let unit = if cfg!(target_vendor = "apple") { 1 } else { 1024 };
    usize::try_from(usage).unwrap_or_default() * unit
}

/// Prepares an engine, waits for a job, runs it and reports. False when the worker has to end: nobody has work for it
/// any more, or it ran into a wall.
///
/// # Errors
/// When the pipe breaks, or the engine cannot be made.
pub(super) fn serve_one(pipes: &mut Pipes, heap_bytes: usize) -> io::Result<bool> {
    let failed = |_: Error| io::Error::other("the engine could not be made");
    let runtime = Runtime::new().map_err(failed)?;
    runtime.set_memory_limit(heap_bytes);
    runtime.set_max_stack_size(CODE_STACK_BYTES);
    let memory_full = memory_peak_bytes() + heap_bytes / 4 * 3;
    let clock = Rc::new(RunClock::default());
    let seen = clock.clone();
    runtime.set_interrupt_handler(Some(Box::new(move || seen.is_over())));
    let context = Context::full(&runtime).map_err(failed)?;
    let whole = context.with(|ctx| {
        let wishes = Rc::new(RefCell::new(PendingCalls::default()));
        let tools = tools(&ctx, &wishes).map_err(failed)?;
        let Some((job, scope)) = pipes.next_job()? else { return Ok(false) };
        pipes.send(&FromWorker::Began)?;
        clock.start(&job);
        let run = ScriptRun { ctx, tools, clock: &clock, pending: &wishes };
        let ended = run.run_to_end(pipes, &job, scope)?.or_memory(|| memory_peak_bytes() > memory_full);
        let whole = ended.keeps_worker_clean();
        let mut said = wishes.borrow_mut();
        let lines = std::mem::take(&mut said.lines);
        pipes.send(&FromWorker::Done { ended, lines, cut: said.cut })?;
        Ok::<_, io::Error>(whole)
    })?;
    if !whole {
        // An engine that ran into a wall may not be able to take itself apart; the process ends instead.
        std::process::exit(0);
    }
    Ok(true)
}

fn tools<'js>(ctx: &Ctx<'js>, wishes: &Rc<RefCell<PendingCalls>>) -> rquickjs::Result<Object<'js>> {
    let prelude: Function<'js> = ctx.eval_with_options(PRELUDE, eval_options("prelude"))?;
    prelude.call((build_host_object(ctx, wishes)?,))
}

/// Options for reading code that traces call by this name.
pub(super) fn eval_options(name: &str) -> EvalOptions {
    let mut options = EvalOptions::default();
    options.strict = false;
    options.filename = Some(name.to_owned());
    options
}

struct ScriptRun<'js, 'a> {
    ctx: Ctx<'js>,
    tools: Object<'js>,
    clock: &'a RunClock,
    pending: &'a RefCell<PendingCalls>,
}

impl<'js> ScriptRun<'js, '_> {
    fn run_to_end(&self, pipes: &mut Pipes, job: &ScriptJob, scope: Vec<u8>) -> io::Result<RunEnd> {
        let promise = match self.begin(job, scope) {
            Ok(promise) => promise,
            Err(error) => {
                return Ok(match self.end_of_error(&error) {
                    RunEnd::Threw { message, line } if message.starts_with("SyntaxError") => {
                        RunEnd::Syntax { message, line }
                    }
                    other => other,
                });
            }
        };
        loop {
            while !self.clock.is_over() && self.ctx.execute_pending_job() {}
            if self.clock.is_over() {
                return Ok(RunEnd::Timeout);
            }
            match promise.state() {
                PromiseState::Pending => {}
                _ => return Ok(self.end_of_promise(&promise, job.result_bytes_max)),
            }
            if let Err(error) = self.wait(pipes)? {
                return Ok(self.end_of_error(&error));
            }
            if !self.pending.borrow().is_waiting() && !self.ctx.execute_pending_job() {
                match promise.state() {
                    PromiseState::Pending => return Ok(RunEnd::NeverSettles),
                    _ => return Ok(self.end_of_promise(&promise, job.result_bytes_max)),
                }
            }
        }
    }

    /// Starts the code as the body of an async function, on the first line of its source.
    fn begin(&self, job: &ScriptJob, scope: Vec<u8>) -> rquickjs::Result<Promise<'js>> {
        let scope: Value<'js> = self.ctx.json_parse(scope)?;
        self.tools.get::<_, Function<'js>>("begin")?.call::<_, ()>((
            scope,
            job.fetch,
            job.calls.clone(),
            job.databases,
        ))?;
        let code = format!("(async function () {{{}\n}})()", job.source);
        self.ctx.eval_with_options(code, eval_options(CODE_NAME))
    }

    /// Sends what the code wants sent, then waits for the next thing that can move it, and moves it.
    /// The inner error is what the code threw meanwhile.
    fn wait(&self, pipes: &mut Pipes) -> io::Result<rquickjs::Result<()>> {
        loop {
            let Some((id, request)) = self.pending.borrow_mut().next_request() else { break };
            pipes.send(&FromWorker::Fetch { id, request })?;
        }
        loop {
            let Some((id, name, arguments)) = self.pending.borrow_mut().next_call() else { break };
            pipes.send(&FromWorker::Call { id, name, arguments })?;
        }
        loop {
            let Some((id, ask)) = self.pending.borrow_mut().next_query() else { break };
            pipes.send(&FromWorker::Query { id, ask })?;
        }
        let (waits, timer) = {
            let wishes = self.pending.borrow();
            (wishes.is_waiting(), wishes.next_timer())
        };
        if !waits {
            return Ok(Ok(()));
        }
        let wall = self.clock.wall_end.get().unwrap_or_else(Instant::now);
        let until = timer.map_or(wall, |due| due.min(wall));
        if pipes.readable_until(until)? {
            return match pipes.receive()? {
                Some(ToWorker::Fetched { id, answer }) => Ok(self.resolve_fetch(id, answer)),
                Some(ToWorker::Called { id, answer }) => Ok(self.resolve_call(id, answer)),
                Some(ToWorker::Queried { id, answer }) => Ok(self.resolve_query(id, &answer)),
                Some(ToWorker::Run(_)) | None => Err(io::ErrorKind::UnexpectedEof.into()),
            };
        }
        let due = self.pending.borrow_mut().take_due_timer(Instant::now());
        match due {
            Some(id) => Ok(self.tools.get::<_, Function<'js>>("fired").and_then(|fired| fired.call((id,)))),
            None => Ok(Ok(())),
        }
    }

    fn resolve_fetch(&self, id: u32, answer: Result<super::FetchResponse, String>) -> rquickjs::Result<()> {
        {
            let mut wishes = self.pending.borrow_mut();
            wishes.in_flight = wishes.in_flight.saturating_sub(1);
        }
        let (name, text) = match answer {
            Ok(response) => ("fetched", serde_json::to_string(&response).unwrap_or_default()),
            Err(why) => ("refused", why),
        };
        self.tools.get::<_, Function<'js>>(name)?.call((id, text))
    }

    fn resolve_call(&self, id: u32, answer: Result<String, String>) -> rquickjs::Result<()> {
        {
            let mut wishes = self.pending.borrow_mut();
            wishes.called = wishes.called.saturating_sub(1);
        }
        let (name, text) = match answer {
            Ok(text) => ("called", text),
            Err(why) => ("uncalled", why),
        };
        self.tools.get::<_, Function<'js>>(name)?.call((id, text))
    }

    fn resolve_query(
        &self,
        id: u32,
        answer: &Result<super::DatabaseAnswer, super::DatabaseError>,
    ) -> rquickjs::Result<()> {
        {
            let mut wishes = self.pending.borrow_mut();
            wishes.called = wishes.called.saturating_sub(1);
        }
        let (name, text) = match answer {
            Ok(answer) => ("queried", serde_json::to_string(answer)),
            Err(fault) => ("unqueried", serde_json::to_string(fault)),
        };
        self.tools.get::<_, Function<'js>>(name)?.call((id, text.unwrap_or_default()))
    }

    fn end_of_promise(&self, promise: &Promise<'js>, bytes_max: usize) -> RunEnd {
        let value = match promise.result::<Value<'js>>() {
            Some(Ok(value)) => value,
            Some(Err(error)) => return self.end_of_error(&error),
            None => return RunEnd::NeverSettles,
        };
        if value.is_undefined() || value.is_null() {
            return RunEnd::Returned("null".into());
        }
        match self.ctx.json_stringify(value.clone()) {
            Ok(Some(text)) => match text.to_string() {
                Ok(text) if text.len() > bytes_max => RunEnd::ResultTooLarge,
                Ok(text) => RunEnd::Returned(value::replace_lone_surrogates(text)),
                Err(error) => self.end_of_error(&error),
            },
            Ok(None) => RunEnd::NotJson(format!("it is a {}", value.type_name())),
            Err(error) => match self.end_of_error(&error) {
                RunEnd::Threw { message, .. } => RunEnd::NotJson(message),
                other => other,
            },
        }
    }

    /// What an error of the engine means.
    fn end_of_error(&self, error: &Error) -> RunEnd {
        let thrown = match error {
            Error::Exception => self.ctx.catch(),
            Error::Allocation => return RunEnd::Memory,
            _ => return RunEnd::Threw { message: "a text of the code cannot be read".into(), line: None },
        };
        if self.clock.is_over() {
            return RunEnd::Timeout;
        }
        self.end_of_exception(&thrown)
    }

    fn end_of_exception(&self, thrown: &Value<'js>) -> RunEnd {
        let field = |object: &Object<'js>, name: &str| {
            let text = object.get::<_, Coerced<String>>(name).map(|text| text.0);
            text.inspect_err(|_| drop(self.ctx.catch())).unwrap_or_default()
        };
        let (message, line) = match thrown.as_object().filter(|object| object.is_error()) {
            Some(object) => {
                let (name, said) = (field(object, "name"), field(object, "message"));
                match (name.as_str(), said.as_str()) {
                    ("InternalError", "out of memory") => return RunEnd::Memory,
                    ("RangeError", "Maximum call stack size exceeded") => return RunEnd::Stack,
                    _ => {}
                }
                (format!("{name}: {said}"), line_of(&field(object, "stack")))
            }
            None => (self.describe_exception(thrown), None),
        };
        // Reading the error may itself have run code of the owner's.
        if self.clock.is_over() { RunEnd::Timeout } else { RunEnd::Threw { message: shorten(message), line } }
    }

    fn describe_exception(&self, thrown: &Value<'js>) -> String {
        let text = match thrown.as_object() {
            Some(_) => self.ctx.json_stringify(thrown.clone()).and_then(|text| match text {
                Some(text) => text.to_string().map(value::replace_lone_surrogates),
                None => Ok(String::new()),
            }),
            None => thrown.get::<Coerced<String>>().map(|text| text.0),
        };
        text.inspect_err(|_| drop(self.ctx.catch())).unwrap_or_else(|_| "something was thrown".into())
    }
}

/// The first line of the code that a stack trace names.
fn line_of(stack: &str) -> Option<u32> {
    let named =
        stack.split([' ', '(', '\n']).find_map(|word| word.strip_prefix(CODE_NAME)?.strip_prefix(':'))?;
    named.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

fn shorten(mut message: String) -> String {
    if message.len() > CODE_MESSAGE_BYTES_MAX {
        let end = message.floor_char_boundary(CODE_MESSAGE_BYTES_MAX);
        message.truncate(end);
        message.push('…');
    }
    message
}
