//! Tools that people write, over HTTP (manual 8.10).

use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::Result;
use crate::domain::paging::PageRequest;
use crate::http::api::flows::has_flag;
use crate::http::request::Request;
use crate::http::routing::handler::Json;
use crate::ops::workspace::tools;
use crate::wire::deleted::DeletedCount;
use crate::wire::new::New;
use crate::wire::page::ListOrPage;
use crate::wire::workspace::tools::{ToolEdit, ToolView};

/// `GET /tools`
pub(crate) fn list(app: &App, caller: Caller, request: &Request) -> Result<Json<ListOrPage<ToolView>>> {
    let paging = PageRequest::parse(request.query("page"), request.query("limit"))?;
    let rows = tools::list(app, &caller)?.into_iter().map(ToolView::from).collect();
    Ok(Json(ListOrPage::of(paging, rows)))
}

/// `POST /tools`
pub(crate) fn create(
    app: &App,
    caller: Caller,
    _: &Request,
    Json(New(body)): Json<New<ToolEdit>>,
) -> Result<Json<ToolView>> {
    Ok(Json(tools::create(app, &caller, &body.into())?.into()))
}

/// `PUT /tools/:id`
pub(crate) fn update(
    app: &App,
    caller: Caller,
    request: &Request,
    Json(body): Json<ToolEdit>,
) -> Result<Json<ToolView>> {
    Ok(Json(tools::update(app, &caller, request.id("id")?, &body.into())?.into()))
}

/// `DELETE /tools/:id`
pub(crate) fn delete(app: &App, caller: Caller, request: &Request) -> Result<Json<DeletedCount>> {
    let force = has_flag(request, "force")?;
    tools::delete(app, &caller, request.id("id")?, force)?;
    Ok(Json(DeletedCount::new(1)))
}

/// `GET /tools/:id`
pub(crate) fn read(app: &App, caller: Caller, request: &Request) -> Result<Json<ToolView>> {
    Ok(Json(tools::read(app, &caller, request.id("id")?)?.into()))
}
