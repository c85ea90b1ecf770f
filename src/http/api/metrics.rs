//! The counts of the service (manual 13.9).

use crate::app::App;
use crate::domain::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::http::error::Refused;
use crate::http::guard::{self, Guard, Who};
use crate::http::reply::Reply;
use crate::http::request::Request;
use crate::http::routes;
use crate::ops::metrics::{self, RouteName};
use crate::settings::MetricsDoor;

/// Those who may look at how the service is doing, where the operator lets callers of the API do so.
pub const METRICS: Guard<Caller> = Guard { name: "METRICS", who: Who::AnyOf(&["logs:view"]), admit };

fn admit(app: &App, request: &Request) -> Result<Caller> {
    if app.settings.metrics == MetricsDoor::Key {
        guard::caller(app, request)
    } else {
        Err(Error::NotFound(Refused::Path.message()))
    }
}

/// `GET /metrics`, for callers of the API.
///
/// # Errors
/// 404 where the operator did not open it, 401, 403.
pub fn read(app: &App, _: Caller, _: &Request) -> Result<Reply> {
    page(app)
}

/// `GET /metrics` of an address of its own.
///
/// # Errors
/// When the database cannot be read.
pub fn read_alone(app: &App, (): (), _: &Request) -> Result<Reply> {
    page(app)
}

fn page(app: &App) -> Result<Reply> {
    let names: Vec<RouteName<'_>> = routes::table()
        .iter()
        .map(|route| RouteName { method: route.method.as_str(), pattern: &route.pattern })
        .collect();
    Ok(Reply::metrics(metrics::text(app, &names)?))
}
