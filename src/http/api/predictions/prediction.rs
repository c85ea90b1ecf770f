//! Asking a flow (manual 2.1, 2.2, 2.3, 2.4, 2.8, 3.1).

use super::card_events::{CardTally, CardTeller};
use super::pipeline_answer;
use super::question::{body_from_form, parse_question, parse_rerun};
use super::run_events::{RunEvents, hide_hosts, visible_entries};
use crate::app::App;
use crate::base::cancel::{CancelReason, CancelToken};
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result, TransientFault};
use crate::domain::flows::draft::CanvasSide;
use crate::domain::flows::flow::{Flow, FlowKind};
use crate::domain::flows::live_version::LiveVersion;
use crate::domain::flows::rate_limit::WindowState;
use crate::domain::ids::{ChatId, FlowId};
use crate::domain::predictions::answer::PredictionAnswer;
use crate::domain::predictions::consumption::Asker;
use crate::domain::predictions::prediction::{ChatType, ConversationProof, Question};
use crate::domain::predictions::team::TeamOutput;
use crate::http::api::conversations::conversation_access::{can_see, flow_for_origin, request_proofs};
use crate::http::reply::Reply;
use crate::http::reply::error::{self, log_failed_run};
use crate::http::reply::host_redaction::redact_hosts;
use crate::http::reply::sse::EventSink;
use crate::http::request::Request;
use crate::http::request::session_cookie;
use crate::http::routing::guard::{Guard, RequiredAccess};
use crate::http::routing::handler::Json;
use crate::http::routing::origin;
use crate::ops::flows::access::{self, FlowAction};
use crate::ops::predictions::executions::require_reader;
use crate::ops::predictions::{
    self, NullSink, PredictionProgress, PredictionRequest, PredictionRun, RunReaders, StreamClosed,
};
use crate::wire::predictions::abort::AbortView;
use crate::wire::predictions::answer::{AnswerEvents, AnswerView};
use crate::wire::predictions::question::QuestionBody;
use serde_json::Value;
use std::sync::Arc;

/// A question that the flow admits: what [`ASK`] proves.
pub(crate) struct AskGrant {
    flow: Arc<Flow>,
    question: Question,
    window: Option<WindowState>,
}

/// The gate of a flow, in this order (manual 2.2): body, flow, rate limit, origin, key.
pub(crate) const ASK: Guard<AskGrant> =
    Guard { name: "ASK", access: RequiredAccess::Ask, authorize, object: None };

pub(super) const SESSION_TOKEN: &str = "x-service-session-token";
/// Whoever stops a first answer while it is under way has not read of its conversation in an event yet.
pub(super) const CHAT_ID: &str = "x-service-chat-id";
/// Which version of Live answers, or failed to.
const FLOW_VERSION: &str = "x-flow-version";
pub(super) const SESSION_COOKIE: &str = "service_session";

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
pub(crate) fn ask(app: &App, admitted: AskGrant, request: &Request) -> Result<Reply> {
    let AskGrant { flow, question, window } = admitted;
    if flow.kind == FlowKind::Etl {
        let reply = pipeline_answer::ask(app, flow, question, request)?;
        return Ok(with_rate(app, reply, window));
    }
    // The gate saw the key that the flow is bound to.
    let asker = Asker { key: flow.settings.api_key, is_test: false };
    let ask =
        PredictionRequest { flow, question, chat_type: ChatType::External, side: CanvasSide::Live, asker };
    let id = ask.flow.id;
    let public_error = |fault| without_hosts_for_stranger(app, &id, fault);
    let entry = predictions::prepare(app, ask, request.cancel()).map_err(public_error)?;
    let (flow, chat, version) = (entry.flow.id, entry.ids.chat, entry.version);
    let reply = match reply_to_run(app, entry, request, None) {
        Ok(reply) => with_session(app, request, with_version(reply, version), &flow, &chat),
        Err(fault) => return failed_run(app, request, version, public_error(fault)),
    };
    Ok(with_rate(app, reply, window))
}

fn with_rate(app: &App, reply: Reply, window: Option<WindowState>) -> Reply {
    match window {
        Some(window) => reply.with_rate(&window, app.clock.now()),
        None => reply,
    }
}

/// `POST /internal-prediction/:id`: the canvas test chat (manual 2.11).
///
/// # Errors
/// 404 or 403 as every route of a flow, then as [`ask`] without key, origin and rate limit.
pub(crate) fn ask_internal(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let id = flow_id(request)?;
    let flow = Arc::new(app.store.read(|tx| access::flow(tx, &caller, &id, FlowAction::Read))?);
    let mut body: QuestionBody = request.json()?;
    let side = requested_side(body.source.take())?;
    if flow.kind == FlowKind::Etl {
        let question = parse_question(request, body, Vec::new())?;
        return pipeline_answer::ask_as(app, &caller, &id, question, request);
    }
    let visible_error = |fault| not_found_if_deleted(app, &id, fault);
    let prepared = match parse_rerun(request, &body)? {
        Some(asked) => {
            require_reader(&caller)?;
            predictions::prepare_rerun(app, flow, side, &asked)
        }
        None => {
            let mut question = parse_question(request, body, Vec::new())?;
            let may_change = || access::check_permission(&caller, flow.kind, FlowAction::Update).is_ok();
            if question.human_input.is_some() && may_change() {
                question.proofs.push(ConversationProof::Editor);
            }
            let ask =
                PredictionRequest { flow, question, chat_type: ChatType::Internal, side, asker: Asker::TEST };
            predictions::prepare(app, ask, request.cancel())
        }
    };
    let entry = prepared.map_err(visible_error)?;
    let (chat, version) = (entry.ids.chat.to_string(), entry.version);
    match reply_to_run(app, entry, request, version.filter(|_| side == CanvasSide::Live)) {
        Ok(reply) => Ok(with_version(reply, version).with_header(CHAT_ID, &chat)),
        Err(fault) => failed_run(app, request, version, visible_error(fault)),
    }
}

/// Names the version of Live that answers, once it is recorded (manual 6.11).
pub(in crate::http::api) fn with_version(reply: Reply, version: Option<LiveVersion>) -> Reply {
    match version.and_then(|version| version.name) {
        Some(name) => reply.with_header(FLOW_VERSION, &name.sha.to_string()),
        None => reply,
    }
}

/// What a run that failed is answered with: whoever reads of it learns which version failed.
pub(in crate::http::api) fn failed_run(
    app: &App,
    request: &Request,
    version: Option<LiveVersion>,
    fault: Error,
) -> Result<Reply> {
    if version.is_none_or(|version| version.name.is_none()) {
        return Err(fault);
    }
    Ok(with_version(error::reply(&fault, &request.error_context(app)), version))
}

/// What somebody from outside reads of a failure: no server that the flow calls.
pub(in crate::http::api) fn without_hosts_for_stranger(app: &App, flow: &FlowId, fault: Error) -> Error {
    match not_found_if_deleted(app, flow, fault) {
        Error::RunFailed(text) => Error::RunFailed(redact_hosts(&text)),
        Error::Transient(fault) => {
            Error::Transient(TransientFault { message: redact_hosts(&fault.message), ..fault })
        }
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
pub(crate) fn abort(app: &App, (): (), request: &Request) -> Result<Json<AbortView>> {
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

/// `told` is the version that a whole answer names in its body.
pub(super) fn reply_to_run(
    app: &App,
    entry: PredictionRun,
    request: &Request,
    told: Option<LiveVersion>,
) -> Result<Reply> {
    if !entry.question.streaming {
        let (mut answer, unstored) = predictions::run_unstored(app, &entry, request.cancel(), &mut NullSink)
            .inspect_err(|fault| log_failed_run(Some(&entry.flow.id), fault))?;
        if let Some(run) = &mut answer.output.execution {
            run.entries = visible_entries(entry.chat_type, std::mem::take(&mut run.entries));
        }
        if let Some(team) = &mut answer.output.team {
            hide_hosts(entry.chat_type, team);
        }
        let view = AnswerView::from(answer).with_version(told);
        let (reply, app) = (Reply::json(&view)?, app.clone());
        return Ok(reply.after_commit(move |stored| unstored.store(&app, entry, stored)));
    }
    let (app, cancel) = (app.clone(), request.cancel().clone());
    // A team chooses before it shows anything, and a choice that fails is no stream.
    let is_late = entry.plan.may_be_team();
    let asked = StreamedQuestion { app, entry, cancel, cards: CardTally::default() };
    let reply = Reply::stream(move |events| asked.run(events));
    Ok(if is_late { reply.held_until_first_event() } else { reply })
}

/// A question whose answer is streamed.
struct StreamedQuestion {
    app: App,
    entry: PredictionRun,
    cancel: CancelToken,
    cards: CardTally,
}

impl StreamedQuestion {
    fn run(self, events: EventSink) {
        let begun = self.send_start(&events).and_then(|()| {
            let is_late = self.entry.plan.may_be_team();
            let mut sink = RunEvents::new(&events, self.entry.chat_type).starting_late(is_late);
            let cards = CardTeller::new(&self.entry, &events, &self.cards);
            let readers = RunReaders { sink: &mut sink, cards: cards.observer() };
            let begun = predictions::begin(&self.app, &self.entry, &self.cancel, readers)?;
            // An answer without a word begins too; a reader who left is noticed by what follows.
            let _ = sink.start();
            Ok(begun)
        });
        match begun {
            Ok(PredictionProgress::Stream(stream, open)) => events.hand_over(stream, move |events, end| {
                let cards = CardTeller::new(&self.entry, &events, &self.cards);
                let finished = open.finish(&self.app, &self.entry, &self.cancel, end, cards.observer());
                self.conclude(&events, finished);
            }),
            Ok(PredictionProgress::Done(answer)) => self.conclude(&events, Ok(answer)),
            Err(fault) => self.conclude(&events, Err(fault)),
        }
    }

    /// An agentflow has a first event of its own, and a chat that got both would show two answers. Members tell of their turns,
    /// and a team of its work, before the answer begins.
    fn send_start(&self, events: &EventSink) -> Result<()> {
        if !self.entry.plan.begins_with_answer() {
            return Ok(());
        }
        events.send("start", "").map_err(|_| Error::Cancelled)
    }

    /// Sends the last events.
    fn conclude(&self, events: &EventSink, finished: Result<PredictionAnswer>) {
        let Self { app, entry, cancel, .. } = self;
        // Nobody is left to tell when the reader is gone.
        let _ = match finished {
            Ok(answer) => send_end(events, answer, entry.chat_type),
            Err(_) if cancel.reason() == Some(CancelReason::Aborted) => send_abort(events, entry),
            Err(fault) => {
                log_failed_run(Some(&entry.flow.id), &fault);
                let visible_error = match entry.chat_type {
                    ChatType::External | ChatType::Scheduled | ChatType::Webhook | ChatType::Mcp => {
                        without_hosts_for_stranger(app, &entry.flow.id, fault)
                    }
                    ChatType::Internal => not_found_if_deleted(app, &entry.flow.id, fault),
                };
                events.send_error(&visible_error)
            }
        };
    }
}

pub(in crate::http::api) fn send_end(
    events: &EventSink,
    mut answer: PredictionAnswer,
    reader: ChatType,
) -> Result<(), StreamClosed> {
    let team = answer.output.team.take();
    let AnswerEvents { lists, metadata, tells_all } = answer.into();
    if tells_all {
        events.send("usedTools", &lists.used_tools)?;
        events.send("sourceDocuments", &lists.source_documents)?;
        events.send("artifacts", &lists.artifacts)?;
        if let Some(action) = &metadata.action {
            events.send("action", action)?;
        }
        events.send("metadata", &metadata)?;
        return events.close();
    }
    if !lists.source_documents.is_empty() {
        events.send("sourceDocuments", &lists.source_documents)?;
    }
    if !lists.used_tools.is_empty() {
        events.send("usedTools", &lists.used_tools)?;
    }
    send_team(events, team, reader)?;
    events.send("metadata", &metadata)?;
    events.close()
}

/// What the specialists did, where a team answered.
fn send_team(
    events: &EventSink,
    team: Option<Box<TeamOutput>>,
    reader: ChatType,
) -> Result<(), StreamClosed> {
    let Some(mut team) = team else { return Ok(()) };
    hide_hosts(reader, &mut team);
    events.send("harness.final", &team)
}

/// Ends the stream of an answer that somebody wanted no more of (manual 2.7).
pub(in crate::http::api) fn send_abort(
    events: &EventSink,
    entry: &PredictionRun,
) -> Result<(), StreamClosed> {
    let mut stopped = entry.stopped_answer();
    send_team(events, stopped.output.team.take(), entry.chat_type)?;
    events.send("metadata", &AnswerEvents::from(stopped).metadata)?;
    events.send("abort", "[DONE]")?;
    events.close()
}
