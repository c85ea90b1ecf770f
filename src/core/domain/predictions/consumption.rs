//! What is counted of questions and of the models behind them, by flow, key, model and day, and the budgets that bind it
//! (manual 5.15, 5.16).

use crate::domain::ids::{FlowId, KeyId, WorkspaceId};
use crate::domain::predictions::answer_time::{AnswerTimes, TimeStep};
use crate::domain::predictions::prediction::Usage;
use jiff::civil::Date;
use jiff::{Span, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Days for which is kept what questions and models used (manual 14.4).
pub const CONSUMPTION_DAYS: u32 = 400;
/// Longest name of a model that is counted, which is cut there (manual 14.4).
const MODEL_NAME_MAX_BYTES: usize = 120;
/// Most models of one question that are counted by their names (manual 14.4).
const MODELS_OF_QUESTION_MAX: usize = 50;
/// The name under which models are counted that have no row of their own.
pub const OTHER_MODELS: &str = "other models";

/// A day in UTC, as the number of days since the first of January 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UtcDay(u32);

impl UtcDay {
    const SECONDS: i64 = 86_400;

    pub fn of(moment: Timestamp) -> Self {
        Self(u32::try_from(moment.as_second().div_euclid(Self::SECONDS)).unwrap_or(0))
    }

    pub const fn from_number(number: u32) -> Self {
        Self(number)
    }

    pub const fn number(self) -> u32 {
        self.0
    }

    /// The day so many days before.
    pub const fn before(self, days: u32) -> Self {
        Self(self.0.saturating_sub(days))
    }

    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }

    /// The moment at which it begins.
    pub fn begins(self) -> Timestamp {
        Timestamp::from_second(i64::from(self.0) * Self::SECONDS).unwrap_or(Timestamp::MAX)
    }

    /// Reads `2026-11-30`; `None` for what is no date of 1970 or later.
    pub fn parse(text: &str) -> Option<Self> {
        let is_plain = text.len() == 10 && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
        let date: Date = text.parse().ok().filter(|_| is_plain)?;
        let since = date.since(Date::constant(1970, 1, 1)).ok()?.get_days();
        u32::try_from(since).ok().map(Self)
    }

    fn date(self) -> Date {
        let days = Span::new().try_days(self.0);
        days.and_then(|days| Date::constant(1970, 1, 1).checked_add(days)).unwrap_or(Date::MAX)
    }
}

impl std::fmt::Display for UtcDay {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.date())
    }
}

/// Whether a question counts as one that somebody asked, or was a test of who draws the flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ConsumptionSource {
    Asked,
    /// The test chat: its tokens cost what tokens cost, and no budget is used up by it.
    Test,
}

/// Who asks, as far as it is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asker {
    /// The key that was shown.
    pub key: Option<KeyId>,
    /// The test chat of who draws the flow.
    pub is_test: bool,
}

impl Asker {
    /// Somebody without a key.
    pub const ANYBODY: Self = Self { key: None, is_test: false };
    /// The test chat.
    pub const TEST: Self = Self { key: None, is_test: true };

    pub const fn source(self) -> ConsumptionSource {
        if self.is_test { ConsumptionSource::Test } else { ConsumptionSource::Asked }
    }
}

/// What a row is about.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ConsumptionSubject {
    /// The questions themselves.
    Questions,
    /// A model, by its name.
    Model(String),
    /// The questions whose answers took this long.
    Time(TimeStep),
}

/// What one row counts.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ConsumptionKey {
    pub day: UtcDay,
    pub source: ConsumptionSource,
    pub flow: FlowId,
    pub key: Option<KeyId>,
    pub subject: ConsumptionSubject,
}

/// How much of it there was. Numbers never fall, so of two states of a row the greater numbers are the newer ones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Consumption {
    /// Questions; in the row of a model those that called it.
    pub questions: u64,
    /// Those of them that failed.
    pub failed: u64,
    /// Calls of models that were answered.
    pub calls: u64,
    pub prompt_tokens: u64,
    pub completion_tokens: u64,
}

impl Consumption {
    pub const fn tokens(&self) -> u64 {
        self.prompt_tokens.saturating_add(self.completion_tokens)
    }

    pub fn add(&mut self, other: &Self) {
        self.merge(other, u64::saturating_add);
    }

    /// Takes over what is further on in another state of the same row.
    pub fn raise(&mut self, other: &Self) {
        self.merge(other, u64::max);
    }

    fn merge(&mut self, other: &Self, both: fn(u64, u64) -> u64) {
        let Self { questions, failed, calls, prompt_tokens, completion_tokens } = *self;
        *self = Self {
            questions: both(questions, other.questions),
            failed: both(failed, other.failed),
            calls: both(calls, other.calls),
            prompt_tokens: both(prompt_tokens, other.prompt_tokens),
            completion_tokens: both(completion_tokens, other.completion_tokens),
        };
    }
}

/// How a question ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuestionEnd {
    /// After this long.
    Answered(Duration),
    Failed,
    /// With its caller, or with the service.
    Stopped,
}

/// What was used in a span of days, and how long answers took in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConsumptionTotal {
    pub used: Consumption,
    pub times: AnswerTimes,
}

impl ConsumptionTotal {
    /// Adds what a row counts.
    pub fn add(&mut self, subject: &ConsumptionSubject, counted: &Consumption) {
        match subject {
            ConsumptionSubject::Time(step) => self.times.add(*step, counted.questions),
            ConsumptionSubject::Questions | ConsumptionSubject::Model(_) => self.used.add(counted),
        }
    }
}

/// What the models of one run were called for, by their names. Steps that run beside one another share it.
#[derive(Debug, Default)]
pub struct ModelCalls(Mutex<BTreeMap<String, Consumption>>);

impl ModelCalls {
    /// Counts a call that was answered; `None` where the provider reported no tokens.
    pub fn add(&self, model: &str, usage: Option<&Usage>) {
        let mut calls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let end = model.floor_char_boundary(MODEL_NAME_MAX_BYTES);
        let name = &model[..end];
        let has_room = calls.len() < MODELS_OF_QUESTION_MAX || calls.contains_key(name);
        let name = if name.is_empty() || !has_room { OTHER_MODELS } else { name };
        let (prompt_tokens, completion_tokens) =
            usage.map_or((0, 0), |usage| (usage.input_tokens, usage.output_tokens));
        let call = Consumption { calls: 1, prompt_tokens, completion_tokens, ..Consumption::default() };
        calls.entry(name.to_owned()).or_default().add(&call);
    }

    /// What was counted since the last time.
    pub fn take(&self) -> BTreeMap<String, Consumption> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Most tokens or questions of a daily budget (manual 14.4).
const BUDGET_MAX: u64 = 1_000_000_000_000;

/// What a flow, a key or a workspace may use in a day of UTC (manual 5.16).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Budget {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens_per_day: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub questions_per_day: Option<u64>,
}

impl Budget {
    /// Reads `{"tokensPerDay", "questionsPerDay"}`; `None` where nothing is bounded.
    ///
    /// # Errors
    /// What a value must be that is none of a budget.
    pub fn parse(sent: Option<&Value>) -> Result<Option<Self>, &'static str> {
        let sent = match sent {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::Object(sent)) => sent,
            Some(_) => return Err("it must be an object"),
        };
        if sent.keys().any(|name| name != "tokensPerDay" && name != "questionsPerDay") {
            return Err("it holds tokensPerDay and questionsPerDay, and nothing else");
        }
        let number = |name: &str| match sent.get(name) {
            None | Some(Value::Null) => Some(None),
            Some(value) => value.as_u64().filter(|number| (1..=BUDGET_MAX).contains(number)).map(Some),
        };
        let tokens_per_day =
            number("tokensPerDay").ok_or("tokensPerDay must be a whole number from 1 to 1000000000000")?;
        let questions_per_day = number("questionsPerDay")
            .ok_or("questionsPerDay must be a whole number from 1 to 1000000000000")?;
        let budget = Self { tokens_per_day, questions_per_day };
        Ok((budget != Self::default()).then_some(budget))
    }

    /// True when so much use leaves no room for another question.
    pub fn is_used_up(&self, used: DayUse) -> bool {
        self.tokens_per_day.is_some_and(|most| used.tokens >= most)
            || self.questions_per_day.is_some_and(|most| used.questions >= most)
    }
}

/// What was used of the budgets of one flow, key or workspace on one day. Questions count when they begin, tokens when they end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DayUse {
    pub questions: u64,
    pub tokens: u64,
}

/// Whose budget it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BudgetOwner {
    Flow,
    Key,
    Workspace,
}

/// A question that a budget has no room for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BudgetRefusal {
    pub owner: BudgetOwner,
    /// When questions are answered again.
    pub opens_again: Timestamp,
    /// Seconds until then, at least 1.
    pub retry_after_seconds: u64,
}

impl std::fmt::Display for BudgetRefusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let owner = match self.owner {
            BudgetOwner::Flow => "this flow",
            BudgetOwner::Key => "this API key",
            BudgetOwner::Workspace => "this workspace",
        };
        write!(f, "The daily budget of {owner} is used up until {}.", self.opens_again)
    }
}

/// Which part of what was counted is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsumptionFilter {
    pub from: UtcDay,
    /// The last day of it.
    pub to: UtcDay,
    pub flow: Option<FlowId>,
    pub key: Option<KeyId>,
    pub model: Option<String>,
}

/// All that is told of a span of days.
#[derive(Debug)]
pub struct ConsumptionReport {
    pub from: UtcDay,
    pub to: UtcDay,
    /// How long the answers of all of it took.
    pub times: AnswerTimes,
    /// One for each day, those without any use too.
    pub days: Vec<(UtcDay, ConsumptionTotal)>,
    pub flows: Vec<FlowConsumption>,
    pub keys: Vec<KeyConsumption>,
    /// By name.
    pub models: Vec<(String, Consumption)>,
    pub budgets: Vec<BudgetState>,
}

/// What a flow used.
#[derive(Debug)]
pub struct FlowConsumption {
    pub id: FlowId,
    /// `None` for one that was deleted.
    pub name: Option<String>,
    pub total: ConsumptionTotal,
}

/// What was used with a key.
#[derive(Debug)]
pub struct KeyConsumption {
    /// `None` for all that was asked without a key.
    pub id: Option<KeyId>,
    /// `None` for one that was deleted.
    pub name: Option<String>,
    pub total: ConsumptionTotal,
}

/// How a budget stands today.
#[derive(Debug)]
pub struct BudgetState {
    pub owner: BudgetOwner,
    /// The flow, the key or the workspace.
    pub id: String,
    pub name: String,
    pub budget: Budget,
    pub used: DayUse,
    /// When it opens again, where it refuses now.
    pub opens_again: Option<Timestamp>,
}

/// Rows of a workspace in the state in which they are to be stored, with the key of each.
pub type ConsumptionRows = Vec<(ConsumptionKey, Consumption)>;

/// The workspace and the day whose rows are kept together.
pub type WorkspaceDay = (WorkspaceId, UtcDay);

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn days_are_read_and_written_as_dates() {
        for text in ["1970-01-01", "2026-11-30", "2024-02-29"] {
            assert_eq!(UtcDay::parse(text).unwrap().to_string(), text);
        }
        for wrong in ["", "2026-11-31", "2026-1-1", "1969-12-31", "2026-11-30T00:00:00Z", "20261130"] {
            assert_eq!(UtcDay::parse(wrong), None, "{wrong}");
        }
        let day = UtcDay::of("2026-11-29T23:59:59Z".parse().unwrap());
        assert_eq!(
            (day.to_string(), day.next().begins().to_string()),
            ("2026-11-29".to_owned(), "2026-11-30T00:00:00Z".to_owned())
        );
    }

    #[test]
    fn a_budget_holds_whole_numbers() {
        let read = |sent: Value| Budget::parse(Some(&sent));
        assert_eq!(read(json!(null)), Ok(None));
        assert_eq!(read(json!({})), Ok(None));
        let budget = read(json!({"tokensPerDay": 5, "questionsPerDay": null})).unwrap().unwrap();
        assert_eq!((budget.tokens_per_day, budget.questions_per_day), (Some(5), None));
        for wrong in [
            json!(5),
            json!([]),
            json!({"tokensPerDay": 0}),
            json!({"tokensPerDay": 1.5}),
            json!({"tokensPerDay": "5"}),
            json!({"questionsPerDay": -1}),
            json!({"questionsPerDay": 1_000_000_000_001_u64}),
            json!({"tokens": 5}),
        ] {
            assert!(read(wrong.clone()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn models_without_end_are_counted_together() {
        let calls = ModelCalls::default();
        for number in 0..60 {
            calls.add(&format!("model-{number}"), None);
        }
        calls.add(&"ä".repeat(100), None);
        let counted = calls.take();
        assert_eq!((counted.len(), counted[OTHER_MODELS].calls), (MODELS_OF_QUESTION_MAX + 1, 11));
        assert!(calls.take().is_empty());
    }
}
