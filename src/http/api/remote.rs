//! The copy of versions at a git host (manual 19).

use crate::app::App;
use crate::domain::error::Result;
use crate::http::request::Request;
use crate::http::routing::guard::Owner;
use crate::http::routing::handler::Json;
use crate::ops::remote::{self, connect, copy, repositories, status};
use crate::wire::remote::connect::{HostToken, NewRepository, RepositoryConnection};
use crate::wire::remote::environment::EnvironmentEdit;
use crate::wire::remote::repositories::{RepositoryListView, RepositoryView};
use crate::wire::remote::status::CopyStatusView;

/// `GET /flow-versions/github`.
///
/// # Errors
/// When the database or the history cannot be read.
pub(crate) fn read(app: &App, _: Owner, _: &Request) -> Result<Json<CopyStatusView>> {
    Ok(Json(status::read(app)?.into()))
}

/// `PUT /flow-versions/github`.
///
/// # Errors
/// 400, 409.
pub(crate) fn connect(
    app: &App,
    owner: Owner,
    request: &Request,
    Json(sent): Json<RepositoryConnection>,
) -> Result<Json<CopyStatusView>> {
    Ok(Json(connect::connect(app, owner.caller(), sent.into(), request.cancel())?.into()))
}

/// `DELETE /flow-versions/github`.
///
/// # Errors
/// When the database or the history cannot be written.
pub(crate) fn disconnect(app: &App, owner: Owner, request: &Request) -> Result<Json<CopyStatusView>> {
    Ok(Json(connect::disconnect(app, owner.caller(), request.cancel())?.into()))
}

/// `POST /flow-versions/github/push`.
///
/// # Errors
/// 409.
pub(crate) fn push(app: &App, owner: Owner, request: &Request) -> Result<Json<CopyStatusView>> {
    Ok(Json(copy::push(app, owner.caller(), request.cancel())?.into()))
}

/// `POST /flow-versions/github/repos`.
///
/// # Errors
/// 400.
pub(crate) fn list(
    app: &App,
    owner: Owner,
    request: &Request,
    Json(sent): Json<HostToken>,
) -> Result<Json<RepositoryListView>> {
    Ok(Json(repositories::list(app, owner.caller(), sent.into(), request.cancel())?.into()))
}

/// `POST /flow-versions/github/repos/new`.
///
/// # Errors
/// 400, 409.
pub(crate) fn create(
    app: &App,
    owner: Owner,
    request: &Request,
    Json(sent): Json<NewRepository>,
) -> Result<Json<RepositoryView>> {
    let (name, token) = sent.into_parts();
    Ok(Json(repositories::create(app, owner.caller(), &name, token, request.cancel())?.into()))
}

/// `PUT /flow-versions/environment`.
///
/// # Errors
/// 400, 409.
pub(crate) fn label(
    app: &App,
    owner: Owner,
    _: &Request,
    Json(sent): Json<EnvironmentEdit>,
) -> Result<Json<CopyStatusView>> {
    Ok(Json(remote::label(app, owner.caller(), sent.environment)?.into()))
}
