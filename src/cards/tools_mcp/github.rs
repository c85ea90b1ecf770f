//! Github MCP: the tools of GitHub's own MCP server.

use super::Server;
use super::toolkit::{ACTIONS, BASE_CLASSES, CATEGORY, toolkit};
use crate::cards::kit::{Card, Input, Inputs, Make, Risk};
use crate::domain::error::Result;

/// GitHub's hosted server; an enterprise has its own.
const ADDRESS: &str = "https://api.githubcopilot.com/mcp/";

/// The card.
pub const CARD: Card = Card {
    name: "githubMCP",
    label: "Github MCP",
    version: 1.0,
    category: CATEGORY,
    description: "Tools of GitHub's MCP server.",
    base_classes: BASE_CLASSES,
    risk: Risk::Risky,
    inputs: &[
        Input::credential(&["githubApi"]),
        ACTIONS,
        Input::address("githubEnterpriseUrl", "GitHub Enterprise URL")
            .additional()
            .help("The address of the MCP server of an enterprise. Empty: GitHub's own."),
    ],
    outputs: &[],
    make: Make::Tools(|inputs| toolkit(inputs, server(inputs)?)),
};

/// GitHub's server, or that of the enterprise.
pub(in crate::cards) fn server(inputs: &Inputs<'_>) -> Result<Server> {
    let token = inputs.secret("accessToken")?;
    let url = inputs.address("githubEnterpriseUrl").unwrap_or_else(|| ADDRESS.to_owned());
    Ok(Server::Http { url, headers: vec![("authorization".to_owned(), format!("Bearer {token}"))] })
}
