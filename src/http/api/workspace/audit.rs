//! The list of sign-ins and of what people changed, over HTTP (manual 8.11).

use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::http::request::Request;
use crate::http::routing::guard::Owner;
use crate::http::routing::handler::Json;
use crate::ops::workspace::audit::{self, AuditQuery};
use crate::wire::workspace::audit::{AuditPageView, LoginFilter};
use serde_json::Value;

/// `GET /audit`
pub(crate) fn list(app: &App, _: Owner, request: &Request) -> Result<Json<AuditPageView>> {
    let wanted = AuditQuery::parse(&request.query_all("action"), |name| request.query(name))?;
    Ok(Json(audit::list(app, &wanted)?.into()))
}

/// `POST /audit/login-activity`
pub(crate) fn logins(
    app: &App,
    caller: Caller,
    _: &Request,
    body: Option<Json<LoginFilter>>,
) -> Result<Json<AuditPageView>> {
    let filter = body.map(|Json(filter)| filter).unwrap_or_default();
    let (page, limit) = (number("page", filter.page)?, number("limit", filter.limit)?);
    let actions: Vec<&str> = filter.actions.iter().map(String::as_str).collect();
    let wanted = AuditQuery::parse(&actions, |name| match name {
        "userId" => filter.user_id.as_deref(),
        "since" => filter.since.as_deref(),
        "until" => filter.until.as_deref(),
        "page" => page.as_deref(),
        "limit" => limit.as_deref(),
        _ => None,
    })?;
    Ok(Json(audit::list_sign_ins(app, &caller, &wanted)?.into()))
}

fn number(name: &str, value: Option<Value>) -> Result<Option<String>> {
    match value {
        None => Ok(None),
        Some(Value::Number(number)) => Ok(Some(number.to_string())),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(Error::invalid(format!("'{name}' must be a whole number from 1 up."))),
    }
}
