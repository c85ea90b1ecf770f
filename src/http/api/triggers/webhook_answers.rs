//! How a call of a webhook is answered: whole, as a stream, or later (manual 17.4).

use super::webhook_listeners::{Audience, WatchedRun};
use super::webhooks::{refuse, visible};
use crate::app::App;
use crate::base::cancel::{CancelReason, CancelToken};
use crate::domain::error::{Error, Result};
use crate::domain::ids::ChatId;
use crate::domain::predictions::answer::PredictionAnswer;
use crate::http::api::predictions::prediction::{
    failed_run, send_abort, send_end, with_session, with_version,
};
use crate::http::api::predictions::run_events::{EventTarget as _, RunEvents, visible_entries};
use crate::http::reply::Reply;
use crate::http::reply::error::{event_data, log_failed_run};
use crate::http::reply::sse::EventSink;
use crate::http::request::Request;
use crate::limits::RUN_SECONDS;
use crate::ops::predictions::{self, NullSink, PredictionRun, ResumedRun, RunSink, StreamClosed};
use crate::ops::triggers::webhooks::{self, CallbackPromise, CallbackTarget, PromisedRun, RunningCall};
use crate::wire::predictions::answer::{AnswerEvents, AnswerView};
use crate::wire::triggers::webhooks::{AcceptedStatus, AcceptedView, CallbackBody, CallbackStatus};
use serde::Serialize;
use std::time::Duration;

/// What an address is told of a run that the service did not bring to its end.
const INTERRUPTED: &str = "The service stopped while this run was under way.";

/// Where the answer of a run is sent that answers later.
pub(super) enum LaterAnswer {
    Nowhere,
    To(CallbackTarget),
    /// It was promised before the run went on.
    Promised(CallbackPromise),
}

/// Promises the answer of a run that waits, before it is taken up.
///
/// # Errors
/// When the database cannot be written.
pub(super) fn promise(app: &App, run: &ResumedRun, target: CallbackTarget) -> Result<CallbackPromise> {
    let interrupted = callback_body(run.chat, &run.session_token, Err(INTERRUPTED))?;
    let ResumedRun { workspace, flow, execution, pause, .. } = *run;
    let run = PromisedRun { workspace, flow, execution, pause: Some(pause) };
    webhooks::promise_callback(app, run, target, &interrupted)
}

/// A run that a call of a webhook started.
pub(super) struct WebhookRun {
    app: App,
    entry: PredictionRun,
    cancel: CancelToken,
    /// The call, where it may be repeated.
    running: Option<RunningCall>,
}

impl WebhookRun {
    pub(super) fn new(
        app: &App,
        entry: PredictionRun,
        request: &Request,
        running: Option<RunningCall>,
    ) -> Self {
        Self { app: app.clone(), entry, cancel: request.cancel().clone(), running }
    }

    pub(super) const fn can_stream(&self) -> bool {
        self.entry.streams
    }

    /// Runs it and stores what was said.
    fn run(&self, cancel: &CancelToken, sink: &mut dyn RunSink) -> Result<PredictionAnswer> {
        let Self { app, entry, .. } = self;
        let flow = entry.flow.id;
        let audience = Audience { app, flow };
        let ran = if webhooks::is_watched(app, &flow) {
            let mut watched = WatchedRun::new(&audience, sink);
            let ran = predictions::run(app, entry, cancel, &mut watched);
            let _ = match &ran {
                Ok(answer) => audience.tell("metadata", &AnswerEvents::from(answer.clone()).metadata),
                Err(fault) => audience.tell("error", &event_data(fault)),
            };
            audience.end(entry.ids.chat);
            ran
        } else {
            predictions::run(app, entry, cancel, sink)
        };
        ran.inspect_err(|fault| log_failed_run(Some(&flow), fault))
    }

    /// The answer as JSON, in one piece.
    fn view(&self, mut answer: PredictionAnswer) -> AnswerView {
        if let Some(run) = &mut answer.output.execution {
            run.entries = visible_entries(self.entry.chat_type, std::mem::take(&mut run.entries));
        }
        AnswerView::from(answer)
    }

    pub(super) fn answer_whole(mut self, request: &Request) -> Result<Reply> {
        let running = self.running.take();
        let answer = match self.run(&self.cancel, &mut NullSink) {
            Ok(answer) => answer,
            Err(fault) => {
                let refused = refuse(&self.app, &self.entry.flow.id, request, running, fault);
                return match refused {
                    Ok(reply) => Ok(with_version(reply, self.entry.version)),
                    Err(fault) => {
                        let fault = visible(&self.app, &self.entry.flow.id, fault);
                        failed_run(&self.app, request, self.entry.version, fault)
                    }
                };
            }
        };
        let text = json_text(&self.view(answer))?;
        if let Some(running) = running {
            running.keep(&self.app, 200, &text)?;
        }
        let (flow, chat) = (self.entry.flow.id, self.entry.ids.chat);
        let reply = with_version(Reply::json_body(200, text), self.entry.version);
        Ok(with_session(&self.app, request, reply, &flow, &chat))
    }

    pub(super) fn answer_stream(self, request: &Request) -> Reply {
        let (app, flow, chat) = (self.app.clone(), self.entry.flow.id, self.entry.ids.chat);
        let version = self.entry.version;
        let reply = Reply::stream(move |events| {
            // Nobody is left to tell when the reader is gone.
            let _ = self.stream(&events);
        });
        with_session(&app, request, with_version(reply, version), &flow, &chat)
    }

    fn stream(mut self, events: &EventSink) -> Result<(), StreamClosed> {
        let running = self.running.take();
        let mut sink = RunEvents::new(events, self.entry.chat_type);
        match self.run(&self.cancel, &mut sink) {
            Ok(answer) => {
                let kept = running.map(|running| {
                    let text = json_text(&self.view(answer.clone()))?;
                    running.keep(&self.app, 200, &text)
                });
                if let Some(Err(fault)) = kept {
                    tracing::warn!(error = fault.for_log(), "the answer of a webhook could not be kept");
                }
                send_end(events, answer, self.entry.chat_type)
            }
            Err(_) if self.cancel.reason() == Some(CancelReason::Aborted) => send_abort(events, &self.entry),
            Err(fault) => events.send_error(&visible(&self.app, &self.entry.flow.id, fault)),
        }
    }

    /// Answers at once, and runs on the same thread afterwards.
    pub(super) fn answer_later(mut self, request: &Request, later: LaterAnswer) -> Result<Reply> {
        let (flow, chat_id) = (self.entry.flow.id, self.entry.ids.chat);
        let session_token = self.entry.session_token(&self.app);
        let accepted = json_text(&AcceptedView {
            chat_id,
            status: AcceptedStatus::Processing,
            session_token: session_token.clone(),
        })?;
        let promise = match later {
            LaterAnswer::Nowhere => None,
            LaterAnswer::Promised(promise) => Some(promise),
            LaterAnswer::To(target) => {
                let (workspace, execution) = (self.entry.flow.workspace, self.entry.execution_id());
                let run = PromisedRun { workspace, flow, execution, pause: None };
                let interrupted = self.callback_body(Err(INTERRUPTED))?;
                Some(webhooks::promise_callback(&self.app, run, target, &interrupted)?)
            }
        };
        let failed = self.callback_body(Err(&Error::internal("a run ended without a word").to_string()))?;
        if let Some(running) = self.running.take() {
            running.keep(&self.app, 202, &accepted)?;
        }
        let app = self.app.clone();
        let reply = with_session(&app, request, Reply::json_body(202, accepted), &flow, &chat_id);
        Ok(reply.after_commit(move |respond| {
            respond(Ok(()));
            let promise = promise.map(|mut promise| {
                promise.begin(&failed);
                promise
            });
            self.run_later(promise);
        }))
    }

    fn run_later(self, promise: Option<CallbackPromise>) {
        let limited = CancelToken::new(Some(Duration::from_secs(RUN_SECONDS)));
        let (request, own) = (self.cancel.clone(), limited.clone());
        let _follows = self.cancel.on_cancel(move || {
            if let Some(reason) = request.reason() {
                own.cancel(reason);
            }
        });
        let ran = self.run(&limited, &mut NullSink);
        if ran.is_err() && limited.reason() == Some(CancelReason::Shutdown) {
            if let Some(promise) = promise {
                promise.leave();
            }
            return;
        }
        let Some(promise) = promise else { return };
        let body = match ran {
            Ok(answer) => {
                let waits = answer.output.execution.as_ref().is_some_and(|run| run.action.is_some());
                self.callback_body(Ok((&self.view(answer), waits)))
            }
            Err(fault) => {
                let shown = visible(&self.app, &self.entry.flow.id, fault);
                self.callback_body(Err(&shown.to_string()))
            }
        };
        match body {
            // A run that somebody stopped is told too: only the end of the service ends the try.
            Ok(body) => promise.settle(&body, &self.cancel),
            Err(fault) => {
                tracing::error!(error = fault.for_log(), "the answer of a webhook could not be written");
            }
        }
    }

    fn callback_body(&self, ended: Result<(&AnswerView, bool), &str>) -> Result<String> {
        callback_body(self.entry.ids.chat, &self.entry.session_token(&self.app), ended)
    }
}

/// What an address is told: the answer and whether its run waits for a person, or why there is none.
fn callback_body(
    chat_id: ChatId,
    session_token: &str,
    ended: Result<(&AnswerView, bool), &str>,
) -> Result<String> {
    let (status, data, error) = match ended {
        Ok((data, false)) => (CallbackStatus::Success, Some(data), None),
        Ok((data, true)) => (CallbackStatus::Stopped, Some(data), None),
        Err(error) => (CallbackStatus::Error, None, Some(error)),
    };
    json_text(&CallbackBody { status, chat_id, session_token, data, error })
}

pub(super) fn json_text(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(Error::internal)
}
