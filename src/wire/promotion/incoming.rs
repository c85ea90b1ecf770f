//! What Dev offers (manual 20.1, 20.2).

use crate::checks::setup::UnavailableView;
use crate::domain::flows::flow::{FlowKind, LastPromotion};
use crate::domain::flows::version::{Sha, Version};
use crate::domain::ids::FlowId;
use crate::domain::promotion::entry::{IncomingEntry, IncomingFlow, IncomingList, IncomingStatus};
use crate::domain::promotion::warning::{Warning, WarningCode};
use crate::flows::versions::{AmbiguousCredentialView, MissingCredentialView, VersionDiffView};
use crate::time::IsoTime;
use serde::Serialize;

/// The flows of which Dev has a version that is not Live here.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "IncomingList"))]
pub struct IncomingListView {
    /// Version history is on.
    enabled: bool,
    /// A repository is connected.
    connected: bool,
    /// When the repository was read last.
    last_checked_at: Option<IsoTime>,
    flows: Vec<IncomingEntryView>,
}

/// The newest version of a flow on Dev.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "IncomingEntry"))]
pub(crate) struct IncomingEntryView {
    flow_id: FlowId,
    name: String,
    r#type: FlowKind,
    /// `new`: this server does not have the flow.
    status: IncomingStatus,
    version: IncomingVersionView,
    /// What was published on Dev since the last version that was promoted here, newest first; up to 20.
    changes: Vec<IncomingVersionView>,
    /// There are more than `changes` has.
    more_changes: bool,
    /// The flow has unpublished changes here; they stay.
    has_draft: bool,
    last_promoted: Option<LastPromotionView>,
}

/// A version on Dev.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "IncomingVersion"))]
struct IncomingVersionView {
    #[cfg_attr(feature = "test-support", schemars(regex(pattern = "^[0-9a-f]{40}$")))]
    sha: String,
    #[cfg_attr(feature = "test-support", schemars(regex(pattern = "^[0-9a-f]{7}$")))]
    short_sha: String,
    /// In the author's zone.
    #[cfg_attr(feature = "test-support", schemars(with = "IsoTime"))]
    date: String,
    author: String,
    title: String,
    details: Vec<String>,
}

/// The version of Dev that was promoted last.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
struct LastPromotionView {
    /// On Dev.
    sha: Sha,
    /// When it became Live here.
    date: IsoTime,
}

/// A flow that Dev offers, with all that is to be known before it is promoted.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "IncomingFlow"))]
pub struct IncomingFlowView {
    #[serde(flatten)]
    entry: IncomingEntryView,
    /// What it would change of Live; every card is added for a new flow.
    diff: VersionDiffView,
    /// The canvas as it would stand here, JSON text.
    flow_data: String,
    /// Promote is refused while there are any.
    missing_credentials: Vec<MissingCredentialView>,
    ambiguous_credentials: Vec<AmbiguousCredentialView>,
    /// Secrets that Dev's history did not keep.
    hidden_secrets: u32,
    /// Why the answers of Live and of the version cannot be compared; null when they can.
    check_unavailable: Option<UnavailableView>,
    warnings: Vec<WarningView>,
    /// Of everything shown here; Promote takes it and refuses when something else would be shown by then.
    digest: String,
}

/// Something to know before the version is promoted.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "PromotionWarning"))]
struct WarningView {
    code: WarningCode,
    message: String,
    /// The card that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "String"))]
    node: Option<String>,
    /// The input of the card.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "String"))]
    input: Option<String>,
    /// The flow would fail when it is asked.
    blocking: bool,
}

impl From<IncomingList> for IncomingListView {
    fn from(IncomingList { is_enabled, is_connected, last_checked, entries }: IncomingList) -> Self {
        Self {
            enabled: is_enabled,
            connected: is_connected,
            last_checked_at: last_checked.map(IsoTime),
            flows: entries.into_iter().map(IncomingEntryView::from).collect(),
        }
    }
}

impl From<IncomingEntry> for IncomingEntryView {
    fn from(entry: IncomingEntry) -> Self {
        Self {
            flow_id: entry.flow,
            name: entry.name,
            r#type: entry.kind,
            status: entry.status,
            version: entry.version.into(),
            changes: entry.changes.into_iter().map(IncomingVersionView::from).collect(),
            more_changes: entry.more_changes,
            has_draft: entry.has_draft,
            last_promoted: entry.last_promoted.map(LastPromotionView::from),
        }
    }
}

impl From<Version> for IncomingVersionView {
    fn from(version: Version) -> Self {
        Self {
            sha: version.sha.to_string(),
            short_sha: version.sha.short(),
            date: version.iso_date(),
            author: version.author.name,
            title: version.title,
            details: version.details,
        }
    }
}

impl From<LastPromotion> for LastPromotionView {
    fn from(LastPromotion { from, date }: LastPromotion) -> Self {
        Self { sha: from, date: date.into() }
    }
}

impl From<IncomingFlow> for IncomingFlowView {
    fn from(flow: IncomingFlow) -> Self {
        let notes = flow.notes;
        Self {
            entry: flow.entry.into(),
            diff: flow.comparison.into(),
            flow_data: flow.canvas,
            missing_credentials: notes.missing_credentials.into_iter().map(Into::into).collect(),
            ambiguous_credentials: notes.ambiguous_credentials.into_iter().map(Into::into).collect(),
            hidden_secrets: flow.hidden_secrets,
            check_unavailable: flow.check_unavailable.map(UnavailableView::from),
            warnings: flow.warnings.into_iter().map(WarningView::from).collect(),
            digest: flow.digest,
        }
    }
}

impl From<Warning> for WarningView {
    fn from(Warning { finding, node, input }: Warning) -> Self {
        let (code, blocking) = (finding.code(), finding.is_blocking());
        Self { code, message: finding.to_string(), node, input, blocking }
    }
}
