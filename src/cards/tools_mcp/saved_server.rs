//! Custom MCP Server: the tools of a server that the workspace keeps.

use super::McpServer;
use super::toolkit::{ACTIONS, BASE_CLASSES, CATEGORY, toolkit};
use crate::domain::error::Result;
use crate::domain::ids::ToolServerId;
use crate::domain::workspace::tool_server::{ToolServer, ToolServerAccess, ToolServerState};
use crate::kit::{Capability, Card, Factory, Input, Inputs, Need, Picker, Risk, WorkspaceTools};

/// The input that names the server.
pub(crate) const SERVER: &str = "mcpServerId";

pub(crate) const CARD: Card = Card {
    name: "customMcpServerTool",
    label: "Custom MCP Server",
    version: 1.0,
    category: CATEGORY,
    description: "Tools of an MCP server of this workspace.",
    base_classes: BASE_CLASSES,
    risk: Risk::Risky,
    needs: &[Need::required(Capability::WorkspaceTools)],
    inputs: &[
        Input::pick(SERVER, "Custom MCP Server", Picker::ToolServer)
            .help("The id of a server of tools of this workspace."),
        ACTIONS,
    ],
    outputs: &[],
    make: Factory::Tools(|inputs| {
        let (server, access) = find(inputs)?;
        if server.state != ToolServerState::Authorized {
            let why = format!("'{}' was not asked for its tools yet: authorize it first", server.name);
            return Err(inputs.input_error(SERVER, &why));
        }
        toolkit(inputs, reached(access))
    }),
};

/// The server that the card is set to, whether it was asked for its tools or not.
pub(crate) fn server(inputs: &Inputs<'_>) -> Result<McpServer> {
    find(inputs).map(|(_, access)| reached(access))
}

fn reached(access: ToolServerAccess) -> McpServer {
    McpServer::Http { url: access.url, headers: access.headers.into_iter().collect() }
}

fn find(inputs: &Inputs<'_>) -> Result<(ToolServer, ToolServerAccess)> {
    let picked = inputs.text(SERVER)?;
    let missing = || inputs.input_error(SERVER, "this server of tools no longer exists; choose another");
    let id = ToolServerId::parse(picked.trim()).ok_or_else(missing)?;
    let tools = inputs.need::<dyn WorkspaceTools>()?.of(inputs.host)?;
    tools.server(&id)?.ok_or_else(missing)
}
