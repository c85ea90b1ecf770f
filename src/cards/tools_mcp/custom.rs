//! Custom MCP: the tools of any MCP server that can be reached over HTTP.

use super::Server;
use super::toolkit::{ACTIONS, BASE_CLASSES, CATEGORY, toolkit};
use crate::cards::kit::{Card, Input, Inputs, Make, Risk};
use crate::domain::error::Result;
use serde_json::{Map, Value};

const CONFIG: &str = "mcpServerConfig";

/// The card.
pub const CARD: Card = Card {
    name: "customMCP",
    label: "Custom MCP",
    version: 1.1,
    category: CATEGORY,
    description: "Tools of an MCP server over HTTP.",
    base_classes: BASE_CLASSES,
    risk: Risk::Risky,
    inputs: &[
        Input::code(CONFIG, "MCP Server Config").help(
            "JSON: {\"url\": \"https://…/mcp\", \"headers\": {\"Authorization\": \"Bearer {{$vars.token}}\"}}. Programs are never started.",
        ),
        ACTIONS,
    ],
    outputs: &[],
    make: Make::Tools(|inputs| toolkit(inputs, server(inputs)?)),
};

/// Address and headers of the configuration.
pub(in crate::cards) fn server(inputs: &Inputs<'_>) -> Result<Server> {
    let wrong = |what: &str| inputs.wrong(CONFIG, what);
    let config: Map<String, Value> = serde_json::from_str(&inputs.text(CONFIG)?)
        .map_err(|_| wrong("this must be a JSON object with a url"))?;
    if config.contains_key("command") {
        return Err(wrong(
            "this server starts no programs; give the url of a server that is reached over HTTP",
        ));
    }
    let url = config.get("url").and_then(Value::as_str).map(str::trim).filter(|url| !url.is_empty());
    let url = url.ok_or_else(|| wrong("it needs the url of the server"))?;
    let text = |(name, value): (&String, &Value)| {
        let value = value.as_str().ok_or_else(|| wrong("the values of headers must be texts"))?;
        Ok((name.clone(), value.to_owned()))
    };
    let headers = match config.get("headers") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Object(headers)) => headers.iter().map(text).collect::<Result<_>>()?,
        Some(_) => return Err(wrong("its headers must be an object of names and texts")),
    };
    Ok(Server { url: url.to_owned(), headers })
}
