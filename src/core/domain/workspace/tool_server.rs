//! Servers of tools: MCP servers that a workspace keeps, with the tools each had when it was last asked (manual 8.15).

use super::credential::{Ciphertext, MASK};
use crate::domain::error::{Error, Result};
use crate::domain::ids::{ToolServerId, WorkspaceId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use url::Url;

/// Longest name, colour and picture, in characters: a picture may be written out as data.
const NAME_CHARS_MAX: usize = 128;
const COLOR_CHARS_MAX: usize = 128;
const ICON_CHARS_MAX: usize = 64 * 1024;
/// Longest address, in bytes.
const URL_BYTES_MAX: usize = 8 * 1024;
/// Most headers, and the longest name and value of one, in bytes.
const HEADERS_MAX: usize = 50;
const HEADER_NAME_BYTES_MAX: usize = 256;
const HEADER_VALUE_BYTES_MAX: usize = 16 * 1024;

/// A stored server of tools.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolServer {
    pub id: ToolServerId,
    /// The workspace whose flows may use it.
    pub workspace: WorkspaceId,
    pub name: String,
    pub color: Option<String>,
    pub icon: Option<String>,
    /// What is shown of its address: scheme, host and port.
    pub origin: String,
    /// The names of the headers that it is asked with.
    pub header_names: Vec<String>,
    /// Its [`ToolServerAccess`], sealed.
    pub sealed: Ciphertext,
    pub state: ToolServerState,
    /// What it offered when it was last asked.
    pub tools: Vec<OfferedTool>,
    /// When it was made.
    pub created: Timestamp,
    pub updated: Timestamp,
}

/// Whether a server was asked for its tools as it is set now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub enum ToolServerState {
    /// Not yet.
    Pending,
    /// It listed them.
    Authorized,
    /// It did not list them.
    Error,
}

/// A tool as its server described it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct OfferedTool {
    pub name: String,
    pub description: String,
}

/// How a server is reached. All of it may be secret but the beginning of the address.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolServerAccess {
    pub url: String,
    /// By name, as they are sent.
    pub headers: BTreeMap<String, String>,
}

impl std::fmt::Debug for ToolServerAccess {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ToolServerAccess({})", shown_address(&self.url))
    }
}

/// What of a server a caller sets; what is left out stays.
#[derive(Debug, Clone, Default)]
pub struct ToolServerChange {
    pub name: Option<String>,
    pub color: Option<String>,
    pub icon: Option<String>,
    /// The address, or what was shown of it.
    pub url: Option<String>,
    /// All headers; a value that is hidden stays as it is stored.
    pub headers: Option<BTreeMap<String, String>>,
}

impl ToolServerAccess {
    /// The access that `change` makes of this one, which is blank for a new server.
    ///
    /// # Errors
    /// 400 for an address or a header that cannot be called, and for a hidden value that stands for nothing stored under this
    /// address: it would be sent to another server than the one it was entered for.
    pub fn with_change(self, change: &ToolServerChange) -> Result<Self> {
        let url = match change.url.as_deref().map(str::trim) {
            None => self.url.clone(),
            Some(sent) if !self.url.is_empty() && sent == shown_address(&self.url) => self.url.clone(),
            Some(sent) => sent.to_owned(),
        };
        let stays = origin(&url)? == origin(&self.url).unwrap_or_default();
        let sent = change
            .headers
            .clone()
            .unwrap_or_else(|| self.headers.keys().map(|name| (name.clone(), MASK.to_owned())).collect());
        if sent.len() > HEADERS_MAX {
            return Err(Error::Invalid(format!("Invalid headers: there may be {HEADERS_MAX} at most.")));
        }
        let header = |(name, value): (String, String)| {
            let kept = self.headers.get(&name).filter(|_| stays);
            let value = match value == MASK {
                false => value,
                true => kept.cloned().ok_or_else(|| {
                    Error::Invalid(format!("The header '{name}' is hidden: type its value for this address."))
                })?,
            };
            check_header(&name, &value)?;
            Ok((name, value))
        };
        Ok(Self { url, headers: sent.into_iter().map(header).collect::<Result<_>>()? })
    }

    /// A server that nothing is known of.
    pub const fn blank() -> Self {
        Self { url: String::new(), headers: BTreeMap::new() }
    }
}

impl ToolServer {
    /// Its address as people see it.
    #[must_use]
    pub fn shown_url(&self) -> String {
        format!("{}/{MASK}", self.origin)
    }

    /// Checks what people wrote.
    ///
    /// # Errors
    /// 400 naming the field.
    pub fn check(&self) -> Result<()> {
        let length = self.name.chars().count();
        if !(1..=NAME_CHARS_MAX).contains(&length) {
            return Err(Error::Invalid(format!(
                "Invalid name: it must have 1 to {NAME_CHARS_MAX} characters."
            )));
        }
        let is_long = |text: &Option<String>, most: usize| {
            text.as_ref().is_some_and(|text| text.chars().count() > most)
        };
        if is_long(&self.color, COLOR_CHARS_MAX) || is_long(&self.icon, ICON_CHARS_MAX) {
            return Err(Error::invalid("Invalid color or iconSrc: it is too long."));
        }
        Ok(())
    }
}

/// Scheme, host and port of an address.
///
/// # Errors
/// 400 saying what an address is.
pub fn origin(url: &str) -> Result<String> {
    let wrong = || {
        Error::invalid(
            "Invalid serverUrl: it must be an http or https address without a user name or password in it.",
        )
    };
    let parsed = Url::parse(url).map_err(|_| wrong())?;
    let is_web = matches!(parsed.scheme(), "http" | "https") && parsed.has_host();
    if !is_web || url.len() > URL_BYTES_MAX || !parsed.username().is_empty() || parsed.password().is_some() {
        return Err(wrong());
    }
    Ok(parsed.origin().ascii_serialization())
}

fn shown_address(url: &str) -> String {
    origin(url).map(|origin| format!("{origin}/{MASK}")).unwrap_or_default()
}

fn check_header(name: &str, value: &str) -> Result<()> {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if name.is_empty() || name.len() > HEADER_NAME_BYTES_MAX || !name.bytes().all(is_token) {
        return Err(Error::Invalid(format!("Invalid headers: '{}' is no name of one.", name.escape_debug())));
    }
    let is_text = |c: char| c == '\t' || !c.is_control();
    if value.len() > HEADER_VALUE_BYTES_MAX || !value.chars().all(is_text) {
        return Err(Error::Invalid(format!(
            "Invalid headers: the value of '{name}' is too long, or holds a control character."
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(url: Option<&str>, headers: Option<&[(&str, &str)]>) -> ToolServerChange {
        let headers = headers
            .map(|rows| rows.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect());
        ToolServerChange { url: url.map(str::to_owned), headers, ..ToolServerChange::default() }
    }

    fn stored() -> ToolServerAccess {
        ToolServerAccess::blank()
            .with_change(&change(Some("https://tools.example:8443/mcp?key=k"), Some(&[("X-Key", "secret")])))
            .unwrap()
    }

    #[test]
    fn what_is_shown_stands_for_what_is_stored() {
        let shown = shown_address(&stored().url);
        assert_eq!(shown, format!("https://tools.example:8443/{MASK}"));
        for same in [change(None, None), change(Some(&shown), Some(&[("X-Key", MASK)]))] {
            assert_eq!(stored().with_change(&same).unwrap(), stored());
        }
        let bare = stored().with_change(&change(None, Some(&[]))).unwrap();
        assert!(bare.headers.is_empty());
    }

    #[test]
    fn a_hidden_header_never_goes_to_another_server() {
        let elsewhere = "https://other.example/mcp";
        for wrong in [
            change(Some(elsewhere), None),
            change(Some(elsewhere), Some(&[("X-Key", MASK)])),
            change(Some("https://tools.example/mcp"), None),
            change(None, Some(&[("X-Other", MASK)])),
        ] {
            assert!(stored().with_change(&wrong).is_err(), "{wrong:?}");
        }
        assert!(stored().with_change(&change(Some("https://tools.example:8443/other"), None)).is_ok());
    }

    #[test]
    fn what_cannot_be_called_is_refused() {
        for url in ["", "mcp", "ftp://a.example", "https://u:p@a.example", "file:///etc/passwd"] {
            assert!(ToolServerAccess::blank().with_change(&change(Some(url), None)).is_err(), "{url}");
        }
        for (name, value) in [("", "x"), ("a b", "x"), ("A", "x\r\nB: y"), ("A:", "x")] {
            assert!(stored().with_change(&change(None, Some(&[(name, value)]))).is_err(), "{name}: {value}");
        }
    }
}
