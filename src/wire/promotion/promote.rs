//! Promoting a version, and what came of it (manual 20.3).

use crate::domain::promotion::entry::Promotion;
use crate::flows::publish::RestoreResultView;
use serde::{Deserialize, Serialize};

/// The version that is to become Live.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "Promote"))]
pub struct PromoteRequest {
    /// The newest version of Dev, in full.
    #[cfg_attr(feature = "test-support", schemars(regex(pattern = "^[0-9a-f]{40}$")))]
    pub sha: String,
    /// What the caller was shown: something else by now is refused.
    pub digest: Option<String>,
}

/// What became of a version that was promoted.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "PromoteResult"))]
pub struct PromoteResultView {
    #[serde(flatten)]
    result: RestoreResultView,
    /// This server did not have the flow.
    created: bool,
    /// The flow has unpublished changes here, which started from the old Live.
    has_draft: bool,
}

impl From<Promotion> for PromoteResultView {
    fn from(promotion: Promotion) -> Self {
        let (created, has_draft) = (promotion.is_new, promotion.has_draft);
        Self { result: promotion.into_restore_result().into(), created, has_draft }
    }
}
