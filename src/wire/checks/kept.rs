//! Questions that are kept for the checks of a flow.

use crate::domain::checks::kept::{ExpectationRow, KeptQuestion, QuestionOrigin, SentQuestion};
use crate::domain::ids::KeptQuestionId;
use crate::time::IsoTime;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A question to keep.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct KeptQuestionEdit {
    /// Of one that is kept already; left out for a new one.
    pub id: Option<KeptQuestionId>,
    pub text: String,
    /// What its answers are expected to be.
    #[serde(default)]
    pub expect: Vec<ExpectationRow>,
    /// `written` where nothing else is said.
    pub from: Option<QuestionOrigin>,
    #[cfg_attr(feature = "test-support", schemars(with = "Option<IsoTime>"))]
    pub kept_date: Option<Timestamp>,
}

impl From<KeptQuestionEdit> for SentQuestion {
    fn from(KeptQuestionEdit { id, text, expect, from, kept_date }: KeptQuestionEdit) -> Self {
        Self { id, text, expect, from: from.unwrap_or(QuestionOrigin::Written), kept: kept_date }
    }
}

/// A question that is kept.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "KeptQuestion"))]
pub struct KeptQuestionView {
    id: KeptQuestionId,
    text: String,
    expect: Vec<ExpectationRow>,
    from: QuestionOrigin,
    kept_date: IsoTime,
}

impl From<KeptQuestion> for KeptQuestionView {
    fn from(KeptQuestion { id, text, expect, from, kept, .. }: KeptQuestion) -> Self {
        Self { id, text, expect, from, kept_date: kept.into() }
    }
}
