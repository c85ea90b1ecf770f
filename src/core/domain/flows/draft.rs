//! A draft: an unpublished canvas, with the digest of the Live it started from (manual 5.5, 5.6, 5.7).

use super::flow::{CanvasDigest, Flow, FlowKind};
use crate::domain::ids::{FlowId, UserId, WorkspaceId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A draft without its canvas, which is kept beside it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Draft {
    pub flow: FlowId,
    pub workspace: WorkspaceId,
    /// The kind of flow it was started on. A draft without one is never published (manual 5.7).
    pub kind: Option<FlowKind>,
    /// The Live it started from. There is no stale flag that could be forgotten.
    pub base: CanvasDigest,
    pub digest: CanvasDigest,
    /// When it was last saved; each save moves it.
    pub updated: Timestamp,
    /// Who saved it; `None` for an API key.
    pub updated_by: Option<UserId>,
}

impl Draft {
    /// True when Live changed after the draft started.
    #[must_use]
    pub fn is_stale(&self, live: &Flow) -> bool {
        self.base != live.digest
    }

    /// What Publish does with this draft (manual 5.7).
    #[must_use]
    pub fn decide_publish(&self, live: &Flow, overwrite_live_changes: bool) -> PublishDecision {
        if self.kind != Some(live.kind) {
            return PublishDecision::OtherKind;
        }
        if self.digest == live.digest {
            return PublishDecision::Unchanged;
        }
        if self.is_stale(live) && !overwrite_live_changes {
            return PublishDecision::Stale;
        }
        PublishDecision::Publish
    }
}

/// What becomes of a draft that is to be published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PublishDecision {
    Publish,
    /// It is Live already: it is cleared and nothing is recorded.
    Unchanged,
    /// Live changed after it started: 409 unless the caller says to overwrite.
    Stale,
    /// It was started on another kind of flow: 409, always.
    OtherKind,
}

/// Why canvas edits go straight to Live.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub enum DirectEditReason {
    /// Drafts are off on this server.
    Off,
    /// Flows of this kind have no drafts.
    Type,
    PublishInstantly,
}

/// One of the two canvases of a flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CanvasSide {
    /// What every caller of the prediction API gets.
    Live,
    /// Unpublished edits. Where there are none, whoever asks this side is answered by Live (manual 2.11).
    Draft,
}

/// Where canvas edits of a flow go (manual 5.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditTarget {
    Draft,
    Live(DirectEditReason),
}

impl EditTarget {
    /// The mode of a flow on a server with drafts on or off.
    #[must_use]
    pub const fn for_flow(drafts_on: bool, kind: FlowKind, publish_instantly: bool) -> Self {
        if !drafts_on {
            return Self::Live(DirectEditReason::Off);
        }
        if !matches!(kind, FlowKind::Chatflow | FlowKind::Agentflow) {
            return Self::Live(DirectEditReason::Type);
        }
        if publish_instantly { Self::Live(DirectEditReason::PublishInstantly) } else { Self::Draft }
    }
}

/// The last Publish or Roll back of a flow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastPublish {
    /// Full id of the version; `None` when none was recorded.
    pub sha: Option<String>,
    /// When it happened.
    pub date: Timestamp,
}

/// The draft status of a flow (manual 5.5).
#[derive(Debug, Clone, PartialEq)]
pub struct DraftStatus {
    pub mode: EditTarget,
    /// Drafts are on for this server.
    pub enabled: bool,
    pub publish_instantly: bool,
    pub draft: Option<Draft>,
    /// Its canvas, where it is wanted.
    pub canvas: Option<String>,
    /// Live changed after the draft started.
    pub stale: bool,
    /// The last Publish or Roll back.
    pub last_published: Option<LastPublish>,
}

/// A flow in a list: its record without the canvas, and the state of its draft.
#[derive(Debug, Clone, PartialEq)]
pub struct FlowOutline {
    pub flow: Flow,
    pub status: DraftStatus,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::flows::settings::FlowSettings;

    fn live(kind: FlowKind, canvas: &str) -> Flow {
        let now = Timestamp::UNIX_EPOCH;
        Flow {
            id: FlowId::random(),
            workspace: WorkspaceId::random(),
            name: "f".into(),
            kind,
            category: None,
            digest: CanvasDigest::compute(kind, canvas),
            card_count: 1,
            settings: FlowSettings::default(),
            last_published: None,
            last_promoted: None,
            harness: None,
            live_version: None,
            created: now,
            updated: now,
        }
    }

    fn draft(flow: &Flow, kind: Option<FlowKind>, base: &str, own: &str) -> Draft {
        Draft {
            flow: flow.id,
            workspace: flow.workspace,
            kind,
            base: CanvasDigest::compute(FlowKind::Chatflow, base),
            digest: CanvasDigest::compute(FlowKind::Chatflow, own),
            updated: Timestamp::UNIX_EPOCH,
            updated_by: None,
        }
    }

    #[test]
    fn every_row_of_publishing() {
        let flow = live(FlowKind::Chatflow, "live");
        let kind = Some(FlowKind::Chatflow);
        for (draft, overwrite, verdict) in [
            (draft(&flow, kind, "live", "new"), false, PublishDecision::Publish),
            (draft(&flow, kind, "old", "new"), false, PublishDecision::Stale),
            (draft(&flow, kind, "old", "new"), true, PublishDecision::Publish),
            (draft(&flow, kind, "old", "live"), false, PublishDecision::Unchanged),
            (draft(&flow, Some(FlowKind::Agentflow), "live", "new"), true, PublishDecision::OtherKind),
            (draft(&flow, None, "live", "new"), true, PublishDecision::OtherKind),
        ] {
            assert_eq!(draft.decide_publish(&flow, overwrite), verdict);
        }
    }

    #[test]
    fn a_live_that_changed_kind_makes_the_draft_stale() {
        let flow = live(FlowKind::Agentflow, "live");
        assert!(draft(&flow, Some(FlowKind::Chatflow), "live", "new").is_stale(&flow));
    }

    #[test]
    fn the_mode_names_its_first_reason() {
        use DirectEditReason::{Off, PublishInstantly, Type};
        for (drafts, kind, instantly, mode) in [
            (true, FlowKind::Chatflow, false, EditTarget::Draft),
            (true, FlowKind::Agentflow, false, EditTarget::Draft),
            (true, FlowKind::Chatflow, true, EditTarget::Live(PublishInstantly)),
            (true, FlowKind::Assistant, false, EditTarget::Live(Type)),
            (true, FlowKind::Multiagent, true, EditTarget::Live(Type)),
            (false, FlowKind::Chatflow, true, EditTarget::Live(Off)),
        ] {
            assert_eq!(EditTarget::for_flow(drafts, kind, instantly), mode);
        }
    }
}
