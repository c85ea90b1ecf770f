//! Brave Search MCP: searches of the web by the MCP server of an npm package.

use super::McpServer;
use super::packaged::Package;
use super::toolkit::{ACTIONS, BASE_CLASSES, CATEGORY, toolkit};
use crate::domain::error::Result;
use crate::domain::local_program::CommandLine;
use crate::kit::{Capability, Card, Factory, Input, Inputs, Need, Risk};
use serde_json::{Map, Value};

const PACKAGE: Package = Package {
    name: "@modelcontextprotocol/server-brave-search",
    secrets: &[("BRAVE_API_KEY", "braveApiKey")],
};

pub(crate) const CARD: Card = Card {
    name: "braveSearchMCP",
    label: "Brave Search MCP",
    version: 1.0,
    category: CATEGORY,
    description: "Searches of Brave, by a local MCP server that the operator allows.",
    base_classes: BASE_CLASSES,
    risk: Risk::Risky,
    needs: &[Need::optional(Capability::Programs)],
    inputs: &[Input::credential(&["braveSearchApi"]), ACTIONS],
    outputs: &[],
    make: Factory::Tools(|inputs| toolkit(inputs, server(inputs)?)),
};

/// The program of the package.
pub(crate) fn server(inputs: &Inputs<'_>) -> Result<McpServer> {
    PACKAGE.server(inputs, "")
}

/// What a card with these values starts.
pub(crate) fn program(_: &Map<String, Value>) -> Option<CommandLine> {
    Some(PACKAGE.line(""))
}
