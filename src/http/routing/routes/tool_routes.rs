//! Routes of tools: those that people write, and those of servers.

use super::params;
use super::permissions::TOOL_SEEN;
use crate::http::api::workspace::{tool_servers, tools};
use crate::http::routing::guard::any_of;
use crate::http::routing::router::{Route, delete, get, post, put};

const CHANGE: &[&str] = &["tools:create", "tools:update"];

/// Tools (manual 8.10) and servers of tools (manual 8.15).
#[rustfmt::skip]
pub(super) fn tool_routes() -> Vec<Route> { vec![
    get   ("/tools",     any_of(&["tools:view"]),   tools::list)  .summary("Lists tools.")
        .id("listTools").query(params::PAGES),
    post  ("/tools",     any_of(&["tools:create"]), tools::create).summary("Stores a tool.")
        .id("createTool"),
    get   ("/tools/:id", any_of(&["tools:view"]),   tools::read)  .summary("Reads a tool.")
        .id("getTool"),
    put   ("/tools/:id", any_of(CHANGE),            tools::update).summary("Changes a tool.")
        .id("updateTool").shows(TOOL_SEEN),
    delete("/tools/:id", any_of(&["tools:delete"]), tools::delete).summary("Deletes a tool.")
        .id("deleteTool").query(params::FORCE).refuses(&[409]),

    get   ("/custom-mcp-servers",           any_of(&["tools:view"]),   tool_servers::list)  .summary("Lists servers of tools.")
        .id("listToolServers").query(params::PAGES),
    post  ("/custom-mcp-servers",           any_of(&["tools:create"]), tool_servers::create).summary("Stores a server of tools.")
        .id("createToolServer"),
    get   ("/custom-mcp-servers/:id",       any_of(&["tools:view"]),   tool_servers::read)  .summary("Reads a server of tools.")
        .id("getToolServer"),
    put   ("/custom-mcp-servers/:id",       any_of(CHANGE),            tool_servers::update).summary("Changes a server of tools.")
        .id("updateToolServer").shows(TOOL_SEEN),
    delete("/custom-mcp-servers/:id",       any_of(&["tools:delete"]), tool_servers::delete).summary("Deletes a server of tools.")
        .id("deleteToolServer").query(params::FORCE).refuses(&[409]),
    get   ("/custom-mcp-servers/:id/tools", any_of(&["tools:view"]),   tool_servers::tools) .summary("Lists what a server of tools offered.")
        .id("listToolsOfServer"),
    post  ("/custom-mcp-servers/:id/authorize", any_of(CHANGE),        tool_servers::authorize).summary("Asks a server of tools what it offers.")
        .id("authorizeToolServer").shows(TOOL_SEEN),
] }
