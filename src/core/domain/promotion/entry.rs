//! What Dev offers, and what promoting it comes to.

use super::warning::Warning;
use crate::domain::checks::setup::Unavailable;
use crate::domain::flows::flow::{Flow, FlowKind, LastPromotion};
use crate::domain::flows::publish::{RestoreResult, RestoreTarget};
use crate::domain::flows::record_result::RecordResult;
use crate::domain::flows::restore::RestoreNotes;
use crate::domain::flows::version::{Sha, Version};
use crate::domain::flows::version_diff::VersionComparison;
use crate::domain::ids::FlowId;
use jiff::Timestamp;
use serde::Serialize;

/// Everything that Dev offers.
#[derive(Debug, Clone, Default)]
pub struct IncomingList {
    /// Version history is on.
    pub is_enabled: bool,
    /// A repository is connected.
    pub is_connected: bool,
    pub last_checked: Option<Timestamp>,
    pub entries: Vec<IncomingEntry>,
}

/// The newest version of a flow on Dev, which is not Live here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncomingEntry {
    pub flow: FlowId,
    pub name: String,
    pub kind: FlowKind,
    pub status: IncomingStatus,
    pub version: Version,
    /// What was published there since the last one that was promoted here, newest first.
    pub changes: Vec<Version>,
    pub more_changes: bool,
    pub has_draft: bool,
    pub last_promoted: Option<LastPromotion>,
}

/// Whether the flow is here already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub enum IncomingStatus {
    Update,
    New,
}

/// An entry with all that its owner is shown before it is promoted.
#[derive(Debug, Clone)]
pub struct IncomingFlow {
    pub entry: IncomingEntry,
    pub comparison: VersionComparison,
    /// The canvas as it would stand here.
    pub canvas: String,
    pub notes: RestoreNotes,
    /// How many secrets Dev did not let into its history.
    pub hidden_secrets: u32,
    /// Why its answers cannot be compared with those of Live.
    pub check_unavailable: Option<Unavailable>,
    pub warnings: Vec<Warning>,
    /// Over everything that is shown.
    pub digest: String,
}

/// What became of a version that was promoted.
#[derive(Debug, Clone)]
pub struct Promotion {
    pub flow: Flow,
    /// The version on Dev.
    pub from: Sha,
    pub recorded: RecordResult,
    pub notes: RestoreNotes,
    /// The flow was not here before.
    pub is_new: bool,
    pub has_draft: bool,
}

impl Promotion {
    /// In the form of a restore to Live, which it is for everybody who looks at the flow.
    #[must_use]
    pub fn into_restore_result(self) -> RestoreResult {
        RestoreResult {
            flow: self.flow,
            version: self.from,
            target: RestoreTarget::Live(None),
            unchanged: false,
            recorded: self.recorded,
            notes: self.notes,
        }
    }
}
