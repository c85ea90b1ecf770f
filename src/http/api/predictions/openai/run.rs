//! A question of OpenAI's protocol runs: its answer, whole or in pieces.

use super::question::AskedModel;
use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::flows::draft::CanvasSide;
use crate::domain::predictions::answer::PredictionAnswer;
use crate::domain::predictions::consumption::Asker;
use crate::domain::predictions::prediction::{ChatType, RunOutput};
use crate::http::api::predictions::prediction::{
    admit_origin, failed_run, with_version, without_hosts_for_stranger,
};
use crate::http::reply::Reply;
use crate::http::reply::error::log_failed_run;
use crate::http::reply::sse::EventSink;
use crate::http::reply::stream_format::StreamFormat;
use crate::http::request::Request;
use crate::ops::predictions::{
    self, Delta, NullSink, PredictionProgress, PredictionRequest, PredictionRun, ReplyStream, RunReaders,
    RunSink, StreamClosed, StreamEnd, TokenSink,
};
use serde::Serialize;
use std::sync::Arc;

/// The id of what a run waits for, where a person is to decide.
const ACTION: &str = "x-flowkeep-action";

/// An answer in the frames of one of the two protocols.
pub(super) trait AnswerFormat: StreamFormat + 'static {
    type View: Serialize;

    fn new(entry: &PredictionRun, asked: RequestEcho) -> Self;

    /// The whole of it.
    fn view(&self, answer: &PredictionAnswer) -> Self::View;

    /// What comes before the first piece.
    fn begin(&self, buffer: &mut Vec<u8>);

    /// What comes after the last one.
    fn end(&self, buffer: &mut Vec<u8>, answer: &PredictionAnswer);
}

/// What of a request its answer repeats.
pub(super) struct RequestEcho {
    pub(super) model: String,
    pub(super) instructions: Option<String>,
    pub(super) include_usage: bool,
}

/// Asks the flow that the request names.
///
/// # Errors
/// 404 for a model that this key may not ask, then as a question.
pub(super) fn answer<F: AnswerFormat>(
    app: &App,
    caller: &Caller,
    request: &Request,
    AskedModel { model, mut question }: AskedModel,
    (instructions, include_usage): (Option<String>, bool),
) -> Result<Reply> {
    let flow = predictions::find_model(app, caller, &model)?;
    let window = predictions::admit_rate(app, &flow, request.address())?;
    admit_origin(app, request, &flow)?;
    let id = flow.id;
    predictions::address_picked_models(app, &flow, &mut question.overrides);
    let public_error = |fault| without_hosts_for_stranger(app, &id, fault);
    let asker = Asker { key: caller.key(), is_test: false };
    let ask =
        PredictionRequest { flow, question, chat_type: ChatType::External, side: CanvasSide::Live, asker };
    let entry = predictions::prepare(app, ask, request.cancel()).map_err(public_error)?;
    let version = entry.version;
    let format = F::new(&entry, RequestEcho { model, instructions, include_usage });
    request.mark_run_began();
    let reply = if entry.question.streaming {
        Ok(stream_answer(app, entry, request, Arc::new(format)))
    } else {
        whole_answer(app, entry, request, &format)
    };
    let reply = match reply {
        Ok(reply) => with_version(reply, version),
        Err(fault) => failed_run(app, request, version, public_error(fault))?,
    };
    Ok(match window {
        Some(window) => reply.with_rate(&window, app.clock.now()),
        None => reply,
    })
}

fn whole_answer(
    app: &App,
    entry: PredictionRun,
    request: &Request,
    format: &impl AnswerFormat,
) -> Result<Reply> {
    let (answer, unstored) = predictions::run_unstored(app, &entry, request.cancel(), &mut NullSink)
        .inspect_err(|fault| log_failed_run(Some(&entry.flow.id), fault))?;
    let reply = Reply::json(&format.view(&answer))?;
    let output = &answer.output;
    let of_run = output.execution.as_ref().and_then(|run| run.action.as_ref());
    let action = of_run.or_else(|| output.turns.as_ref()?.action.as_ref());
    let waits_for = action.and_then(|action| action.get("id")).and_then(|id| id.as_str());
    let reply = match waits_for {
        Some(id) => reply.with_header(ACTION, id),
        None => reply,
    };
    let app = app.clone();
    Ok(reply.after_commit(move |stored| unstored.store(&app, entry, stored)))
}

fn stream_answer<F: AnswerFormat>(
    app: &App,
    entry: PredictionRun,
    request: &Request,
    format: Arc<F>,
) -> Reply {
    let asked =
        StreamedAnswer { app: app.clone(), entry, cancel: request.cancel().clone(), format: format.clone() };
    Reply::stream_as(format, move |events| asked.run(events))
}

struct StreamedAnswer<F> {
    app: App,
    entry: PredictionRun,
    cancel: CancelToken,
    format: Arc<F>,
}

impl<F: AnswerFormat> StreamedAnswer<F> {
    fn run(self, events: EventSink) {
        let begun = events.write(|buffer| self.format.begin(buffer)).map_err(|_| Error::Cancelled);
        let begun = begun.and_then(|()| {
            let readers = RunReaders { sink: &mut AnswerPieces(&events), cards: None };
            predictions::begin(&self.app, &self.entry, &self.cancel, readers)
        });
        match begun {
            Ok(PredictionProgress::Stream(stream, open)) => events.hand_over(stream, move |events, end| {
                let finished = open.finish(&self.app, &self.entry, &self.cancel, end, None);
                self.conclude(&events, finished);
            }),
            Ok(PredictionProgress::Done(answer)) => self.conclude(&events, Ok(answer)),
            Err(fault) => self.conclude(&events, Err(fault)),
        }
    }

    fn conclude(&self, events: &EventSink, finished: Result<PredictionAnswer>) {
        let flow = &self.entry.flow.id;
        // Nobody is left to tell when the reader is gone.
        let _ = match finished {
            Ok(answer) => events.write(|buffer| self.format.end(buffer, &answer)),
            Err(fault) => {
                log_failed_run(Some(flow), &fault);
                events.send_error(&without_hosts_for_stranger(&self.app, flow, fault))
            }
        };
    }
}

/// Pieces of the answer; what else happens in a run has no name in these protocols.
struct AnswerPieces<'a>(&'a EventSink);

impl TokenSink for AnswerPieces<'_> {
    fn token(&mut self, text: &str) -> Result<(), StreamClosed> {
        if text.is_empty() { Ok(()) } else { self.0.token(text) }
    }

    fn follow(&mut self, streaming: ReplyStream) -> StreamEnd {
        self.0.follow(streaming)
    }
}

impl RunSink for AnswerPieces<'_> {}

/// The words of a fragment that belong to the answer.
pub(super) fn spoken(delta: Delta<'_>) -> Option<&str> {
    match delta {
        Delta::Text(text) if !text.is_empty() => Some(text),
        Delta::Text(_) | Delta::Thinking(_) => None,
    }
}

/// The text of an answer: where a flow answers with a value, its JSON.
pub(super) fn text_of(output: &RunOutput) -> String {
    match &output.json {
        Some(value) if output.text.trim().is_empty() => value.to_string(),
        _ => output.text.clone(),
    }
}
