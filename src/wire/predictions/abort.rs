//! What stopping an answer says.

use serde::Serialize;

/// Whether something ran is not told.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "Aborted"))]
pub struct AbortView {
    status: u16,
    message: &'static str,
}

impl AbortView {
    /// The same for everybody, so that nobody learns what runs (manual 2.9 r2).
    pub const DONE: Self =
        Self { status: 200, message: "What ran in this conversation was stopped, if it was yours." };
}
