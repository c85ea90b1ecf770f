//! Saved variables over HTTP (manual 7.5).

use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::Result;
use crate::domain::paging::PageRequest;
use crate::http::api::flows::has_flag;
use crate::http::request::Request;
use crate::http::routing::handler::Json;
use crate::ops::workspace::variables;
use crate::wire::deleted::DeletedCount;
use crate::wire::new::New;
use crate::wire::page::ListOrPage;
use crate::wire::workspace::variables::{VariableEdit, VariableView};

/// `GET /variables`
pub(crate) fn list(app: &App, caller: Caller, request: &Request) -> Result<Json<ListOrPage<VariableView>>> {
    let paging = PageRequest::parse(request.query("page"), request.query("limit"))?;
    let rows = variables::list(app, &caller)?.into_iter().map(VariableView::from).collect();
    Ok(Json(ListOrPage::of(paging, rows)))
}

/// `POST /variables`
pub(crate) fn create(
    app: &App,
    caller: Caller,
    _: &Request,
    Json(New(body)): Json<New<VariableEdit>>,
) -> Result<Json<VariableView>> {
    Ok(Json(variables::create(app, &caller, &body.into())?.into()))
}

/// `PUT /variables/:id`
pub(crate) fn update(
    app: &App,
    caller: Caller,
    request: &Request,
    Json(body): Json<VariableEdit>,
) -> Result<Json<VariableView>> {
    Ok(Json(variables::update(app, &caller, request.id("id")?, &body.into())?.into()))
}

/// `DELETE /variables/:id`
pub(crate) fn delete(app: &App, caller: Caller, request: &Request) -> Result<Json<DeletedCount>> {
    variables::delete(app, &caller, request.id("id")?, has_flag(request, "force")?)?;
    Ok(Json(DeletedCount::new(1)))
}
