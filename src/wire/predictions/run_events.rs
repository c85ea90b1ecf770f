//! What a run of an agentflow shows while it runs (manual 2.8).

use crate::domain::flows::harness_name::HarnessName;
use crate::domain::predictions::execution::{ExecutionEntry, StepStatus};
use crate::domain::predictions::run_event::{CardReport, StepLabel};
use crate::domain::predictions::team::{Assignment, SpecialistStatus};
use serde::Serialize;
use serde_json::{Map, Value};

/// A step that began or ended.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StepEventView<'a> {
    node_id: &'a str,
    node_label: &'a str,
    status: StepEventStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum StepEventStatus {
    Begun(UnderWay),
    Ended(StepStatus),
}

#[derive(Debug, Serialize)]
enum UnderWay {
    #[serde(rename = "INPROGRESS")]
    InProgress,
}

impl<'a> StepEventView<'a> {
    #[must_use]
    pub const fn from_start(StepLabel { node, label }: StepLabel<'a>) -> Self {
        let status = StepEventStatus::Begun(UnderWay::InProgress);
        Self { node_id: node, node_label: label, status, error: None }
    }

    #[must_use]
    pub const fn from_end(
        StepLabel { node, label }: StepLabel<'a>,
        status: StepStatus,
        error: Option<&'a str>,
    ) -> Self {
        Self { node_id: node, node_label: label, status: StepEventStatus::Ended(status), error }
    }
}

/// A card of a chatflow that began or ended (manual 2.11).
#[derive(Debug, Serialize)]
pub struct CardEventView<'a> {
    #[serde(flatten)]
    step: StepEventView<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<&'a Map<String, Value>>,
    /// Something of it is left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    cut: bool,
}

impl<'a> CardEventView<'a> {
    #[must_use]
    pub const fn from_start(card: StepLabel<'a>) -> Self {
        Self { step: StepEventView::from_start(card), data: None, cut: false }
    }

    #[must_use]
    pub const fn from_end(card: StepLabel<'a>, report: &'a CardReport, is_cut: bool) -> Self {
        let step = StepEventView::from_end(card, report.status, None);
        Self { step, data: Some(&report.data), cut: is_cut }
    }
}

/// Who works on what.
#[derive(Debug, Serialize)]
pub struct TeamRouteView<'a> {
    pub harness: &'a HarnessName,
    pub assignments: &'a [Assignment],
    pub ms: u64,
}

/// A specialist that began or ended.
#[derive(Debug, Serialize)]
pub struct SpecialistEventView<'a> {
    name: &'a HarnessName,
    status: SpecialistEventStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    task: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum SpecialistEventStatus {
    Begun(AtWork),
    Ended(SpecialistStatus),
}

#[derive(Debug, Serialize)]
enum AtWork {
    #[serde(rename = "started")]
    Started,
}

impl<'a> SpecialistEventView<'a> {
    #[must_use]
    pub const fn begun(name: &'a HarnessName, task: &'a str) -> Self {
        let status = SpecialistEventStatus::Begun(AtWork::Started);
        Self { name, status, task: Some(task), ms: None, error: None }
    }

    #[must_use]
    pub const fn ended(
        name: &'a HarnessName,
        status: SpecialistStatus,
        ms: u64,
        error: Option<&'a str>,
    ) -> Self {
        Self { name, status: SpecialistEventStatus::Ended(status), task: None, ms: Some(ms), error }
    }
}

/// What a specialist wrote.
#[derive(Debug, Serialize)]
pub struct SpecialistTextView<'a> {
    pub name: &'a HarnessName,
    pub text: &'a str,
}

/// Those whose reports the answer is made of.
#[derive(Debug, Serialize)]
pub struct TeamHandoffView<'a> {
    pub from: &'a [&'a HarnessName],
}

/// A step of the record of a run.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "RunStep"))]
pub struct RunStepView<'a> {
    node_id: &'a str,
    node_label: &'a str,
    /// What it worked with, what it made, and the state it left; or what it failed with.
    data: &'a Map<String, Value>,
    /// The nodes it was reached from.
    previous_node_ids: &'a [String],
    status: StepStatus,
}

impl<'a> From<&'a ExecutionEntry> for RunStepView<'a> {
    fn from(entry: &'a ExecutionEntry) -> Self {
        Self {
            node_id: &entry.node_id,
            node_label: &entry.node_label,
            data: &entry.data,
            previous_node_ids: &entry.previous_node_ids,
            status: entry.status,
        }
    }
}
