//! Roles over HTTP (manual 8.6).

use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::Result;
use crate::domain::ids::RoleId;
use crate::domain::resource::ResourceId as _;
use crate::http::request::Request;
use crate::http::routing::handler::{CreatedJson, Json};
use crate::ops::accounts::roles;
use crate::wire::accounts::roles::{RoleBody, RoleEdit, RoleView};
use crate::wire::deleted::DeletedCount;

/// `GET /role`
pub(crate) fn list(app: &App, caller: Caller, _request: &Request) -> Result<Json<Vec<RoleView>>> {
    Ok(Json(roles::list(app, &caller)?.into_iter().map(Into::into).collect()))
}

/// `GET /role/:id`
pub(crate) fn read(app: &App, caller: Caller, request: &Request) -> Result<Json<RoleView>> {
    Ok(Json(roles::read(app, &caller, request.id("id")?)?.into()))
}

/// `POST /role`
pub(crate) fn create(
    app: &App,
    caller: Caller,
    _: &Request,
    Json(body): Json<RoleBody>,
) -> Result<CreatedJson<RoleView>> {
    Ok(CreatedJson(roles::create(app, &caller, body.try_into()?)?.into()))
}

/// `PUT /role/:id`, and `PUT /role` with the id in the body, as Flowise sends it.
pub(crate) fn update(
    app: &App,
    caller: Caller,
    request: &Request,
    Json(mut body): Json<RoleEdit>,
) -> Result<Json<RoleView>> {
    let named = body.id.take().unwrap_or_default();
    // What is wrong with the change is said before what is wrong with the id.
    let change = body.try_into()?;
    let id = Some(request.param("id")).filter(|id| !id.is_empty()).unwrap_or(&named);
    Ok(Json(roles::update(app, &caller, RoleId::from_caller(id)?, &change)?.into()))
}

/// `DELETE /role/:id`
pub(crate) fn delete(app: &App, caller: Caller, request: &Request) -> Result<Json<DeletedCount>> {
    roles::delete(app, &caller, request.id("id")?)?;
    Ok(Json(DeletedCount::new(1)))
}
