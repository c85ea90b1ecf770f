//! The card catalogue (manual 9.8).

use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::Result;
use crate::http::reply::Reply;
use crate::http::request::Request;
use crate::ops::service::{catalogue, load_methods};
use serde_json::Value;

/// `GET /nodes`.
///
/// # Errors
/// Never.
pub fn list(_: &App, _: Caller, _: &Request) -> Result<Reply> {
    Reply::json(&catalogue::all())
}

/// `GET /nodes/:name`.
///
/// # Errors
/// 404.
pub fn read(_: &App, _: Caller, request: &Request) -> Result<Reply> {
    Reply::json(&catalogue::card(request.param("name"))?)
}

/// `GET /nodes/category/:name`.
///
/// # Errors
/// Never: a category without cards is an empty list.
pub fn list_category(_: &App, _: Caller, request: &Request) -> Result<Reply> {
    Reply::json(&catalogue::cards_of_category(request.param("name")))
}

/// `POST /node-config`: what an override list may name of one card.
///
/// # Errors
/// 400.
pub fn config(_: &App, _: Caller, request: &Request) -> Result<Reply> {
    Reply::json(&catalogue::node_config(&Value::Object(request.json()?))?)
}

/// `GET /node-icon/:name`.
///
/// # Errors
/// 404.
pub fn icon(_: &App, (): (), request: &Request) -> Result<Reply> {
    Ok(Reply::svg(catalogue::icon(request.param("name"))?, request.header("if-none-match")))
}

/// `GET /components-credentials-icon/:name`.
///
/// # Errors
/// 404.
pub fn credential_icon(_: &App, (): (), request: &Request) -> Result<Reply> {
    Ok(Reply::svg(catalogue::credential_icon(request.param("name"))?, request.header("if-none-match")))
}

/// `POST /node-load-method/:name`.
///
/// # Errors
/// 404.
pub fn load(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let body = request.json()?;
    Reply::json(&load_methods::load(app, &caller, request.param("name"), &body, request.cancel())?)
}
