//! What was used, and the budgets that bind it (manual 5.15, 5.16).

use crate::domain::ids::{FlowId, KeyId};
use crate::domain::predictions::consumption::{
    Budget, BudgetOwner, BudgetState, Consumption, ConsumptionReport, ConsumptionTotal, DayUse,
    FlowConsumption, KeyConsumption,
};
use crate::time::IsoTime;
use serde::Serialize;

/// What a workspace used in a span of days of UTC.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "UsageReport"))]
pub struct ConsumptionView {
    /// The first day, as `2026-11-30`.
    from: String,
    /// The last day.
    to: String,
    /// The time in milliseconds that half of the answers of the span did not take longer than, to a fifth; `null` without answers
    /// and where a model is chosen.
    median_ms: Option<u64>,
    /// One for each day of the span.
    days: Vec<DayView>,
    /// Those that used most, 100 at most.
    flows: Vec<FlowConsumptionView>,
    keys: Vec<KeyConsumptionView>,
    models: Vec<ModelConsumptionView>,
    /// All budgets of the workspace that the caller may see, as they stand today.
    budgets: Vec<BudgetStateView>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
struct DayView {
    day: String,
    #[serde(flatten)]
    used: UseView,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
struct UseView {
    /// Questions; with a model chosen those that called it.
    questions: u64,
    failed: u64,
    prompt_tokens: u64,
    completion_tokens: u64,
    /// As that of the whole span.
    median_ms: Option<u64>,
}

impl From<ConsumptionTotal> for UseView {
    fn from(ConsumptionTotal { used, times }: ConsumptionTotal) -> Self {
        let Consumption { questions, failed, calls: _, prompt_tokens, completion_tokens } = used;
        Self { questions, failed, prompt_tokens, completion_tokens, median_ms: times.median_ms() }
    }
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
struct FlowConsumptionView {
    id: FlowId,
    /// `null` for a flow that was deleted.
    name: Option<String>,
    deleted: bool,
    #[serde(flatten)]
    used: UseView,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
struct KeyConsumptionView {
    /// `null` for what was asked without a key.
    id: Option<KeyId>,
    /// `null` for a key that was deleted, and for callers that may not see keys.
    name: Option<String>,
    #[serde(flatten)]
    used: UseView,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
struct ModelConsumptionView {
    name: String,
    /// Calls that were answered.
    calls: u64,
    prompt_tokens: u64,
    completion_tokens: u64,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
struct BudgetStateView {
    kind: BudgetKind,
    /// Of the flow, the key or the workspace.
    id: String,
    name: String,
    tokens_per_day: Option<u64>,
    questions_per_day: Option<u64>,
    used_tokens: u64,
    used_questions: u64,
    /// True when the next question is refused.
    refusing: bool,
    /// When questions are answered again, where they are refused.
    opens_again_at: Option<IsoTime>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
enum BudgetKind {
    Flow,
    Key,
    Workspace,
}

impl From<ConsumptionReport> for ConsumptionView {
    fn from(report: ConsumptionReport) -> Self {
        let ConsumptionReport { from, to, times, days, flows, keys, models, budgets } = report;
        let model = |(name, used): (String, Consumption)| {
            let Consumption { calls, prompt_tokens, completion_tokens, .. } = used;
            ModelConsumptionView { name, calls, prompt_tokens, completion_tokens }
        };
        Self {
            from: from.to_string(),
            to: to.to_string(),
            median_ms: times.median_ms(),
            days: days
                .into_iter()
                .map(|(day, total)| DayView { day: day.to_string(), used: total.into() })
                .collect(),
            flows: flows.into_iter().map(Into::into).collect(),
            keys: keys.into_iter().map(Into::into).collect(),
            models: models.into_iter().map(model).collect(),
            budgets: budgets.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<FlowConsumption> for FlowConsumptionView {
    fn from(FlowConsumption { id, name, total }: FlowConsumption) -> Self {
        Self { id, deleted: name.is_none(), name, used: total.into() }
    }
}

impl From<KeyConsumption> for KeyConsumptionView {
    fn from(KeyConsumption { id, name, total }: KeyConsumption) -> Self {
        Self { id, name, used: total.into() }
    }
}

impl From<BudgetState> for BudgetStateView {
    fn from(state: BudgetState) -> Self {
        let BudgetState { owner, id, name, budget, used, opens_again } = state;
        Self {
            kind: match owner {
                BudgetOwner::Flow => BudgetKind::Flow,
                BudgetOwner::Key => BudgetKind::Key,
                BudgetOwner::Workspace => BudgetKind::Workspace,
            },
            id,
            name,
            tokens_per_day: budget.tokens_per_day,
            questions_per_day: budget.questions_per_day,
            used_tokens: used.tokens,
            used_questions: used.questions,
            refusing: opens_again.is_some(),
            opens_again_at: opens_again.map(Into::into),
        }
    }
}

/// What may be used in a day of UTC; whatever is left out has no bound.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "Budget"))]
pub(crate) struct BudgetView {
    /// A whole number from 1 to 1000000000000.
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens_per_day: Option<u64>,
    /// A whole number from 1 to 1000000000000.
    #[serde(skip_serializing_if = "Option::is_none")]
    questions_per_day: Option<u64>,
}

impl From<Budget> for BudgetView {
    fn from(Budget { tokens_per_day, questions_per_day }: Budget) -> Self {
        Self { tokens_per_day, questions_per_day }
    }
}

/// What a budget has been used for today.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub(crate) struct DayUseView {
    questions: u64,
    tokens: u64,
}

impl From<DayUse> for DayUseView {
    fn from(DayUse { questions, tokens }: DayUse) -> Self {
        Self { questions, tokens }
    }
}
