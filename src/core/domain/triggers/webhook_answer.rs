//! First answers of webhooks, kept for calls that are repeated under the same Idempotency-Key (manual 17.3).

use crate::domain::workspace::credential::Ciphertext;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

/// Hours that the first answer to a call is kept (manual 14.4).
const ANSWER_HOURS: i64 = 24;
/// Answers that are kept of one flow; the oldest go first (manual 14.4).
const ANSWERS_MAX: u64 = 100_000;
/// Bytes of the answers that are kept of one flow; the oldest go first (manual 14.4).
const ANSWERS_MAX_BYTES: u64 = 256 * 1024 * 1024;

/// The first answer to a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KeptAnswer {
    /// When its call came.
    pub date: Timestamp,
    /// SHA-256 of the body of that call.
    pub body: [u8; 32],
    /// Status and body of the answer: the proof of the conversation is in it.
    pub sealed: Ciphertext,
}

/// How much is kept of a flow.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerTotals {
    pub answers: u64,
    pub bytes: u64,
}

impl AnswerTotals {
    /// True while the oldest have to go.
    #[must_use]
    pub const fn is_over(self) -> bool {
        self.answers > ANSWERS_MAX || self.bytes > ANSWERS_MAX_BYTES
    }
}

/// True for an answer to a call of then.
#[must_use]
pub fn is_outdated(date: Timestamp, now: Timestamp) -> bool {
    now.duration_since(date) >= SignedDuration::from_hours(ANSWER_HOURS)
}

/// True for a text that can be an Idempotency-Key.
#[must_use]
pub fn is_key(text: &str) -> bool {
    /// Characters of an Idempotency-Key (manual 14.4).
    const KEY_CHARACTERS_MAX: usize = 255;
    (1..=KEY_CHARACTERS_MAX).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// True for an answer that a repeated call would get too: neither a failure of the service or of the flow, nor one that asks
/// to wait.
#[must_use]
pub const fn is_kept(status: u16) -> bool {
    status < 500 && !matches!(status, 408 | 429 | 499)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_kept_for_a_day() {
        let at = |hour: i64| Timestamp::from_second(hour * 3600).unwrap();
        assert!(!is_outdated(at(1), at(24)));
        assert!(is_outdated(at(1), at(25)));
    }

    #[test]
    fn failures_and_waits_are_not_kept() {
        for (status, kept) in [(200, true), (202, true), (400, true), (409, true), (429, false), (500, false)]
        {
            assert_eq!(is_kept(status), kept, "{status}");
        }
    }

    #[test]
    fn a_key_is_a_short_text_that_can_be_seen() {
        assert!(is_key("a-1") && is_key(&"x".repeat(255)));
        for bad in ["", "a b", "é", &"x".repeat(256)] {
            assert!(!is_key(bad), "{bad}");
        }
    }
}
