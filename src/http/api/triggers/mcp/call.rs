//! A call of a tool: its flow is asked, and its answer told whole or behind news of its progress.

use super::exchange::result;
use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::domain::error::{Error, Result};
use crate::domain::flows::rate_limit::WindowState;
use crate::domain::predictions::answer::PredictionAnswer;
use crate::domain::predictions::run_event::RunEvent;
use crate::domain::triggers::mcp_tool::McpTool;
use crate::http::api::predictions::prediction::{with_version, without_hosts_for_stranger};
use crate::http::reply::Reply;
use crate::http::reply::error::log_failed_run;
use crate::http::reply::error_shape::{rpc_fault, rpc_refusal};
use crate::http::reply::sse::EventSink;
use crate::http::reply::stream_format::{StreamFormat, append_event};
use crate::http::request::Request;
use crate::ops::predictions::{self, Delta, NullSink, PredictionRun, RunSink, StreamClosed, TokenSink};
use crate::ops::triggers::mcp::{self, CallKey};
use crate::wire::triggers::mcp::exchange::{ProgressNotice, complete};
use crate::wire::triggers::mcp::rpc::RpcAnswer;
use crate::wire::triggers::mcp::tools::{FORM, QUESTION, answered, failed, structure_of};
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Seconds between two words on how much of an answer of a tool there is (manual 14.7).
const PROGRESS_SECONDS: u64 = 1;

/// What is called, and how it is answered.
pub(super) struct ToolCall {
    pub(super) tool: McpTool,
    pub(super) arguments: Map<String, Value>,
    pub(super) id: Value,
    /// Results say that they are complete.
    pub(super) is_complete: bool,
    /// What the caller wants to be told progress under.
    pub(super) progress: Option<Value>,
    pub(super) key: CallKey,
}

pub(super) struct ToolCaller<'a> {
    pub(super) app: &'a App,
    pub(super) request: &'a Request,
}

impl ToolCaller<'_> {
    /// # Errors
    /// When the answer cannot be written.
    pub(super) fn call(&self, call: ToolCall) -> Result<Reply> {
        let Self { app, request } = self;
        let flow = call.tool.flow.clone();
        let window = match predictions::admit_rate(app, &flow, request.address()) {
            Ok(window) => window,
            Err(fault) => return Ok(rpc_refusal(&fault, &request.error_context(app), call.id)),
        };
        let streams = call.progress.is_some();
        let asked = mcp::request(&call.tool, (QUESTION, FORM), call.arguments.clone(), streams);
        let prepared = asked.and_then(|asked| predictions::prepare(app, asked, request.cancel()));
        let told = CallAnswer {
            id: call.id.clone(),
            is_complete: call.is_complete,
            schema: call.tool.output.is_some(),
        };
        let reply = match prepared {
            Ok(entry) => {
                request.mark_run_began();
                let version = entry.version;
                let reply = match call.progress {
                    Some(token) => self.stream(entry, told, call.key, token),
                    None => self.whole(entry, told, call.key)?,
                };
                with_version(reply, version)
            }
            Err(fault) => {
                let fault = without_hosts_for_stranger(app, &flow.id, fault);
                self.refused(&fault, told)?
            }
        };
        Ok(with_window(reply, window, app))
    }

    fn whole(&self, entry: PredictionRun, told: CallAnswer, key: CallKey) -> Result<Reply> {
        let Self { app, request } = self;
        let guard = mcp::register_call(app, key, request.cancel());
        let ran = predictions::run_unstored(app, &entry, request.cancel(), &mut NullSink);
        drop(guard);
        match ran {
            Ok((answer, unstored)) => {
                let reply = result(told.id.clone(), told.answer(&answer))?;
                let app = (*app).clone();
                Ok(reply.after_commit(move |stored| unstored.store(&app, entry, stored)))
            }
            Err(fault) => {
                log_failed_run(Some(&entry.flow.id), &fault);
                self.refused(&without_hosts_for_stranger(app, &entry.flow.id, fault), told)
            }
        }
    }

    /// A run that failed is an answer of the tool; that the service cannot answer is none.
    fn refused(&self, fault: &Error, told: CallAnswer) -> Result<Reply> {
        if is_answer(fault) {
            return result(told.id.clone(), told.failure(fault));
        }
        Ok(rpc_refusal(fault, &self.request.error_context(self.app), told.id))
    }

    fn stream(&self, entry: PredictionRun, told: CallAnswer, key: CallKey, token: Value) -> Reply {
        let (app, cancel) = (self.app.clone(), self.request.cancel().clone());
        let told = Arc::new(told);
        Reply::stream_as(told.clone(), move |events| {
            let _listed = mcp::register_call(&app, key, &cancel);
            run_with_progress(&app, &entry, &cancel, (&events, &told, &token));
        })
    }
}

fn run_with_progress(
    app: &App,
    entry: &PredictionRun,
    cancel: &CancelToken,
    (events, told, token): (&EventSink, &CallAnswer, &Value),
) {
    let mut news = ProgressNews { events, token, progress: 0, characters: 0, last: Instant::now() };
    let ran = predictions::run(app, entry, cancel, &mut news);
    // Nobody is left to tell when the reader is gone.
    let _ = match ran {
        Ok(answer) => events.write(|buffer| told.write(buffer, told.answer(&answer))),
        Err(fault) => {
            log_failed_run(Some(&entry.flow.id), &fault);
            events.send_error(&without_hosts_for_stranger(app, &entry.flow.id, fault))
        }
    };
}

fn with_window(reply: Reply, window: Option<WindowState>, app: &App) -> Reply {
    match window {
        Some(window) => reply.with_rate(&window, app.clock.now()),
        None => reply,
    }
}

/// True for what a model that called the tool can read and act upon.
fn is_answer(fault: &Error) -> bool {
    !matches!(
        fault,
        Error::Unavailable(_)
            | Error::Cancelled
            | Error::Internal(_)
            | Error::Damaged(_)
            | Error::RateLimited(_)
            | Error::BudgetUsedUp(_)
    )
}

/// How the request is answered that called a tool.
struct CallAnswer {
    id: Value,
    is_complete: bool,
    /// The tool promised a structure.
    schema: bool,
}

impl CallAnswer {
    fn answer(&self, answer: &PredictionAnswer) -> Map<String, Value> {
        let output = &answer.output;
        if !self.schema {
            let text = match &output.json {
                Some(value) if output.text.trim().is_empty() => value.to_string(),
                _ => output.text.clone(),
            };
            return self.finish(answered(&text, None));
        }
        let value = output.json.clone().or_else(|| serde_json::from_str(&output.text).ok());
        match value.and_then(structure_of) {
            Some(structure) => self.finish(answered(&structure.to_string(), Some(structure))),
            None => self.finish(failed("The flow did not answer with the structure that it promises.")),
        }
    }

    fn failure(&self, fault: &Error) -> Map<String, Value> {
        self.finish(failed(&fault.to_string()))
    }

    fn finish(&self, result: Map<String, Value>) -> Map<String, Value> {
        if self.is_complete { complete(result) } else { result }
    }

    fn write(&self, buffer: &mut Vec<u8>, result: Map<String, Value>) {
        append_event(buffer, Some(MESSAGE), &RpcAnswer::result(self.id.clone(), result));
    }
}

/// The name of every event.
const MESSAGE: &str = "message";

impl StreamFormat for CallAnswer {
    /// The answer goes out whole.
    fn delta(&self, _: &mut Vec<u8>, _: Delta<'_>) {}

    fn failure(&self, buffer: &mut Vec<u8>, error: &Error) {
        if is_answer(error) {
            self.write(buffer, Self::failure(self, error));
        } else {
            append_event(buffer, Some(MESSAGE), &RpcAnswer::refusal(self.id.clone(), rpc_fault(error)));
        }
    }
}

/// Tells a caller how far a run came: by the steps that begin, or by how much of an answer there is.
struct ProgressNews<'a> {
    events: &'a EventSink,
    token: &'a Value,
    progress: u64,
    characters: u64,
    last: Instant,
}

impl ProgressNews<'_> {
    fn tell(&mut self, progress: u64, message: &str) -> Result<(), StreamClosed> {
        self.progress = self.progress.max(progress);
        self.last = Instant::now();
        let notice = ProgressNotice::new(self.token, self.progress, message);
        self.events.write(|buffer| append_event(buffer, Some(MESSAGE), &notice))
    }
}

impl TokenSink for ProgressNews<'_> {
    fn token(&mut self, text: &str) -> Result<(), StreamClosed> {
        self.characters += u64::try_from(text.chars().count()).unwrap_or_default();
        if self.last.elapsed() < Duration::from_secs(PROGRESS_SECONDS) {
            return Ok(());
        }
        let progress = self.characters.max(self.progress + 1);
        self.tell(progress, &format!("{} characters", self.characters))
    }
}

impl RunSink for ProgressNews<'_> {
    fn event(&mut self, event: &RunEvent<'_>) -> Result<(), StreamClosed> {
        match event {
            RunEvent::Begin(step) => self.tell(self.progress + 1, step.label),
            RunEvent::NextAgent(member) => self.tell(self.progress + 1, member),
            _ => Ok(()),
        }
    }

    /// The answer to the call is the end.
    fn tells_end(&self) -> bool {
        false
    }
}
