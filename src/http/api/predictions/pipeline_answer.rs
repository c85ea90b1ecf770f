//! What whoever asks a pipeline is answered: what its run came to, in words (manual 10.13).

use super::prediction::{send_end, with_version, without_hosts_for_stranger};
use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::Result;
use crate::domain::flows::flow::Flow;
use crate::domain::ids::FlowId;
use crate::domain::predictions::answer::PredictionAnswer;
use crate::domain::predictions::prediction::{ChatType, Question};
use crate::http::reply::Reply;
use crate::http::reply::host_redaction::redact_hosts;
use crate::http::reply::sse::EventSink;
use crate::http::request::Request;
use crate::ops::pipelines::{self, AskedPipeline};
use crate::ops::predictions::StreamClosed;
use crate::wire::predictions::answer::AnswerView;
use std::sync::Arc;

/// Asks a pipeline from outside.
///
/// # Errors
/// 401, 404, 400, 409, 503: every refusal before the first byte.
pub(super) fn ask(app: &App, flow: Arc<Flow>, question: Question, request: &Request) -> Result<Reply> {
    let streaming = question.streaming;
    let asked = pipelines::ask(app, &flow, question)
        .map_err(|fault| without_hosts_for_stranger(app, &flow.id, fault))?;
    reply(app, asked, ChatType::External, streaming, request)
}

/// Asks a pipeline in the test chat of its canvas.
///
/// # Errors
/// 403, 404, 400, 409, 503.
pub(super) fn ask_as(
    app: &App,
    caller: &Caller,
    id: &FlowId,
    question: Question,
    request: &Request,
) -> Result<Reply> {
    let streaming = question.streaming;
    let asked = pipelines::ask_by_caller(app, caller, id, question)?;
    reply(app, asked, ChatType::Internal, streaming, request)
}

fn reply(
    app: &App,
    asked: AskedPipeline,
    reader: ChatType,
    streaming: bool,
    request: &Request,
) -> Result<Reply> {
    let version = asked.version;
    if !streaming {
        let answer = visible(asked.answer(app, request.cancel())?, reader);
        return Ok(with_version(Reply::json(&AnswerView::from(answer))?, version));
    }
    let (app, cancel) = (app.clone(), request.cancel().clone());
    let told = Reply::stream(move |events| {
        // Nobody is left to tell when the reader is gone, and the run goes on.
        let _ = tell(&app, asked, reader, &events, &cancel);
    });
    Ok(with_version(told, version))
}

fn tell(
    app: &App,
    asked: AskedPipeline,
    reader: ChatType,
    events: &EventSink,
    cancel: &CancelToken,
) -> Result<(), StreamClosed> {
    events.send("start", "")?;
    match asked.answer(app, cancel) {
        Ok(answer) => {
            let answer = visible(answer, reader);
            events.token(&answer.output.text)?;
            send_end(events, answer, reader)
        }
        Err(fault) => events.send_error(&fault),
    }
}

/// Whoever asks from outside reads of no server that the pipeline calls.
pub(in crate::http::api) fn visible(mut answer: PredictionAnswer, reader: ChatType) -> PredictionAnswer {
    if !matches!(reader, ChatType::Internal) {
        answer.output.text = redact_hosts(&answer.output.text);
    }
    answer
}
