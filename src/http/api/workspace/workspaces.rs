//! Workspaces over HTTP (manual 8.5).

use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::Result;
use crate::domain::ids::WorkspaceId;
use crate::domain::resource::ResourceId as _;
use crate::http::api::accounts::session_cookie_value;
use crate::http::request::Request;
use crate::http::routing::handler::{CreatedJson, Json};
use crate::ops::workspace::workspaces;
use crate::wire::accounts::sign_in::CurrentUserView;
use crate::wire::deleted::DeletedCount;
use crate::wire::workspace::workspaces::{NewWorkspace, WorkspaceEdit, WorkspaceView};

/// `GET /workspace`
pub(crate) fn list(app: &App, caller: Caller, _request: &Request) -> Result<Json<Vec<WorkspaceView>>> {
    Ok(Json(workspaces::list(app, &caller)?.into_iter().map(WorkspaceView::from).collect()))
}

/// `POST /workspace`
pub(crate) fn create(
    app: &App,
    caller: Caller,
    _: &Request,
    Json(body): Json<NewWorkspace>,
) -> Result<CreatedJson<WorkspaceView>> {
    Ok(CreatedJson(workspaces::create(app, &caller, &body.try_into()?)?.into()))
}

/// `PUT /workspace`
pub(crate) fn update(
    app: &App,
    caller: Caller,
    _: &Request,
    Json(body): Json<WorkspaceEdit>,
) -> Result<Json<WorkspaceView>> {
    let change = (&body).try_into()?;
    let id = WorkspaceId::from_caller_if_any(body.id.as_deref())?;
    Ok(Json(workspaces::update(app, &caller, id, &change)?.into()))
}

/// `DELETE /workspace/:id`
pub(crate) fn delete(app: &App, caller: Caller, request: &Request) -> Result<Json<DeletedCount>> {
    workspaces::delete(app, &caller, request.id("id")?)?;
    Ok(Json(DeletedCount::new(1)))
}

/// `POST /workspace/switch?id=`
pub(crate) fn switch(app: &App, caller: Caller, request: &Request) -> Result<Json<CurrentUserView>> {
    let id = WorkspaceId::from_caller(request.query("id").unwrap_or_default())?;
    Ok(Json(workspaces::switch(app, &caller, session_cookie_value(app, request), id)?.into()))
}
