//! Github MCP: the tools of GitHub's own MCP server.

use super::McpServer;
use super::toolkit::{ACTIONS, BASE_CLASSES, CATEGORY, toolkit};
use crate::domain::error::Result;
use crate::kit::{Card, Factory, Input, Inputs, Risk};

/// GitHub's hosted server; an enterprise has its own.
const ADDRESS: &str = "https://api.githubcopilot.com/mcp/";

pub(crate) const CARD: Card = Card {
    name: "githubMCP",
    label: "Github MCP",
    version: 1.0,
    category: CATEGORY,
    description: "Tools of GitHub's MCP server.",
    base_classes: BASE_CLASSES,
    risk: Risk::Risky,
    needs: &[],
    inputs: &[
        Input::credential(&["githubApi"]),
        ACTIONS,
        Input::address("githubEnterpriseUrl", "GitHub Enterprise URL")
            .additional()
            .help("The address of the MCP server of an enterprise. Empty: GitHub's own."),
    ],
    outputs: &[],
    make: Factory::Tools(|inputs| toolkit(inputs, server(inputs)?)),
};

/// GitHub's server, or that of the enterprise.
pub(crate) fn server(inputs: &Inputs<'_>) -> Result<McpServer> {
    let token = inputs.secret("accessToken")?;
    let url = inputs.address("githubEnterpriseUrl").unwrap_or_else(|| ADDRESS.to_owned());
    Ok(McpServer::Http { url, headers: vec![("authorization".to_owned(), format!("Bearer {token}"))] })
}
