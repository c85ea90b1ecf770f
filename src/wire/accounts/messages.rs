//! Answers that are a sentence.

use serde::Serialize;

/// What was done, in words.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "Told"))]
pub struct SentenceView {
    message: &'static str,
}

impl SentenceView {
    #[must_use]
    pub const fn new(message: &'static str) -> Self {
        Self { message }
    }
}
