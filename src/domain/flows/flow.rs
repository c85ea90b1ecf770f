//! A flow: what answers questions (manual 5.1).

use super::rate_limit::{RateLimit, RateLimitSetting};
use crate::domain::error::{Error, Result};
use crate::domain::ids::{FlowId, KeyId, WorkspaceId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
use std::fmt;

/// The kinds of flow (manual 5.1 r1). The wire form is upper case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "FlowType", description = "The kind of a flow."))]
pub enum FlowKind {
    // A chat canvas: components wired to an ending card.
    Chatflow,
    // A step canvas with a Start card.
    Agentflow,
    // The legacy multi-agent and sequential-agent canvases.
    Multiagent,
    Assistant,
    // An agent team addressed by name.
    Harness,
    Etl,
}

impl FlowKind {
    /// Every kind, for lists and messages.
    pub const ALL: [Self; 6] =
        [Self::Chatflow, Self::Agentflow, Self::Multiagent, Self::Assistant, Self::Harness, Self::Etl];

    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Chatflow => "CHATFLOW",
            Self::Agentflow => "AGENTFLOW",
            Self::Multiagent => "MULTIAGENT",
            Self::Assistant => "ASSISTANT",
            Self::Harness => "HARNESS",
            Self::Etl => "ETL",
        }
    }

    /// Why this build keeps flows of this kind and does not run them; `None` when it runs them.
    #[must_use]
    pub fn unsupported_reason(self) -> Option<String> {
        match self {
            Self::Chatflow => None,
            other => Some(format!("This server cannot run flows of type {other} yet.")),
        }
    }

    /// Judges whether the engine runs flows of this kind.
    ///
    /// # Errors
    /// 400 that names the kind: the request names a flow that this build can keep and not run, which is no fault of a run.
    pub fn require_supported(self) -> Result<()> {
        self.unsupported_reason().map_or(Ok(()), |why| Err(Error::Invalid(why)))
    }

    /// The permission group that governs flows of this kind (manual 1.7 r2).
    #[must_use]
    pub const fn resource(self) -> &'static str {
        match self {
            Self::Chatflow | Self::Harness | Self::Etl => "chatflows",
            Self::Agentflow | Self::Multiagent => "agentflows",
            Self::Assistant => "assistants",
        }
    }
}

impl fmt::Display for FlowKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// SHA-256 of a canvas text and its kind: equal digests mean the same Live.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CanvasDigest([u8; 32]);

impl CanvasDigest {
    /// Digests a canvas as it stands in the database.
    #[must_use]
    pub fn compute(kind: FlowKind, flow_data: &str) -> Self {
        let mut hash = Sha256::new();
        hash.update(kind.as_str());
        hash.update([0]);
        hash.update(flow_data);
        Self(hash.finalize().into())
    }
}

impl fmt::Debug for CanvasDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0[..6].iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// A flow record without its canvas, which lies in a table of its own, so that reading the settings for a request
/// does not read a text that may be megabytes long.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Flow {
    pub id: FlowId,
    pub workspace: WorkspaceId,
    pub name: String,
    pub kind: FlowKind,
    /// Tags, `;`-separated as Flowise's page writes them.
    pub category: Option<String>,
    pub digest: CanvasDigest,
    /// How many cards Live holds; a flow without cards serves nothing (manual 2.2 r3).
    pub card_count: u32,
    pub settings: FlowSettings,
    /// The last Publish or Roll back (manual 5.5).
    #[serde(default)]
    pub last_published: Option<super::draft::LastPublish>,
    /// When it was made.
    pub created: Timestamp,
    pub updated: Timestamp,
}

/// A flow with its canvas text.
#[derive(Debug, Clone)]
pub struct FlowWithCanvas {
    pub flow: Flow,
    /// `flowData`.
    pub canvas: String,
}

/// The field of `mcpServerConfig` that no answer holds: the token of the flow's endpoint is a credential.
pub const MCP_TOKEN: &str = "token";

/// Per-flow settings (manual 5.1). Objects are kept as sent, so that keys this service does not
/// know survive a round trip (manual 5.1 r2).
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
    pub chatbot_config: Option<Map<String, Value>>,
    /// Rate Limit and Override Config (manual 5.3).
    pub api_config: Option<Map<String, Value>>,
    pub analytic: Option<Map<String, Value>>,
    pub speech_to_text: Option<Map<String, Value>>,
    pub text_to_speech: Option<Map<String, Value>>,
    pub follow_up_prompts: Option<Map<String, Value>>,
    /// The flow as an MCP tool.
    pub mcp_server_config: Option<Map<String, Value>>,
}

/// Which pages the owner of a flow lets ask it (manual 5.2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AllowedOrigins {
    Every,
    /// Pages that an entry covers; none of no entries.
    Only(Vec<String>),
}

impl AllowedOrigins {
    /// No page: what is not understood must not open a flow.
    pub const NONE: Self = Self::Only(Vec::new());

    /// Reads `chatbotConfig.allowedOrigins`. `None` for a value that is no list of texts.
    #[must_use]
    pub fn parse(value: Option<&Value>) -> Option<Self> {
        let list = match value {
            None | Some(Value::Null) => return Some(Self::Every),
            Some(value) => value.as_array()?,
        };
        let entries = list.iter().map(|entry| entry.as_str().map(str::trim)).collect::<Option<Vec<_>>>()?;
        // Flowise's page writes one empty entry where it means "any".
        if entries.first().is_none_or(|first| first.is_empty()) {
            return Some(Self::Every);
        }
        let entries = entries.into_iter().filter(|entry| !entry.is_empty());
        Some(Self::Only(entries.map(str::to_owned).collect()))
    }
}

/// A page that the Allowed Domains of a flow turned away lately.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedOrigin {
    /// `scheme://host[:port]`, or `null` for a page that has no site, such as a file.
    pub origin: String,
    pub count: u64,
    pub last: Timestamp,
}

/// What a chat of a flow can count on, before anybody types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(inline))]
pub enum ChatState {
    Live,
    /// Live is empty.
    Unpublished,
    /// Flows of this kind do not run here.
    Unsupported,
}

impl Flow {
    /// What whoever opens a chat of this flow may be told at once.
    #[must_use]
    pub fn chat_state(&self) -> ChatState {
        if self.card_count == 0 {
            ChatState::Unpublished
        } else if self.kind.require_supported().is_err() {
            ChatState::Unsupported
        } else {
            ChatState::Live
        }
    }
}

/// The text shown with a refused origin when the owner configured none.
pub const ORIGIN_REFUSED: &str = "This site is not allowed to access this chatbot";

impl FlowSettings {
    /// Whether the flow's link opens its chat for everybody.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.is_public == Some(true)
    }

    /// Allowed Domains (manual 2.4 r2). A malformed value, which no save takes any more, admits nobody.
    #[must_use]
    pub fn allowed_origins(&self) -> AllowedOrigins {
        let stored = self.chatbot_config.as_ref().and_then(|config| config.get("allowedOrigins"));
        AllowedOrigins::parse(stored).unwrap_or(AllowedOrigins::NONE)
    }

    /// The text of the origin 403.
    #[must_use]
    pub fn origin_message(&self) -> &str {
        let configured = self.chatbot_config.as_ref().and_then(|config| config.get("allowedOriginsError"));
        configured.and_then(Value::as_str).filter(|text| !text.is_empty()).unwrap_or(ORIGIN_REFUSED)
    }

    /// True when callers with the flow's key may name conversations (manual 3.3).
    #[must_use]
    pub fn allows_named_conversations(&self) -> bool {
        self.api_config.as_ref().and_then(|config| config.get("namedSessions")) == Some(&Value::Bool(true))
    }

    /// The flow's rate limit, when it is on and whole (manual 5.3).
    #[must_use]
    pub fn rate_limit(&self) -> Option<RateLimit> {
        RateLimitSetting::parse(self.api_config.as_ref()?.get("rateLimit")).ok()?.limit()
    }

    /// The media types of documents the flow's chat takes, when Full File Upload is on (manual 4.1); an empty list names
    /// none in particular.
    #[must_use]
    pub fn document_types(&self) -> Option<Vec<&str>> {
        let config = self.chatbot_config.as_ref()?.get("fullFileUpload")?;
        if config.get("status") != Some(&Value::Bool(true)) {
            return None;
        }
        let listed = config.get("allowedUploadFileTypes").and_then(Value::as_str).unwrap_or_default();
        Some(listed.split(',').map(str::trim).filter(|mime| !mime.is_empty()).collect())
    }

    /// The Speech to Text provider that is on, with its settings (manual 5.1).
    #[must_use]
    pub fn speech_provider(&self) -> Option<(&str, &Map<String, Value>)> {
        let providers = self.speech_to_text.as_ref()?.iter();
        let mut named = providers.filter_map(|(name, config)| Some((name.as_str(), config.as_object()?)));
        named.find(|(name, config)| *name != "none" && config.get("status") == Some(&Value::Bool(true)))
    }

    /// The post-processing code, when it is on; it keeps a flow from streaming token by token. Flowise's page writes
    /// it as a JSON string within the JSON.
    #[must_use]
    pub fn post_processing_code(&self) -> Option<String> {
        let config = self.chatbot_config.as_ref()?.get("postProcessing")?;
        if config.get("enabled") != Some(&Value::Bool(true)) {
            return None;
        }
        let text = config.get("customFunction")?.as_str()?;
        let code = serde_json::from_str::<String>(text).unwrap_or_else(|_| text.to_owned());
        (!code.trim().is_empty()).then_some(code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn with_origins(list: Value) -> FlowSettings {
        let config = json!({ "allowedOrigins": list });
        FlowSettings { chatbot_config: config.as_object().cloned(), ..FlowSettings::default() }
    }

    #[test]
    fn one_empty_entry_means_every_origin() {
        for every in [json!([""]), json!([]), json!(null), json!(["", "https://a.example"])] {
            assert_eq!(with_origins(every.clone()).allowed_origins(), AllowedOrigins::Every, "{every}");
        }
        assert_eq!(FlowSettings::default().allowed_origins(), AllowedOrigins::Every);
        let one = AllowedOrigins::Only(vec!["https://a.example".to_owned()]);
        assert_eq!(with_origins(json!([" https://a.example ", ""])).allowed_origins(), one);
    }

    #[test]
    fn a_malformed_list_of_origins_admits_nobody() {
        for wrong in [
            json!("https://a.example"),
            json!(""),
            json!(5),
            json!(false),
            json!({"0": "https://a.example"}),
            json!([5]),
            json!([null]),
            json!(["https://a.example", {"url": "https://b.example"}]),
            json!([["https://a.example"]]),
        ] {
            assert_eq!(with_origins(wrong.clone()).allowed_origins(), AllowedOrigins::NONE, "{wrong}");
        }
    }

    #[test]
    fn a_digest_tells_kinds_apart() {
        assert_ne!(
            CanvasDigest::compute(FlowKind::Chatflow, "{}"),
            CanvasDigest::compute(FlowKind::Agentflow, "{}")
        );
    }
}
