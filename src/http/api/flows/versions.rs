//! Version history (manual 6.4).

use super::page_or;
use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::Result;
use crate::http::api::predictions::prediction::flow_id;
use crate::http::request::Request;
use crate::http::routing::handler::Json;
use crate::ops::flows::{restore as restoring, version_answers, versions};
use crate::wire::flows::publish::RestoreResultView;
use crate::wire::flows::version_answers::VersionAnswersView;
use crate::wire::flows::versions::{HistoryStatus, VersionContentView, VersionDiffView, VersionListView};

/// `GET /flow-versions/status`.
///
/// # Errors
/// Never.
pub(crate) fn status(app: &App, _: Caller, _: &Request) -> Result<Json<HistoryStatus>> {
    Ok(Json(HistoryStatus { enabled: app.settings.history }))
}

/// `GET /flow-versions/:id`.
///
/// # Errors
/// 404, 403.
pub(crate) fn list(app: &App, caller: Caller, request: &Request) -> Result<Json<VersionListView>> {
    Ok(Json(VersionListView::new(versions::list(app, &caller, &flow_id(request)?)?)))
}

/// `GET /flow-versions/:id/:sha`.
///
/// # Errors
/// 400, 404, 403.
pub(crate) fn read(app: &App, caller: Caller, request: &Request) -> Result<Json<VersionContentView>> {
    Ok(Json(versions::read(app, &caller, &flow_id(request)?, request.param("sha"))?.into()))
}

/// `GET /flow-versions/:id/:sha/diff?against=`.
///
/// # Errors
/// 400, 404, 403.
pub(crate) fn diff(app: &App, caller: Caller, request: &Request) -> Result<Json<VersionDiffView>> {
    let against = request.query("against").unwrap_or("previous");
    Ok(Json(versions::diff(app, &caller, &flow_id(request)?, request.param("sha"), against)?.into()))
}

/// `GET /flow-versions/:id/:sha/answers?page=`.
///
/// # Errors
/// 400, 404, 403.
pub(crate) fn answers(app: &App, caller: Caller, request: &Request) -> Result<Json<VersionAnswersView>> {
    let (page, _) = page_or(request, 1)?;
    Ok(Json(version_answers::list(app, &caller, &flow_id(request)?, request.param("sha"), page)?.into()))
}

/// `POST /flow-versions/:id/:sha/restore`.
///
/// # Errors
/// 400, 404, 403, 409.
pub(crate) fn restore(app: &App, caller: Caller, request: &Request) -> Result<Json<RestoreResultView>> {
    Ok(Json(restoring::restore(app, &caller, &flow_id(request)?, request.param("sha"))?.into()))
}
