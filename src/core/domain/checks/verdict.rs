//! What a check says of its answers: a verdict for each question, and whether all of them together report a change.

use super::sides::SideNames;
use serde::Serialize;

/// How a check was asked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct JudgeOptions {
    /// Live was asked once more than the draft, so that its own noise is known.
    pub control: bool,
    /// Live had no cards, so the draft was asked alone.
    pub live_empty: bool,
    /// What its sentences call the sides.
    pub sides: SideNames,
}

/// What becomes of one question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub enum Verdict {
    Same,
    // The wording differs, and nothing says that the flow does.
    Noise,
    Changed,
    // A side failed.
    Error,
}

/// What kind of thing differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub enum WhyCode {
    Number,
    Date,
    List,
    Refusal,
    Language,
    Length,
    ToolCalls,
    Sources,
    Steps,
    Wording,
    Structure,
    Error,
    Expectation,
}

/// One thing that differs, in a sentence for the owner of the flow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Why {
    pub code: WhyCode,
    pub message: String,
}

impl Why {
    pub(crate) fn new(code: WhyCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

/// How a step of an agentflow differs between the sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub enum StepDifference {
    OnlyLive,
    OnlyDraft,
    Output,
    ToolCalls,
    Status,
}

/// A step that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepChange {
    pub node_id: String,
    pub node_label: String,
    pub difference: StepDifference,
}

/// What is said of one question. Without an answer of a side everything but `why` and `steps` is unknown.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CaseJudgement {
    /// Whether the first answers match, letter case and spacing aside.
    pub same: Option<bool>,
    /// Mean likeness of the sides, 0 to 1.
    pub similarity: Option<f64>,
    /// Mean likeness of Live's own answers.
    pub control_similarity: Option<f64>,
    pub verdict: Option<Verdict>,
    /// Whether what is reported was seen again when it was asked again; `None` where nothing is reported by a fact.
    pub confirmed: Option<bool>,
    pub why: Vec<Why>,
    pub steps: Vec<StepChange>,
    /// A fact, an error or an expectation of this question reports a change by itself.
    pub reports: bool,
}

/// How many questions have each verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct VerdictCounts {
    pub same: usize,
    pub noise: usize,
    pub changed: usize,
    pub error: usize,
}

/// What a check says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Judgement {
    /// One for each question, in order.
    pub cases: Vec<CaseJudgement>,
    pub verdicts: VerdictCounts,
    /// The test over all questions, or a question by itself, reports a change.
    pub reports_change: bool,
    /// How likely the answers look at least this different where nothing changed; `None` without `control`.
    pub p_value: Option<f64>,
    /// Which test gave the value.
    pub test: Option<String>,
    pub test_can_report: bool,
    /// What whoever reads the result has to know.
    pub note: Option<String>,
}
