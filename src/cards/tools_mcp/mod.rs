//! Tools of MCP servers, asked over streamable HTTP. No program is ever started for one.

mod client;
pub mod custom;
pub mod github;
mod toolkit;
