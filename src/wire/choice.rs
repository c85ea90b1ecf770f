//! Choices of an input.

use crate::domain::service::choice::Choice;
use serde::Serialize;

/// Something that can be chosen.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "Choice"))]
pub struct ChoiceView {
    pub label: String,
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "String"))]
    pub description: Option<String>,
}

impl From<Choice> for ChoiceView {
    fn from(Choice { label, name, description }: Choice) -> Self {
        Self { label, name, description }
    }
}
