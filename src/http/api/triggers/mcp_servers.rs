//! A flow as a tool, for its owner (manual 2.15).

use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::Result;
use crate::http::api::predictions::prediction::flow_id;
use crate::http::request::Request;
use crate::http::routing::handler::{CreatedJson, Json};
use crate::ops::triggers::mcp;
use crate::wire::triggers::mcp::servers::{McpServerEdit, McpServerGone, McpServerView, NewMcpServer};

/// `GET /mcp-server/:id`.
///
/// # Errors
/// 404 or 403.
pub(crate) fn read(app: &App, caller: Caller, request: &Request) -> Result<Json<McpServerView>> {
    let server = mcp::settings(app, &caller, &flow_id(request)?)?;
    Ok(Json(server.map(McpServerView::from).unwrap_or_default()))
}

/// `POST /mcp-server/:id`.
///
/// # Errors
/// 404, 403, 400 or 409.
pub(crate) fn create(
    app: &App,
    caller: Caller,
    request: &Request,
    Json(body): Json<NewMcpServer>,
) -> Result<CreatedJson<McpServerView>> {
    let said = (body.tool_name.as_str(), body.description.as_str());
    Ok(CreatedJson(mcp::create(app, &caller, &flow_id(request)?, said)?.into()))
}

/// `PUT /mcp-server/:id`.
///
/// # Errors
/// As [`create`].
pub(crate) fn update(
    app: &App,
    caller: Caller,
    request: &Request,
    Json(body): Json<McpServerEdit>,
) -> Result<Json<McpServerView>> {
    Ok(Json(mcp::update(app, &caller, &flow_id(request)?, &body.into())?.into()))
}

/// `DELETE /mcp-server/:id`.
///
/// # Errors
/// 404 or 403.
pub(crate) fn delete(app: &App, caller: Caller, request: &Request) -> Result<Json<McpServerGone>> {
    mcp::delete(app, &caller, &flow_id(request)?)?;
    Ok(Json(McpServerGone::DONE))
}

/// `POST /mcp-server/:id/refresh`.
///
/// # Errors
/// 404 or 403.
pub(crate) fn refresh(app: &App, caller: Caller, request: &Request) -> Result<Json<McpServerView>> {
    Ok(Json(mcp::refresh_token(app, &caller, &flow_id(request)?)?.into()))
}
