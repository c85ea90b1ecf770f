//! Roles over HTTP (manual 8.6).

use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::Result;
use crate::http::reply::Reply;
use crate::http::request::Request;
use crate::ops::accounts::roles::{self, RoleBody};

/// `GET /role`
pub fn list(app: &App, caller: Caller, _request: &Request) -> Result<Reply> {
    Reply::json(&roles::list(app, &caller)?)
}

/// `GET /role/:id`
pub fn read(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    Reply::json(&roles::read(app, &caller, request.param("id"))?)
}

/// `POST /role`
pub fn create(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    Reply::json_created(&roles::create(app, &caller, &request.json()?)?)
}

/// `PUT /role/:id`, and `PUT /role` with the id in the body, as Flowise sends it.
pub fn update(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let body: RoleBody = request.json()?;
    let id = Some(request.param("id")).filter(|id| !id.is_empty());
    let id = id.or(body.id.as_deref()).unwrap_or_default();
    Reply::json(&roles::update(app, &caller, id, &body)?)
}

/// `DELETE /role/:id`
pub fn delete(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    Reply::json(&roles::delete(app, &caller, request.param("id"))?)
}
