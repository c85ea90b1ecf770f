//! When pauses of runs that wait for a person end by themselves. The record of a run says it too; this spares looking
//! through all of them.

use crate::domain::ids::{ExecutionId, PauseId, WorkspaceId};
use jiff::Timestamp;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// A pause that ends at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PauseTimer {
    pub ends: Timestamp,
    pub workspace: WorkspaceId,
    pub execution: ExecutionId,
    pub pause: PauseId,
}

/// The pauses that end by themselves, the next one first.
#[derive(Default)]
pub struct PauseTimers(Mutex<BTreeSet<PauseTimer>>);

impl PauseTimers {
    pub fn add(&self, timer: PauseTimer) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(timer);
    }

    /// Takes those out that end now or earlier. What was answered meanwhile is among them.
    #[must_use]
    pub fn take_due(&self, now: Timestamp) -> Vec<PauseTimer> {
        let mut timers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut due = Vec::new();
        while let Some(first) = timers.first().copied().filter(|timer| timer.ends <= now) {
            timers.remove(&first);
            due.push(first);
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timers_are_taken_once_and_when_they_are_due() {
        let timers = PauseTimers::default();
        let timer = |second| PauseTimer {
            ends: Timestamp::from_second(second).unwrap(),
            workspace: WorkspaceId::random(),
            execution: ExecutionId::random(),
            pause: PauseId::random(),
        };
        let (late, early) = (timer(9), timer(3));
        timers.add(late);
        timers.add(early);
        let at = |second| timers.take_due(Timestamp::from_second(second).unwrap());
        assert_eq!((at(2), at(3), at(3)), (vec![], vec![early], vec![]));
        assert_eq!(at(10), [late]);
    }
}
