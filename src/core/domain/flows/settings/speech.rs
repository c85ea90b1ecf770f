//! Speech to Text (manual 5.1, 5.2 r2).

use super::{ReadSetting, is_on};
use serde_json::{Map, Value};

#[derive(Debug, Clone)]
pub struct SpeechToText {
    /// The provider that is on.
    pub provider: Option<SpeechProviderSettings>,
}

/// How a provider is asked. What is empty is not set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpeechProviderSettings {
    pub name: String,
    pub credential: Option<String>,
    pub base_url: Option<String>,
    pub model: Option<String>,
    pub language: Option<String>,
    pub prompt: Option<String>,
    pub temperature: Option<String>,
}

impl ReadSetting for SpeechToText {
    fn read(raw: &Map<String, Value>) -> Self {
        let mut providers = raw.iter().filter_map(|(name, config)| Some((name, config.as_object()?)));
        let on = providers.find(|(name, config)| *name != "none" && is_on(config.get("status")));
        Self { provider: on.map(|(name, config)| SpeechProviderSettings::read(name, config)) }
    }
}

impl SpeechProviderSettings {
    fn read(name: &str, config: &Map<String, Value>) -> Self {
        let text = |key: &str| config.get(key).and_then(read_text);
        Self {
            name: name.to_owned(),
            credential: text("credentialId"),
            base_url: text("baseUrl"),
            model: text("model"),
            language: text("language"),
            prompt: text("prompt"),
            temperature: text("temperature"),
        }
    }
}

/// Pages write numbers as either.
fn read_text(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    (!text.is_empty()).then_some(text)
}
