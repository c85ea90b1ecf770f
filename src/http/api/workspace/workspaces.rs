//! Workspaces over HTTP (manual 8.5).

use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::Result;
use crate::http::api::accounts::session_cookie_value;
use crate::http::reply::Reply;
use crate::http::request::Request;
use crate::http::routing::handler::Json;
use crate::ops::workspace::workspaces;
use crate::wire::accounts::sign_in::CurrentUserView;

/// `GET /workspace`
pub fn list(app: &App, caller: Caller, _request: &Request) -> Result<Reply> {
    Reply::json(&workspaces::list(app, &caller)?)
}

/// `POST /workspace`
pub fn create(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    Reply::json_created(&workspaces::create(app, &caller, &request.json()?)?)
}

/// `PUT /workspace`
pub fn update(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    Reply::json(&workspaces::update(app, &caller, &request.json()?)?)
}

/// `DELETE /workspace/:id`
pub fn delete(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    Reply::json(&workspaces::delete(app, &caller, request.param("id"))?)
}

/// `POST /workspace/switch?id=`
pub fn switch(app: &App, caller: Caller, request: &Request) -> Result<Json<CurrentUserView>> {
    let id = request.query("id").unwrap_or_default();
    Ok(Json(workspaces::switch(app, &caller, session_cookie_value(app, request), id)?.into()))
}
