//! What the service says about itself. Nothing here tells anything about its host.

pub(crate) mod metrics;
pub(crate) mod nodes;
pub(crate) mod server;

use crate::app::App;
use crate::domain::error::{Error, Result, UnavailableReason};
use crate::http::openapi;
use crate::http::reply::Reply;
use crate::http::request::Request;
use crate::http::routing::handler::Json;
use crate::ops::accounts::owner;
use crate::ops::remote;
use crate::wire::service::status::{
    CallerAddressView, PublicSettingsView, ServiceStatusView, ServiceVersionView,
};
use bytes::Bytes;
use std::sync::OnceLock;

/// `GET /ping`: the text `pong`.
///
/// # Errors
/// Never.
pub(crate) fn ping(_: &App, (): (), _: &Request) -> Result<Reply> {
    Ok(Reply::text("pong"))
}

/// `GET /version`: `{version}`.
///
/// # Errors
/// Never.
pub(crate) fn version(_: &App, (): (), _: &Request) -> Result<Json<ServiceVersionView>> {
    Ok(Json(ServiceVersionView::new(env!("CARGO_PKG_VERSION"))))
}

/// `GET /openapi.json`: the description of this API.
///
/// # Errors
/// [`Error::Internal`] when the program's own copy is broken.
pub(crate) fn description(_: &App, (): (), _: &Request) -> Result<Reply> {
    // The same text for everyone, and not unpacked before someone asks for it.
    static TEXT: OnceLock<Bytes> = OnceLock::new();
    if let Some(text) = TEXT.get() {
        return Ok(Reply::json_text(text.clone()));
    }
    let text = openapi::document()?.to_string().into();
    Ok(Reply::json_text(TEXT.get_or_init(|| text).clone()))
}

/// `GET /settings`: what a page needs to know before anybody signs in.
///
/// # Errors
/// When the database cannot be read.
pub(crate) fn settings(app: &App, (): (), _: &Request) -> Result<Json<PublicSettingsView>> {
    let exists = owner::exists(app)?;
    // The first owner of a service that can be reached from elsewhere needs the word printed at its start.
    let needs_token = !exists && app.settings.listens_beyond_loopback();
    Ok(Json(PublicSettingsView::new(exists, needs_token, remote::environment_of(app))))
}

/// `GET /ip`: the address the caller comes from, as rate limits see it; it shows whether the proxies are set right.
///
/// # Errors
/// Never.
pub(crate) fn address(_: &App, (): (), request: &Request) -> Result<Json<CallerAddressView>> {
    Ok(Json(CallerAddressView::new(request.address())))
}

/// `GET /health`: the process is alive.
///
/// # Errors
/// Never.
pub(crate) fn health(_: &App, (): (), _: &Request) -> Result<Json<ServiceStatusView>> {
    Ok(Json(ServiceStatusView::OK))
}

/// `GET /ready`: the database answers.
///
/// # Errors
/// 503 when it does not.
pub(crate) fn ready(app: &App, (): (), _: &Request) -> Result<Json<ServiceStatusView>> {
    if let Err(error) = app.store.read(|_| Ok(())) {
        tracing::error!(cause = error.for_log(), "the database does not answer");
        return Err(Error::Unavailable(UnavailableReason::Restarting));
    }
    Ok(Json(ServiceStatusView::READY))
}
