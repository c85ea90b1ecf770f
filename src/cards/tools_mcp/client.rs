//! A client of the Model Context Protocol: the tools of one server, wherever that is.

use super::McpServer;
use super::http::HttpTransport;
use super::message::McpError;
use super::stdio::StdioTransport;
use crate::kit::Inputs;
use crate::programs::Programs;
use serde_json::{Value, json};

/// Most tools of one MCP server that are looked at (manual 14.7).
const MCP_TOOLS_MAX: usize = 500;
/// Most pages of its list of tools (manual 14.7).
const MCP_TOOLS_PAGES_MAX: usize = 20;
/// Largest schema of a tool of an MCP server that a model is shown (manual 14.7).
const MCP_SCHEMA_BYTES_MAX: usize = 32 * 1024;
/// The longest description of a tool.
const DESCRIPTION_CHARS_MAX: usize = 1024;

/// A tool as its server describes it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct McpToolInfo {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) schema: Value,
}

/// A server as one run knows it.
pub(super) enum McpClient {
    Http(Box<HttpTransport>),
    Program(StdioTransport),
}

impl McpClient {
    /// A server over HTTP is called when it is first asked; a program starts now.
    pub(super) fn open(server: McpServer, inputs: &Inputs<'_>) -> Result<Self, McpError> {
        Ok(match server {
            McpServer::Http { url, headers } => {
                Self::Http(Box::new(HttpTransport::new(url, headers, inputs.host)))
            }
            McpServer::Program(line) => {
                let granted = inputs.want::<Programs>().ok_or(McpError::NothingStarts)?;
                let programs = granted.of(inputs.host).map_err(|_| McpError::NothingStarts)?;
                Self::Program(StdioTransport::start(&line, programs, inputs.host.cancel())?)
            }
        })
    }

    fn ask(&self, method: &str, params: &Value) -> Result<Value, McpError> {
        match self {
            Self::Http(server) => server.ask(method, params),
            Self::Program(server) => server.ask(method, params),
        }
    }

    /// The server's tools, as far as they are described well.
    pub(super) fn tools(&self) -> Result<Vec<McpToolInfo>, McpError> {
        let (mut found, mut params) = (Vec::new(), json!({}));
        for _ in 0..MCP_TOOLS_PAGES_MAX {
            let page = self.ask("tools/list", &params)?;
            let tools =
                page["tools"].as_array().ok_or(McpError::Malformed("its list of tools cannot be read"))?;
            found.extend(tools.iter().filter_map(parse_tool));
            found.truncate(MCP_TOOLS_MAX);
            match page["nextCursor"].as_str() {
                Some(cursor) if found.len() < MCP_TOOLS_MAX => params = json!({ "cursor": cursor }),
                _ => break,
            }
        }
        Ok(found)
    }

    /// Calls a tool: what it returned, and whether that is an error of its own.
    pub(super) fn call(&self, name: &str, arguments: &Value) -> Result<(Vec<Value>, bool), McpError> {
        let result = self.ask("tools/call", &json!({"name": name, "arguments": arguments}))?;
        let content =
            result["content"].as_array().cloned().ok_or(McpError::Malformed("its result cannot be read"))?;
        Ok((content, result["isError"] == true))
    }
}

fn parse_tool(tool: &Value) -> Option<McpToolInfo> {
    Some(McpToolInfo {
        name: tool["name"].as_str().filter(|name| !name.is_empty())?.to_owned(),
        description: tool["description"]
            .as_str()
            .unwrap_or_default()
            .chars()
            .take(DESCRIPTION_CHARS_MAX)
            .collect(),
        // One that is too long is none; many of them must not lie here side by side.
        schema: Some(&tool["inputSchema"])
            .filter(|schema| schema.to_string().len() <= MCP_SCHEMA_BYTES_MAX)
            .cloned()
            .unwrap_or_default(),
    })
}
