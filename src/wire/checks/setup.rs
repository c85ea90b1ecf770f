//! What a check of a flow would be.

use super::check::{CheckLimitsView, CheckView};
use crate::clock::iso;
use crate::domain::checks::check::{CHECK_QUESTIONS_MAX, CheckOptions, CheckSide};
use crate::domain::checks::setup::{CheckSetup, Estimate, OfferedQuestion, RiskyStep, Unavailable};
use serde::Serialize;

/// What a check of a flow would be, and the newest one.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "CheckSetup"))]
pub struct CheckSetupView {
    /// Why there can be none.
    unavailable: Option<UnavailableView>,
    questions: Vec<OfferedQuestionView>,
    risky_steps: Vec<RiskyStepView>,
    limits: CheckLimitsView,
    /// What `maxSeconds` is with `control`.
    control_seconds: u64,
    /// Live has no cards, so only the draft would be asked.
    live_empty: bool,
    estimate: EstimatesView,
    /// The newest check, where it is kept.
    check: Option<CheckView>,
}

/// Why there can be no check.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub(crate) struct UnavailableView {
    code: UnavailableCode,
    message: String,
}

/// What stands against a check.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
enum UnavailableCode {
    Off,
    Type,
    NoDraft,
    Start,
    // Of a version from Dev alone.
    NewFlow,
    Credentials,
}

/// A question that a check could ask.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
struct OfferedQuestionView {
    text: String,
    /// When a person asked it; empty for one that the flow offers to begin with.
    date: String,
    /// The flow offers it to begin with.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "test-support", schemars(default))]
    starter: bool,
}

/// A step that may do something to the world when a question is asked again.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
struct RiskyStepView {
    id: String,
    label: String,
}

/// What ten questions would take.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
struct EstimatesView {
    /// Each side is asked once.
    plain: Option<EstimateView>,
    /// Live is asked once more.
    control: Option<EstimateView>,
}

/// What ten questions would take, by the newest answers of the flow.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "CheckEstimate"))]
struct EstimateView {
    answers: usize,
    tokens: u64,
    seconds: u64,
}

impl CheckSetupView {
    #[must_use]
    pub fn new(setup: CheckSetup, check: Option<CheckView>) -> Self {
        let CheckSetup {
            unavailable,
            questions,
            risky_steps,
            limits,
            control_seconds_max,
            live_empty,
            estimate,
        } = setup;
        Self {
            unavailable: unavailable.map(UnavailableView::from),
            questions: questions.into_iter().map(OfferedQuestionView::from).collect(),
            risky_steps: risky_steps
                .into_iter()
                .map(|RiskyStep { id, label }| RiskyStepView { id, label })
                .collect(),
            limits: limits.into(),
            control_seconds: control_seconds_max,
            live_empty,
            estimate: EstimatesView {
                plain: estimate.map(|one| EstimateView::of_ten(one, false, live_empty)),
                control: estimate.map(|one| EstimateView::of_ten(one, true, live_empty)),
            },
            check,
        }
    }
}

impl EstimateView {
    /// The two sides of a turn are asked at once.
    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "an estimate above 0"
    )]
    fn of_ten(each: Estimate, control: bool, live_empty: bool) -> Self {
        let options = CheckOptions { control, repeat: 1, confirms: true };
        let live = if live_empty { 0 } else { options.answers(CheckSide::Live) };
        let draft = options.answers(CheckSide::Draft);
        let (answers, turns) = (CHECK_QUESTIONS_MAX * (live + draft), CHECK_QUESTIONS_MAX * live.max(draft));
        Self {
            answers,
            tokens: (each.tokens * answers as f64).ceil() as u64,
            seconds: (each.seconds * turns as f64).ceil() as u64,
        }
    }
}

impl From<Unavailable> for UnavailableView {
    fn from(unavailable: Unavailable) -> Self {
        let code = match &unavailable {
            Unavailable::Off => UnavailableCode::Off,
            Unavailable::Type => UnavailableCode::Type,
            Unavailable::NoDraft => UnavailableCode::NoDraft,
            Unavailable::Start(_) => UnavailableCode::Start,
            Unavailable::NewFlow => UnavailableCode::NewFlow,
            Unavailable::Credentials(_) => UnavailableCode::Credentials,
        };
        Self { code, message: unavailable.conflict().to_string() }
    }
}

impl From<OfferedQuestion> for OfferedQuestionView {
    fn from(OfferedQuestion { text, asked }: OfferedQuestion) -> Self {
        let date = asked.map(iso).unwrap_or_default();
        Self { text, date, starter: asked.is_none() }
    }
}
