//! Which version of Live gave an answer, and what became of all the answers of one (manual 6.11).

use super::feedback::Rating;
use crate::domain::flows::live_version::LiveVersion;
use crate::domain::flows::version::Sha;
use crate::domain::ids::{ChatId, MessageId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Kept with an answer of Live.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// The change of Live that answered.
    pub change: Uuid,
    /// Its version, where it was recorded by then.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub sha: Option<Sha>,
    /// From the question to the whole answer.
    pub ms: u32,
}

impl Receipt {
    /// For an answer of this version to a question of then.
    #[must_use]
    pub fn new(version: &LiveVersion, asked: Timestamp, answered: Timestamp) -> Self {
        let ms = answered.as_millisecond().saturating_sub(asked.as_millisecond()).max(0);
        Self {
            change: version.change,
            sha: version.name.map(|name| name.sha),
            ms: u32::try_from(ms).unwrap_or(u32::MAX),
        }
    }
}

/// How the answers of a version came out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AnswerTally {
    pub answers: u64,
    /// Runs that failed.
    pub errors: u64,
    /// The middle of how long answers took; `None` where there are none.
    pub median_ms: Option<u32>,
    pub up: u64,
    pub down: u64,
}

/// One answer of a version, with what was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionAnswer {
    pub id: MessageId,
    pub chat: ChatId,
    pub question: String,
    pub text: String,
    pub date: Timestamp,
    pub rating: Option<Rating>,
    pub ms: u32,
}

/// The answers of a version, a page of them, the newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionAnswers {
    pub sha: Sha,
    pub tally: AnswerTally,
    /// From 1.
    pub page: u64,
    pub pages: u64,
    pub messages: Vec<VersionAnswer>,
}
