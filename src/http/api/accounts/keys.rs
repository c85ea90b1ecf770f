//! API keys over HTTP (manual 8.7).

use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::Result;
use crate::domain::paging::PageRequest;
use crate::http::api::flows::has_flag;
use crate::http::request::Request;
use crate::http::routing::handler::{CreatedJson, Json};
use crate::ops::accounts::keys;
use crate::wire::accounts::api_keys::{ApiKeyCheck, ApiKeyEdit, ApiKeyView};
use crate::wire::deleted::DeletedCount;
use crate::wire::flows::records::FlowView;
use crate::wire::page::ListOrPage;

/// `GET /apikey`
pub(crate) fn list(app: &App, caller: Caller, request: &Request) -> Result<Json<ListOrPage<ApiKeyView>>> {
    let paging = PageRequest::parse(request.query("page"), request.query("limit"))?;
    Ok(Json(ListOrPage::of(paging, all(app, &caller)?)))
}

fn all(app: &App, caller: &Caller) -> Result<Vec<ApiKeyView>> {
    Ok(keys::list(app, caller)?.into_iter().map(Into::into).collect())
}

/// `GET /verify/apikey/:apikey`
pub(crate) fn verify(app: &App, (): (), request: &Request) -> Result<Json<ApiKeyCheck>> {
    keys::find_by_value(app, request.param("apikey"), request.address())?;
    Ok(Json(ApiKeyCheck::Ok))
}

/// `GET /chatflows/apikey/:apikey`
pub(crate) fn flows(app: &App, (): (), request: &Request) -> Result<Json<Vec<FlowView>>> {
    let bound_only = request.query("keyonly").is_some();
    let found = keys::flows_of(app, request.param("apikey"), request.address(), bound_only)?;
    Ok(Json(found.into_iter().map(FlowView::from).collect()))
}

/// `POST /apikey`
pub(crate) fn create(
    app: &App,
    caller: Caller,
    _: &Request,
    Json(body): Json<ApiKeyEdit>,
) -> Result<CreatedJson<ApiKeyView>> {
    let (key, value) =
        keys::create_with_budget(app, &caller, (&body.key_name, &body.permissions), &body.budget)?;
    Ok(CreatedJson(ApiKeyView::of_new(key, value)))
}

/// The key that a path names, for its guard: it is judged before the body (manual 1.3).
///
/// # Errors
/// 404.
pub(crate) fn known(app: &App, caller: &Caller, request: &Request) -> Result<()> {
    keys::require(app, caller, request.id("id")?)
}

/// `PUT /apikey/:id`: answers the whole list again, as Flowise does.
pub(crate) fn update(
    app: &App,
    caller: Caller,
    request: &Request,
    Json(body): Json<ApiKeyEdit>,
) -> Result<Json<Vec<ApiKeyView>>> {
    keys::update(app, &caller, request.id("id")?, (&body.key_name, &body.permissions), &body.budget)?;
    Ok(Json(all(app, &caller)?))
}

/// `DELETE /apikey/:id`
pub(crate) fn delete(app: &App, caller: Caller, request: &Request) -> Result<Json<DeletedCount>> {
    keys::delete(app, &caller, request.id("id")?, has_flag(request, "force")?)?;
    Ok(Json(DeletedCount::new(1)))
}
