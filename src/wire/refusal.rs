//! The body of every refusal (manual 1.4).

use serde::Serialize;

/// Why a request was not carried out.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "Error"))]
pub struct RefusalView {
    #[cfg_attr(feature = "test-support", schemars(with = "u32", range(min = 400)))]
    pub status_code: u16,
    /// False.
    success: bool,
    /// What to do about it.
    pub message: String,
    stack: EmptyStack,
    /// With status 503.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "RefusalCode"))]
    pub code: Option<RefusalCode>,
    /// True when a session ended: sign in again.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "bool"))]
    pub retry: Option<bool>,
}

/// Clients look for a stack, and none is shown to them.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
struct EmptyStack {}

#[derive(Debug, Serialize)]
#[serde(rename_all = "UPPERCASE")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub enum RefusalCode {
    Unavailable,
}

impl RefusalView {
    #[must_use]
    pub fn new(status_code: u16, message: &str) -> Self {
        let message = message.to_owned();
        Self { status_code, success: false, message, stack: EmptyStack {}, code: None, retry: None }
    }
}
