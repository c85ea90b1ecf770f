//! Asking a flow (manual 2.1, 2.2, 2.3, 2.4, 2.8, 3.1).

use crate::app::App;
use crate::base::cancel::{CancelReason, CancelToken};
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::flows::draft::CanvasSide;
use crate::domain::flows::flow::Flow;
use crate::domain::flows::rate_limit::WindowState;
use crate::domain::ids::{ChatId, FlowId};
use crate::domain::predictions::answer::PredictionAnswer;
use crate::domain::predictions::prediction::{
    ChatType, ConversationProof, HistoryMessage, MessageRole, Question, Upload,
};
use crate::http::api::conversations::conversation_access::{can_see, flow_for_origin, request_proofs};
use crate::http::reply::Reply;
use crate::http::reply::error::log_failed_run;
use crate::http::reply::host_redaction::redact_hosts;
use crate::http::reply::sse::EventSink;
use crate::http::request::Request;
use crate::http::request::form::FormData;
use crate::http::request::json;
use crate::http::request::session_cookie;
use crate::http::routing::guard::{Guard, RequiredAccess};
use crate::http::routing::handler::Json;
use crate::http::routing::origin;
use crate::ops::flows::access::{self, FlowAction};
use crate::ops::predictions::{
    self, NullSink, PredictionProgress, PredictionRequest, PredictionRun, ReplyStream, StreamClosed,
    StreamEnd, TokenSink,
};
use crate::wire::form::read_fields;
use crate::wire::predictions::abort::AbortView;
use crate::wire::predictions::answer::{AnswerEvents, AnswerView};
use crate::wire::predictions::question::{PastMessage, QuestionBody, QuestionForm};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::sync::Arc;

/// A question that the flow admits: what [`ASK`] proves.
pub struct AskGrant {
    flow: Arc<Flow>,
    question: Question,
    window: Option<WindowState>,
}

/// The gate of a flow, in this order (manual 2.2): body, flow, rate limit, origin, key.
pub const ASK: Guard<AskGrant> = Guard { name: "ASK", access: RequiredAccess::Ask, authorize };

const SESSION_TOKEN: &str = "x-service-session-token";
/// Whoever stops a first answer while it is under way has not read of its conversation in an event yet.
const CHAT_ID: &str = "x-service-chat-id";
const SESSION_COOKIE: &str = "service_session";

fn authorize(app: &App, request: &Request) -> Result<AskGrant> {
    let (body, files) = match request.take_form() {
        Some(form) => body_from_form(form)?,
        None => (request.json()?, Vec::new()),
    };
    let question = parse_question(request, body, files)?;
    let (flow, window) = admit_to_flow(app, request, request.param("id"))?;
    Ok(AskGrant { flow, question, window })
}

/// The flow of this id, for a caller that it admits: rate limit, origin, key.
pub(in crate::http::api) fn admit_to_flow(
    app: &App,
    request: &Request,
    id: &str,
) -> Result<(Arc<Flow>, Option<WindowState>)> {
    let flow = predictions::flow(app, &FlowId::parse(id).ok_or_else(|| Error::no_flow_text(id))?)?;
    let window = predictions::admit_rate(app, &flow, request.address())?;
    admit_origin(app, request, &flow)?;
    predictions::admit_key(app, &flow, request.bearer())?;
    Ok((flow, window))
}

/// Refuses pages that the flow does not list (manual 2.4).
pub(in crate::http::api) fn admit_origin(app: &App, request: &Request, flow: &Flow) -> Result<()> {
    let (chat, own) = (&flow.settings.chatbot_config, request.own_origins());
    match request.origin() {
        Some(page) if !origin::is_admitted(&chat.allowed_origins, &app.settings.cors_origins, &own, page) => {
            Err(Error::OriginRefused(chat.origin_message.clone()))
        }
        _ => Ok(()),
    }
}

pub(in crate::http::api) fn flow_id(request: &Request) -> Result<FlowId> {
    let text = request.param("id");
    FlowId::parse(text).ok_or_else(|| Error::no_flow_text(text))
}

/// `POST /prediction/:id`.
///
/// # Errors
/// Every refusal, before the first byte (manual 2.2 r2).
pub fn ask(app: &App, admitted: AskGrant, request: &Request) -> Result<Reply> {
    let AskGrant { flow, question, window } = admitted;
    let ask = PredictionRequest { flow, question, chat_type: ChatType::External, side: CanvasSide::Live };
    let id = ask.flow.id;
    let public_error = |fault| without_hosts_for_stranger(app, &id, fault);
    let entry = predictions::prepare(app, ask, request.cancel()).map_err(public_error)?;
    let (flow, chat) = (entry.flow.id, entry.ids.chat);
    let reply =
        with_session(app, request, reply_to_run(app, entry, request).map_err(public_error)?, &flow, &chat);
    Ok(match window {
        Some(window) => reply.with_rate(&window, app.clock.now()),
        None => reply,
    })
}

/// `POST /internal-prediction/:id`: the canvas test chat (manual 2.11).
///
/// # Errors
/// 404 or 403 as every route of a flow, then as [`ask`] without key, origin and rate limit.
pub fn ask_internal(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let id = flow_id(request)?;
    let flow = Arc::new(app.store.read(|tx| access::flow(tx, &caller, &id, FlowAction::Read))?);
    let mut body: QuestionBody = request.json()?;
    let source = body.source.take();
    let question = parse_question(request, body, Vec::new())?;
    let side = requested_side(source)?;
    let ask = PredictionRequest { flow, question, chat_type: ChatType::Internal, side };
    let visible_error = |fault| not_found_if_deleted(app, &id, fault);
    let entry = predictions::prepare(app, ask, request.cancel()).map_err(visible_error)?;
    let chat = entry.ids.chat.to_string();
    Ok(reply_to_run(app, entry, request).map_err(visible_error)?.with_header(CHAT_ID, &chat))
}

/// What somebody from outside reads of a failure: no server that the flow calls.
pub(in crate::http::api) fn without_hosts_for_stranger(app: &App, flow: &FlowId, fault: Error) -> Error {
    match not_found_if_deleted(app, flow, fault) {
        Error::RunFailed(text) => Error::RunFailed(redact_hosts(&text)),
        other => other,
    }
}

/// A flow that was deleted meanwhile takes its files along: whatever fails by that, the flow is not there.
pub(in crate::http::api) fn not_found_if_deleted(app: &App, flow: &FlowId, fault: Error) -> Error {
    match fault {
        Error::Internal(_) if matches!(predictions::flow(app, flow), Err(Error::NotFound(_))) => {
            Error::no_flow(flow)
        }
        other => other,
    }
}

fn requested_side(sent: Option<Value>) -> Result<CanvasSide> {
    match sent {
        None | Some(Value::Null) => canvas_side(None),
        Some(Value::String(side)) => canvas_side(Some(&side)),
        Some(_) => Err(Error::invalid("'source' must be text.")),
    }
}

/// `"source": "live"` means Live although there is a draft (manual 2.11).
pub(in crate::http::api) fn canvas_side(source: Option<&str>) -> Result<CanvasSide> {
    match source {
        None | Some("draft") => Ok(CanvasSide::Draft),
        Some("live") => Ok(CanvasSide::Live),
        Some(_) => Err(Error::invalid("'source' must be 'live' or 'draft'.")),
    }
}

/// `PUT /chatmessage/abort/:flow/:chat`: always 200, so that nobody learns what runs (manual 2.9 r2).
///
/// # Errors
/// 404 for an unknown flow, 403 for a page that the flow does not admit.
pub fn abort(app: &App, (): (), request: &Request) -> Result<Json<AbortView>> {
    let flow = flow_for_origin(app, request, request.param("flow"))?;
    let proofs = request_proofs(request, None);
    let sees_all = can_see(app, request, &flow)?;
    predictions::abort(app, &flow, ChatId::parse(request.param("chat")), &proofs, sees_all)?;
    Ok(Json(AbortView::DONE))
}

/// The proof of a conversation, for pages that read headers and for browsers.
pub(in crate::http::api) fn with_session(
    app: &App,
    request: &Request,
    reply: Reply,
    flow: &FlowId,
    chat: &ChatId,
) -> Reply {
    let secure = if session_cookie::is_secure(app, request) { "; Secure" } else { "" };
    let prefix = session_cookie::path_prefix(app, request);
    let value = app.secrets.tokens.cookie(flow, chat);
    reply
        .with_header(SESSION_TOKEN, &app.secrets.tokens.mint(flow, chat))
        .with_header(CHAT_ID, &chat.to_string())
        .with_header(
            "set-cookie",
            &format!("{SESSION_COOKIE}={value}; Path={prefix}/api/v1; HttpOnly; SameSite=Lax{secure}"),
        )
}

fn reply_to_run(app: &App, entry: PredictionRun, request: &Request) -> Result<Reply> {
    if !entry.question.streaming {
        let (answer, unstored) = predictions::run_unstored(app, &entry, request.cancel(), &mut NullSink)
            .inspect_err(|fault| log_failed_run(Some(&entry.flow.id), fault))?;
        let (reply, app) = (Reply::json(&AnswerView::from(answer))?, app.clone());
        return Ok(reply.after_commit(move |stored| unstored.store(&app, entry, stored)));
    }
    let (app, cancel) = (app.clone(), request.cancel().clone());
    let asked = StreamedQuestion { app, entry, cancel };
    Ok(Reply::stream(move |events| asked.run(events)))
}

/// A question whose answer is streamed.
struct StreamedQuestion {
    app: App,
    entry: PredictionRun,
    cancel: CancelToken,
}

impl StreamedQuestion {
    fn run(self, events: EventSink) {
        let begun = send_start(&events).and_then(|()| {
            predictions::begin(&self.app, &self.entry, &self.cancel, &mut TokenEvents(&events))
        });
        match begun {
            Ok(PredictionProgress::Stream(stream, open)) => events.hand_over(stream, move |events, end| {
                let finished = open.finish(&self.app, &self.entry, &self.cancel, end);
                self.conclude(&events, finished);
            }),
            Ok(PredictionProgress::Done(answer)) => self.conclude(&events, Ok(answer)),
            Err(fault) => self.conclude(&events, Err(fault)),
        }
    }

    /// Sends the last events.
    fn conclude(&self, events: &EventSink, finished: Result<PredictionAnswer>) {
        let Self { app, entry, cancel } = self;
        // Nobody is left to tell when the reader is gone.
        let _ = match finished {
            Ok(answer) => send_end(events, answer),
            Err(_) if cancel.reason() == Some(CancelReason::Aborted) => send_abort(events, entry),
            Err(fault) => {
                log_failed_run(Some(&entry.flow.id), &fault);
                let visible_error = match entry.chat_type {
                    ChatType::External => without_hosts_for_stranger(app, &entry.flow.id, fault),
                    ChatType::Internal => not_found_if_deleted(app, &entry.flow.id, fault),
                };
                events.send_error(&visible_error)
            }
        };
    }
}

fn send_start(events: &EventSink) -> Result<()> {
    events.send("start", "").map_err(|_| Error::Cancelled)
}

fn send_end(events: &EventSink, answer: PredictionAnswer) -> Result<(), StreamClosed> {
    let AnswerEvents { lists, metadata } = answer.into();
    if !lists.source_documents.is_empty() {
        events.send("sourceDocuments", &lists.source_documents)?;
    }
    if !lists.used_tools.is_empty() {
        events.send("usedTools", &lists.used_tools)?;
    }
    events.send("metadata", &metadata)?;
    events.close()
}

/// Ends the stream of an answer that somebody wanted no more of (manual 2.7).
fn send_abort(events: &EventSink, entry: &PredictionRun) -> Result<(), StreamClosed> {
    events.send("metadata", &AnswerEvents::from(entry.stopped_answer()).metadata)?;
    events.send("abort", "[DONE]")?;
    events.close()
}

/// Tokens of the answer become events.
struct TokenEvents<'a>(&'a EventSink);

impl TokenSink for TokenEvents<'_> {
    fn token(&mut self, text: &str) -> Result<(), StreamClosed> {
        if text.is_empty() { Ok(()) } else { self.0.token(text) }
    }

    fn thinking(&mut self, text: &str) -> Result<(), StreamClosed> {
        self.0.send("thinking", text)
    }

    fn follow(&mut self, streaming: ReplyStream) -> StreamEnd {
        self.0.follow(streaming)
    }
}

fn parse_question(request: &Request, body: QuestionBody, files: Vec<Upload>) -> Result<Question> {
    let streaming = parse_streaming(body.streaming.as_ref())?;
    request.set_streaming(streaming);
    let mut overrides = body.override_config.unwrap_or_default();
    let proofs = conversation_proofs(request, body.session_token, &mut overrides);
    let listed = body.uploads.unwrap_or_default().into_iter().map(|entry| Upload::Entry(entry.into()));
    let uploads: Vec<Upload> = listed.chain(files).collect();
    // What is sent along can be the question (manual 2.1 r1).
    let has_form = match &body.form {
        None | Some(Value::Null) => false,
        Some(Value::Object(_)) => true,
        Some(_) => return Err(Error::invalid("'form' must be an object: the fields of the form by name.")),
    };
    let text = match body.question {
        None if uploads.is_empty() && !has_form => {
            return Err(Error::invalid("'question' is required: send the text to ask."));
        }
        Some(text) if text.trim().is_empty() && uploads.is_empty() && !has_form => {
            return Err(Error::invalid("'question' is empty: send the text to ask."));
        }
        text => text.unwrap_or_default(),
    };
    Ok(Question {
        text,
        has_form,
        streaming,
        chat_id: body.chat_id.filter(|id| !id.is_empty()),
        proofs,
        overrides,
        conversation_name: body.session_id.filter(|sent| !sent.is_null()),
        history: body
            .history
            .unwrap_or_default()
            .into_iter()
            .map(parse_history_message)
            .collect::<Result<_>>()?,
        uploads,
        lead_email: body.lead_email,
    })
}

/// A form as a body (manual 2.1): what is no field of a question is an override, and is judged as any other.
fn body_from_form(form: FormData) -> Result<(QuestionBody, Vec<Upload>)> {
    let fields: QuestionForm = read_fields(form.fields)?;
    let mut overrides = match fields.override_config {
        Some(text) => json::parse_object(text.as_bytes())?,
        None => Map::new(),
    };
    for (name, value) in fields.overrides {
        if overrides.contains_key(&name) {
            return Err(Error::invalid("A field of the form is in 'overrideConfig' too: send it once."));
        }
        overrides.insert(name, value);
    }
    let body = QuestionBody {
        question: fields.question,
        streaming: fields.streaming.map(Value::from),
        chat_id: fields.chat_id,
        session_token: fields.session_token,
        override_config: Some(overrides),
        history: parse_list_field("history", fields.history)?,
        uploads: parse_list_field("uploads", fields.uploads)?,
        lead_email: fields.lead_email,
        ..QuestionBody::default()
    };
    Ok((body, form.files.into_iter().map(Upload::File).collect()))
}

/// A list that a form sends as JSON text.
fn parse_list_field<T: DeserializeOwned>(name: &str, text: Option<String>) -> Result<Option<Vec<T>>> {
    let Some(text) = text.filter(|text| !text.trim().is_empty()) else { return Ok(None) };
    json::parse(text.as_bytes()).map_err(|why| {
        Error::Invalid(format!("'{name}' must be a list as a JSON body has it, written as text. {why}"))
    })
}

fn parse_streaming(sent: Option<&Value>) -> Result<bool> {
    match sent {
        None | Some(Value::Null | Value::Bool(false)) => Ok(false),
        Some(Value::Bool(true)) => Ok(true),
        Some(Value::String(text)) if text == "true" => Ok(true),
        Some(Value::String(text)) if text == "false" => Ok(false),
        Some(_) => Err(Error::invalid("'streaming' must be true or false.")),
    }
}

/// Proofs in their order (manual 3.1 r3). What a client without another place hides in `overrideConfig` is taken
/// out before anything else sees it.
pub(in crate::http::api) fn conversation_proofs(
    request: &Request,
    body: Option<String>,
    overrides: &mut Map<String, Value>,
) -> Vec<ConversationProof> {
    let hidden = overrides.remove("sessionToken").and_then(|value| value.as_str().map(str::to_owned));
    let header = request.header(SESSION_TOKEN).map(str::to_owned);
    let cookie = request.cookie(SESSION_COOKIE).map(|value| ConversationProof::Cookie(value.to_owned()));
    [
        body.map(ConversationProof::Token),
        header.map(ConversationProof::Token),
        cookie,
        hidden.map(ConversationProof::Token),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn parse_history_message(sent: PastMessage) -> Result<HistoryMessage> {
    let wrong = || {
        Error::invalid("'history' must be a list of {role: 'userMessage' or 'apiMessage', content: text}.")
    };
    let speaker = match sent.role.or(sent.r#type).as_deref() {
        Some("userMessage") => MessageRole::User,
        Some("apiMessage") => MessageRole::Api,
        _ => return Err(wrong()),
    };
    Ok(HistoryMessage { role: speaker, text: sent.content.or(sent.message).ok_or_else(wrong)? })
}
