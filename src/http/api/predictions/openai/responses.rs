//! `POST /openai/v1/responses`.

use super::question::{AskedModel, read_question};
use super::run::{self, AnswerFormat, RequestEcho, spoken, text_of};
use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::predictions::answer::PredictionAnswer;
use crate::http::reply::Reply;
use crate::http::reply::error_shape::openai_error;
use crate::http::reply::stream_format::{StreamFormat, append_event};
use crate::http::request::Request;
use crate::http::routing::handler::Json;
use crate::ops::predictions::{Delta, PredictionRun};
use crate::wire::predictions::openai::content::{Author, MessageContent};
use crate::wire::predictions::openai::errors::ErrorEvent;
use crate::wire::predictions::openai::responses::{
    InputItem, ResponseEvent, ResponseHead, ResponseInput, ResponseRequest, ResponseView,
};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// A question, with what was said before.
///
/// # Errors
/// 400 for what no flow does, then as asking the flow.
pub(crate) fn respond(
    app: &App,
    caller: Caller,
    request: &Request,
    Json(mut body): Json<ResponseRequest>,
) -> Result<Reply> {
    if let Some((parameter, message)) = body.find_unsupported() {
        return Err(Error::Unsupported { parameter, message });
    }
    let sampling = body.take_sampling();
    let messages = match body.input {
        Some(ResponseInput::Text(text)) => vec![(Author::User, Some(MessageContent::Text(text)))],
        Some(ResponseInput::Items(items)) => items.into_iter().filter_map(InputItem::into_message).collect(),
        None => Vec::new(),
    };
    let instructions = body.instructions;
    let question = read_question(request, (instructions.clone(), messages), sampling, body.stream)?;
    let asked = AskedModel { model: body.model, question };
    run::answer::<ResponseEvents>(app, &caller, request, asked, (instructions, false))
}

/// An answer, whole or as the events of a stream.
struct ResponseEvents {
    head: ResponseHead,
    /// The number of the next event.
    next: AtomicU64,
    /// A piece of the text went out.
    spoke: AtomicBool,
}

impl ResponseEvents {
    /// Numbers for the next events: the first of them.
    fn take(&self, count: u64) -> u64 {
        self.next.fetch_add(count, Ordering::Relaxed)
    }
}

fn append(buffer: &mut Vec<u8>, event: &ResponseEvent<'_>) {
    append_event(buffer, Some(event.name), event);
}

impl StreamFormat for ResponseEvents {
    fn delta(&self, buffer: &mut Vec<u8>, delta: Delta<'_>) {
        if let Some(text) = spoken(delta) {
            self.spoke.store(true, Ordering::Relaxed);
            append(buffer, &ResponseEvent::delta(&self.head, self.take(1), text));
        }
    }

    fn failure(&self, buffer: &mut Vec<u8>, error: &Error) {
        let fault = openai_error(error);
        append(buffer, &ResponseEvent::failed(&self.head, self.take(1), &fault));
        append_event(buffer, Some("error"), &ErrorEvent::new(&fault, self.take(1)));
    }
}

impl AnswerFormat for ResponseEvents {
    type View = ResponseView;

    fn new(entry: &PredictionRun, RequestEcho { model, instructions, .. }: RequestEcho) -> Self {
        let head = ResponseHead {
            key: entry.ids.answer.to_string(),
            created: entry.started.as_second(),
            model,
            instructions,
        };
        Self { head, next: AtomicU64::new(0), spoke: AtomicBool::new(false) }
    }

    fn view(&self, answer: &PredictionAnswer) -> ResponseView {
        ResponseView::answered(&self.head, &text_of(&answer.output), answer.output.usage)
    }

    fn begin(&self, buffer: &mut Vec<u8>) {
        for event in ResponseEvent::opening(&self.head, self.take(4)) {
            append(buffer, &event);
        }
    }

    fn end(&self, buffer: &mut Vec<u8>, answer: &PredictionAnswer) {
        let text = text_of(&answer.output);
        if !self.spoke.load(Ordering::Relaxed) {
            self.delta(buffer, Delta::Text(&text));
        }
        for event in ResponseEvent::closing(&self.head, self.take(4), &text, answer.output.usage) {
            append(buffer, &event);
        }
    }
}
