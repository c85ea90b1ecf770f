//! Tools of MCP servers, asked over streamable HTTP. No program is ever started for one.

mod client;
pub mod custom;
pub mod github;
mod toolkit;

use super::kit::Inputs;
use crate::domain::error::Result;

/// Where a server is, and the headers it is asked with.
pub(super) struct Server {
    url: String,
    headers: Vec<(String, String)>,
}

/// The server that a card is set to.
pub(super) type ServerOf = fn(&Inputs<'_>) -> Result<Server>;

pub(super) use toolkit::offered;
