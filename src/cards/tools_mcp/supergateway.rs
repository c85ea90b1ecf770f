//! Supergateway MCP: MCP servers behind other transports, by a bridge from npm.

use super::McpServer;
use super::packaged::Package;
use super::toolkit::{ACTIONS, BASE_CLASSES, CATEGORY, toolkit};
use crate::domain::error::Result;
use crate::domain::local_program::CommandLine;
use crate::kit::{Capability, Card, Factory, Input, Inputs, Need, Risk};
use serde_json::{Map, Value};

const PACKAGE: Package = Package { name: "supergateway", secrets: &[] };

const ARGUMENTS: Input = Input::text("arguments", "Arguments")
    .help("What the bridge is started with, such as --sse and the address of a server. The operator has to allow every word.");

pub(crate) const CARD: Card = Card {
    name: "supergatewayMCP",
    label: "Supergateway MCP",
    version: 1.0,
    category: CATEGORY,
    description: "MCP servers behind other transports, by a local bridge that the operator allows.",
    base_classes: BASE_CLASSES,
    risk: Risk::Risky,
    needs: &[Need::optional(Capability::Programs)],
    inputs: &[ARGUMENTS, ACTIONS],
    outputs: &[],
    make: Factory::Tools(|inputs| toolkit(inputs, server(inputs)?)),
};

/// The program of the package.
pub(crate) fn server(inputs: &Inputs<'_>) -> Result<McpServer> {
    PACKAGE.server(inputs, &inputs.text(ARGUMENTS.name)?)
}

/// What a card with these values starts.
pub(crate) fn program(values: &Map<String, Value>) -> Option<CommandLine> {
    let args = values.get(ARGUMENTS.name)?.as_str().filter(|text| !text.contains("{{"))?;
    Some(PACKAGE.line(args))
}
