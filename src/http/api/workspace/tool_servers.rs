//! Servers of tools, over HTTP (manual 8.15).

use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::Result;
use crate::domain::paging::PageRequest;
use crate::domain::workspace::tool_server::OfferedTool;
use crate::http::api::flows::{has_flag, page_or};
use crate::http::request::Request;
use crate::http::routing::handler::Json;
use crate::ops::workspace::tool_servers;
use crate::wire::deleted::DeletedCount;
use crate::wire::new::New;
use crate::wire::page::Page;
use crate::wire::workspace::tool_servers::{ToolServerEdit, ToolServerView};

/// Servers of a page where nobody says how many, and the most of one.
const PAGE_DEFAULT: usize = 50;
const PAGE_MAX: usize = 500;

/// `GET /custom-mcp-servers`
pub(crate) fn list(app: &App, caller: Caller, request: &Request) -> Result<Json<Page<ToolServerView>>> {
    let (page, limit) = page_or(request, PAGE_DEFAULT)?;
    let wanted = PageRequest::new(page, limit.min(PAGE_MAX));
    let mut rows = tool_servers::list(app, &caller)?;
    let total = rows.len();
    let range = wanted.map_or(0..total, |wanted| wanted.range(total));
    let data = rows.drain(range).map(ToolServerView::from).collect();
    Ok(Json(Page { data, total }))
}

/// `POST /custom-mcp-servers`
pub(crate) fn create(
    app: &App,
    caller: Caller,
    _: &Request,
    Json(New(body)): Json<New<ToolServerEdit>>,
) -> Result<Json<ToolServerView>> {
    Ok(Json(tool_servers::create(app, &caller, &body.into())?.into()))
}

/// `GET /custom-mcp-servers/:id`
pub(crate) fn read(app: &App, caller: Caller, request: &Request) -> Result<Json<ToolServerView>> {
    Ok(Json(tool_servers::read(app, &caller, request.id("id")?)?.into()))
}

/// `PUT /custom-mcp-servers/:id`
pub(crate) fn update(
    app: &App,
    caller: Caller,
    request: &Request,
    Json(body): Json<ToolServerEdit>,
) -> Result<Json<ToolServerView>> {
    Ok(Json(tool_servers::update(app, &caller, request.id("id")?, &body.into())?.into()))
}

/// `DELETE /custom-mcp-servers/:id`
pub(crate) fn delete(app: &App, caller: Caller, request: &Request) -> Result<Json<DeletedCount>> {
    let force = has_flag(request, "force")?;
    tool_servers::delete(app, &caller, request.id("id")?, force)?;
    Ok(Json(DeletedCount::new(1)))
}

/// `GET /custom-mcp-servers/:id/tools`
pub(crate) fn tools(app: &App, caller: Caller, request: &Request) -> Result<Json<Vec<OfferedTool>>> {
    Ok(Json(tool_servers::read(app, &caller, request.id("id")?)?.tools))
}

/// `POST /custom-mcp-servers/:id/authorize`
pub(crate) fn authorize(app: &App, caller: Caller, request: &Request) -> Result<Json<ToolServerView>> {
    Ok(Json(tool_servers::authorize(app, &caller, request.id("id")?, request.cancel())?.into()))
}
