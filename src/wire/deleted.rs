//! What every delete answers with.

use serde::Serialize;

/// What was deleted.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Deleted"))]
pub(crate) struct DeletedCount {
    /// Empty.
    #[cfg_attr(test, schemars(with = "Vec<serde_json::Value>"))]
    raw: [(); 0],
    affected: usize,
}

impl DeletedCount {
    #[must_use]
    pub(crate) const fn new(affected: usize) -> Self {
        Self { raw: [], affected }
    }
}
