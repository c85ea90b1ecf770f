//! A flow as a tool, as its owner sees it.

use crate::domain::triggers::mcp_server::{FreshToken, McpServer, McpServerChange};
use serde::{Deserialize, Serialize};

/// How a flow stands as a tool; empty texts where it is none.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "McpServer"))]
pub struct McpServerView {
    enabled: bool,
    /// The whole of it where it was just made; else its beginning and its last characters.
    token: String,
    description: String,
    tool_name: String,
}

impl From<McpServer> for McpServerView {
    fn from(server: McpServer) -> Self {
        let token = server.masked_token();
        let McpServer { tool_name, description, enabled, .. } = server;
        Self { enabled, token, description, tool_name }
    }
}

impl From<(McpServer, FreshToken)> for McpServerView {
    fn from((server, FreshToken(token)): (McpServer, FreshToken)) -> Self {
        Self { token, ..server.into() }
    }
}

/// A flow that is to be a tool.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "NewMcpServer"))]
pub struct NewMcpServer {
    /// 1 to 64 letters, digits, `_` and `-`; no other flow of the workspace has it.
    pub tool_name: String,
    /// What the tool does, and when to use it.
    pub description: String,
}

/// What changes; what is left out stays.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "McpServerEdit"))]
pub struct McpServerEdit {
    tool_name: Option<String>,
    description: Option<String>,
    enabled: Option<bool>,
}

impl From<McpServerEdit> for McpServerChange {
    fn from(McpServerEdit { tool_name, description, enabled }: McpServerEdit) -> Self {
        Self { tool_name, description, enabled }
    }
}

/// The flow is a tool no more.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "McpServerGone"))]
pub struct McpServerGone {
    message: &'static str,
}

impl McpServerGone {
    pub const DONE: Self = Self { message: "This flow is no tool of an MCP server any more." };
}
