//! API keys over HTTP (manual 8.7).

use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::Result;
use crate::domain::paging::PageRequest;
use crate::http::api::flows::has_flag;
use crate::http::reply::Reply;
use crate::http::request::Request;
use crate::ops::accounts::keys;
use crate::wire::page::ListOrPage;

/// `GET /apikey`
pub fn list(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let paging = PageRequest::parse(request.query("page"), request.query("limit"))?;
    Reply::json(&ListOrPage::of(paging, keys::list(app, &caller)?))
}

/// `GET /verify/apikey/:apikey`
pub fn verify(app: &App, (): (), request: &Request) -> Result<Reply> {
    keys::find_by_value(app, request.param("apikey"), request.address())?;
    Reply::json(&"OK")
}

/// `GET /chatflows/apikey/:apikey`
pub fn flows(app: &App, (): (), request: &Request) -> Result<Reply> {
    let bound_only = request.query("keyonly").is_some();
    Reply::json(&keys::flows_of(app, request.param("apikey"), request.address(), bound_only)?)
}

/// `POST /apikey`
pub fn create(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    Reply::json_created(&keys::create(app, &caller, &request.json()?)?)
}

/// `PUT /apikey/:id`: answers the whole list again, as Flowise does.
pub fn update(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    keys::update(app, &caller, request.param("id"), &request.json()?)?;
    Reply::json(&keys::list(app, &caller)?)
}

/// `DELETE /apikey/:id`
pub fn delete(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    Reply::json(&keys::delete(app, &caller, request.param("id"), has_flag(request, "force")?)?)
}
