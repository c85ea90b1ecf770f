//! The list of sign-ins and of what people changed, over HTTP (manual 8.11).

use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::http::reply::Reply;
use crate::http::request::Request;
use crate::http::routing::guard::Owner;
use crate::ops::workspace::audit::{self, AuditQuery};
use serde::Deserialize;
use serde_json::Value;

/// The filters as a body. Numbers may be numbers or text.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Filters {
    actions: Vec<String>,
    user_id: Option<String>,
    since: Option<String>,
    until: Option<String>,
    page: Value,
    limit: Value,
}

/// `GET /audit`
pub fn list(app: &App, _: Owner, request: &Request) -> Result<Reply> {
    let wanted = AuditQuery::parse(&request.query_all("action"), |name| request.query(name))?;
    Reply::json(&audit::list(app, &wanted)?)
}

/// `POST /audit/login-activity`
pub fn logins(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let filters: Filters = if request.body().is_empty() { Filters::default() } else { request.json()? };
    let (page, limit) = (number("page", &filters.page)?, number("limit", &filters.limit)?);
    let actions: Vec<&str> = filters.actions.iter().map(String::as_str).collect();
    let wanted = AuditQuery::parse(&actions, |name| match name {
        "userId" => filters.user_id.as_deref(),
        "since" => filters.since.as_deref(),
        "until" => filters.until.as_deref(),
        "page" => page.as_deref(),
        "limit" => limit.as_deref(),
        _ => None,
    })?;
    Reply::json(&audit::list_sign_ins(app, &caller, &wanted)?)
}

fn number(name: &str, value: &Value) -> Result<Option<String>> {
    match value {
        Value::Null => Ok(None),
        Value::Number(number) => Ok(Some(number.to_string())),
        Value::String(text) => Ok(Some(text.clone())),
        _ => Err(Error::invalid(format!("'{name}' must be a whole number from 1 up."))),
    }
}
