//! Titles and details of versions (manual 6.2): which words of `canvas/` go with which change of Live.

use super::live::ChangeOrigin;
use super::snapshot::Snapshot;
use crate::canvas::describe::{self, Description, FlowChanges};
use crate::canvas::sentences;
use crate::cards::registry::Registry;
use crate::domain::flows::setting_changes::changed_settings;
use crate::domain::flows::settings::FlowSettings;
use crate::domain::flows::version::VersionKind;

/// What changed from one state of a flow to another, a sentence for each change; what it is where there was nothing before.
#[must_use]
pub(crate) fn sentences(before: Option<&Snapshot>, after: &Snapshot) -> Vec<String> {
    let Some(before) = before else { return sentences::first_sentences(&after.canvas) };
    let settings: Vec<String> = Vec::new();
    let changes = FlowChanges {
        diff: &after.diff(Some(before)),
        canvas: &after.canvas,
        cards: &Registry,
        kind: (before.kind != after.kind).then(|| after.kind.as_str()),
        category: before.category != after.category,
        settings: &settings,
    };
    let mut told = sentences::sentences(&changes, &before.canvas);
    if before.settings != after.settings {
        told.push("The settings of the flow changed.".to_owned());
    }
    told
}

/// What a version says of itself; secrets are hidden in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct VersionSummary {
    pub title: String,
    /// More lines: one for each change, when the title does not hold them all.
    pub details: Vec<String>,
}

/// A flow before a change: as history would hold it, and its settings.
pub(crate) type PreviousFlow<'a> = (&'a Snapshot, &'a FlowSettings);

/// Says what a change of Live is. `before` is the flow as it was; `None` for a new one.
#[must_use]
pub(crate) fn summarize(
    kind: VersionKind,
    origin: &ChangeOrigin,
    before: Option<PreviousFlow<'_>>,
    after: &Snapshot,
    settings: &FlowSettings,
) -> VersionSummary {
    let diff = after.diff(before.map(|(before, _)| before));
    let settings = before.map(|(_, before)| changed_settings(before, settings)).unwrap_or_default();
    let changes = FlowChanges {
        diff: &diff,
        canvas: &after.canvas,
        cards: &Registry,
        kind: before.filter(|(before, _)| before.kind != after.kind).map(|_| after.kind.as_str()),
        category: before.is_some_and(|(before, _)| before.category != after.category),
        settings: &settings,
    };
    let changed = Description::from_changes(&changes, before.map(|(before, _)| &before.canvas));
    let title = match (kind, origin) {
        (VersionKind::Create, _) => describe::create_title(&after.name),
        (VersionKind::Publish, _) => changed.publish_title(),
        (VersionKind::Rollback, ChangeOrigin::Version { title, sha }) => {
            describe::roll_back_title(title, &sha.short())
        }
        (VersionKind::Restore, ChangeOrigin::Version { title, sha }) => {
            describe::restore_title(title, &sha.short())
        }
        (VersionKind::Promote, ChangeOrigin::Dev { title, sha }) => {
            describe::promote_title(title, &sha.short())
        }
        _ => changed.save_title(),
    };
    VersionSummary { title, details: changed.details }
}
