//! Tools of MCP servers: over streamable HTTP, and of programs of this machine that the operator lets flows start.

pub(crate) mod brave_search;
mod client;
pub(crate) mod custom;
pub(crate) mod github;
mod http;
mod message;
mod packaged;
pub(crate) mod saved_server;
pub(crate) mod sequential_thinking;
pub(crate) mod slack;
mod stdio;
pub(crate) mod supergateway;
mod toolkit;

use super::kit::Inputs;
use crate::domain::error::Result;
use crate::domain::local_program::CommandLine;

/// Where a server is.
pub(super) enum McpServer {
    /// At an address, where it is asked with these headers.
    Http { url: String, headers: Vec<(String, String)> },
    /// A program, which is started for the run.
    Program(CommandLine),
}

/// The server that a card is set to.
pub(super) type ServerBuilder = fn(&Inputs<'_>) -> Result<McpServer>;

pub(super) use toolkit::tool_descriptions;
