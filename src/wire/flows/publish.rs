//! What Publish, Roll back and Restore take and answer (manual 5.7, 5.8, 6.7).

use super::drafts::DraftStatusView;
use super::problems::CardProblemsView;
use super::records::FlowBriefView;
use super::versions::{RestoreNotesView, VersionView};
use crate::domain::flows::card_problems::CardProblems;
use crate::domain::flows::publish::{
    FlowPublication, PublishOutcome, PublishResult, RestoreResult, RestoreTarget,
};
use crate::domain::flows::record_result::RecordResult;
use crate::domain::ids::FlowId;
use serde::{Deserialize, Serialize};

/// How to publish.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "Publish"))]
pub struct PublishRequest {
    /// Replace what changed in Live after the draft was started.
    pub overwrite_live_changes: Option<bool>,
}

/// Which flows to publish, as far as they can run.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct PublishEach {
    /// 1 to 1,000 flows.
    #[cfg_attr(feature = "test-support", schemars(with = "Vec<FlowId>"))]
    pub ids: Vec<String>,
}

/// Which version becomes Live.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct Rollback {
    #[cfg_attr(feature = "test-support", schemars(regex(pattern = "^[0-9a-f]{7,40}$")))]
    pub sha: String,
}

/// What history made of a change.
#[derive(Default)]
struct RecordFields {
    version: Option<VersionView>,
    recorded: bool,
    history_error: Option<String>,
}

impl From<RecordResult> for RecordFields {
    fn from(result: RecordResult) -> Self {
        match result {
            RecordResult::Off | RecordResult::Nothing => Self::default(),
            RecordResult::Version(version) => {
                Self { version: Some((*version).into()), recorded: true, history_error: None }
            }
            RecordResult::Failed(why) => Self { history_error: Some(why), ..Self::default() },
        }
    }
}

/// What Publish did.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "PublishResult"))]
pub struct PublishResultView {
    chatflow: FlowBriefView,
    version: Option<VersionView>,
    /// The draft was the same as Live.
    unchanged: bool,
    recorded: bool,
    history_error: Option<String>,
    status: DraftStatusView,
    /// What is wrong with what is Live now, as `/validation/:id` says it.
    problems: Vec<CardProblemsView>,
}

impl From<PublishResult> for PublishResultView {
    fn from(PublishResult { flow, unchanged, recorded, status, problems }: PublishResult) -> Self {
        let RecordFields { version, recorded, history_error } = recorded.into();
        Self {
            chatflow: flow.into(),
            version,
            unchanged,
            recorded,
            history_error,
            status: status.into(),
            problems: problem_views(problems),
        }
    }
}

fn problem_views(problems: Vec<CardProblems>) -> Vec<CardProblemsView> {
    problems.into_iter().map(CardProblemsView::from).collect()
}

/// What became of each flow that was to be published.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "PublishResults"))]
pub struct PublishResultsView {
    published: usize,
    unchanged: usize,
    blocked: usize,
    refused: usize,
    results: Vec<FlowPublicationView>,
}

/// What became of one of them.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "PublishOutcome"))]
struct FlowPublicationView {
    id: FlowId,
    /// Null for a flow that the caller may not see.
    name: Option<String>,
    /// `blocked`: it could not answer, and stays as it was.
    outcome: OutcomeName,
    /// Why it was not published.
    reason: Option<String>,
    problems: Vec<CardProblemsView>,
    version: Option<VersionView>,
    recorded: bool,
    history_error: Option<String>,
}

/// How publishing a flow ended.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
enum OutcomeName {
    Published,
    Unchanged,
    Blocked,
    Refused,
}

impl From<Vec<FlowPublication>> for PublishResultsView {
    fn from(all: Vec<FlowPublication>) -> Self {
        let mut view = Self::default();
        for one in &all {
            *match one.outcome {
                PublishOutcome::Published { .. } => &mut view.published,
                PublishOutcome::Unchanged { .. } => &mut view.unchanged,
                PublishOutcome::Blocked { .. } => &mut view.blocked,
                PublishOutcome::Refused { .. } => &mut view.refused,
            } += 1;
        }
        view.results = all.into_iter().map(FlowPublicationView::from).collect();
        view
    }
}

impl From<FlowPublication> for FlowPublicationView {
    fn from(FlowPublication { id, name, outcome }: FlowPublication) -> Self {
        let (outcome, reason, problems, recorded) = match outcome {
            PublishOutcome::Published { recorded, problems } => {
                (OutcomeName::Published, None, problems, recorded)
            }
            PublishOutcome::Unchanged { reason, problems } => {
                (OutcomeName::Unchanged, reason, problems, RecordResult::Nothing)
            }
            PublishOutcome::Blocked { problems } => {
                let reason = Some("It could not answer yet.".to_owned());
                (OutcomeName::Blocked, reason, problems, RecordResult::Nothing)
            }
            PublishOutcome::Refused { reason } => {
                (OutcomeName::Refused, Some(reason), Vec::new(), RecordResult::Nothing)
            }
        };
        let RecordFields { version, recorded, history_error } = recorded.into();
        Self {
            id,
            name,
            outcome,
            reason,
            problems: problem_views(problems),
            version,
            recorded,
            history_error,
        }
    }
}

/// What became of a version that was restored or rolled back to.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "RestoreResult"))]
pub struct RestoreResultView {
    chatflow: FlowBriefView,
    #[cfg_attr(feature = "test-support", schemars(regex(pattern = "^[0-9a-f]{7,40}$")))]
    restored_from: String,
    restored_to: RestoredTo,
    version: Option<VersionView>,
    unchanged: bool,
    recorded: bool,
    history_error: Option<String>,
    #[serde(flatten)]
    notes: RestoreNotesView,
    /// After a restore into the draft.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "DraftStatusView"))]
    draft: Option<DraftStatusView>,
    /// After Roll back.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "DraftStatusView"))]
    status: Option<DraftStatusView>,
}

/// Where a version was put.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
enum RestoredTo {
    Live,
    Draft,
}

impl From<RestoreResult> for RestoreResultView {
    fn from(result: RestoreResult) -> Self {
        let RestoreResult { flow, version: restored, target, unchanged, recorded, notes } = result;
        let (restored_to, draft, status) = match target {
            RestoreTarget::Draft(status) => (RestoredTo::Draft, Some(status.into()), None),
            RestoreTarget::Live(status) => (RestoredTo::Live, None, status.map(DraftStatusView::from)),
        };
        let RecordFields { version, recorded, history_error } = recorded.into();
        Self {
            chatflow: flow.into(),
            restored_from: restored.short(),
            restored_to,
            version,
            unchanged,
            recorded,
            history_error,
            notes: notes.into(),
            draft,
            status,
        }
    }
}
