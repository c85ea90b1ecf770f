//! Flow records (manual 5.4) and what a chat page may know of a flow.

pub mod chat_framing;
pub mod drafts;
pub mod versions;

use super::conversations::conversation_access::can_see;
use super::predictions::prediction::{admit_origin, flow_id};
use crate::app::App;
use crate::clock::iso;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::flows::flow::FlowKind;
use crate::http::reply::Reply;
use crate::http::request::Request;
use crate::http::routing::origin;
use crate::ops::flows::{self, FlowEdit, FlowFilter};
use crate::ops::flows::{public_config, refused_origins, validation};
use crate::ops::predictions::{self, CanvasSource};
use serde_json::{Value, json};
use std::sync::Arc;

/// What every delete answers with.
pub(super) fn deleted_reply(count: usize) -> Result<Reply> {
    Reply::json(&json!({"raw": [], "affected": count}))
}

/// Reads `page` and `limit`: both given and above zero make a page (manual 1.6 r1).
///
/// # Errors
/// 400 when one of them is not a number of zero or more.
pub(super) fn page_params(request: &Request) -> Result<Option<(usize, usize)>> {
    let number = |name: &'static str| match request.query(name) {
        None | Some("") => Ok(0),
        Some(text) => text
            .parse::<usize>()
            .map_err(|_| Error::Invalid(format!("Invalid {name}: it must be a number from 1."))),
    };
    let (page, size) = (number("page")?, number("limit")?);
    Ok((page > 0 && size > 0).then_some((page, size)))
}

/// A bare array, or `{data, total}` when a page was asked for.
pub(super) fn list_reply(items: Vec<Value>, total: usize, paged: bool) -> Result<Reply> {
    if paged { Reply::json(&json!({"data": items, "total": total})) } else { Reply::json(&items) }
}

/// `GET /chatflows`: without canvases, which may be megabytes each, unless `full=true` asks for them; with `fields=summary`
/// the least of each flow and the state of its draft.
///
/// # Errors
/// 400 for a bad filter.
pub fn list(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let kind = match request.query("type").filter(|text| !text.is_empty()) {
        None => None,
        Some(text) => Some(
            FlowKind::parse(text)
                .ok_or_else(|| Error::invalid("Invalid type: there is no such kind of flow."))?,
        ),
    };
    let page = page_params(request)?;
    let filter = FlowFilter { kind, page };
    match request.query("fields") {
        None | Some("") => {}
        Some("summary") => {
            let (found, total) = flows::outlines(app, &caller, filter)?;
            return list_reply(found.iter().map(flows::FlowOutline::wire).collect(), total, page.is_some());
        }
        Some(_) => return Err(Error::invalid("Invalid fields: it can be 'summary'.")),
    }
    let (rows, total) = if has_flag(request, "full")? {
        let (found, total) = flows::list(app, &caller, filter)?;
        (found.iter().map(flows::FlowWithCanvas::wire).collect(), total)
    } else {
        flows::records(app, &caller, filter)?
    };
    list_reply(rows, total, page.is_some())
}

/// Reads a switch of the query: off unless it is `true`.
///
/// # Errors
/// 400 when it is something else.
pub(super) fn has_flag(request: &Request, name: &str) -> Result<bool> {
    match request.query(name) {
        None | Some("" | "false") => Ok(false),
        Some("true") => Ok(true),
        Some(_) => Err(Error::Invalid(format!("Invalid {name}: it must be 'true' or 'false'."))),
    }
}

/// `POST /chatflows`.
///
/// # Errors
/// 400, 403.
pub fn create(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let edit: FlowEdit = request.json()?;
    Reply::json(&flows::create(app, &caller, &edit)?.wire())
}

/// `GET /chatflows/:id`.
///
/// # Errors
/// 404, 403.
pub fn read(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    Reply::json(&flows::read(app, &caller, &flow_id(request)?)?.wire())
}

/// `PUT /chatflows/:id`.
///
/// # Errors
/// 400, 404, 403.
pub fn update(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let id = flow_id(request)?;
    let edit: FlowEdit = request.json()?;
    Reply::json(&flows::update(app, &caller, &id, &edit)?.wire())
}

/// `GET /chatflows/has-changed/:id/:iso`: whether somebody saved the flow since then.
///
/// # Errors
/// 404, 403.
pub fn has_changed(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let changed = flows::has_changed(app, &caller, &flow_id(request)?, request.param("iso"))?;
    Reply::json(&json!({"hasChanged": changed}))
}

/// `GET /public-chatflows/:id`: a shared flow as a chat page needs it, or the whole record for who may see it.
///
/// # Errors
/// 404 for an unknown flow and for one that is not shared; 403 for a page that the flow does not admit.
pub fn public(app: &App, (): (), request: &Request) -> Result<Reply> {
    let flow = predictions::flow(app, &flow_id(request)?)?;
    let sees = can_see(app, request, &flow)?;
    if !sees && !flow.settings.is_shared() {
        return Err(Error::no_flow(&flow.id));
    }
    admit_origin(app, request, &flow)?;
    if sees {
        return Reply::json(&flows::read_masked(app, Arc::unwrap_or_clone(flow))?.wire());
    }
    Reply::json(&public_config::shared_flow(app, &flow)?)
}

/// `GET /refused-origins/:id`: which pages the flow turned away lately, but for those that it admits by now.
///
/// # Errors
/// 404, 403.
pub fn refused_origins(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let (flow, refused) = refused_origins::list(app, &caller, &flow_id(request)?)?;
    let (allowed, cors, own) =
        (flow.settings.allowed_origins(), &app.settings.cors_origins, request.own_origins());
    let still = refused.iter().filter(|one| !origin::is_admitted(&allowed, cors, &own, &one.origin));
    let rows = still.map(|one| json!({"origin": one.origin, "count": one.count, "lastDate": iso(one.last)}));
    Reply::json(&rows.collect::<Vec<_>>())
}

/// `DELETE /chatflows/:id`.
///
/// # Errors
/// 404, 403.
pub fn delete(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    flows::delete(app, &caller, &flow_id(request)?)?;
    deleted_reply(1)
}

/// `GET /validation/:id`: of the draft when there is one, or with `source=live` of Live.
///
/// # Errors
/// 400 for another source, 404, 403.
pub fn validate(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let side = match request.query("source") {
        None | Some("" | "draft") => CanvasSource::Draft,
        Some("live") => CanvasSource::Live,
        Some(_) => return Err(Error::invalid("Invalid source: it must be 'live' or 'draft'.")),
    };
    Reply::json(&validation::problems(app, &caller, &flow_id(request)?, side)?)
}

/// `GET /flow-config/:id`: what Override Config may list (manual 7.1 r2).
///
/// # Errors
/// 404, 403.
pub fn override_candidates(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    Reply::json(&public_config::override_candidates(app, &caller, &flow_id(request)?)?)
}

/// `GET /chatflows-streaming/:id`: whether the flow streams token by token.
///
/// # Errors
/// 404.
pub fn streaming(app: &App, (): (), request: &Request) -> Result<Reply> {
    Reply::json(&json!({"isStreaming": public_config::can_stream(app, &flow_id(request)?)?}))
}

/// `GET /chatflows-uploads/:id`: what the flow's chat may upload.
///
/// # Errors
/// 404.
pub fn uploads(app: &App, (): (), request: &Request) -> Result<Reply> {
    Reply::json(&public_config::uploads(app, &flow_id(request)?)?)
}

/// `GET /public-chatbotConfig/:id`: what a chat page needs and no more (manual 2.13 r3).
///
/// # Errors
/// 404.
pub fn chatbot_config(app: &App, (): (), request: &Request) -> Result<Reply> {
    Reply::json(&public_config::config(app, &flow_id(request)?)?)
}
