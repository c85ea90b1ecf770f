//! `/webhook/:id`: a call that starts a flow (manual 17.1).

use super::pipeline_webhooks;
use super::webhook_answers::{LaterAnswer, WebhookRun, promise};
use crate::app::App;
use crate::domain::error::{Error, Result};
use crate::domain::flows::flow::FlowKind;
use crate::domain::flows::rate_limit::WindowState;
use crate::domain::ids::FlowId;
use crate::domain::triggers::webhook_call::{WebhookCall, collect};
use crate::http::api::conversations::conversation_access::request_proofs;
use crate::http::api::predictions::prediction::{admit_to_flow, without_hosts_for_stranger};
use crate::http::reply::{Reply, error};
use crate::http::request::{Request, json};
use crate::http::routing::guard::{Guard, RequiredAccess};
use crate::ops::predictions::{self, PredictionRun};
use crate::ops::triggers::webhooks::{self, CallConversation, OpenWebhook, RunningCall, WebhookAnswers};
use crate::wire::triggers::webhooks::{ConversationFields, PAYLOAD_FIELD};
use hyper::header::CONTENT_TYPE;
use serde_json::{Map, Value};

/// A call of a webhook that the flow admits: what [`WEBHOOK`] proves.
pub(crate) struct WebhookGrant {
    webhook: OpenWebhook,
    window: Option<WindowState>,
}

/// The gate of a flow, in the order of questions: flow, rate limit, origin, key; then what the flow starts with.
pub(crate) const WEBHOOK: Guard<WebhookGrant> =
    Guard { name: "WEBHOOK", access: RequiredAccess::Ask, authorize, object: None };

const IDEMPOTENCY_KEY: &str = "idempotency-key";
const FORM: &str = "application/x-www-form-urlencoded";
const JSON: &str = "application/json";

fn authorize(app: &App, request: &Request) -> Result<WebhookGrant> {
    let (flow, window) = admit_to_flow(app, request, request.param("id"))?;
    Ok(WebhookGrant { webhook: webhooks::find(app, flow)?, window })
}

/// A call, by any method.
///
/// # Errors
/// Every refusal, before the first byte.
pub(crate) fn start(app: &App, admitted: WebhookGrant, request: &Request) -> Result<Reply> {
    let WebhookGrant { webhook, window } = admitted;
    let reply = answer(app, &webhook, request).map_err(|fault| visible(app, &webhook.flow.id, fault))?;
    Ok(match window {
        Some(window) => reply.with_rate(&window, app.clock.now()),
        None => reply,
    })
}

fn answer(app: &App, webhook: &OpenWebhook, request: &Request) -> Result<Reply> {
    let header = |name: &str| request.header(name);
    let once = webhooks::authenticate(app, webhook, header, request.body(), request.address())?;
    let running = match request.headers.get(IDEMPOTENCY_KEY) {
        None => None,
        Some(key) => {
            let key = key.to_str().unwrap_or_default();
            match webhooks::find_answer(app, &webhook.flow, key, request.body())? {
                Ok(first) => return Ok(Reply::json_body(first.status, first.body)),
                Err(running) => Some(running),
            }
        }
    };
    if let Some(signature) = once {
        webhooks::accept_once(app, webhook, &signature)?;
    }
    if webhook.flow.kind == FlowKind::Etl {
        return pipeline_webhooks::answer(app, webhook, request, running);
    }
    match prepare(app, webhook, request) {
        Ok((entry, later)) => {
            let run = WebhookRun::new(app, entry, request, running);
            match webhook.start().answers {
                WebhookAnswers::Later => run.answer_later(request, later),
                WebhookAnswers::Stream if run.can_stream() => Ok(run.answer_stream(request)),
                WebhookAnswers::Stream | WebhookAnswers::Whole => run.answer_whole(request),
            }
        }
        Err(fault) => refuse(app, &webhook.flow.id, request, running, fault),
    }
}

/// What a caller reads of a failure, whoever calls: strangers mostly.
pub(super) fn visible(app: &App, flow: &FlowId, fault: Error) -> Error {
    without_hosts_for_stranger(app, flow, fault)
}

/// Answers with an error, which calls that are repeated get too where nothing would change it.
pub(super) fn refuse(
    app: &App,
    flow: &FlowId,
    request: &Request,
    running: Option<RunningCall>,
    fault: Error,
) -> Result<Reply> {
    let Some(running) = running else { return Err(fault) };
    // What is kept is told to others later.
    let fault = visible(app, flow, fault);
    let reply = error::reply(&fault, &request.error_context(app));
    let text = reply.body_text().unwrap_or_default();
    running.keep(app, reply.status(), &text)?;
    Ok(reply)
}

/// Settles everything before the run: what the call looks like, its conversation, and where its answer goes. A run that
/// waits is taken up when its answer is promised already, because the process may end in between.
fn prepare(app: &App, webhook: &OpenWebhook, request: &Request) -> Result<(PredictionRun, LaterAnswer)> {
    let (call, fields) = read_call(webhook, request)?;
    let target = webhook.callback(app)?;
    let ConversationFields { chat_id, session_token, human_input } = fields;
    let proofs = request_proofs(request, session_token);
    let asked = webhook.request(app, call, CallConversation { chat_id, proofs, human_input })?;
    let target = target.filter(|_| matches!(webhook.start().answers, WebhookAnswers::Later));
    let mut promised = None;
    let entry = predictions::prepare_promised(app, asked, request.cancel(), &mut |run| {
        promised = target.clone().map(|target| promise(app, &run, target)).transpose()?;
        Ok(())
    })?;
    let later = match (promised, target) {
        (Some(promised), _) => LaterAnswer::Promised(promised),
        (None, Some(target)) => LaterAnswer::To(target),
        (None, None) => LaterAnswer::Nowhere,
    };
    Ok((entry, later))
}

/// Reads a call, and judges whether it looks as the card says.
///
/// # Errors
/// 400, 405, 415 for what looks otherwise.
pub(super) fn read_call(
    webhook: &OpenWebhook,
    request: &Request,
) -> Result<(WebhookCall, ConversationFields)> {
    let rules = &webhook.start().rules;
    let content_type = content_type(request);
    let read = read_body(request, content_type.as_deref());
    // Whoever answers a run that waits sends that answer, and not what begins a run.
    let resumes = read.as_ref().is_ok_and(|(_, fields)| fields.human_input.is_some());
    if !resumes {
        rules.check_head(request.method().as_str(), content_type.as_deref())?;
    }
    let (body, fields) = read?;
    let headers = request.headers.iter();
    let headers = headers.filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)));
    let call = WebhookCall {
        method: request.method().as_str().to_owned(),
        content_type,
        headers: headers.map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
        query: request.query.clone(),
        body,
    };
    if !resumes {
        rules.check_params(&call)?;
    }
    Ok((call, fields))
}

/// The type of a body, without its parameters; empty where the call does not say it, `None` without a body.
fn content_type(request: &Request) -> Option<String> {
    if request.body().is_empty() {
        return None;
    }
    let sent = request.headers.get(CONTENT_TYPE).and_then(|sent| sent.to_str().ok()).unwrap_or_default();
    Some(sent.split(';').next().unwrap_or_default().trim().to_ascii_lowercase())
}

fn read_body(request: &Request, content_type: Option<&str>) -> Result<(Value, ConversationFields)> {
    let mut body = match content_type {
        None => Value::Object(Map::new()),
        Some(FORM) => read_form(request.body()),
        Some(kind) if kind.is_empty() || kind == JSON || kind.ends_with("+json") => request.value()?,
        Some(_) => String::from_utf8_lossy(request.body()).into_owned().into(),
    };
    let fields = ConversationFields::take(&mut body).map_err(|_| {
        Error::invalid(
            "'humanInput' must be an object: {type: 'proceed' or 'reject', startNodeId, actionId, feedback}.",
        )
    })?;
    Ok((body, fields))
}

/// The fields of a form; or what one of them holds as JSON, as some senders wrap it.
fn read_form(bytes: &[u8]) -> Value {
    let fields = collect(form_urlencoded::parse(bytes).into_owned());
    let payload = fields.get(PAYLOAD_FIELD).and_then(Value::as_str);
    let wrapped = payload.and_then(|text| json::parse_value(text.as_bytes()).ok());
    match wrapped {
        Some(wrapped @ (Value::Object(_) | Value::Array(_))) => wrapped,
        _ => Value::Object(fields),
    }
}
