//! The counts of the service (manual 13.9).

use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::http::reply::Reply;
use crate::http::reply::error::Rejection;
use crate::http::request::Request;
use crate::http::routing::guard::{self, Guard, RequiredAccess};
use crate::http::routing::routes;
use crate::ops::service::metrics::{self, RouteName};
use crate::settings::MetricsAccess;

/// Those who may look at how the service is doing, where the operator lets callers of the API do so.
pub(crate) const METRICS: Guard<Caller> =
    Guard { name: "METRICS", access: RequiredAccess::AnyOf(&["logs:view"]), authorize, object: None };

fn authorize(app: &App, request: &Request) -> Result<Caller> {
    if app.settings.metrics == MetricsAccess::Key {
        guard::caller(app, request)
    } else {
        Err(Error::NotFound(Rejection::Path.message()))
    }
}

/// `GET /metrics`, for callers of the API.
///
/// # Errors
/// 404 where the operator did not open it, 401, 403.
pub(crate) fn read(app: &App, _: Caller, _: &Request) -> Result<Reply> {
    metrics_reply(app)
}

/// `GET /metrics` of an address of its own.
///
/// # Errors
/// When the database cannot be read.
pub(crate) fn read_on_own_port(app: &App, (): (), _: &Request) -> Result<Reply> {
    metrics_reply(app)
}

fn metrics_reply(app: &App) -> Result<Reply> {
    let names: Vec<RouteName<'_>> = routes::service_routes()
        .iter()
        .map(|route| RouteName { method: route.method.as_str(), pattern: &route.pattern })
        .collect();
    Ok(Reply::metrics(metrics::render(app, &names)?))
}
