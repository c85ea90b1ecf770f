//! What of a flow a caller sets.

use crate::domain::change::Change;
use crate::domain::error::{Error, Result};
use crate::domain::flows::flow::FlowKind;
use serde_json::Value;

const NAME_CHARS_MAX: usize = 255;

/// What of a flow a caller sets. Kind, name and canvas are as they were sent: they are judged once it is known that the caller
/// may change the flow.
#[derive(Debug, Clone, Default)]
pub struct FlowChange {
    pub name: Option<String>,
    pub kind: Option<String>,
    pub canvas: Option<String>,
    pub category: Change<String>,
    pub deployed: Change<bool>,
    pub is_public: Change<bool>,
    /// The id of an API key; an empty text is none.
    pub api_key: Change<String>,
    pub publish_instantly: Option<bool>,
    /// Each as it was sent: an object, or its JSON text.
    pub chatbot_config: Change<Value>,
    pub api_config: Change<Value>,
    pub analytic: Change<Value>,
    pub speech_to_text: Change<Value>,
    pub text_to_speech: Change<Value>,
    pub follow_up_prompts: Change<Value>,
    pub mcp_server_config: Change<Value>,
    /// Of a file that is imported; no request says this.
    pub imported: Option<ImportedFlow>,
}

impl FlowChange {
    /// What kind of flow it shall be, where that is said.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a text that is no kind.
    pub fn parse_kind(&self) -> Result<Option<FlowKind>> {
        let Some(text) = &self.kind else {
            return Ok(None);
        };
        let known = || FlowKind::ALL.map(FlowKind::as_str).join(", ");
        FlowKind::parse(text)
            .map(Some)
            .ok_or_else(|| Error::Invalid(format!("Invalid type: it must be one of {}.", known())))
    }

    /// What it shall be called, where that is said.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a text that no flow can be called.
    pub fn parse_name(&self) -> Result<Option<&str>> {
        let Some(name) = self.name.as_deref() else {
            return Ok(None);
        };
        if !is_name(name) {
            return Err(Error::Invalid(format!(
                "Invalid name: it must have 1 to {NAME_CHARS_MAX} characters."
            )));
        }
        Ok(Some(name))
    }
}

/// True for a text that a flow can be called.
pub fn is_name(name: &str) -> bool {
    !name.trim().is_empty() && name.chars().count() <= NAME_CHARS_MAX
}

#[cfg(any(test, feature = "test-support"))]
impl FlowChange {
    /// A chat flow to make, of this name.
    pub fn chatflow(name: &str) -> Self {
        Self { name: Some(name.to_owned()), kind: Some("CHATFLOW".to_owned()), ..Self::default() }
    }
}

/// What only an import says of a flow.
#[derive(Debug, Clone, Copy)]
pub struct ImportedFlow {
    /// It was bound to a key that is not here. It stays bound, to a key that nobody holds, until its owner chooses who may
    /// ask it.
    pub has_unknown_key: bool,
}
