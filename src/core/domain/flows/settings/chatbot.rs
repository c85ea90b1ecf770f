//! What a flow's chat is like, and which pages may hold it (manual 5.2).

use super::{ReadSetting, Setting, is_on};
use serde_json::{Map, Value};

/// Allowed Domains.
const ORIGINS: &str = "allowedOrigins";

/// The text shown with a refused origin when the owner configured none.
pub(crate) const ORIGIN_REFUSED: &str = "This site is not allowed to access this chatbot";

/// What a page draws a chat with. Everything else stays here, `overrideConfig` too: who may read what a chat sends may read
/// the prompts and variables in it (manual 2.13 r5).
pub const PUBLIC_KEYS: &[&str] = &[
    "backgroundColor",
    "botMessage",
    "chatFeedback",
    "errorMessage",
    "followUpPrompts",
    "fontSize",
    "fullFileUpload",
    "generateNewSession",
    "leads",
    "poweredByTextColor",
    "renderHTML",
    "showAgentMessages",
    "starterPrompts",
    "textInput",
    "title",
    "titleAvatarSrc",
    "titleBackgroundColor",
    "titleTextColor",
    "userMessage",
    "welcomeMessage",
];

#[derive(Debug, Clone)]
pub struct ChatbotConfig {
    /// Allowed Domains (manual 2.4 r2). A malformed value, which no save takes any more, admits nobody.
    pub allowed_origins: AllowedOrigins,
    /// The text of the origin 403.
    pub origin_message: String,
    /// The media types of documents the flow's chat takes, when Full File Upload is on (manual 4.1); an empty list names
    /// none in particular.
    pub document_types: Option<Vec<String>>,
    /// Its chat asks visitors who they are (manual 3.8).
    pub asks_visitors: bool,
    /// The post-processing code, when it is on; it keeps a flow from streaming token by token.
    pub post_processing: Option<String>,
}

impl ChatbotConfig {
    /// What must not be saved.
    pub(super) fn find_fault(raw: &Map<String, Value>) -> Option<(&'static str, &'static str)> {
        let is_read = AllowedOrigins::parse(raw.get(ORIGINS)).is_some();
        (!is_read).then_some((ORIGINS, "it must be a list of texts"))
    }
}

impl ReadSetting for ChatbotConfig {
    fn read(raw: &Map<String, Value>) -> Self {
        let message = raw.get("allowedOriginsError").and_then(Value::as_str).filter(|text| !text.is_empty());
        Self {
            allowed_origins: AllowedOrigins::parse(raw.get(ORIGINS)).unwrap_or(AllowedOrigins::NONE),
            origin_message: message.unwrap_or(ORIGIN_REFUSED).to_owned(),
            document_types: raw.get("fullFileUpload").and_then(read_document_types),
            asks_visitors: raw.get("leads").is_some_and(|config| is_on(config.get("status"))),
            post_processing: raw.get("postProcessing").and_then(read_code),
        }
    }
}

fn read_document_types(config: &Value) -> Option<Vec<String>> {
    if !is_on(config.get("status")) {
        return None;
    }
    let listed = config.get("allowedUploadFileTypes").and_then(Value::as_str).unwrap_or_default();
    Some(listed.split(',').map(str::trim).filter(|mime| !mime.is_empty()).map(str::to_owned).collect())
}

/// Flowise's page writes code as a JSON string within the JSON.
fn read_code(config: &Value) -> Option<String> {
    if !is_on(config.get("enabled")) {
        return None;
    }
    let text = config.get("customFunction")?.as_str()?;
    let code = serde_json::from_str::<String>(text).unwrap_or_else(|_| text.to_owned());
    (!code.trim().is_empty()).then_some(code)
}

/// The questions that a chat offers to begin with: Flowise's page numbers them, others list them.
const STARTERS: &str = "starterPrompts";

impl Setting<ChatbotConfig> {
    /// What the chat offers to begin with, in the order of the page.
    #[must_use]
    pub fn starters(&self) -> Vec<String> {
        let listed = self.raw().and_then(|raw| raw.get(STARTERS));
        let rows: Vec<&Value> = match listed {
            Some(Value::Object(numbered)) => numbered.values().collect(),
            Some(Value::Array(rows)) => rows.iter().collect(),
            _ => Vec::new(),
        };
        let rows = rows.into_iter().filter_map(|row| row.get("prompt")?.as_str());
        rows.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned).collect()
    }

    /// What anybody may read: that with which a page draws itself.
    #[must_use]
    pub fn public(&self) -> Map<String, Value> {
        let all = self.raw().into_iter().flatten();
        let shown = all.filter(|(key, _)| PUBLIC_KEYS.contains(&key.as_str()));
        shown.map(|(key, value)| (key.clone(), value.clone())).collect()
    }
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

    /// `None` for a value that is no list of texts.
    fn parse(value: Option<&Value>) -> Option<Self> {
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
