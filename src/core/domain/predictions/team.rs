//! What a team did for one question (manual 22.4).

use crate::domain::flows::harness_name::HarnessName;
use crate::domain::predictions::prediction::Usage;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What an answer of a team has beside its text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct TeamOutput {
    /// The name of the harness.
    pub harness: HarnessName,
    /// The specialists that ran, in the order of the team.
    pub agents: Vec<SpecialistRun>,
    /// Chunks and pages that specialists leaned on.
    pub sources: Vec<SpecialistSource>,
    /// Files that specialists made.
    pub artifacts: Vec<SpecialistArtifact>,
    pub timings: TeamTimings,
    /// Tokens of all calls of models: route, specialists and handoff.
    pub usage: TeamUsage,
    /// The object that the harness is to report with; else who was asked what, and what they said.
    pub report: Value,
    /// Why there is no such object.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub report_error: Option<String>,
}

/// How a specialist's work ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub enum SpecialistStatus {
    Completed,
    Failed,
    /// It took longer than a specialist of its team may take.
    Timeout,
    /// It was still at work when the run was stopped.
    Cancelled,
}

/// What one specialist did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct SpecialistRun {
    pub name: HarnessName,
    pub status: SpecialistStatus,
    pub ms: u64,
    /// What it was asked.
    pub task: String,
    /// The name of its model; empty where its card could not be read so far.
    pub model: String,
    pub tokens: TeamTokens,
}

/// Tokens of calls of models, 0 where none were reported.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct TeamTokens {
    pub prompt: u64,
    pub completion: u64,
    /// Of the tokens read, those that the provider had cached.
    pub cached: u64,
}

impl From<Option<Usage>> for TeamTokens {
    fn from(usage: Option<Usage>) -> Self {
        let used = usage.unwrap_or_default();
        Self { prompt: used.input_tokens, completion: used.output_tokens, cached: used.cached_tokens }
    }
}

/// Tokens of all calls of models of a team.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct TeamUsage {
    pub prompt: u64,
    pub completion: u64,
    pub cached: u64,
    /// Of `prompt` and `completion`.
    pub total: u64,
}

impl TeamUsage {
    #[must_use]
    pub fn of(parts: impl IntoIterator<Item = Option<Usage>>) -> Self {
        let mut sum = Usage::default();
        parts.into_iter().flatten().for_each(|used| sum.add(&used));
        let TeamTokens { prompt, completion, cached } = Some(sum).into();
        Self { prompt, completion, cached, total: sum.total() }
    }
}

/// Milliseconds of the parts of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct TeamTimings {
    pub route_ms: u64,
    /// From the first specialist's beginning to the last one's end.
    pub specialists_ms: u64,
    pub handoff_ms: u64,
}

/// Something that a specialist leaned on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct SpecialistSource {
    /// The name of the specialist.
    pub agent: HarnessName,
    pub page_content: String,
    pub metadata: Map<String, Value>,
}

/// A file that a specialist made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct SpecialistArtifact {
    /// The name of the specialist.
    pub agent: HarnessName,
    /// What it is, as in `png`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Where it is read.
    pub data: String,
}

/// Who is asked what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct Assignment {
    pub specialist: HarnessName,
    pub task: String,
}

/// What a team shows while it works, in this order (manual 22.5).
#[derive(Debug, Clone, Copy)]
pub enum TeamEvent<'a> {
    /// It is settled who is asked what.
    Route {
        harness: &'a HarnessName,
        assignments: &'a [Assignment],
        ms: u64,
    },
    Begin {
        name: &'a HarnessName,
        task: &'a str,
    },
    /// A specialist wrote this.
    Partial {
        name: &'a HarnessName,
        text: &'a str,
    },
    End {
        name: &'a HarnessName,
        status: SpecialistStatus,
        ms: u64,
        error: Option<&'a str>,
    },
    /// These have reported.
    Handoff {
        from: &'a [&'a HarnessName],
    },
}
