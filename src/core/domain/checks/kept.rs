//! Questions that are kept for the checks of a flow (manual 18.6).

use super::case::Expectation;
use super::expectation;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{ChatId, KeptQuestionId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Most questions that are kept for a flow (manual 14.4).
pub const KEPT_QUESTIONS_MAX: usize = 50;
/// Most expectations of one kept question (manual 14.4).
pub(crate) const EXPECTATIONS_MAX: usize = 20;

/// Where a kept question is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub enum QuestionOrigin {
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
pub struct KeptQuestion {
    pub id: KeptQuestionId,
    pub text: String,
    pub expect: Vec<ExpectationRow>,
    pub from: QuestionOrigin,
    pub kept: Timestamp,
    /// The conversation in which a person asked it: the question goes with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<ChatId>,
}

/// A question as it is sent to be kept.
#[derive(Debug, Clone)]
pub struct SentQuestion {
    pub id: Option<KeptQuestionId>,
    pub text: String,
    pub expect: Vec<ExpectationRow>,
    pub from: QuestionOrigin,
    pub kept: Option<Timestamp>,
}

/// An expectation as it was sent; it was judged before it was kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "test-support", schemars(rename = "CheckExpectation"))]
pub struct ExpectationRow {
    /// `contains`, `notContains`, `matches`, `equals`, `json`, `language`, `maxMs`, `calls`, `callsNot` or `refuses`.
    pub kind: String,
    /// A text, a number, a schema or a switch, as its kind has it.
    pub value: Value,
}

impl KeptQuestion {
    /// What its answers are expected to be.
    #[must_use]
    pub(crate) fn expectations(&self) -> Vec<Expectation> {
        self.expect.iter().filter_map(|row| expectation::parse(&row.kind, &row.value, "").ok()).collect()
    }
}

/// What is expected of the answers to one question, which is named in a refusal by its place in its list, from 1 on.
///
/// # Errors
/// 400 for too many rows, a kind that is not known, or a value that a kind cannot have; it names question and row.
pub fn read_expectations(rows: &[ExpectationRow], question: usize) -> Result<Vec<Expectation>> {
    if rows.len() > EXPECTATIONS_MAX {
        return Err(Error::Invalid(format!(
            "Invalid questions: question {question} can have {EXPECTATIONS_MAX} expectations at most."
        )));
    }
    let read = |(at, row): (usize, &ExpectationRow)| {
        let place = format!("Invalid questions: expect row {} of question {question}", at + 1);
        expectation::parse(&row.kind, &row.value, &place)
    };
    rows.iter().enumerate().map(read).collect()
}
