//! Upserts into vector stores, and the list of those that were run (manual 10.5).

use super::progress_reply;
use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::flows::draft::CanvasSide;
use crate::domain::flows::flow::Flow;
use crate::domain::flows::rate_limit::WindowState;
use crate::domain::ids::{FlowId, UpsertId};
use crate::domain::predictions::prediction::ChatType;
use crate::http::api::predictions::prediction::{admit_origin, canvas_side, flow_id, with_session};
use crate::http::api::predictions::question::conversation_proofs;
use crate::http::reply::Reply;
use crate::http::request::Request;
use crate::http::request::json;
use crate::http::routing::guard::{self, Guard, RequiredAccess};
use crate::http::routing::handler::Json;
use crate::ops::accounts::keys;
use crate::ops::knowledge::upsert::{self, HistoryFilter, Uploader, UpsertRequest};
use crate::ops::predictions;
use crate::wire::deleted::DeletedCount;
use crate::wire::form::read_fields;
use crate::wire::knowledge::upserts::{Fill, FillForm, FillView, FillingIds, UpsertRecordView};
use jiff::Timestamp;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::sync::Arc;

/// An upsert that its sender may ask for: what [`UPSERT`] proves.
pub(crate) struct UpsertGrant {
    flow: Flow,
    fill: UpsertRequest,
    window: Option<WindowState>,
}

/// The gate of a flow as for a question; but the stores of an open flow are upserted by those who may change it, and take
/// from everybody else only files of their conversation (manual 10.5 r1).
pub(crate) const UPSERT: Guard<UpsertGrant> =
    Guard { name: "FILL", access: RequiredAccess::Ask, authorize, object: None };

fn authorize(app: &App, request: &Request) -> Result<UpsertGrant> {
    let SentUpsert { mut fill, sender, .. } = parse_upsert(request, ChatType::External)?;
    let id = request.param("id");
    let flow = predictions::flow(app, &FlowId::parse(id).ok_or_else(|| Error::no_flow_text(id))?)?;
    let flow = Arc::unwrap_or_clone(flow);
    let window = predictions::admit_rate(app, &flow, request.address())?;
    admit_origin(app, request, &flow)?;
    let is_visitors = match admit_sender(app, request, &flow) {
        Ok(()) => false,
        // A key that is bound to the flow guards its files too.
        Err(_) if flow.settings.api_key.is_none() && is_only_files(&fill) => true,
        Err(refusal) => return Err(refusal),
    };
    // Whoever may upsert into the store says by a `chatId` that the files are not for everybody.
    let says_so = sender.chat.is_some();
    if is_visitors || (says_so && upsert::targets_conversation(app, &flow, &fill, CanvasSide::Live)?) {
        fill.conversation = Some(upsert::resolve_conversation(app, &flow, &sender)?);
    }
    Ok(UpsertGrant { flow, fill, window })
}

fn is_only_files(fill: &UpsertRequest) -> bool {
    !fill.files.is_empty() && fill.store.is_none() && fill.overrides.is_empty()
}

/// Lets in the flow's key, and callers who may change the flow.
fn admit_sender(app: &App, request: &Request, flow: &Flow) -> Result<()> {
    if flow.settings.api_key.is_some() {
        match predictions::admit_key(app, flow, request.bearer()) {
            Err(Error::Unauthorized(_)) => {}
            settled => return settled,
        }
    }
    let caller = match request.bearer() {
        Some(key) => keys::authenticate(app, key, Some(request.address()))?,
        None => guard::signed_in_person(app, request)?,
    };
    match caller {
        Some(caller) if upsert::can_upsert(&caller, flow) => Ok(()),
        Some(caller) if caller.workspace == flow.workspace => {
            Err(Error::Forbidden("This needs the flow's key or the permission to change it.".to_owned()))
        }
        _ => Err(Error::unauthorized()),
    }
}

/// An upsert, and in which conversation it is sent.
struct SentUpsert {
    fill: UpsertRequest,
    sender: Uploader,
    source: Option<String>,
}

fn parse_upsert(request: &Request, chat_type: ChatType) -> Result<SentUpsert> {
    let (body, session_token, files) = match request.take_form() {
        Some(form) => {
            let (body, session_token) = read_form(form.fields, chat_type)?;
            (body, session_token, form.files)
        }
        None if request.body().is_empty() => (Fill::default(), None, Vec::new()),
        None => (request.json()?, None, Vec::new()),
    };
    let mut overrides = body.override_config.unwrap_or_default();
    let proofs = conversation_proofs(request, session_token, &mut overrides);
    let store = body.stop_node_id.filter(|id| !id.is_empty());
    Ok(SentUpsert {
        fill: UpsertRequest { store, overrides, files, conversation: None },
        sender: Uploader { chat: body.chat_id, proofs, chat_type },
        source: body.source,
    })
}

/// A form as the body it stands for, and the proof of a conversation that it holds.
fn read_form(fields: Vec<(String, String)>, chat_type: ChatType) -> Result<(Fill, Option<String>)> {
    let form: FillForm = read_fields(fields)?;
    let FillForm { stop_node_id, chat_id, session_token, mut source, override_config, overrides: named } =
        form;
    let mut overrides: Map<String, Value> = match override_config {
        Some(text) => json::parse_object(text.as_bytes())?,
        None => Map::new(),
    };
    overrides.extend(named);
    // Only the canvas has a draft; elsewhere the word may be the name of a setting.
    if chat_type != ChatType::Internal
        && let Some(text) = source.take()
    {
        overrides.insert("source".to_owned(), text.into());
    }
    let body = Fill { stop_node_id, override_config: Some(overrides), chat_id, source };
    Ok((body, session_token))
}

/// `POST /vector/upsert/:id`.
///
/// # Errors
/// 400 and 404 when it is not clear what to upsert, 403 when the chat takes no files for a store, 500 when a card fails.
pub(crate) fn run(app: &App, admitted: UpsertGrant, request: &Request) -> Result<Reply> {
    let UpsertGrant { flow, fill, window } = admitted;
    let (id, conversation) = (flow.id, fill.conversation);
    let prepared = upsert::prepare(app, flow, fill, CanvasSide::Live)?;
    let mut reply = progress_reply::reply_with_progress(app, request, move |app, tell, cancel| {
        upsert::upsert(app, &prepared, tell, cancel).map(FillView::from)
    })?;
    if let Some(chat) = conversation {
        reply = with_session(app, request, reply, &id, &chat);
    }
    Ok(match window {
        Some(window) => reply.with_rate(&window, app.clock.now()),
        None => reply,
    })
}

/// `POST /vector/internal-upsert/:id`: from the canvas, so of the draft when there is one, unless `source` says Live.
///
/// # Errors
/// As [`run`]; 404 or 403 as every route of a flow.
pub(crate) fn run_internal(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let flow = upsert::flow(app, &caller, &flow_id(request)?)?;
    let SentUpsert { mut fill, sender, source } = parse_upsert(request, ChatType::Internal)?;
    let side = canvas_side(source.as_deref())?;
    if sender.chat.is_some() && upsert::targets_conversation(app, &flow, &fill, side)? {
        fill.conversation = Some(upsert::resolve_conversation(app, &flow, &sender)?);
    }
    let prepared = upsert::prepare(app, flow, fill, side)?;
    progress_reply::reply_with_progress(app, request, move |app, tell, cancel| {
        upsert::upsert(app, &prepared, tell, cancel).map(FillView::from)
    })
}

/// `GET /upsert-history/:id`.
///
/// # Errors
/// 400 for a bad filter, 404, 403.
pub(crate) fn history(app: &App, caller: Caller, request: &Request) -> Result<Json<Vec<UpsertRecordView>>> {
    let newest_first = match request.query("order") {
        None | Some("" | "ASC") => false,
        Some("DESC") => true,
        Some(_) => return Err(Error::invalid("Invalid order: it must be ASC or DESC.")),
    };
    let filter = HistoryFilter {
        newest_first,
        start: parse_date(request, "startDate")?,
        end: parse_date(request, "endDate")?,
    };
    let flow = flow_id(request)?;
    let found = upsert::history(app, &caller, &flow, &filter)?;
    Ok(Json(found.into_iter().map(|record| UpsertRecordView::new(flow, record)).collect()))
}

fn parse_date(request: &Request, name: &str) -> Result<Option<Timestamp>> {
    let sent = request.query(name).filter(|text| !text.is_empty());
    sent.map(|text| text.parse().map_err(|_| Error::Invalid(format!("Invalid {name}.")))).transpose()
}

/// `PATCH /upsert-history` with `{ids}`.
///
/// # Errors
/// 400 without ids, 404 when one of them is not there.
pub(crate) fn delete_history(
    app: &App,
    caller: Caller,
    _: &Request,
    Json(sent): Json<FillingIds>,
) -> Result<Json<DeletedCount>> {
    if sent.ids.is_empty() {
        return Err(Error::invalid("'ids' is empty: name the entries to delete."));
    }
    let unknown = || Error::NotFound("There is no such entry in the upsert history.".to_owned());
    let ids: Option<BTreeSet<UpsertId>> = sent.ids.iter().map(|id| UpsertId::parse(id)).collect();
    let count = upsert::delete_history(app, &caller, &ids.ok_or_else(unknown)?)?;
    Ok(Json(DeletedCount::new(count)))
}
