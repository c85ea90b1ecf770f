//! The flow as a tool of an MCP server.

use super::{ReadSetting, Setting};
use crate::domain::workspace::credential::MASK;
use serde_json::{Map, Value};

/// What opens the flow's endpoint: a credential, which no answer holds.
const TOKEN: &str = "token";

#[derive(Debug, Clone)]
pub struct McpServerConfig {
    /// As it was stored, whatever that is.
    token: Option<Value>,
}

impl ReadSetting for McpServerConfig {
    fn read(raw: &Map<String, Value>) -> Self {
        Self { token: raw.get(TOKEN).cloned() }
    }
}

impl Setting<McpServerConfig> {
    /// As answers and the history hold it.
    #[must_use]
    pub fn without_token(&self) -> Self {
        let mut shown = self.clone();
        shown.edit(|raw| drop(raw.shift_remove(TOKEN)));
        shown
    }

    /// Keeps the token of before where none was sent, or a hidden one: whoever read the settings and sends them back was not
    /// shown it. An empty text or null takes it away.
    pub fn keep_token(&mut self, before: &Self) {
        if self.token.as_ref().is_none_or(|token| token == MASK) {
            let former = before.token.clone();
            self.edit(|raw| {
                raw.shift_remove(TOKEN);
                raw.extend(former.map(|token| (TOKEN.to_owned(), token)));
            });
        }
    }
}
