//! Questions that are offered after an answer.

use super::{ReadSetting, is_on};
use serde_json::{Map, Value};

#[derive(Debug, Clone)]
pub struct FollowUpPrompts {
    pub is_on: bool,
    /// The provider that is chosen; `None` where none is, or nothing is set for it.
    pub provider: Option<FollowUpProvider>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct FollowUpProvider {
    pub name: String,
    pub credential: Option<String>,
    pub prompt: Option<String>,
    /// The address, which each card calls by a name of its own.
    pub base_url: Option<Value>,
    /// All of it, for the card of the provider to read by the names of its inputs.
    pub inputs: Map<String, Value>,
}

impl ReadSetting for FollowUpPrompts {
    fn read(raw: &Map<String, Value>) -> Self {
        let chosen = raw.get("selectedProvider").and_then(Value::as_str).unwrap_or_default();
        let provider = raw.get(chosen).and_then(Value::as_object).map(|config| {
            let text = |key: &str| config.get(key).and_then(Value::as_str).map(str::to_owned);
            FollowUpProvider {
                name: chosen.to_owned(),
                credential: text("credentialId").filter(|id| !id.is_empty()),
                prompt: text("prompt").filter(|prompt| !prompt.trim().is_empty()),
                base_url: config.get("baseUrl").cloned(),
                inputs: config.clone(),
            }
        });
        Self { is_on: is_on(raw.get("status")), provider }
    }
}
