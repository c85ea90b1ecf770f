//! Which tools the MCP servers of cards offer, for people who choose among them (manual 9.8 r2), and which programs those
//! servers are.

use super::kit::{Card, Inputs};
use super::tools_mcp::{
    self, brave_search, custom, github, saved_server, sequential_thinking, slack, supergateway,
};
use crate::domain::error::Result;
use crate::domain::ids::ToolServerId;
use crate::domain::local_program::CommandLine;
use serde_json::{Map, Value};

/// The server of a card, by the name of the card.
const SERVERS: &[(&str, tools_mcp::ServerBuilder)] = &[
    (brave_search::CARD.name, brave_search::server),
    (custom::CARD.name, custom::server),
    (github::CARD.name, github::server),
    (saved_server::CARD.name, saved_server::server),
    (sequential_thinking::CARD.name, sequential_thinking::server),
    (slack::CARD.name, slack::server),
    (supergateway::CARD.name, supergateway::server),
];

/// The program that a card starts by what is set on it.
type ProgramOf = fn(&Map<String, Value>) -> Option<CommandLine>;

/// The cards whose server may be a program.
const PROGRAMS: &[(&str, ProgramOf)] = &[
    (brave_search::CARD.name, brave_search::program),
    (custom::CARD.name, custom::program),
    (sequential_thinking::CARD.name, sequential_thinking::program),
    (slack::CARD.name, slack::program),
    (supergateway::CARD.name, supergateway::program),
];

/// The tools of the server that a card is set to, each with its description; `None` for a card without a server.
///
/// # Errors
/// When the card is set wrongly, or its server cannot be asked.
pub fn list_tools(inputs: &Inputs<'_>) -> Result<Option<Vec<(String, String)>>> {
    let server = SERVERS.iter().find(|(name, _)| *name == inputs.card.name);
    server.map(|(_, server)| tools_mcp::tool_descriptions(inputs, server(inputs)?)).transpose()
}

/// The card of a server that a workspace keeps, and what is set on it that means this server.
#[must_use]
pub fn saved_server(id: &ToolServerId) -> (&'static Card, Map<String, Value>) {
    let settings = Map::from_iter([(saved_server::SERVER.to_owned(), Value::from(id.to_string()))]);
    (&saved_server::CARD, settings)
}

/// The program of this machine that a card with these values starts; `None` when it starts none, or a reference in them
/// decides.
#[must_use]
pub fn program_of(card: &str, values: &Map<String, Value>) -> Option<CommandLine> {
    PROGRAMS.iter().find(|(name, _)| *name == card).and_then(|(_, program)| program(values))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::{Category, Picker};
    use crate::{model_lists, registry};

    #[test]
    fn every_card_of_an_mcp_server_lists_its_tools() {
        for card in registry::CARDS.iter().filter(|card| card.category == Category::McpTools) {
            let is_listed = SERVERS.iter().any(|(name, _)| *name == card.name);
            assert!(is_listed && model_lists::has_picker(card, Picker::Actions), "{}", card.name);
        }
    }
}
