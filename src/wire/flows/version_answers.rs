//! The answers of a version (manual 6.11).

use crate::domain::conversations::feedback::Rating;
use crate::domain::conversations::receipt::{VersionAnswer, VersionAnswers};
use crate::domain::flows::version::Sha;
use crate::domain::ids::{ChatId, MessageId};
use crate::time::IsoTime;
use serde::Serialize;

/// What a version answered, and a page of it, the newest answer first.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "VersionAnswers"))]
pub struct VersionAnswersView {
    sha: Sha,
    answers: u64,
    /// Runs that failed.
    errors: u64,
    /// The middle of how long its answers took.
    median_ms: Option<u32>,
    ratings: RatingCounts,
    page: u64,
    pages: u64,
    messages: Vec<VersionAnswerView>,
}

/// How answers were rated.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
struct RatingCounts {
    up: u64,
    down: u64,
}

/// An answer with its question.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "VersionAnswer"))]
struct VersionAnswerView {
    id: MessageId,
    chat_id: ChatId,
    question: String,
    text: String,
    date: IsoTime,
    rating: Option<Rating>,
    /// From the question to the whole answer.
    ms: u32,
}

impl From<VersionAnswers> for VersionAnswersView {
    fn from(VersionAnswers { sha, tally, page, pages, messages }: VersionAnswers) -> Self {
        Self {
            sha,
            answers: tally.answers,
            errors: tally.errors,
            median_ms: tally.median_ms,
            ratings: RatingCounts { up: tally.up, down: tally.down },
            page,
            pages,
            messages: messages.into_iter().map(VersionAnswerView::from).collect(),
        }
    }
}

impl From<VersionAnswer> for VersionAnswerView {
    fn from(VersionAnswer { id, chat, question, text, date, rating, ms }: VersionAnswer) -> Self {
        Self { id, chat_id: chat, question, text, date: date.into(), rating, ms }
    }
}
