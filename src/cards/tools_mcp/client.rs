//! A client of the Model Context Protocol: the tools of one server, wherever that is.

use super::Server;
use super::http::Http;
use super::message::Fault;
use super::stdio::Stdio;
use crate::cards::kit::Host;
use crate::limits::{MCP_SCHEMA_BYTES_MAX, MCP_TOOLS_MAX, MCP_TOOLS_PAGES_MAX};
use serde_json::{Value, json};

/// The longest description of a tool.
const DESCRIPTION_CHARS_MAX: usize = 1024;

/// A tool as its server describes it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Described {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) schema: Value,
}

/// A server as one run knows it.
pub(super) enum Client {
    Http(Box<Http>),
    Program(Stdio),
}

impl Client {
    /// A server over HTTP is called when it is first asked; a program starts now.
    pub(super) fn open(server: Server, host: &dyn Host) -> Result<Self, Fault> {
        Ok(match server {
            Server::Http { url, headers } => Self::Http(Box::new(Http::new(url, headers, host))),
            Server::Program(line) => Self::Program(Stdio::start(&line, host)?),
        })
    }

    fn ask(&self, method: &str, params: &Value) -> Result<Value, Fault> {
        match self {
            Self::Http(server) => server.ask(method, params),
            Self::Program(server) => server.ask(method, params),
        }
    }

    /// The server's tools, as far as they are described well.
    pub(super) fn tools(&self) -> Result<Vec<Described>, Fault> {
        let (mut found, mut params) = (Vec::new(), json!({}));
        for _ in 0..MCP_TOOLS_PAGES_MAX {
            let page = self.ask("tools/list", &params)?;
            let tools = page["tools"].as_array().ok_or(Fault::Garbled("its list of tools cannot be read"))?;
            found.extend(tools.iter().filter_map(described));
            found.truncate(MCP_TOOLS_MAX);
            match page["nextCursor"].as_str() {
                Some(cursor) if found.len() < MCP_TOOLS_MAX => params = json!({ "cursor": cursor }),
                _ => break,
            }
        }
        Ok(found)
    }

    /// Calls a tool: what it returned, and whether that is an error of its own.
    pub(super) fn call(&self, name: &str, arguments: &Value) -> Result<(Vec<Value>, bool), Fault> {
        let result = self.ask("tools/call", &json!({"name": name, "arguments": arguments}))?;
        let content =
            result["content"].as_array().cloned().ok_or(Fault::Garbled("its result cannot be read"))?;
        Ok((content, result["isError"] == true))
    }
}

fn described(tool: &Value) -> Option<Described> {
    Some(Described {
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
