//! Version history (manual 6.1, 6.4, 6.5, 6.6).

use super::drafts::LastPublishedView;
use crate::clock::iso;
use crate::domain::flows::flow::FlowKind;
use crate::domain::flows::history::{HistoryReport, LastPublication, LoggedVersion, VersionList};
use crate::domain::flows::restore::{
    AmbiguousCredential, CredentialChoice, HiddenSecret, MissingCredential, RestorableVersion, RestoreNotes,
};
use crate::domain::flows::version::{AuthorKind, Sha, Version, VersionKind};
use crate::domain::flows::version_diff::{
    ChangedNode, ComparedWith, Diff, DiffNode, NameChange, VersionComparison,
};
use crate::domain::ids::{FlowId, UserId};
#[cfg(feature = "test-support")]
use crate::time::IsoTime;
use serde::Serialize;

/// One entry of a flow's history.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "Version"))]
pub(crate) struct VersionView {
    sha: Sha,
    #[cfg_attr(feature = "test-support", schemars(regex(pattern = "^[0-9a-f]{7,40}$")))]
    short_sha: String,
    /// In the author's zone.
    #[cfg_attr(feature = "test-support", schemars(with = "IsoTime"))]
    date: String,
    author: String,
    author_id: Option<UserId>,
    author_kind: AuthorKind,
    title: String,
    details: Vec<String>,
    kind: VersionKind,
    promoted_from: Option<Sha>,
    /// The flow's name then.
    name: String,
    /// Secrets that history did not keep.
    hidden_secrets: u32,
    /// It became what callers get.
    published: bool,
}

impl From<Version> for VersionView {
    fn from(version: Version) -> Self {
        Self {
            sha: version.sha,
            short_sha: version.sha.short(),
            date: version.iso_date(),
            author_id: version.author.id,
            author_kind: version.author.kind(),
            author: version.author.name,
            title: version.title,
            details: version.details,
            kind: version.kind,
            promoted_from: version.promoted_from,
            name: version.name,
            hidden_secrets: version.hidden_secrets,
            published: version.kind.is_published(),
        }
    }
}

/// A version, of whichever flow.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LoggedVersionView {
    #[serde(flatten)]
    version: VersionView,
    flow_id: FlowId,
}

impl From<LoggedVersion> for LoggedVersionView {
    fn from(LoggedVersion { flow, version }: LoggedVersion) -> Self {
        Self { version: version.into(), flow_id: flow }
    }
}

/// Whether version history is on.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct HistoryStatus {
    pub enabled: bool,
}

/// The versions of a flow, newest first.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "VersionList"))]
pub struct VersionListView {
    enabled: bool,
    versions: Vec<VersionView>,
    /// Why the last version was not recorded, or why the history cannot be read now.
    last_error: Option<String>,
    /// The version that Live is the same as.
    live_sha: Option<Sha>,
    last_published: Option<LastPublishedView>,
}

impl VersionListView {
    /// `list` is `None` while history is off.
    #[must_use]
    pub fn new(list: Option<VersionList>) -> Self {
        let Some(VersionList { versions, last_error, live, last_published }) = list else {
            return Self::default();
        };
        Self {
            enabled: true,
            versions: versions.into_iter().map(VersionView::from).collect(),
            last_error,
            live_sha: live,
            last_published: last_published.map(LastPublishedView::from),
        }
    }
}

impl From<LastPublication> for LastPublishedView {
    fn from(last: LastPublication) -> Self {
        match last {
            LastPublication::Unrecorded(date) => Self { sha: None, date: iso(date) },
            LastPublication::Version(version) => {
                Self { sha: Some(version.sha.to_string()), date: version.iso_date() }
            }
        }
    }
}

/// What the reader of a version must be told.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub(super) struct RestoreNotesView {
    missing_credentials: Vec<MissingCredentialView>,
    ambiguous_credentials: Vec<AmbiguousCredentialView>,
    hidden_secrets: Vec<HiddenSecretView>,
}

/// A credential that a version names and the workspace lacks.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "MissingCredential"))]
pub(crate) struct MissingCredentialView {
    name: String,
    credential_name: String,
}

/// A credential of whose name and type the workspace has several.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "AmbiguousCredential"))]
pub(crate) struct AmbiguousCredentialView {
    name: String,
    credential_name: String,
    count: usize,
    /// Which one was taken.
    using: CredentialChoice,
}

/// An input whose secret history did not keep.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "HiddenSecret"))]
struct HiddenSecretView {
    node: String,
    label: String,
    input: String,
    input_label: String,
    count: usize,
}

impl From<MissingCredential> for MissingCredentialView {
    fn from(MissingCredential { name, credential_name }: MissingCredential) -> Self {
        Self { name, credential_name }
    }
}

impl From<AmbiguousCredential> for AmbiguousCredentialView {
    fn from(AmbiguousCredential { name, credential_name, count, using }: AmbiguousCredential) -> Self {
        Self { name, credential_name, count, using }
    }
}

impl From<RestoreNotes> for RestoreNotesView {
    fn from(notes: RestoreNotes) -> Self {
        let hidden = |HiddenSecret { node, label, input, input_label, count }| HiddenSecretView {
            node,
            label,
            input,
            input_label,
            count,
        };
        Self {
            missing_credentials: notes.missing_credentials.into_iter().map(Into::into).collect(),
            ambiguous_credentials: notes.ambiguous_credentials.into_iter().map(Into::into).collect(),
            hidden_secrets: notes.hidden_secrets.into_iter().map(hidden).collect(),
        }
    }
}

/// A version with its canvas, filled in from what is stored now.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "VersionContent"))]
pub struct VersionContentView {
    sha: Sha,
    name: String,
    r#type: FlowKind,
    /// JSON text.
    flow_data: String,
    #[serde(flatten)]
    notes: RestoreNotesView,
}

impl From<RestorableVersion> for VersionContentView {
    fn from(version: RestorableVersion) -> Self {
        Self {
            sha: version.version.sha,
            name: version.name,
            r#type: version.kind,
            flow_data: version.canvas,
            notes: version.notes.into(),
        }
    }
}

/// What a version changed in comparison with another.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "VersionDiff"))]
pub struct VersionDiffView {
    added: Vec<DiffCard>,
    removed: Vec<DiffCard>,
    changed: Vec<ChangedCard>,
    /// Nodes that only moved.
    moved: Vec<String>,
    edges_changed: bool,
    renamed: Option<NameChangeView>,
    /// The same in words, a sentence for each change.
    sentences: Vec<String>,
    sha: Sha,
    /// A version, `current`, or null for the first one.
    against: Option<String>,
}

/// A card that came or went.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
struct DiffCard {
    id: String,
    label: String,
    name: String,
}

/// A card whose settings differ, or the settings of the flow.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
struct ChangedCard {
    /// Of the card, or `settings`.
    id: String,
    label: String,
    /// Names of inputs, or keys of the flow's record.
    fields: Vec<String>,
}

/// Another name.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
struct NameChangeView {
    from: String,
    to: String,
}

impl From<VersionComparison> for VersionDiffView {
    fn from(VersionComparison { sha, against, diff, sentences }: VersionComparison) -> Self {
        let Diff { added, removed, changed, moved, edges_changed, renamed } = diff;
        let card = |DiffNode { id, label, name }| DiffCard { id, label, name };
        let changed_card = |ChangedNode { id, label, fields }| ChangedCard { id, label, fields };
        Self {
            added: added.into_iter().map(card).collect(),
            removed: removed.into_iter().map(card).collect(),
            changed: changed.into_iter().map(changed_card).collect(),
            moved,
            edges_changed,
            renamed: renamed.map(|NameChange { from, to }| NameChangeView { from, to }),
            sentences,
            sha,
            against: match against {
                ComparedWith::Nothing => None,
                ComparedWith::Version(sha) => Some(sha.to_string()),
                ComparedWith::Live => Some("current".to_owned()),
            },
        }
    }
}

/// What was found in the whole history.
#[derive(Debug, Serialize)]
pub struct HistoryReportView {
    versions: usize,
    commits: usize,
    objects: usize,
    problems: Vec<String>,
}

impl From<HistoryReport> for HistoryReportView {
    fn from(HistoryReport { versions, commits, objects, problems }: HistoryReport) -> Self {
        Self { versions, commits, objects, problems }
    }
}

/// How the history goes on.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HistoryRestart {
    /// A new one begins.
    pub is_new: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::flows::version::Author;
    use serde_json::json;

    #[test]
    fn a_version_has_the_fields_of_the_specification() {
        const FULL: &str = "0123456789abcdef0123456789abcdef01234567";
        let id = UserId::random();
        let version = Version {
            sha: Sha::parse(FULL).unwrap(),
            date: "2026-02-03T04:05:06Z".parse().unwrap(),
            offset_seconds: 19_800,
            author: Author::person("Ada", id),
            title: "Published: prompt".into(),
            details: vec!["a".into()],
            kind: VersionKind::Publish,
            promoted_from: None,
            name: "Desk".into(),
            hidden_secrets: 2,
            flow_kind: None,
        };
        assert_eq!(
            serde_json::to_value(VersionView::from(version)).unwrap(),
            json!({
                "sha": FULL, "shortSha": "0123456", "date": "2026-02-03T09:35:06+05:30", "author": "Ada",
                "authorId": id.to_string(), "authorKind": "user", "title": "Published: prompt", "details": ["a"],
                "kind": "publish", "promotedFrom": null, "name": "Desk", "hiddenSecrets": 2, "published": true,
            })
        );
    }
}
