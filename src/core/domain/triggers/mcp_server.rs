//! A flow as the tool of an MCP server (manual 2.15): its name, and the token that opens it.

use crate::domain::accounts::token::{self, Token};
use crate::domain::error::{Error, Result};
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq as _;

/// What every token begins with, so that a leaked one is recognised as ours.
const PREFIX: &str = "fkm_";
/// Longest name of a flow as a tool (manual 14.7).
const TOOL_NAME_MAX: usize = 64;
/// Longest description of a flow as a tool, in characters (manual 14.7).
const DESCRIPTION_CHARACTERS_MAX: usize = 2_000;

/// What is kept of it. The token itself is not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct McpServer {
    pub tool_name: String,
    pub description: String,
    pub enabled: bool,
    /// SHA-256 of the token.
    pub hash: [u8; 32],
    /// The last four characters of the token, by which a person tells tokens apart.
    pub last_four: String,
}

/// What a person says of the tool; what is not said stays.
#[derive(Debug, Clone, Default)]
pub struct McpServerChange {
    pub tool_name: Option<String>,
    pub description: Option<String>,
    pub enabled: Option<bool>,
}

/// A token that was just made: it is shown once.
pub struct FreshToken(pub String);

impl McpServer {
    /// A new one, which is on.
    ///
    /// # Errors
    /// 400 for a name or a description that no tool can have.
    pub fn create(tool_name: &str, description: &str) -> Result<(Self, FreshToken)> {
        let (hash, last_four, fresh) = mint();
        let server = Self {
            tool_name: read_name(tool_name)?,
            description: read_description(description)?,
            enabled: true,
            hash,
            last_four,
        };
        Ok((server, fresh))
    }

    /// With another token; the one of before opens nothing any more.
    #[must_use]
    pub fn with_new_token(self) -> (Self, FreshToken) {
        let (hash, last_four, fresh) = mint();
        (Self { hash, last_four, ..self }, fresh)
    }

    /// # Errors
    /// As [`Self::create`].
    pub fn with_change(self, change: &McpServerChange) -> Result<Self> {
        let McpServerChange { tool_name, description, enabled } = change;
        Ok(Self {
            tool_name: tool_name.as_deref().map_or(Ok(self.tool_name), read_name)?,
            description: description.as_deref().map_or(Ok(self.description), read_description)?,
            enabled: enabled.unwrap_or(self.enabled),
            ..self
        })
    }

    /// The token as answers show it later.
    #[must_use]
    pub fn masked_token(&self) -> String {
        format!("{PREFIX}\u{2022}\u{2022}\u{2022}\u{2022}{}", self.last_four)
    }

    #[must_use]
    pub fn is_opened_by(&self, token: &str) -> bool {
        token::hash(token).ct_eq(&self.hash).into()
    }
}

fn mint() -> ([u8; 32], String, FreshToken) {
    let value = format!("{PREFIX}{}", Token::random().as_str());
    let last_four = value[value.len() - 4..].to_owned();
    (token::hash(&value), last_four, FreshToken(value))
}

fn read_name(name: &str) -> Result<String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if name.is_empty() || name.len() > TOOL_NAME_MAX || !name.chars().all(fits) {
        return Err(Error::Invalid(format!(
            "'toolName' must have 1 to {TOOL_NAME_MAX} characters: letters without accents, digits, '_' and '-'."
        )));
    }
    Ok(name.to_owned())
}

fn read_description(description: &str) -> Result<String> {
    let text = description.trim();
    if text.is_empty() || text.chars().count() > DESCRIPTION_CHARACTERS_MAX {
        return Err(Error::Invalid(format!(
            "'description' must be a text of 1 to {DESCRIPTION_CHARACTERS_MAX} characters: what the tool does, and when to use it."
        )));
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_opens_its_server_until_there_is_another() {
        let (server, FreshToken(first)) = McpServer::create("orders", "Finds orders.").unwrap();
        assert!(first.starts_with("fkm_") && first.len() == 47 && server.is_opened_by(&first));
        assert!(server.masked_token().starts_with("fkm_") && server.masked_token().ends_with(&first[43..]));
        let (server, FreshToken(second)) = server.with_new_token();
        assert!(server.is_opened_by(&second) && !server.is_opened_by(&first) && !server.is_opened_by(""));
    }

    #[test]
    fn names_and_descriptions_are_those_that_tools_can_have() {
        for bad in ["", "a b", "é", &"x".repeat(65), "a.b"] {
            assert!(McpServer::create(bad, "x").is_err(), "{bad}");
        }
        assert!(McpServer::create("a", " ").is_err());
        let (server, _) = McpServer::create("a-B_9", "x").unwrap();
        let change = McpServerChange { enabled: Some(false), ..McpServerChange::default() };
        let other = server.clone().with_change(&change).unwrap();
        assert_eq!(other, McpServer { enabled: false, ..server });
    }
}
