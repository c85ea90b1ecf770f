//! Credentials and their types over HTTP (manual 8.8).

use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::workspace::credential_types::{self, CredentialType};
use crate::http::api::flows::has_flag;
use crate::http::reply::Reply;
use crate::http::request::Request;
use crate::http::routing::handler::Json;
use crate::ops::flows::usage::{self, ResourceKind};
use crate::ops::workspace::credentials;
use crate::wire::flows::usage::UsageView;
use serde_json::Value;
use std::collections::BTreeMap;

/// `GET /credentials`
pub fn list(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    Reply::json(&credentials::list(app, &caller, &request.query_all("credentialName"))?)
}

/// `POST /credentials`
pub fn create(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    Reply::json(&credentials::create(app, &caller, credential_types::find_type, &request.json()?)?)
}

/// `GET /credentials/:id`
pub fn read(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    Reply::json(&credentials::read(app, &caller, credential_types::find_type, request.param("id"))?)
}

/// `GET /credentials/:id/reveal`: the addresses among its fields. What is secret never leaves, so a password within an
/// address stays hidden (manual 8.8 r3).
pub fn reveal(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    Reply::json(&credentials::addresses(app, &caller, credential_types::find_type, request.param("id"))?)
}

/// `GET /used-by/:kind`: which flows use each credential, tool, document store, variable or key.
pub fn used_by(app: &App, caller: Caller, request: &Request) -> Result<Json<BTreeMap<String, UsageView>>> {
    let used = ResourceKind::parse(request.param("kind"));
    let used = used.ok_or_else(|| {
        Error::NotFound(
            "There is nothing to count but credentials, tools, document stores, variables and API keys."
                .to_owned(),
        )
    })?;
    let found = usage::count(app, &caller, used)?.into_iter();
    Ok(Json(found.map(|(name, usage)| (name, usage.into())).collect()))
}

/// `PUT /credentials/:id`
pub fn update(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let body = request.json()?;
    Reply::json(&credentials::update(app, &caller, credential_types::find_type, request.param("id"), &body)?)
}

/// `DELETE /credentials/:id`
pub fn delete(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    Reply::json(&credentials::delete(app, &caller, request.param("id"), has_flag(request, "force")?)?)
}

/// `GET /components-credentials`
pub fn types(_app: &App, _caller: Caller, _request: &Request) -> Result<Reply> {
    let all: Vec<Value> = credential_types::ALL.iter().map(CredentialType::wire).collect();
    Reply::json(&all)
}

/// `GET /components-credentials/:name`: one form, or an array for `a&b`.
pub fn read_types(_app: &App, _caller: Caller, request: &Request) -> Result<Reply> {
    let names = request.param("name");
    let forms: Vec<Value> = names.split('&').map(type_form).collect::<Result<_>>()?;
    match forms.as_slice() {
        [only] => Reply::json(only),
        several => Reply::json(&several),
    }
}

fn type_form(name: &str) -> Result<Value> {
    credential_types::find_type(name).map(CredentialType::wire).ok_or_else(|| {
        let shown: String = name.chars().filter(|c| !c.is_control()).take(64).collect();
        Error::NotFound(format!("Credential type {shown} not found"))
    })
}
