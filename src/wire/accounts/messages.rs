//! Answers that are a sentence.

use serde::Serialize;

/// What was done, in words.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Told"))]
pub(crate) struct SentenceView {
    message: &'static str,
}

impl SentenceView {
    #[must_use]
    pub(crate) const fn new(message: &'static str) -> Self {
        Self { message }
    }
}
