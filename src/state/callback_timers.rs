//! When answers of webhooks are sent next. Their records outlive a restart; this spares looking through them.

use crate::domain::ids::WebhookCallbackId;
use jiff::Timestamp;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// The callbacks that wait for their time, the next one first.
#[derive(Default)]
pub struct CallbackTimers(Mutex<BTreeSet<(Timestamp, WebhookCallbackId)>>);

impl CallbackTimers {
    pub fn add(&self, due: Timestamp, callback: WebhookCallbackId) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert((due, callback));
    }

    /// Takes those out that are due.
    #[must_use]
    pub fn take_due(&self, now: Timestamp) -> Vec<WebhookCallbackId> {
        let mut timers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut due = Vec::new();
        while let Some(first) = timers.first().copied().filter(|(at, _)| *at <= now) {
            timers.remove(&first);
            due.push(first.1);
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callbacks_are_taken_once_and_when_they_are_due() {
        let (timers, at) = (CallbackTimers::default(), |second| Timestamp::from_second(second).unwrap());
        let (early, late) = (WebhookCallbackId::random(), WebhookCallbackId::random());
        timers.add(at(9), late);
        timers.add(at(3), early);
        assert_eq!((timers.take_due(at(2)), timers.take_due(at(3))), (vec![], vec![early]));
        assert_eq!(timers.take_due(at(10)), [late]);
    }
}
