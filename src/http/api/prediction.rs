//! Asking a flow (manual 2.1, 2.2, 2.3, 2.4, 2.8, 3.1).

use super::owning::{flow_for_page, may_see, sent_proofs};
use crate::app::App;
use crate::domain::caller::Caller;
use crate::domain::cancel::{Cancel, Reason};
use crate::domain::error::{Error, Result};
use crate::domain::flow::Flow;
use crate::domain::hosts::without_hosts;
use crate::domain::ids::{ChatId, FlowId};
use crate::domain::prediction::{ChatType, PastMessage, Proof, Question, SentEntry, SentUpload, Speaker};
use crate::domain::rate::WindowState;
use crate::http::error::note_run;
use crate::http::form::Form;
use crate::http::guard::{Guard, Who};
use crate::http::json;
use crate::http::origin;
use crate::http::reply::Reply;
use crate::http::request::Request;
use crate::http::session_cookie;
use crate::http::sse::EventSink;
use crate::ops::access::{self, Action};
use crate::ops::predict::{self, Answer, Ask, Entry, Followed, Gone, Quiet, Side, Sink, Streaming};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// A question that the flow admits: what [`ASK`] proves.
pub struct Admitted {
    flow: Arc<Flow>,
    question: Question,
    window: Option<WindowState>,
}

/// The gate of a flow, in this order (manual 2.2): body, flow, rate limit, origin, key.
pub const ASK: Guard<Admitted> = Guard { name: "ASK", who: Who::Ask, admit };

const SESSION_TOKEN: &str = "x-service-session-token";
/// Whoever stops a first answer while it is under way has not read of its conversation in an event yet.
const CHAT_ID: &str = "x-service-chat-id";
const SESSION_COOKIE: &str = "service_session";

fn admit(app: &App, request: &Request) -> Result<Admitted> {
    let question = question(request)?;
    let (flow, window) = admit_to(app, request, request.param("id"))?;
    Ok(Admitted { flow, question, window })
}

/// The flow of this id, for a caller that it admits: rate limit, origin, key.
pub(super) fn admit_to(app: &App, request: &Request, id: &str) -> Result<(Arc<Flow>, Option<WindowState>)> {
    let flow = predict::flow(app, &FlowId::parse(id).ok_or_else(|| Error::no_flow_text(id))?)?;
    let window = predict::admit_rate(app, &flow, request.address())?;
    admit_origin(app, request, &flow)?;
    predict::admit_key(app, &flow, request.bearer())?;
    Ok((flow, window))
}

/// Refuses pages that the flow does not list (manual 2.4).
pub(super) fn admit_origin(app: &App, request: &Request, flow: &Flow) -> Result<()> {
    let (listed, own) = (flow.settings.allowed_origins(), request.own_origins());
    match request.origin() {
        Some(page) if !origin::admits(&listed, &app.settings.cors_origins, &own, page) => {
            Err(Error::OriginRefused(flow.settings.origin_message().to_owned()))
        }
        _ => Ok(()),
    }
}

pub(super) fn flow_id(request: &Request) -> Result<FlowId> {
    let text = request.param("id");
    FlowId::parse(text).ok_or_else(|| Error::no_flow_text(text))
}

/// `POST /prediction/:id`.
///
/// # Errors
/// Every refusal, before the first byte (manual 2.2 r2).
pub fn ask(app: &App, admitted: Admitted, request: &Request) -> Result<Reply> {
    let Admitted { flow, question, window } = admitted;
    let ask = Ask { flow, question, chat_type: ChatType::External, side: Side::Live };
    let id = ask.flow.id;
    let told = |fault| for_stranger(app, &id, fault);
    let entry = predict::prepare(app, ask, request.cancel()).map_err(told)?;
    let (flow, chat) = (entry.flow.id, entry.ids.chat);
    let reply = with_session(app, request, answer(app, entry, request).map_err(told)?, &flow, &chat);
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
    let flow = Arc::new(app.store.read_but_messages(|tx| access::flow(tx, &caller, &id, Action::Read))?);
    let question = question(request)?;
    let ask = Ask { flow, question, chat_type: ChatType::Internal, side: side(source(request)?.as_deref())? };
    let told = |fault| unless_gone(app, &id, fault);
    let entry = predict::prepare(app, ask, request.cancel()).map_err(told)?;
    let chat = entry.ids.chat.to_string();
    Ok(answer(app, entry, request).map_err(told)?.with_header(CHAT_ID, &chat))
}

/// What somebody from outside reads of a failure: no server that the flow calls.
pub(super) fn for_stranger(app: &App, flow: &FlowId, fault: Error) -> Error {
    match unless_gone(app, flow, fault) {
        Error::Failed(text) => Error::Failed(without_hosts(&text)),
        other => other,
    }
}

/// A flow that was deleted meanwhile takes its files along: whatever fails by that, the flow is not there.
pub(super) fn unless_gone(app: &App, flow: &FlowId, fault: Error) -> Error {
    match fault {
        Error::Internal(_) if matches!(predict::flow(app, flow), Err(Error::NotFound(_))) => {
            Error::no_flow(flow)
        }
        other => other,
    }
}

fn source(request: &Request) -> Result<Option<String>> {
    #[derive(Deserialize)]
    struct Source {
        #[serde(default)]
        source: Option<String>,
    }
    Ok(request.json::<Source>()?.source)
}

/// `"source": "live"` means Live although there is a draft (manual 2.11).
pub(super) fn side(source: Option<&str>) -> Result<Side> {
    match source {
        None | Some("draft") => Ok(Side::Draft),
        Some("live") => Ok(Side::Live),
        Some(_) => Err(Error::invalid("'source' must be 'live' or 'draft'.")),
    }
}

/// `PUT /chatmessage/abort/:flow/:chat`: always 200, so that nobody learns what runs (manual 2.9 r2).
///
/// # Errors
/// 404 for an unknown flow, 403 for a page that the flow does not admit.
pub fn abort(app: &App, (): (), request: &Request) -> Result<Reply> {
    let flow = flow_for_page(app, request, request.param("flow"))?;
    let proofs = sent_proofs(request, None);
    let sees_all = may_see(app, request, &flow)?;
    predict::abort(app, &flow, ChatId::parse(request.param("chat")), &proofs, sees_all)?;
    Reply::json(
        &json!({"status": 200, "message": "What ran in this conversation was stopped, if it was yours."}),
    )
}

/// The proof of a conversation, for pages that read headers and for browsers.
pub(super) fn with_session(
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

fn answer(app: &App, entry: Entry, request: &Request) -> Result<Reply> {
    if !entry.question.streaming {
        let (answer, unstored) = predict::finish(app, &entry, request.cancel(), &mut Quiet)
            .inspect_err(|fault| note_run(Some(&entry.flow.id), fault))?;
        let (reply, app) = (Reply::json(&answer.whole())?, app.clone());
        return Ok(reply.once(move |stored| unstored.store(&app, entry, stored)));
    }
    let (app, cancel) = (app.clone(), request.cancel().clone());
    Ok(Reply::stream(move |events| {
        // Nobody is left to tell when the reader is gone.
        let _ = match begin(&events).and_then(|()| run(&app, &entry, &cancel, &events)) {
            Ok(answer) => finish(&events, &answer),
            Err(_) if cancel.reason() == Some(Reason::Aborted) => stop(&events, &entry),
            Err(fault) => {
                note_run(Some(&entry.flow.id), &fault);
                let told = match entry.chat_type {
                    ChatType::External => for_stranger(&app, &entry.flow.id, fault),
                    ChatType::Internal => unless_gone(&app, &entry.flow.id, fault),
                };
                events.fail(&told)
            }
        };
    }))
}

fn begin(events: &EventSink) -> Result<()> {
    events.send("start", &Value::from("")).map_err(|_| Error::Cancelled)
}

fn run(app: &App, entry: &Entry, cancel: &Cancel, events: &EventSink) -> Result<Answer> {
    predict::run(app, entry, cancel, &mut Tokens(events))
}

fn finish(events: &EventSink, answer: &Answer) -> Result<(), crate::http::sse::Gone> {
    for (name, list) in answer.lists() {
        events.send(name, &list)?;
    }
    events.send("metadata", &answer.metadata())?;
    events.end()
}

/// Ends the stream of an answer that somebody wanted no more of (manual 2.7).
fn stop(events: &EventSink, entry: &Entry) -> Result<(), crate::http::sse::Gone> {
    events.send("metadata", &entry.stopped_metadata())?;
    events.send("abort", &Value::from("[DONE]"))?;
    events.end()
}

/// Tokens of the answer become events.
struct Tokens<'a>(&'a EventSink);

impl Sink for Tokens<'_> {
    fn token(&mut self, text: &str) -> Result<(), Gone> {
        if text.is_empty() { Ok(()) } else { self.0.token(text).map_err(|_| Gone {}) }
    }

    fn thinking(&mut self, text: &str) -> Result<(), Gone> {
        self.0.send("thinking", &Value::from(text)).map_err(|_| Gone {})
    }

    fn follow(&mut self, streaming: Streaming) -> Followed {
        self.0.follow(streaming)
    }
}

/// The body of a question (manual 2.1). Every field may be `null`.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Body {
    #[serde(default)]
    question: Option<String>,
    /// What was filled in of a form that the flow begins with.
    #[serde(default)]
    form: Option<Value>,
    #[serde(default)]
    streaming: Option<Value>,
    #[serde(default)]
    chat_id: Option<String>,
    #[serde(default)]
    session_token: Option<String>,
    #[serde(default)]
    session_id: Option<Value>,
    #[serde(default)]
    override_config: Option<Map<String, Value>>,
    #[serde(default)]
    history: Option<Vec<SentMessage>>,
    #[serde(default)]
    uploads: Option<Vec<SentEntry>>,
    #[serde(default)]
    lead_email: Option<String>,
}

/// An earlier message: `{role, content}`, or `{type, message}` from older clients.
#[derive(Deserialize)]
struct SentMessage {
    #[serde(default)]
    role: Option<String>,
    #[serde(default)]
    content: Option<String>,
    #[serde(rename = "type", default)]
    kind: Option<String>,
    #[serde(default)]
    message: Option<String>,
}

fn question(request: &Request) -> Result<Question> {
    let (body, files) = match request.take_form() {
        Some(form) => of_form(form)?,
        None => (request.json()?, Vec::new()),
    };
    let streaming = streaming(body.streaming.as_ref())?;
    request.note_streaming(streaming);
    let mut overrides = body.override_config.unwrap_or_default();
    let proofs = proofs(request, body.session_token, &mut overrides);
    let listed = body.uploads.unwrap_or_default().into_iter().map(SentUpload::Entry);
    let uploads: Vec<SentUpload> = listed.chain(files).collect();
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
        session_name: body.session_id.filter(|sent| !sent.is_null()),
        history: body.history.unwrap_or_default().into_iter().map(past).collect::<Result<_>>()?,
        uploads,
        lead_email: body.lead_email,
    })
}

/// A form as a body (manual 2.1): what is no field of a question is an override, and is judged as any other.
fn of_form(form: Form) -> Result<(Body, Vec<SentUpload>)> {
    let mut body = Body::default();
    let mut flat = Map::new();
    for (name, text) in form.fields {
        match name.as_str() {
            "question" => body.question = Some(text),
            "streaming" => body.streaming = Some(text.into()),
            "chatId" => body.chat_id = Some(text),
            "sessionToken" => body.session_token = Some(text),
            "leadEmail" => body.lead_email = Some(text),
            "history" => body.history = of_text(&name, &text)?,
            "uploads" => body.uploads = of_text(&name, &text)?,
            "overrideConfig" => body.override_config = Some(json::parse_object(text.as_bytes())?),
            _ => drop(flat.insert(name, text.into())),
        }
    }
    let overrides = body.override_config.get_or_insert_default();
    for (name, value) in flat {
        if overrides.contains_key(&name) {
            return Err(Error::invalid("A field of the form is in 'overrideConfig' too: send it once."));
        }
        overrides.insert(name, value);
    }
    Ok((body, form.files.into_iter().map(SentUpload::File).collect()))
}

/// A list that a form sends as JSON text.
fn of_text<T: DeserializeOwned>(name: &str, text: &str) -> Result<Option<Vec<T>>> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    json::parse(text.as_bytes()).map_err(|why| {
        Error::Invalid(format!("'{name}' must be a list as a JSON body has it, written as text. {why}"))
    })
}

fn streaming(sent: Option<&Value>) -> Result<bool> {
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
pub(super) fn proofs(
    request: &Request,
    body: Option<String>,
    overrides: &mut Map<String, Value>,
) -> Vec<Proof> {
    let hidden = overrides.remove("sessionToken").and_then(|value| value.as_str().map(str::to_owned));
    let header = request.header(SESSION_TOKEN).map(str::to_owned);
    let cookie = request.cookie(SESSION_COOKIE).map(|value| Proof::Cookie(value.to_owned()));
    [body.map(Proof::Token), header.map(Proof::Token), cookie, hidden.map(Proof::Token)]
        .into_iter()
        .flatten()
        .collect()
}

fn past(sent: SentMessage) -> Result<PastMessage> {
    let wrong = || {
        Error::invalid("'history' must be a list of {role: 'userMessage' or 'apiMessage', content: text}.")
    };
    let speaker = match sent.role.or(sent.kind).as_deref() {
        Some("userMessage") => Speaker::User,
        Some("apiMessage") => Speaker::Api,
        _ => return Err(wrong()),
    };
    Ok(PastMessage { speaker, text: sent.content.or(sent.message).ok_or_else(wrong)? })
}
