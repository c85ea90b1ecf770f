//! The settings of a flow (manual 5.1): kept as they were sent, and read in one place.

mod api;
mod chatbot;
mod follow_ups;
mod mcp_server;
mod speech;
#[cfg(test)]
mod tests;

pub use self::api::{ApiConfig, OverridePolicy};
pub use self::chatbot::{AllowedOrigins, ChatbotConfig, PUBLIC_KEYS};
pub use self::follow_ups::{FollowUpPrompts, FollowUpProvider};
pub use self::mcp_server::McpServerConfig;
pub use self::speech::{SpeechProviderSettings, SpeechToText};
use crate::domain::ids::KeyId;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};
use std::ops::Deref;

/// Per-flow settings (manual 5.1).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FlowSettings {
    /// The key a request must send; `None` is 'No Authorization'.
    pub api_key: Option<KeyId>,
    pub is_public: Option<bool>,
    /// A flag the canvas writes and nobody reads.
    pub deployed: Option<bool>,
    /// Canvas edits go straight to Live.
    pub publish_instantly: bool,
    /// Chat settings, Allowed Domains included (manual 5.2).
    pub chatbot_config: Setting<ChatbotConfig>,
    /// Rate Limit and Override Config (manual 5.3).
    pub api_config: Setting<ApiConfig>,
    pub analytic: Setting<()>,
    pub speech_to_text: Setting<SpeechToText>,
    pub text_to_speech: Setting<()>,
    pub follow_up_prompts: Setting<FollowUpPrompts>,
    /// The flow as an MCP tool.
    pub mcp_server_config: Setting<McpServerConfig>,
}

impl FlowSettings {
    /// Whether the flow's link opens its chat for everybody.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.is_public == Some(true)
    }
}

/// An object among the settings as it was sent, so that keys this service does not know, and values of other types than it
/// reads, survive a round trip (manual 5.1 r2). What it reads of it is `T`.
#[derive(Debug, Clone)]
pub struct Setting<T> {
    raw: Option<Map<String, Value>>,
    view: T,
}

/// What is read of a settings object. Nothing else knows its keys.
pub trait ReadSetting: Sized {
    /// Reads what was stored: a key that is absent and a value that means nothing are not set.
    fn read(raw: &Map<String, Value>) -> Self;
}

/// An object that nothing here reads.
impl ReadSetting for () {
    fn read(_raw: &Map<String, Value>) {}
}

impl<T: ReadSetting> Setting<T> {
    /// The object as it was sent; `None` where none was.
    #[must_use]
    pub const fn raw(&self) -> Option<&Map<String, Value>> {
        self.raw.as_ref()
    }

    /// The object as JSON text.
    #[must_use]
    pub fn to_text(&self) -> Option<String> {
        self.raw.as_ref().map(|raw| Value::Object(raw.clone()).to_string())
    }

    fn edit(&mut self, edit: impl FnOnce(&mut Map<String, Value>)) {
        if let Some(mut raw) = self.raw.take() {
            edit(&mut raw);
            *self = Self::from(Some(raw));
        }
    }
}

impl<T: ReadSetting> From<Option<Map<String, Value>>> for Setting<T> {
    fn from(raw: Option<Map<String, Value>>) -> Self {
        let view = raw.as_ref().map_or_else(|| T::read(&Map::new()), T::read);
        Self { raw, view }
    }
}

impl<T: ReadSetting> Default for Setting<T> {
    fn default() -> Self {
        Self::from(None)
    }
}

impl<T> Deref for Setting<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.view
    }
}

/// What is read of two follows from what was sent.
impl<T> PartialEq for Setting<T> {
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw
    }
}

impl<T> Serialize for Setting<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.raw.serialize(serializer)
    }
}

impl<'de, T: ReadSetting> Deserialize<'de> for Setting<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Option::<Map<String, Value>>::deserialize(deserializer).map(Self::from)
    }
}

/// What must not be saved in the settings object of this name, as the key and what is wrong with its value.
#[must_use]
pub fn find_fault(name: &str, raw: &Map<String, Value>) -> Option<(&'static str, &'static str)> {
    match name {
        "chatbotConfig" => ChatbotConfig::find_fault(raw),
        "apiConfig" => ApiConfig::find_fault(raw),
        _ => None,
    }
}

/// True for a switch that is on.
fn is_on(value: Option<&Value>) -> bool {
    value == Some(&Value::Bool(true))
}
