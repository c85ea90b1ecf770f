//! What is to happen at a time: pauses of runs that end by themselves, answers of webhooks and messages that are sent again. Their
//! records say it too and outlive a restart; this spares looking through all of them.

use crate::domain::ids::{ExecutionId, PauseId, WebhookCallbackId, WorkspaceId};
use jiff::Timestamp;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

/// Things that wait for their time, the next one first.
pub struct DueTimers<T>(Mutex<BTreeSet<(Timestamp, T)>>);

/// A pause of a run that ends by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct DuePause {
    pub workspace: WorkspaceId,
    pub execution: ExecutionId,
    pub pause: PauseId,
}

/// An answer of a webhook that something is to be done with.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct DueCallback {
    pub workspace: WorkspaceId,
    pub callback: WebhookCallbackId,
    pub step: CallbackStep,
}

/// What is to be done with an answer of a webhook.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum CallbackStep {
    /// Its run never began: nobody is told anything.
    Forget,
    /// Its run has ended: this is kept, and sent.
    Settle(Arc<str>),
    /// What is kept is sent.
    Send,
}

impl<T> Default for DueTimers<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Ord> DueTimers<T> {
    pub fn add(&self, at: Timestamp, what: T) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert((at, what));
    }

    /// True when there is one whose time is now or earlier.
    #[must_use]
    pub fn is_due(&self, now: Timestamp) -> bool {
        let timers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        timers.first().is_some_and(|(at, _)| *at <= now)
    }

    /// Takes those out whose time is now or earlier. What was settled meanwhile is among them.
    #[must_use]
    pub fn take_due(&self, now: Timestamp) -> Vec<T> {
        let mut timers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut due = Vec::new();
        while timers.first().is_some_and(|(at, _)| *at <= now) {
            due.extend(timers.pop_first().map(|(_, what)| what));
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_are_taken_once_and_when_they_are_due() {
        let (timers, at) = (DueTimers::default(), |second| Timestamp::from_second(second).unwrap());
        timers.add(at(9), "late");
        timers.add(at(3), "early");
        assert_eq!((timers.take_due(at(2)), timers.take_due(at(3))), (vec![], vec!["early"]));
        assert_eq!((timers.take_due(at(3)), timers.take_due(at(10))), (vec![], vec!["late"]));
    }

    #[test]
    fn what_is_added_twice_for_one_time_is_there_once() {
        let (timers, at) = (DueTimers::default(), |second| Timestamp::from_second(second).unwrap());
        (0..2).for_each(|_| timers.add(at(3), "one"));
        timers.add(at(3), "other");
        assert_eq!(timers.take_due(at(3)), ["one", "other"]);
    }
}
