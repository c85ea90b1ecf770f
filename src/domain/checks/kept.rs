//! Questions that are kept for the checks of a flow (manual 18.6).

use super::case::Expectation;
use super::expectation;
use crate::domain::error::Result;
use crate::domain::ids::{ChatId, KeptQuestionId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Most questions that are kept for a flow (manual 14.4).
pub(crate) const KEPT_QUESTIONS_MAX: usize = 50;
/// Most expectations of one kept question (manual 14.4).
pub(crate) const EXPECTATIONS_MAX: usize = 20;

/// Where a kept question is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(inline))]
pub(crate) enum QuestionOrigin {
    /// A person asked it.
    Person,
    /// The flow offers it to begin with.
    Starter,
    /// Its owner wrote it for the check.
    Written,
}

/// A question that is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct KeptQuestion {
    pub id: KeptQuestionId,
    pub text: String,
    pub expect: Vec<ExpectationRow>,
    pub from: QuestionOrigin,
    pub kept: Timestamp,
    /// The conversation in which a person asked it: the question goes with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<ChatId>,
}

/// An expectation as it was sent; it was judged before it was kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "CheckExpectation"))]
pub(crate) struct ExpectationRow {
    /// `contains`, `notContains`, `matches`, `equals`, `json`, `language`, `maxMs`, `calls`, `callsNot` or `refuses`.
    pub kind: String,
    /// A text, a number, a schema or a switch, as its kind has it.
    pub value: Value,
}

impl KeptQuestion {
    /// What its answers are expected to be.
    #[must_use]
    pub(crate) fn expectations(&self) -> Vec<Expectation> {
        self.expect.iter().filter_map(|row| row.read("").ok()).collect()
    }
}

impl ExpectationRow {
    /// What it says; `place` names it in a refusal.
    ///
    /// # Errors
    /// 400 for a kind that is not known, or a value that it cannot have.
    pub(crate) fn read(&self, place: &str) -> Result<Expectation> {
        expectation::parse(&self.kind, &self.value, place)
    }
}
