//! Version history (manual 6.4).

use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::Result;
use crate::http::api::predictions::prediction::flow_id;
use crate::http::reply::Reply;
use crate::http::request::Request;
use crate::ops::flows::{restore as restoring, versions};
use serde_json::json;

/// `GET /flow-versions/status`.
///
/// # Errors
/// Never.
pub fn status(app: &App, _: Caller, _: &Request) -> Result<Reply> {
    Reply::json(&json!({"enabled": app.settings.history}))
}

/// `GET /flow-versions/:id`.
///
/// # Errors
/// 404, 403.
pub fn list(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    Reply::json(&versions::list(app, &caller, &flow_id(request)?)?)
}

/// `GET /flow-versions/:id/:sha`.
///
/// # Errors
/// 400, 404, 403.
pub fn read(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    Reply::json(&versions::read(app, &caller, &flow_id(request)?, request.param("sha"))?)
}

/// `GET /flow-versions/:id/:sha/diff?against=`.
///
/// # Errors
/// 400, 404, 403.
pub fn diff(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let against = request.query("against").unwrap_or("previous");
    Reply::json(&versions::diff(app, &caller, &flow_id(request)?, request.param("sha"), against)?)
}

/// `POST /flow-versions/:id/:sha/restore`.
///
/// # Errors
/// 400, 404, 403, 409.
pub fn restore(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    Reply::json(&restoring::restore(app, &caller, &flow_id(request)?, request.param("sha"))?)
}
