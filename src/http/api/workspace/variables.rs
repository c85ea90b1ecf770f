//! Saved variables over HTTP (manual 7.5).

use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::Result;
use crate::domain::paging::PageRequest;
use crate::http::api::flows::has_flag;
use crate::http::reply::Reply;
use crate::http::request::Request;
use crate::ops::workspace::variables;

/// `GET /variables`
pub fn list(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let paging = PageRequest::parse(request.query("page"), request.query("limit"))?;
    Reply::json(&PageRequest::apply(paging, &variables::list(app, &caller)?))
}

/// `POST /variables`
pub fn create(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    Reply::json(&variables::create(app, &caller, &request.json()?)?)
}

/// `PUT /variables/:id`
pub fn update(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    Reply::json(&variables::update(app, &caller, request.param("id"), &request.json()?)?)
}

/// `DELETE /variables/:id`
pub fn delete(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    Reply::json(&variables::delete(app, &caller, request.param("id"), has_flag(request, "force")?)?)
}
