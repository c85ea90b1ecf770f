//! Versions of Dev that can become Live here (manual 20).

use crate::app::App;
use crate::domain::error::Result;
use crate::http::api::checks::{check_id, view};
use crate::http::api::predictions::prediction::flow_id;
use crate::http::request::Request;
use crate::http::routing::guard::Owner;
use crate::http::routing::handler::{AcceptedJson, Json};
use crate::ops::promotion;
use crate::wire::checks::check::{CheckStart, CheckView};
use crate::wire::checks::setup::CheckSetupView;
use crate::wire::promotion::incoming::{IncomingFlowView, IncomingListView};
use crate::wire::promotion::promote::{PromoteRequest, PromoteResultView};

/// `GET /flow-versions/incoming`.
///
/// # Errors
/// When the history cannot be read.
pub(crate) fn list(app: &App, owner: Owner, _: &Request) -> Result<Json<IncomingListView>> {
    Ok(Json(promotion::list(app, owner.caller())?.into()))
}

/// `GET /flow-versions/incoming/:id`.
///
/// # Errors
/// 404.
pub(crate) fn read(app: &App, owner: Owner, request: &Request) -> Result<Json<IncomingFlowView>> {
    Ok(Json(promotion::read(app, owner.caller(), &flow_id(request)?)?.into()))
}

/// `POST /flow-versions/incoming/:id/promote`.
///
/// # Errors
/// 400, 409.
pub(crate) fn promote(
    app: &App,
    owner: Owner,
    request: &Request,
    Json(body): Json<PromoteRequest>,
) -> Result<Json<PromoteResultView>> {
    let PromoteRequest { sha, digest } = body;
    Ok(Json(promotion::promote(app, owner.caller(), &flow_id(request)?, &sha, digest.as_deref())?.into()))
}

/// `GET /flow-versions/incoming/:id/check`.
///
/// # Errors
/// 404.
pub(crate) fn check_setup(app: &App, owner: Owner, request: &Request) -> Result<Json<CheckSetupView>> {
    let (setup, newest) = promotion::check::setup(app, owner.caller(), &flow_id(request)?)?;
    Ok(Json(CheckSetupView::new(setup, newest.map(view))))
}

/// `POST /flow-versions/incoming/:id/check`.
///
/// # Errors
/// 400, 404, 409, 429.
pub(crate) fn start_check(app: &App, owner: Owner, request: &Request) -> Result<AcceptedJson<CheckView>> {
    let id = flow_id(request)?;
    let sent: CheckStart = request.json()?;
    Ok(AcceptedJson(view(promotion::check::start(app, owner.caller(), &id, sent.into())?)))
}

/// `GET /flow-versions/incoming/:id/check/:check`.
///
/// # Errors
/// 404.
pub(crate) fn read_check(app: &App, owner: Owner, request: &Request) -> Result<Json<CheckView>> {
    let found = promotion::check::read(app, owner.caller(), &flow_id(request)?, check_id(request))?;
    Ok(Json(view(found)))
}

/// `DELETE /flow-versions/incoming/:id/check/:check`.
///
/// # Errors
/// 404, 409.
pub(crate) fn stop_check(app: &App, owner: Owner, request: &Request) -> Result<Json<CheckView>> {
    let stopped = promotion::check::stop(app, owner.caller(), &flow_id(request)?, check_id(request))?;
    Ok(Json(view(stopped)))
}
