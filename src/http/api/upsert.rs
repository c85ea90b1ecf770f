//! Filling vector stores, and the list of what was filled (reference 1.2; contract 5.5).

use super::filling;
use super::flows::deleted;
use super::prediction::{admit_origin, flow_id};
use crate::app::App;
use crate::domain::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::flow::Flow;
use crate::domain::ids::{FillingId, FlowId};
use crate::domain::rate::WindowState;
use crate::http::guard::{self, Guard, Who};
use crate::http::json;
use crate::http::reply::Reply;
use crate::http::request::Request;
use crate::ops::upsert::{self, Fill, HistoryFilter, Side};
use crate::ops::{keys, predict};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// A filling that its sender may ask for: what [`FILL`] proves.
pub struct Admitted {
    flow: Flow,
    fill: Fill,
    window: Option<WindowState>,
}

/// The gate of a flow as for a question; but an open flow is only filled by those who may change it.
pub const FILL: Guard<Admitted> = Guard { name: "FILL", who: Who::Ask, admit };

fn admit(app: &App, request: &Request) -> Result<Admitted> {
    let fill = body(request)?;
    let id = request.param("id");
    let flow = predict::flow(app, &FlowId::parse(id).ok_or_else(|| Error::no_flow_text(id))?)?;
    let window = predict::admit_rate(app, &flow, request.address())?;
    admit_origin(app, request, &flow)?;
    admit_sender(app, request, &flow)?;
    Ok(Admitted { flow, fill, window })
}

/// Lets in the flow's key, and callers who may change the flow.
fn admit_sender(app: &App, request: &Request, flow: &Flow) -> Result<()> {
    if flow.settings.api_key.is_some() {
        match predict::admit_key(app, flow, request.bearer()) {
            Err(Error::Unauthorized(_)) => {}
            settled => return settled,
        }
    }
    let caller = match request.bearer() {
        Some(key) => keys::authenticate(app, key, Some(request.address()))?,
        None => guard::person(app, request)?,
    };
    match caller {
        Some(caller) if upsert::may_fill(&caller, flow) => Ok(()),
        Some(caller) if caller.workspace == flow.workspace => {
            Err(Error::Forbidden("This needs the flow's key or the permission to change it.".to_owned()))
        }
        _ => Err(Error::unauthorized()),
    }
}

/// `{stopNodeId?, overrideConfig?, chatId?}`, or a form whose other fields are overrides.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Body {
    #[serde(default)]
    stop_node_id: Option<String>,
    #[serde(default)]
    override_config: Option<Map<String, Value>>,
}

fn body(request: &Request) -> Result<Fill> {
    let mut body = Body::default();
    let Some(form) = request.take_form() else {
        if !request.body().is_empty() {
            body = request.json()?;
        }
        return Ok(of_body(body));
    };
    let mut flat = Map::new();
    for (name, text) in form.fields {
        match name.as_str() {
            "stopNodeId" => body.stop_node_id = Some(text),
            // A filling belongs to no conversation.
            "chatId" => {}
            "overrideConfig" => body.override_config = Some(json::parse_object(text.as_bytes())?),
            _ => drop(flat.insert(name, text.into())),
        }
    }
    body.override_config.get_or_insert_default().extend(flat);
    Ok(Fill { files: form.files, ..of_body(body) })
}

fn of_body(body: Body) -> Fill {
    Fill {
        store: body.stop_node_id.filter(|id| !id.is_empty()),
        overrides: body.override_config.unwrap_or_default(),
        files: Vec::new(),
    }
}

/// `POST /vector/upsert/:id`.
///
/// # Errors
/// 400 and 404 when it is not clear what to fill, 500 when a card fails.
pub fn fill(app: &App, admitted: Admitted, request: &Request) -> Result<Reply> {
    let Admitted { flow, fill, window } = admitted;
    let prepared = upsert::prepare(app, flow, fill, Side::Live)?;
    let reply =
        filling::answer(app, request, move |app, tell, cancel| upsert::fill(app, &prepared, tell, cancel))?;
    Ok(match window {
        Some(window) => reply.with_rate(&window, app.clock.now()),
        None => reply,
    })
}

/// `POST /vector/internal-upsert/:id`: from the canvas, so of the draft when there is one.
///
/// # Errors
/// As [`fill`]; 404 or 403 as every route of a flow.
pub fn fill_internal(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let flow = upsert::flow(app, &caller, &flow_id(request)?)?;
    let prepared = upsert::prepare(app, flow, body(request)?, Side::Draft)?;
    filling::answer(app, request, move |app, tell, cancel| upsert::fill(app, &prepared, tell, cancel))
}

/// `GET /upsert-history/:id`.
///
/// # Errors
/// 400 for a bad filter, 404, 403.
pub fn history(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let newest_first = match request.query("order") {
        None | Some("" | "ASC") => false,
        Some("DESC") => true,
        Some(_) => return Err(Error::invalid("Invalid order: it must be ASC or DESC.")),
    };
    let filter =
        HistoryFilter { newest_first, start: date(request, "startDate")?, end: date(request, "endDate")? };
    Reply::json(&upsert::history(app, &caller, &flow_id(request)?, &filter)?)
}

fn date(request: &Request, name: &str) -> Result<Option<Timestamp>> {
    let sent = request.query(name).filter(|text| !text.is_empty());
    sent.map(|text| text.parse().map_err(|_| Error::Invalid(format!("Invalid {name}.")))).transpose()
}

/// `PATCH /upsert-history` with `{ids}`.
///
/// # Errors
/// 400 without ids, 404 when one of them is not there.
pub fn forget(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    #[derive(Deserialize)]
    struct Ids {
        ids: BTreeSet<String>,
    }
    let sent: Ids = request.json()?;
    if sent.ids.is_empty() {
        return Err(Error::invalid("'ids' is empty: name the entries to delete."));
    }
    let unknown = || Error::NotFound("There is no such entry in the upsert history.".to_owned());
    let ids: Option<BTreeSet<FillingId>> = sent.ids.iter().map(|id| FillingId::parse(id)).collect();
    deleted(upsert::forget(app, &caller, &ids.ok_or_else(unknown)?)?)
}
