//! Templates (manual 5.12).

use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::Result;
use crate::http::api::flows::deleted_reply;
use crate::http::reply::Reply;
use crate::http::request::Request;
use crate::ops::workspace::templates;

/// `GET /marketplaces/templates`: the starter flows of this service.
///
/// # Errors
/// Never.
pub fn starters(_: &App, _: Caller, _: &Request) -> Result<Reply> {
    Reply::json(&templates::starters())
}

/// `GET /marketplaces/custom`.
///
/// # Errors
/// When the database cannot be read.
pub fn list(app: &App, caller: Caller, _: &Request) -> Result<Reply> {
    Reply::json(&templates::list(app, &caller)?)
}

/// `POST /marketplaces/custom`.
///
/// # Errors
/// 400, 403, 404 as [`templates::create`].
pub fn create(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    Reply::json(&templates::create(app, &caller, request.json()?)?)
}

/// `DELETE /marketplaces/custom/:id`.
///
/// # Errors
/// 404.
pub fn delete(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    templates::delete(app, &caller, request.param("id"))?;
    deleted_reply(1)
}
