//! Tools that people write, over HTTP (manual 8.10).

use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::Result;
use crate::domain::paging::PageRequest;
use crate::http::api::flows::has_flag;
use crate::http::reply::Reply;
use crate::http::request::Request;
use crate::ops::workspace::tools;
use crate::wire::page::ListOrPage;

/// `GET /tools`
pub fn list(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let paging = PageRequest::parse(request.query("page"), request.query("limit"))?;
    Reply::json(&ListOrPage::of(paging, tools::list(app, &caller)?))
}

/// `POST /tools`
pub fn create(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    Reply::json(&tools::create(app, &caller, &request.json()?)?)
}

/// `PUT /tools/:id`
pub fn update(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    Reply::json(&tools::update(app, &caller, request.param("id"), &request.json()?)?)
}

/// `DELETE /tools/:id`
pub fn delete(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    Reply::json(&tools::delete(app, &caller, request.param("id"), has_flag(request, "force")?)?)
}

/// `GET /tools/:id`
pub fn read(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    Reply::json(&tools::read(app, &caller, request.param("id"))?)
}
