//! What every delete answers with.

use serde::Serialize;

/// What was deleted.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "Deleted"))]
pub struct DeletedCount {
    /// Empty.
    #[cfg_attr(feature = "test-support", schemars(with = "Vec<serde_json::Value>"))]
    raw: [(); 0],
    affected: usize,
}

impl DeletedCount {
    #[must_use]
    pub const fn new(affected: usize) -> Self {
        Self { raw: [], affected }
    }
}
