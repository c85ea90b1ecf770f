//! `POST /openai/v1/chat/completions`.

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
use crate::wire::predictions::openai::chat::{ChatRequest, CompletionChunk, CompletionHead, CompletionView};
use crate::wire::predictions::openai::errors::OpenAiErrorView;
use std::sync::atomic::{AtomicBool, Ordering};

/// A question, with what was said before.
///
/// # Errors
/// 400 for what no flow does, then as asking the flow.
pub(crate) fn complete(
    app: &App,
    caller: Caller,
    request: &Request,
    Json(mut body): Json<ChatRequest>,
) -> Result<Reply> {
    if let Some((parameter, message)) = body.find_unsupported() {
        return Err(Error::Unsupported { parameter, message });
    }
    let sampling = body.take_sampling();
    let include_usage = body.stream_options.is_some_and(|options| options.include_usage == Some(true));
    let messages = body.messages.into_iter().map(|message| (message.role, message.content)).collect();
    let question = read_question(request, (None, messages), sampling, body.stream)?;
    let asked = AskedModel { model: body.model, question };
    run::answer::<ChatChunks>(app, &caller, request, asked, (None, include_usage))
}

/// An answer, whole or in pieces of a stream.
struct ChatChunks {
    head: CompletionHead,
    include_usage: bool,
    /// A piece of the text went out.
    spoke: AtomicBool,
}

impl StreamFormat for ChatChunks {
    fn delta(&self, buffer: &mut Vec<u8>, delta: Delta<'_>) {
        if let Some(text) = spoken(delta) {
            self.spoke.store(true, Ordering::Relaxed);
            append_event(buffer, None, &CompletionChunk::text(&self.head, text));
        }
    }

    fn failure(&self, buffer: &mut Vec<u8>, error: &Error) {
        append_event(buffer, None, &OpenAiErrorView { error: openai_error(error) });
    }
}

impl AnswerFormat for ChatChunks {
    type View = CompletionView;

    fn new(entry: &PredictionRun, RequestEcho { model, include_usage, .. }: RequestEcho) -> Self {
        let head = CompletionHead {
            id: format!("chatcmpl-{}", entry.ids.answer),
            created: entry.started.as_second(),
            model,
            fingerprint: entry.version.and_then(|version| version.short()),
        };
        Self { head, include_usage, spoke: AtomicBool::new(false) }
    }

    fn view(&self, answer: &PredictionAnswer) -> CompletionView {
        CompletionView::new(self.head.clone(), text_of(&answer.output), answer.output.usage)
    }

    fn begin(&self, buffer: &mut Vec<u8>) {
        append_event(buffer, None, &CompletionChunk::first(&self.head));
    }

    fn end(&self, buffer: &mut Vec<u8>, answer: &PredictionAnswer) {
        if !self.spoke.load(Ordering::Relaxed) {
            self.delta(buffer, Delta::Text(&text_of(&answer.output)));
        }
        append_event(buffer, None, &CompletionChunk::last(&self.head));
        if let (true, Some(usage)) = (self.include_usage, answer.output.usage) {
            append_event(buffer, None, &CompletionChunk::usage(&self.head, usage));
        }
        buffer.extend_from_slice(b"data: [DONE]\n\n");
    }
}
