//! Refusals in the shape of OpenAI's protocol.

use serde::Serialize;

/// Why a request was not carried out.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "OpenAiError"))]
pub struct OpenAiErrorView {
    pub error: OpenAiFault,
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "OpenAiFault"))]
pub struct OpenAiFault {
    /// What to do about it.
    pub message: String,
    pub r#type: &'static str,
    /// The parameter at fault, where it is one.
    pub param: Option<&'static str>,
    pub code: Option<&'static str>,
}

/// The event that ends a stream of `/responses` that failed.
#[derive(Debug, Serialize)]
pub struct ErrorEvent<'a> {
    r#type: &'static str,
    code: Option<&'static str>,
    message: &'a str,
    param: Option<&'static str>,
    sequence_number: u64,
}

impl<'a> ErrorEvent<'a> {
    pub fn new(fault: &'a OpenAiFault, sequence_number: u64) -> Self {
        let OpenAiFault { message, param, code, .. } = fault;
        Self { r#type: "error", code: *code, message, param: *param, sequence_number }
    }
}
