//! Behaviour checks of flows (manual 18).

use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::checks::kept::SentQuestion;
use crate::domain::error::Result;
use crate::domain::ids::CheckId;
use crate::http::api::predictions::prediction::flow_id;
use crate::http::request::Request;
use crate::http::routing::handler::{AcceptedJson, Json};
use crate::ops::checks::kept;
use crate::ops::checks::{self, CheckReport};
use crate::wire::checks::check::{CheckStart, CheckView};
use crate::wire::checks::kept::{KeptQuestionEdit, KeptQuestionView};
use crate::wire::checks::setup::CheckSetupView;

/// `GET /flow-drafts/:id/check`.
///
/// # Errors
/// 404, 403.
pub(crate) fn setup(app: &App, caller: Caller, request: &Request) -> Result<Json<CheckSetupView>> {
    let (setup, newest) = checks::setup(app, &caller, &flow_id(request)?)?;
    Ok(Json(CheckSetupView::new(setup, newest.map(view))))
}

/// `POST /flow-drafts/:id/check`.
///
/// # Errors
/// 400, 404, 403, 409, 429.
pub(crate) fn start(app: &App, caller: Caller, request: &Request) -> Result<AcceptedJson<CheckView>> {
    let id = flow_id(request)?;
    let sent: CheckStart = request.json()?;
    Ok(AcceptedJson(view(checks::start(app, &caller, &id, sent.into())?)))
}

/// `GET /flow-drafts/:id/check/:check`.
///
/// # Errors
/// 404, 403.
pub(crate) fn read(app: &App, caller: Caller, request: &Request) -> Result<Json<CheckView>> {
    Ok(Json(view(checks::read(app, &caller, &flow_id(request)?, check_id(request))?)))
}

/// `DELETE /flow-drafts/:id/check/:check`.
///
/// # Errors
/// 404, 403, 409.
pub(crate) fn stop(app: &App, caller: Caller, request: &Request) -> Result<Json<CheckView>> {
    Ok(Json(view(checks::stop(app, &caller, &flow_id(request)?, check_id(request))?)))
}

/// `GET /flow-drafts/:id/check/questions`.
///
/// # Errors
/// 404, 403.
pub(crate) fn list_kept(app: &App, caller: Caller, request: &Request) -> Result<Json<Vec<KeptQuestionView>>> {
    let kept = kept::list(app, &caller, &flow_id(request)?)?;
    Ok(Json(kept.into_iter().map(KeptQuestionView::from).collect()))
}

/// `PUT /flow-drafts/:id/check/questions`.
///
/// # Errors
/// 400, 404, 403, 409.
pub(crate) fn replace_kept(
    app: &App,
    caller: Caller,
    request: &Request,
) -> Result<Json<Vec<KeptQuestionView>>> {
    let id = flow_id(request)?;
    let sent: Vec<KeptQuestionEdit> = request.json_list()?;
    let sent = sent.into_iter().map(SentQuestion::from);
    let kept = kept::replace(app, &caller, &id, sent.collect())?;
    Ok(Json(kept.into_iter().map(KeptQuestionView::from).collect()))
}

/// What is no id of a check is that of none.
pub(super) fn check_id(request: &Request) -> Option<CheckId> {
    CheckId::parse(request.param("check"))
}

pub(super) fn view(CheckReport { check, draft_changed }: CheckReport) -> CheckView {
    CheckView::new(check, draft_changed)
}
