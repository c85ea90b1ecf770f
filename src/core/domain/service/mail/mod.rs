//! Mail that the service sends: what waits, when it is tried again, and how that went (manual 13.18).

pub mod address;
pub mod alert;
pub mod language;

use crate::domain::ids::{MailId, UserId};
use crate::domain::workspace::credential::Ciphertext;
use address::MailAddress;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

/// Wait after the first try of a message that failed; each further one doubles it (manual 14.17).
const MAIL_RETRY_SECONDS: i64 = 15;
/// Longest wait between two tries of a message (manual 14.17).
const MAIL_RETRY_MAX_SECONDS: i64 = 3_600;
/// How long a message is tried before it is given up (manual 14.17).
const MAIL_TRIED_HOURS: i64 = 24;

/// A message that waits to be taken by the mail server. Whom it is for and what it says is sealed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct QueuedMail {
    pub id: MailId,
    pub topic: MailTopic,
    pub created: Timestamp,
    /// When it is tried next.
    pub due: Timestamp,
    /// Tries that failed.
    pub tries: u32,
    /// Why the last of them failed, as a sentence.
    #[serde(default)]
    pub failure: Option<String>,
    pub sealed: Ciphertext,
}

/// What a message is about, which decides whether it is still wanted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum MailTopic {
    /// The link of an invitation, by the hash of its token.
    Invitation { hash: [u8; 32] },
    /// The link for a new password of a person, by the hash of its token.
    Reset { hash: [u8; 32], user: UserId },
    /// What the owner has to see to.
    Alert,
}

impl QueuedMail {
    /// Notes a try that failed for a reason that may pass; false when it is given up now.
    #[must_use]
    pub fn postpone(&mut self, now: Timestamp, failure: String) -> bool {
        self.tries = self.tries.saturating_add(1);
        self.failure = Some(failure);
        let doubled = MAIL_RETRY_SECONDS.saturating_mul(1 << (self.tries - 1).min(16));
        let wait = SignedDuration::from_secs(doubled.min(MAIL_RETRY_MAX_SECONDS));
        self.due = now.saturating_add(wait).unwrap_or(Timestamp::MAX);
        now.duration_since(self.created) < SignedDuration::from_hours(MAIL_TRIED_HOURS)
    }
}

/// A message in plain text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Letter {
    pub to: MailAddress,
    /// What the receiver is called, where that is known.
    pub name: Option<String>,
    pub subject: String,
    pub text: String,
}

/// What became of mail until now.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MailRecord {
    /// When the server took one last.
    #[serde(default)]
    pub sent: Option<Timestamp>,
    /// Messages that were given up.
    #[serde(default)]
    pub given_up: u64,
    /// When and why a try failed last.
    #[serde(default)]
    pub failure: Option<MailFailure>,
}

/// A try that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MailFailure {
    pub at: Timestamp,
    pub sentence: String,
    /// The message was given up by it.
    pub is_final: bool,
}

/// How mail is, where a server is set for it.
#[derive(Debug, Clone)]
pub struct MailHealth {
    /// Host and port.
    pub server: String,
    /// Messages that wait.
    pub waiting: usize,
    pub record: MailRecord,
    /// Why what waits could not be sent, or what was given up within the last day.
    pub error: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_to_an_hour_and_end_after_a_day() {
        let begun = Timestamp::from_second(1_000_000).unwrap();
        let mut mail = QueuedMail {
            id: MailId::random(),
            topic: MailTopic::Alert,
            created: begun,
            due: begun,
            tries: 0,
            failure: None,
            sealed: Ciphertext(Vec::new()),
        };
        let (mut now, mut waits) = (begun, Vec::new());
        while mail.postpone(now, "It is away.".to_owned()) {
            waits.push(mail.due.duration_since(now).as_secs());
            now = mail.due;
        }
        assert_eq!(waits[..10], [15, 30, 60, 120, 240, 480, 960, 1_920, 3_600, 3_600]);
        let tried = now.duration_since(begun).as_hours();
        assert!((24..=25).contains(&tried) && mail.failure.is_some(), "{tried}");
    }
}
