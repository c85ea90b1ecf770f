//! A check: what is asked for, and what came of it.

use crate::domain::checks::answer::{Answer, SHOWN_CHARS_MAX, cut};
use crate::domain::checks::check::{
    Check, CheckCase, CheckLimits, CheckRequest, CheckStatus, QuestionRow, StopReason, WantedSide,
};
use crate::domain::checks::kept::ExpectationRow;
use crate::domain::checks::sides::SideName;
use crate::domain::checks::summary::CheckSummary;
use crate::domain::checks::verdict::{
    CaseJudgement, Judgement, StepChange, StepDifference, Verdict, VerdictCounts, Why, WhyCode,
};
use crate::domain::flows::version::Sha;
use crate::domain::ids::CheckId;
use crate::time::IsoTime;
use serde::{Deserialize, Serialize};

/// A check to begin.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct CheckStart {
    /// 1 to 10 questions of up to 2,000 characters; may be left out where kept questions are asked.
    #[serde(default)]
    pub questions: Vec<QuestionToAsk>,
    /// What stands: `live` where nothing else is said, `draft`, the id of a version, or a canvas.
    pub left: Option<SideToAsk>,
    /// What is to take its place: `draft` where nothing else is said, `live`, the id of a version, or a canvas.
    pub right: Option<SideToAsk>,
    /// Runs the steps as well that may do something to the world.
    #[serde(default)]
    pub include_risky_steps: bool,
    /// Asks Live once more than the draft, to know how much Live differs from itself.
    pub control: Option<bool>,
    /// How often the draft answers each question.
    #[cfg_attr(feature = "test-support", schemars(range(min = 1, max = 5)))]
    pub repeat: Option<u64>,
    /// Asks the questions first that are kept for the flow.
    pub use_kept: Option<bool>,
    /// Fewer tokens than the server allows.
    pub max_tokens: Option<u64>,
    /// Less time than the server allows.
    pub max_seconds: Option<u64>,
}

/// A side of a check: its name, or a canvas that the caller brings.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged, expecting = "a side is a text, or an object with 'flowData'")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub enum SideToAsk {
    Named(String),
    #[serde(rename_all = "camelCase")]
    Canvas {
        /// As flows have it.
        flow_data: String,
    },
}

impl From<SideToAsk> for WantedSide {
    fn from(sent: SideToAsk) -> Self {
        match sent {
            SideToAsk::Named(name) => Self::Named(name),
            SideToAsk::Canvas { flow_data } => Self::Canvas(flow_data),
        }
    }
}

/// A question to ask: its text, or its text with what is expected of the answers.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged, expecting = "a question is a text, or an object with a text and what is expected")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub enum QuestionToAsk {
    Text(String),
    Row {
        text: String,
        /// What its answers are expected to be.
        #[serde(default)]
        expect: Vec<ExpectationRow>,
    },
}

impl From<CheckStart> for CheckRequest {
    fn from(sent: CheckStart) -> Self {
        Self {
            left: sent.left.map(WantedSide::from),
            right: sent.right.map(WantedSide::from),
            questions: sent.questions.into_iter().map(QuestionRow::from).collect(),
            include_risky_steps: sent.include_risky_steps,
            control: sent.control,
            repeat: sent.repeat,
            use_kept: sent.use_kept,
            tokens_max: sent.max_tokens,
            seconds_max: sent.max_seconds,
        }
    }
}

impl From<QuestionToAsk> for QuestionRow {
    fn from(sent: QuestionToAsk) -> Self {
        match sent {
            QuestionToAsk::Text(text) => Self { text, expect: Vec::new() },
            QuestionToAsk::Row { text, expect } => Self { text, expect },
        }
    }
}

/// A check, as far as it came.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "Check"))]
pub struct CheckView {
    id: CheckId,
    /// What stands: `live` in its cases.
    left: SideView,
    /// What is to take its place: `draft` in its cases.
    right: SideView,
    status: StatusView,
    /// What stopped it before its end.
    stop_reason: Option<StopReason>,
    /// Why it failed.
    error: Option<String>,
    started_date: IsoTime,
    finished_date: Option<IsoTime>,
    /// Questions.
    total: usize,
    /// Questions that both sides answered, or the draft where Live is empty.
    completed: usize,
    /// The draft was saved, published or discarded since the check began, or Dev published another version than was checked.
    draft_changed: bool,
    include_risky_steps: bool,
    control: bool,
    repeat: usize,
    limits: CheckLimitsView,
    /// Live had no cards, so only the draft was asked.
    live_empty: bool,
    cases: Vec<CaseView>,
    summary: SummaryView,
}

/// One of the two canvases that a check compares.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "CheckSide"))]
struct SideView {
    from: SideSource,
    /// Which version.
    #[serde(skip_serializing_if = "Option::is_none")]
    sha: Option<Sha>,
    /// What sentences call it.
    name: String,
}

/// Where a canvas is from.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
enum SideSource {
    Live,
    Draft,
    // A canvas that the request brought.
    Given,
    Version,
    // A version from Dev.
    Incoming,
}

/// Where a check stands.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
enum StatusView {
    Running,
    Done,
    Stopped,
    Failed,
}

/// How much a check may ask and use.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "CheckLimits"))]
pub(crate) struct CheckLimitsView {
    max_questions: usize,
    max_question_chars: usize,
    /// Of both sides together.
    max_tokens: u64,
    max_seconds: u64,
}

/// One question of a check.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "CheckCase"))]
struct CaseView {
    question: String,
    /// The first answer of Live.
    live: Option<AnswerView>,
    /// The first answer of the draft.
    draft: Option<AnswerView>,
    /// The first answers match but for case and spacing; null until both are there.
    same: Option<bool>,
    runs: RunsView,
    /// How alike the sides are, 0 to 1; null when a side failed or Live was empty.
    similarity: Option<f64>,
    /// How alike Live's own answers are.
    control_similarity: Option<f64>,
    /// Null until all answers are there.
    verdict: Option<Verdict>,
    /// What is reported was seen again when it was asked again; null where no fact reports anything.
    confirmed: Option<bool>,
    why: Vec<WhyView>,
    /// Steps of an agentflow that differ.
    steps: Vec<StepView>,
}

/// One thing that differs.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
struct WhyView {
    code: WhyCode,
    message: String,
}

/// A step that differs.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
struct StepView {
    node_id: String,
    node_label: String,
    difference: StepDifference,
}

/// All answers to one question.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
struct RunsView {
    live: Vec<AnswerView>,
    draft: Vec<AnswerView>,
}

/// One answer of one side.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "CheckAnswer"))]
struct AnswerView {
    /// Its first 4,000 characters; null where the run failed.
    text: Option<String>,
    /// Why the run failed.
    error: Option<String>,
    /// Null where no model reported any.
    tokens: Option<u64>,
    ms: u64,
    /// It was asked once more because of what differed before.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "test-support", schemars(default))]
    again: bool,
}

/// A check in numbers, over the questions that both sides answered.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "CheckSummary"))]
struct SummaryView {
    ran: usize,
    same: usize,
    changed: usize,
    errors: usize,
    live_tokens: u64,
    draft_tokens: u64,
    live_median_ms: Option<u64>,
    draft_median_ms: Option<u64>,
    verdicts: VerdictsView,
    /// The test over all questions, or a question by itself, reports a change.
    reports_change: bool,
    /// How likely the answers would differ at least as much if nothing had changed; null without `control`.
    p_value: Option<f64>,
    /// Which test gave it.
    test: Option<String>,
    test_can_report: bool,
    /// What whoever reads the result has to know.
    note: Option<String>,
}

/// How many questions have each verdict.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
struct VerdictsView {
    same: usize,
    noise: usize,
    changed: usize,
    error: usize,
}

impl CheckView {
    #[must_use]
    pub fn new(mut check: Check, draft_changed: bool) -> Self {
        let (total, completed, summary) = (check.cases.len(), check.completed(), check.summary());
        let mut judged = std::mem::take(&mut check.judgement.cases).into_iter();
        let cases =
            check.cases.into_iter().map(|case| CaseView::new(case, judged.next().unwrap_or_default()));
        let cases = cases.collect();
        let (status, stop_reason, error) = match check.status {
            CheckStatus::Running => (StatusView::Running, None, None),
            CheckStatus::Done => (StatusView::Done, None, None),
            CheckStatus::Stopped(reason) => (StatusView::Stopped, Some(reason), None),
            CheckStatus::Failed(why) => (StatusView::Failed, None, Some(why)),
        };
        Self {
            id: check.id,
            left: check.sides.left.into(),
            right: check.sides.right.into(),
            status,
            stop_reason,
            error,
            started_date: check.started.into(),
            finished_date: check.finished.map(IsoTime),
            total,
            completed,
            draft_changed,
            include_risky_steps: check.include_risky_steps,
            control: check.options.control,
            repeat: check.options.repeat,
            limits: check.limits.into(),
            live_empty: check.live_empty,
            cases,
            summary: SummaryView::new(summary, check.judgement),
        }
    }
}

impl From<SideName> for SideView {
    fn from(side: SideName) -> Self {
        let (from, sha) = match side {
            SideName::Live => (SideSource::Live, None),
            SideName::Draft => (SideSource::Draft, None),
            SideName::Given => (SideSource::Given, None),
            SideName::Version(sha) => (SideSource::Version, Some(sha)),
            SideName::Incoming(sha) => (SideSource::Incoming, Some(sha)),
        };
        Self { from, sha, name: side.opening() }
    }
}

impl From<CheckLimits> for CheckLimitsView {
    fn from(limits: CheckLimits) -> Self {
        let CheckLimits { questions_max, question_chars_max, tokens_max, seconds_max } = limits;
        Self {
            max_questions: questions_max,
            max_question_chars: question_chars_max,
            max_tokens: tokens_max,
            max_seconds: seconds_max,
        }
    }
}

impl CaseView {
    fn new(CheckCase { answers, .. }: CheckCase, judged: CaseJudgement) -> Self {
        let same = answers.is_same();
        let views = |answers: Vec<Answer>| answers.into_iter().map(AnswerView::from).collect::<Vec<_>>();
        let runs = RunsView { live: views(answers.live), draft: views(answers.draft) };
        let CaseJudgement { similarity, control_similarity, verdict, confirmed, why, steps, .. } = judged;
        Self {
            question: answers.question,
            live: runs.live.first().cloned(),
            draft: runs.draft.first().cloned(),
            same,
            runs,
            similarity,
            control_similarity,
            verdict,
            confirmed,
            why: why.into_iter().map(WhyView::from).collect(),
            steps: steps.into_iter().map(StepView::from).collect(),
        }
    }
}

impl From<Why> for WhyView {
    fn from(Why { code, message }: Why) -> Self {
        Self { code, message }
    }
}

impl From<StepChange> for StepView {
    fn from(StepChange { node_id, node_label, difference }: StepChange) -> Self {
        Self { node_id, node_label, difference }
    }
}

impl From<Answer> for AnswerView {
    fn from(answer: Answer) -> Self {
        let Answer { text, error, tokens, ms, again, .. } = answer;
        Self { text: error.is_none().then(|| cut(&text, SHOWN_CHARS_MAX)), error, tokens, ms, again }
    }
}

impl SummaryView {
    fn new(summary: CheckSummary, judged: Judgement) -> Self {
        let CheckSummary { ran, same, changed, errors, .. } = summary;
        let VerdictCounts { same: alike, noise, changed: other, error } = judged.verdicts;
        Self {
            ran,
            same,
            changed,
            errors,
            live_tokens: summary.live_tokens,
            draft_tokens: summary.draft_tokens,
            live_median_ms: summary.live_median_ms,
            draft_median_ms: summary.draft_median_ms,
            verdicts: VerdictsView { same: alike, noise, changed: other, error },
            reports_change: judged.reports_change,
            p_value: judged.p_value,
            test: judged.test,
            test_can_report: judged.test_can_report,
            note: judged.note,
        }
    }
}
