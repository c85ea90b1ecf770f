//! A prepared question runs: its answer, and what is kept of it.

use super::answer::answer_of;
use super::ask::PredictionRun;
use super::follow_ups;
use super::host::run_host::RunHost;
use super::post_processing;
use super::record::{AnswerEnd, message_pair};
use crate::app::App;
use crate::base::cancel::{CancelReason, CancelToken};
use crate::cards::kit::{NullSink, RunContext, StreamClosed, TokenSink};
use crate::domain::error::{Error, Result, UnavailableReason};
use crate::domain::predictions::answer::PredictionAnswer;
use crate::domain::predictions::prediction::{ChatType, RunOutput};
use crate::engine;
use crate::llm::{ReplyStream, StreamEnd};
use crate::state::metrics;
use crate::store::queries::messages::MessageBatch;
use std::time::Instant;
use tracing::Span;

/// Runs a prepared question. When it returns, question and answer are stored. A run whose caller left or that
/// a shutdown ended keeps what was answered so far, marked stopped.
///
/// # Errors
/// What the flow failed with, or that the answer could not be stored.
pub fn run(
    app: &App,
    entry: &PredictionRun,
    cancel: &CancelToken,
    sink: &mut dyn TokenSink,
) -> Result<PredictionAnswer> {
    let (answer, PendingMessages { messages: said, measure }) = run_unstored(app, entry, cancel, sink)?;
    let stored = app.store.append(said);
    settle_files(entry, &stored);
    measure.end(app, entry, stored.as_ref().err());
    stored.map(|()| answer)
}

/// As [`run`], but the answer is not stored yet: it must not be acknowledged before [`PendingMessages::store`] says so.
///
/// # Errors
/// What the flow failed with.
pub fn run_unstored(
    app: &App,
    entry: &PredictionRun,
    cancel: &CancelToken,
    sink: &mut dyn TokenSink,
) -> Result<(PredictionAnswer, PendingMessages)> {
    let measure = Measure::new(entry);
    let finished = measure.span.in_scope(|| {
        let (outcome, said) = execute(app, entry, cancel, sink)?;
        Ok((answer_of(entry, outcome, entry.session_token(app)), said))
    });
    match finished {
        Ok((answer, said)) => Ok((answer, PendingMessages { messages: said, measure })),
        Err(fault) => {
            measure.end(app, entry, Some(&fault));
            Err(fault)
        }
    }
}

/// Question and answer that are not stored yet.
pub struct PendingMessages {
    messages: MessageBatch,
    measure: Measure,
}

impl PendingMessages {
    /// Stores them and calls `done` when they are durable, in this thread or another.
    pub fn store(self, app: &App, entry: PredictionRun, done: impl FnOnce(Result<()>) + Send + 'static) {
        let (measure, house) = (self.measure, app.clone());
        app.store.append_then(self.messages, move |stored| {
            settle_files(&entry, &stored);
            measure.end(&house, &entry, stored.as_ref().err());
            drop(entry);
            done(stored);
        });
    }
}

/// Nobody knows what became of messages that could not be stored, so nobody can say that nothing names their files.
fn settle_files(entry: &PredictionRun, stored: &Result<()>) {
    if !stored.as_ref().is_err_and(Error::is_refusal) {
        entry.files.keep_files();
    }
}

/// What is counted of a run.
struct Measure {
    began: Instant,
    span: Span,
}

impl Measure {
    fn new(entry: &PredictionRun) -> Self {
        let span = tracing::info_span!(
            target: "flowkeep::span", "flow", flowkeep.flow.id = %entry.flow.id, flowkeep.streams = entry.streams,
            gen_ai.conversation.id = %entry.ids.chat, error.type = tracing::field::Empty,
        );
        Self { began: Instant::now(), span }
    }

    /// The run failed with `fault`, or its answer is stored.
    fn end(self, app: &App, entry: &PredictionRun, fault: Option<&Error>) {
        let end = match fault {
            None => metrics::RunResult::Answered,
            Some(Error::Cancelled | Error::Unavailable(_)) => metrics::RunResult::Cancelled,
            Some(Error::ProviderThrottled { .. }) => metrics::RunResult::Limited,
            Some(_) => metrics::RunResult::Failed,
        };
        let source = match entry.chat_type {
            _ if entry.call_path.is_nested() => metrics::RunSource::AnotherFlow,
            ChatType::Internal => metrics::RunSource::Internal,
            ChatType::External => metrics::RunSource::External,
        };
        app.state.metrics.record_run(source, end, self.began.elapsed());
        if end == metrics::RunResult::Answered {
            entry.files.keep_files();
        } else {
            self.span.record("error.type", end.as_str());
        }
    }
}

fn execute(
    app: &App,
    entry: &PredictionRun,
    cancel: &CancelToken,
    sink: &mut dyn TokenSink,
) -> Result<(RunOutput, MessageBatch)> {
    let _listed = app.state.active_runs.register(entry.flow.id, entry.ids.chat, cancel);
    let host = RunHost::new(app, entry, cancel.clone())?;
    let turn = RunContext {
        question: &entry.prompt,
        documents: &entry.prompt[..entry.documents_end],
        uploads: &entry.images,
        history: &entry.question.history,
        host: &host,
    };
    let mut kept = PartialAnswerSink { sink, text: String::new(), streams: entry.streams };
    let result = engine::run(&entry.plan, &entry.overrides, &turn, &host, &mut kept);
    match result {
        Ok(mut ran) => {
            let outcome = &mut ran.outcome;
            outcome.source_documents.extend(host.take_cited());
            post_processing::apply(&host, entry, outcome).map_err(|fault| run_error(fault, cancel))?;
            if !entry.streams {
                kept.send_whole(&outcome.text)?;
            }
            outcome.follow_up_prompts = follow_ups::generate(&host, entry, &outcome.text);
            outcome.usage = host.usage();
            // A memory elsewhere may name the session of what is stored here, so it is asked first.
            let remembered = ran.save_to_memories(&host);
            let said = message_pair(app, entry, host.fixed_session(), &ran.outcome, AnswerEnd::Complete)?;
            if let Err(fault) = remembered {
                // The answer was given and paid for: what a memory elsewhere could not keep stays here.
                app.store.append(said)?;
                entry.files.keep_files();
                return Err(run_error(fault, cancel));
            }
            Ok((ran.outcome, said))
        }
        Err(fault) => {
            let fault = run_error(fault, cancel);
            // What post-processing was to change is not kept unchanged.
            let is_partial = entry.streams && !kept.text.is_empty();
            if matches!(fault, Error::Cancelled | Error::Unavailable(_)) && is_partial {
                let partial = RunOutput {
                    text: std::mem::take(&mut kept.text),
                    usage: host.usage(),
                    ..RunOutput::default()
                };
                app.store.append(message_pair(
                    app,
                    entry,
                    host.fixed_session(),
                    &partial,
                    AnswerEnd::Truncated,
                )?)?;
                entry.files.keep_files();
            }
            Err(fault)
        }
    }
}

/// What ended a run says more than what it failed with on the way.
pub(in crate::ops) fn run_error(fault: Error, cancel: &CancelToken) -> Error {
    match cancel.reason() {
        Some(CancelReason::CallerLeft | CancelReason::Aborted) => Error::Cancelled,
        Some(CancelReason::Shutdown) => Error::Unavailable(UnavailableReason::Restarting),
        Some(CancelReason::TimedOut) => {
            Error::RunFailed("The flow took longer than a run may take and was stopped.".to_owned())
        }
        None => fault,
    }
}

/// Passes tokens on and keeps the text so far, for the case that the rest never comes.
struct PartialAnswerSink<'a> {
    sink: &'a mut dyn TokenSink,
    text: String,
    streams: bool,
}

impl PartialAnswerSink<'_> {
    fn send_whole(&mut self, text: &str) -> Result<()> {
        self.sink.token(text).map_err(|_| Error::Cancelled)
    }
}

impl TokenSink for PartialAnswerSink<'_> {
    fn token(&mut self, text: &str) -> Result<(), StreamClosed> {
        self.text.push_str(text);
        if self.streams { self.sink.token(text) } else { Ok(()) }
    }

    fn thinking(&mut self, text: &str) -> Result<(), StreamClosed> {
        if self.streams { self.sink.thinking(text) } else { Ok(()) }
    }

    fn follow(&mut self, streaming: ReplyStream) -> StreamEnd {
        let followed = if self.streams { self.sink.follow(streaming) } else { NullSink.follow(streaming) };
        self.text.push_str(&followed.text);
        followed
    }
}
