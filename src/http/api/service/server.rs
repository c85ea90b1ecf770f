//! The server as its owner sees it (manual 13.17).

use crate::app::App;
use crate::domain::error::{Error, Result};
use crate::domain::service::log_line::Gravity;
use crate::http::request::Request;
use crate::http::routing::guard::Owner;
use crate::http::routing::handler::Json;
use crate::ops::service::server_status;
use crate::wire::service::server::{ServerLogView, ServerStatusView};

/// Lines of the log in one answer, unless the request says otherwise.
const LINES_COUNT: usize = 200;
/// Most lines of the log in one answer (manual 14.1).
const LINES_MAX_COUNT: usize = 1_000;

/// `GET /server`.
///
/// # Errors
/// When the database cannot be read.
pub(crate) fn read(app: &App, _: Owner, _: &Request) -> Result<Json<ServerStatusView>> {
    Ok(Json(server_status::read(app)?.into()))
}

/// `GET /server/log`.
///
/// # Errors
/// 400 for a level that is none, and a number of lines out of range.
pub(crate) fn log(app: &App, _: Owner, request: &Request) -> Result<Json<ServerLogView>> {
    let at_least = match request.query("level").filter(|text| !text.is_empty()) {
        None => Gravity::Info,
        Some(text) => Gravity::parse(text)
            .ok_or_else(|| Error::invalid("Invalid level: it must be error, warn or info."))?,
    };
    let most = match request.query("limit").filter(|text| !text.is_empty()) {
        None => LINES_COUNT,
        Some(text) => text
            .parse()
            .ok()
            .filter(|count| (1..=LINES_MAX_COUNT).contains(count))
            .ok_or_else(|| Error::Invalid(format!("Invalid limit: it must be 1 to {LINES_MAX_COUNT}.")))?,
    };
    Ok(Json(server_status::log(app, at_least, most).into()))
}
