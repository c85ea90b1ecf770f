//! Flow records (reference 1.1) and what a chat page may know of a flow.

use super::owning::{flow_for_page, may_see};
use super::prediction::flow_id;
use crate::app::App;
use crate::domain::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::flow::FlowKind;
use crate::http::reply::Reply;
use crate::http::request::Request;
use crate::ops::chat_page;
use crate::ops::flows::{self, FlowEdit, FlowFilter};
use crate::ops::predict::Side;
use serde_json::{Value, json};
use std::sync::Arc;

/// What every delete answers with.
pub(super) fn deleted(count: usize) -> Result<Reply> {
    Reply::json(&json!({"raw": [], "affected": count}))
}

/// Reads `page` and `limit`: both given and above zero make a page (reference 0.4).
///
/// # Errors
/// 400 when one of them is not a number of zero or more.
pub(super) fn page(request: &Request) -> Result<Option<(usize, usize)>> {
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
pub(super) fn listed(items: Vec<Value>, total: usize, paged: bool) -> Result<Reply> {
    if paged { Reply::json(&json!({"data": items, "total": total})) } else { Reply::json(&items) }
}

/// `GET /chatflows`; with `fields=summary` without canvases and with the state of each flow's draft.
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
    let page = page(request)?;
    let filter = FlowFilter { kind, page };
    match request.query("fields") {
        None | Some("") => {}
        Some("summary") => {
            let (found, total) = flows::outlines(app, &caller, filter)?;
            return listed(found.iter().map(flows::FlowOutline::wire).collect(), total, page.is_some());
        }
        Some(_) => return Err(Error::invalid("Invalid fields: it can be 'summary'.")),
    }
    let (found, total) = flows::list(app, &caller, filter)?;
    listed(found.iter().map(flows::WholeFlow::wire).collect(), total, page.is_some())
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
/// 404 for an unknown flow, 401 for one that is not shared.
pub fn public(app: &App, (): (), request: &Request) -> Result<Reply> {
    let flow = flow_for_page(app, request, request.param("id"))?;
    if may_see(app, request, &flow)? {
        return Reply::json(&flows::shown(app, Arc::unwrap_or_clone(flow))?.wire());
    }
    Reply::json(&chat_page::shared(app, &flow)?)
}

/// `DELETE /chatflows/:id`.
///
/// # Errors
/// 404, 403.
pub fn delete(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    flows::delete(app, &caller, &flow_id(request)?)?;
    deleted(1)
}

/// `GET /validation/:id`: of Live, or with `source=draft` of the draft when there is one.
///
/// # Errors
/// 400 for another source, 404, 403.
pub fn validate(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let side = match request.query("source") {
        None | Some("" | "live") => Side::Live,
        Some("draft") => Side::Draft,
        Some(_) => return Err(Error::invalid("Invalid source: it must be 'live' or 'draft'.")),
    };
    Reply::json(&chat_page::problems(app, &caller, &flow_id(request)?, side)?)
}

/// `GET /flow-config/:id`: what Override Config may list (reference 1.1).
///
/// # Errors
/// 404, 403.
pub fn allowable(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    Reply::json(&chat_page::allowable(app, &caller, &flow_id(request)?)?)
}

/// `GET /chatflows-streaming/:id`: whether the flow streams token by token.
///
/// # Errors
/// 404.
pub fn streaming(app: &App, (): (), request: &Request) -> Result<Reply> {
    Reply::json(&json!({"isStreaming": chat_page::streams(app, &flow_id(request)?)?}))
}

/// `GET /chatflows-uploads/:id`: what the flow's chat may upload.
///
/// # Errors
/// 404.
pub fn uploads(app: &App, (): (), request: &Request) -> Result<Reply> {
    Reply::json(&chat_page::uploads(app, &flow_id(request)?)?)
}

/// `GET /public-chatbotConfig/:id`: what a chat page needs and no more (contract 4.8).
///
/// # Errors
/// 404.
pub fn chatbot_config(app: &App, (): (), request: &Request) -> Result<Reply> {
    Reply::json(&chat_page::config(app, &flow_id(request)?)?)
}
