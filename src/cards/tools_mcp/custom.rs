//! Custom MCP: the tools of any MCP server, over HTTP or as a program that the operator lets flows start.

use super::McpServer;
use super::toolkit::{ACTIONS, BASE_CLASSES, CATEGORY, toolkit};
use crate::domain::error::Result;
use crate::domain::local_program::CommandLine;
use crate::kit::{Capability, Card, Factory, Input, Inputs, Need, Risk};
use serde_json::{Map, Value};

/// Most arguments of a local program, and variables of its environment (manual 14.7).
const PROGRAM_WORDS_MAX: usize = 100;
/// Longest of them (manual 14.7).
const PROGRAM_WORD_BYTES_MAX: usize = 16 * 1024;
const CONFIG: &str = "mcpServerConfig";

pub(crate) const CARD: Card = Card {
    name: "customMCP",
    label: "Custom MCP",
    version: 1.1,
    category: CATEGORY,
    description: "Tools of an MCP server over HTTP, or of a program that the operator allows.",
    base_classes: BASE_CLASSES,
    risk: Risk::Risky,
    needs: &[Need::optional(Capability::Programs)],
    inputs: &[
        Input::code(CONFIG, "MCP Server Config").help(
            "JSON: {\"url\": \"https://…/mcp\", \"headers\": {\"Authorization\": \"Bearer {{$vars.token}}\"}}, or {\"command\": \
             \"npx\", \"args\": [\"…\"], \"env\": {\"NAME\": \"…\"}} for a program. A program starts only when the operator's \
             SERVICE_MCP_COMMANDS has this very command line.",
        ),
        ACTIONS,
    ],
    outputs: &[],
    make: Factory::Tools(|inputs| toolkit(inputs, server(inputs)?)),
};

/// The server of the configuration.
pub(crate) fn server(inputs: &Inputs<'_>) -> Result<McpServer> {
    read(&inputs.text(CONFIG)?).map_err(|what| inputs.input_error(CONFIG, what))
}

/// The program that a card with these values starts, as far as that is known before it runs.
pub(crate) fn program(values: &Map<String, Value>) -> Option<CommandLine> {
    let text = values.get(CONFIG)?.as_str().filter(|text| !text.contains("{{"))?;
    match read(text) {
        Ok(McpServer::Program(line)) => Some(line),
        _ => None,
    }
}

fn read(text: &str) -> std::result::Result<McpServer, &'static str> {
    let config: Map<String, Value> =
        serde_json::from_str(text).map_err(|_| "this must be a JSON object with a url, or a command")?;
    let word =
        |name: &str| config.get(name).and_then(Value::as_str).map(str::trim).filter(|word| !word.is_empty());
    if let Some(program) = word("command") {
        return Ok(McpServer::Program(CommandLine {
            program: fitting(program)?,
            args: arguments(config.get("args"))?,
            env: texts(config.get("env"), "its env must be an object of names and texts")?,
        }));
    }
    let url = word("url").ok_or("it needs the url of the server, or a command")?.to_owned();
    let headers = texts(config.get("headers"), "its headers must be an object of names and texts")?;
    Ok(McpServer::Http { url, headers })
}

fn fitting(word: &str) -> std::result::Result<String, &'static str> {
    match word.len() <= PROGRAM_WORD_BYTES_MAX && !word.contains('\0') {
        true => Ok(word.to_owned()),
        false => Err("a word of the command line is too long, or holds a NUL character"),
    }
}

fn arguments(value: Option<&Value>) -> std::result::Result<Vec<String>, &'static str> {
    const WRONG: &str = "its args must be a list of at most 100 texts";
    match value {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(words)) if words.len() <= PROGRAM_WORDS_MAX => {
            words.iter().map(|word| fitting(word.as_str().ok_or(WRONG)?)).collect()
        }
        Some(_) => Err(WRONG),
    }
}

/// Names and their texts, such as headers.
fn texts(
    value: Option<&Value>,
    wrong: &'static str,
) -> std::result::Result<Vec<(String, String)>, &'static str> {
    match value {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Object(rows)) if rows.len() <= PROGRAM_WORDS_MAX => rows
            .iter()
            .map(|(name, value)| Ok((name.clone(), fitting(value.as_str().ok_or(wrong)?)?)))
            .collect(),
        Some(_) => Err(wrong),
    }
}
