//! The answer of a webhook that is sent to an address later (manual 17.4).

use crate::domain::ids::{ExecutionId, FlowId, WebhookCallbackId, WorkspaceId};
use crate::domain::workspace::credential::Ciphertext;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

/// How often a callback is tried (manual 14.4).
pub(crate) const CALLBACK_TRIES: u32 = 3;
/// Seconds between the beginnings of two tries (manual 14.4).
const CALLBACK_WAIT_SECONDS: i64 = 3;

/// A callback that was promised, or is on its way. What it says and where it goes is sealed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebhookCallback {
    pub id: WebhookCallbackId,
    pub workspace: WorkspaceId,
    pub flow: FlowId,
    /// The record of its run. What an older version promised does not say it.
    #[serde(default)]
    pub execution: Option<ExecutionId>,
    /// Its run has not ended yet. After a restart it never will, and what is sealed says so.
    pub awaits_run: bool,
    /// Tries that failed.
    pub tries: u32,
    /// When its first try was.
    pub began: Option<Timestamp>,
    pub sealed: Ciphertext,
}

impl WebhookCallback {
    /// Notes a try that failed; when the next one is, or `None` when it is given up.
    pub fn fail(&mut self, began: Timestamp, may_pass: bool) -> Option<Timestamp> {
        let first = *self.began.get_or_insert(began);
        self.tries += 1;
        let wait = SignedDuration::from_secs(CALLBACK_WAIT_SECONDS * i64::from(self.tries));
        let next = first.checked_add(wait).unwrap_or(first);
        (may_pass && self.tries < CALLBACK_TRIES).then_some(next)
    }
}

/// What became of a callback, as the record of its run says it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CallbackOutcome {
    pub is_delivered: bool,
    pub tries: u32,
    pub date: Timestamp,
    /// Why it was given up, in words.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn callback() -> WebhookCallback {
        WebhookCallback {
            id: WebhookCallbackId::random(),
            workspace: WorkspaceId::random(),
            flow: FlowId::random(),
            execution: None,
            awaits_run: false,
            tries: 0,
            began: None,
            sealed: Ciphertext(Vec::new()),
        }
    }

    #[test]
    fn tries_begin_at_zero_three_and_six_seconds() {
        let (mut callback, at) = (callback(), |second| Timestamp::from_second(second).unwrap());
        assert_eq!(callback.fail(at(100), true), Some(at(103)));
        assert_eq!(callback.fail(at(104), true), Some(at(106)));
        assert_eq!((callback.fail(at(106), true), callback.tries), (None, 3));
    }

    #[test]
    fn what_cannot_pass_is_given_up_at_once() {
        assert_eq!(callback().fail(Timestamp::UNIX_EPOCH, false), None);
    }
}
