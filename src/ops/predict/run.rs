//! A prepared question runs: its answer, and what is kept of it.

use super::answer::Answer;
use super::ask::Entry;
use super::follow_ups;
use super::host::LiveHost;
use super::post_processing;
use super::record::{End, said};
use crate::app::App;
use crate::boards::metrics;
use crate::cards::kit::{Gone, Quiet, Sink, Turn};
use crate::domain::cancel::{Cancel, Reason};
use crate::domain::error::{Error, Result, Unavailable};
use crate::domain::prediction::{ChatType, Outcome};
use crate::engine;
use crate::llm::{Followed, Streaming};
use crate::store::messages::Said;
use std::time::Instant;
use tracing::Span;

/// Runs a prepared question. When it returns, question and answer are stored. A run whose caller left or that
/// a shutdown ended keeps what was answered so far, marked stopped.
///
/// # Errors
/// What the flow failed with, or that the answer could not be stored.
pub fn run(app: &App, entry: &Entry, cancel: &Cancel, sink: &mut dyn Sink) -> Result<Answer> {
    let (answer, Unstored { said, measure }) = finish(app, entry, cancel, sink)?;
    let stored = app.store.append(said);
    keep_files(entry, &stored);
    measure.end(app, entry, stored.as_ref().err());
    stored.map(|()| answer)
}

/// As [`run`], but the answer is not stored yet: it must not be acknowledged before [`Unstored::store`] says so.
///
/// # Errors
/// What the flow failed with.
pub fn finish(app: &App, entry: &Entry, cancel: &Cancel, sink: &mut dyn Sink) -> Result<(Answer, Unstored)> {
    let measure = Measure::begin(entry);
    let finished = measure.span.in_scope(|| {
        let (outcome, said) = answered(app, entry, cancel, sink)?;
        Ok((Answer::new(entry, outcome, entry.session_token(app)), said))
    });
    match finished {
        Ok((answer, said)) => Ok((answer, Unstored { said, measure })),
        Err(fault) => {
            measure.end(app, entry, Some(&fault));
            Err(fault)
        }
    }
}

/// Question and answer that are not stored yet.
pub struct Unstored {
    said: Said,
    measure: Measure,
}

impl Unstored {
    /// Stores them and calls `done` when they are durable, in this thread or another.
    pub fn store(self, app: &App, entry: Entry, done: impl FnOnce(Result<()>) + Send + 'static) {
        let (measure, house) = (self.measure, app.clone());
        app.store.append_then(self.said, move |stored| {
            keep_files(&entry, &stored);
            measure.end(&house, &entry, stored.as_ref().err());
            drop(entry);
            done(stored);
        });
    }
}

/// Nobody knows what became of messages that could not be stored, so nobody can say that nothing names their files.
fn keep_files(entry: &Entry, stored: &Result<()>) {
    if !stored.as_ref().is_err_and(Error::is_refusal) {
        entry.files.are_wanted();
    }
}

/// What is counted of a run.
struct Measure {
    began: Instant,
    span: Span,
}

impl Measure {
    fn begin(entry: &Entry) -> Self {
        let span = tracing::info_span!(
            target: "flowkeep::span", "flow", flowkeep.flow.id = %entry.flow.id, flowkeep.streams = entry.streams,
            gen_ai.conversation.id = %entry.ids.chat, error.type = tracing::field::Empty,
        );
        Self { began: Instant::now(), span }
    }

    /// The run failed with `fault`, or its answer is stored.
    fn end(self, app: &App, entry: &Entry, fault: Option<&Error>) {
        let end = match fault {
            None => metrics::End::Answered,
            Some(Error::Cancelled | Error::Unavailable(_)) => metrics::End::Cancelled,
            Some(Error::Throttled { .. }) => metrics::End::Limited,
            Some(_) => metrics::End::Failed,
        };
        let source = match entry.chat_type {
            _ if entry.way.is_on() => metrics::Source::AnotherFlow,
            ChatType::Internal => metrics::Source::Internal,
            ChatType::External => metrics::Source::External,
        };
        app.boards.metrics.asked(source, end, self.began.elapsed());
        if end == metrics::End::Answered {
            entry.files.are_wanted();
        } else {
            self.span.record("error.type", end.as_str());
        }
    }
}

fn answered(app: &App, entry: &Entry, cancel: &Cancel, sink: &mut dyn Sink) -> Result<(Outcome, Said)> {
    let _listed = app.boards.runs.enter(entry.flow.id, entry.ids.chat, cancel);
    let host = LiveHost::new(app, entry, cancel.clone())?;
    let turn = Turn {
        question: &entry.prompt,
        documents: &entry.prompt[..entry.documents_end],
        uploads: &entry.images,
        history: &entry.question.history,
        host: &host,
    };
    let mut kept = Keeping { sink, said: String::new(), streams: entry.streams };
    let result = engine::run(&entry.plan, &entry.overrides, &turn, &mut kept);
    match result {
        Ok(mut ran) => {
            let outcome = &mut ran.outcome;
            outcome.source_documents.extend(host.take_cited());
            post_processing::apply(&host, entry, outcome).map_err(|fault| reason(fault, cancel))?;
            if !entry.streams {
                kept.whole(&outcome.text)?;
            }
            outcome.follow_up_prompts = follow_ups::of(&host, entry, &outcome.text);
            outcome.usage = host.usage();
            // A memory elsewhere may name the session of what is stored here, so it is asked first.
            let remembered = ran.keep(&host);
            let said = said(app, entry, host.session(), &ran.outcome, End::Whole)?;
            if let Err(fault) = remembered {
                // The answer was given and paid for: what a memory elsewhere could not keep stays here.
                app.store.append(said)?;
                entry.files.are_wanted();
                return Err(reason(fault, cancel));
            }
            Ok((ran.outcome, said))
        }
        Err(fault) => {
            let fault = reason(fault, cancel);
            // What post-processing was to change is not kept unchanged.
            let is_partial = entry.streams && !kept.said.is_empty();
            if matches!(fault, Error::Cancelled | Error::Unavailable(_)) && is_partial {
                let partial = Outcome {
                    text: std::mem::take(&mut kept.said),
                    usage: host.usage(),
                    ..Outcome::default()
                };
                app.store.append(said(app, entry, host.session(), &partial, End::CutShort)?)?;
                entry.files.are_wanted();
            }
            Err(fault)
        }
    }
}

/// What ended a run says more than what it failed with on the way.
pub(in crate::ops) fn reason(fault: Error, cancel: &Cancel) -> Error {
    match cancel.reason() {
        Some(Reason::CallerLeft | Reason::Aborted) => Error::Cancelled,
        Some(Reason::Shutdown) => Error::Unavailable(Unavailable::Restarting),
        Some(Reason::OutOfTime) => {
            Error::Failed("The flow took longer than a run may take and was stopped.".to_owned())
        }
        None => fault,
    }
}

/// Passes tokens on and keeps what was said, for the case that the rest never comes.
struct Keeping<'a> {
    sink: &'a mut dyn Sink,
    said: String,
    streams: bool,
}

impl Keeping<'_> {
    fn whole(&mut self, text: &str) -> Result<()> {
        self.sink.token(text).map_err(|_| Error::Cancelled)
    }
}

impl Sink for Keeping<'_> {
    fn token(&mut self, text: &str) -> Result<(), Gone> {
        self.said.push_str(text);
        if self.streams { self.sink.token(text) } else { Ok(()) }
    }

    fn thinking(&mut self, text: &str) -> Result<(), Gone> {
        if self.streams { self.sink.thinking(text) } else { Ok(()) }
    }

    fn follow(&mut self, streaming: Streaming) -> Followed {
        let followed = if self.streams { self.sink.follow(streaming) } else { Quiet.follow(streaming) };
        self.said.push_str(&followed.said);
        followed
    }
}
