//! Drafts, and where edits of a flow go (manual 5.5, 5.6).

use crate::clock::iso;
use crate::domain::flows::draft::{DirectEditReason, Draft, DraftStatus, EditTarget, LastPublish};
use crate::domain::ids::UserId;
use crate::time::IsoTime;
use serde::{Deserialize, Serialize};

/// Where edits of a flow go, and its draft.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "DraftStatus"))]
pub struct DraftStatusView {
    /// Drafts are on for this server.
    enabled: bool,
    mode: EditMode,
    /// Why edits go straight to Live.
    reason: Option<DirectEditReason>,
    publish_instantly: bool,
    draft: Option<DraftView>,
    last_published: Option<LastPublishedView>,
}

/// Where edits go.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
enum EditMode {
    Draft,
    Live,
}

/// What Publish would change of Live.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct DraftChanges {
    /// A sentence for each change; what the draft holds while nothing is Live. Empty without a draft.
    pub sentences: Vec<String>,
}

const fn mode_and_reason(target: EditTarget) -> (EditMode, Option<DirectEditReason>) {
    match target {
        EditTarget::Draft => (EditMode::Draft, None),
        EditTarget::Live(reason) => (EditMode::Live, Some(reason)),
    }
}

/// Edits that touch nothing but themselves until they are published.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "Draft"))]
struct DraftView {
    /// What `If-Match` takes when it is saved again.
    updated_date: IsoTime,
    updated_by: Option<UserId>,
    /// Live changed after the draft was started.
    stale: bool,
    /// The draft's canvas, JSON text.
    flow_data: String,
}

impl From<DraftStatus> for DraftStatusView {
    fn from(status: DraftStatus) -> Self {
        let DraftStatus { mode, enabled, publish_instantly, draft, canvas, stale, last_published } = status;
        let (mode, reason) = mode_and_reason(mode);
        let view = |Draft { updated, updated_by, .. }| DraftView {
            updated_date: updated.into(),
            updated_by,
            stale,
            flow_data: canvas.unwrap_or_default(),
        };
        Self {
            enabled,
            mode,
            reason,
            publish_instantly,
            draft: draft.map(view),
            last_published: last_published.map(LastPublishedView::from),
        }
    }
}

/// Where edits of a flow go, and what is known of its draft and of Live.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "FlowState"))]
pub(crate) struct FlowStateView {
    /// Drafts are on for this server.
    enabled: bool,
    mode: EditMode,
    /// Why edits go straight to Live.
    reason: Option<DirectEditReason>,
    publish_instantly: bool,
    draft: Option<DraftOutline>,
    last_published: Option<LastPublishedView>,
    /// Live has cards.
    has_live: bool,
}

/// A draft without its canvas.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
struct DraftOutline {
    updated_date: IsoTime,
    updated_by: Option<UserId>,
    stale: bool,
}

impl FlowStateView {
    #[must_use]
    pub(crate) fn new(status: DraftStatus, has_live: bool) -> Self {
        let DraftStatus { mode, enabled, publish_instantly, draft, stale, last_published, .. } = status;
        let (mode, reason) = mode_and_reason(mode);
        let outline = |Draft { updated, updated_by, .. }| DraftOutline {
            updated_date: updated.into(),
            updated_by,
            stale,
        };
        Self {
            enabled,
            mode,
            reason,
            publish_instantly,
            draft: draft.map(outline),
            last_published: last_published.map(LastPublishedView::from),
            has_live,
        }
    }
}

/// The last Publish or Roll back of a flow.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "LastPublished"))]
pub(crate) struct LastPublishedView {
    /// The version; null when none was recorded.
    #[cfg_attr(feature = "test-support", schemars(regex(pattern = "^[0-9a-f]{7,40}$")))]
    pub(super) sha: Option<String>,
    #[cfg_attr(feature = "test-support", schemars(with = "IsoTime"))]
    pub(super) date: String,
}

impl From<LastPublish> for LastPublishedView {
    fn from(LastPublish { sha, date }: LastPublish) -> Self {
        Self { sha, date: iso(date) }
    }
}

/// A draft to save.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct DraftEdit {
    /// JSON text of `{nodes, edges, viewport}`.
    pub flow_data: String,
}

/// Whether edits go straight to Live.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct DraftSettings {
    pub publish_instantly: bool,
}
