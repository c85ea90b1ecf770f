//! When schedules come next, and which of them have a run under way. The database says the first too; this spares looking
//! through all of them.

use crate::domain::ids::{FlowId, WorkspaceId};
use jiff::Timestamp;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

type Listener = Box<dyn Fn() + Send + Sync>;

#[derive(Default)]
pub struct ScheduleTimers {
    due: Mutex<HashMap<FlowId, (WorkspaceId, Timestamp)>>,
    /// Held from a look at the database until what was found is noted, so that what is noted last was read last.
    reading: Mutex<()>,
    under_way: Arc<Mutex<HashSet<FlowId>>>,
    listener: OnceLock<Listener>,
}

/// A run of a schedule, until this is dropped.
#[derive(Debug)]
pub struct ScheduledRunGuard {
    under_way: Arc<Mutex<HashSet<FlowId>>>,
    flow: FlowId,
}

impl ScheduleTimers {
    /// Notes when a schedule comes next; `None` forgets it.
    pub fn set(&self, workspace: WorkspaceId, flow: FlowId, due: Option<Timestamp>) {
        let mut timers = self.due.lock().unwrap_or_else(PoisonError::into_inner);
        match due {
            Some(due) => timers.insert(flow, (workspace, due)),
            None => timers.remove(&flow),
        };
        drop(timers);
        if let Some(listener) = self.listener.get() {
            listener();
        }
    }

    /// Has schedules read and noted by `read`, one reader at a time.
    pub fn read<T>(&self, read: impl FnOnce() -> T) -> T {
        let _reading = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        read()
    }

    /// Calls this after each change. Only the first listener is called: a service has one clock.
    pub fn listen(&self, listener: impl Fn() + Send + Sync + 'static) {
        let _ = self.listener.set(Box::new(listener));
    }

    /// When the next schedule comes.
    #[must_use]
    pub fn next(&self) -> Option<Timestamp> {
        let timers = self.due.lock().unwrap_or_else(PoisonError::into_inner);
        timers.values().map(|(_, due)| *due).min()
    }

    /// Takes those out that are due, the earliest first.
    #[must_use]
    pub fn take_due(&self, now: Timestamp) -> Vec<(WorkspaceId, FlowId)> {
        let mut timers = self.due.lock().unwrap_or_else(PoisonError::into_inner);
        let mut due: Vec<_> = timers
            .iter()
            .filter(|(_, (_, due))| *due <= now)
            .map(|(flow, (workspace, due))| (*due, *workspace, *flow))
            .collect();
        due.sort_unstable();
        timers.retain(|_, (_, due)| *due > now);
        due.into_iter().map(|(_, workspace, flow)| (workspace, flow)).collect()
    }

    /// Notes that a run of this flow's schedule is under way; `None` when one is already.
    #[must_use]
    pub fn begin(&self, flow: FlowId) -> Option<ScheduledRunGuard> {
        let mut runs = self.under_way.lock().unwrap_or_else(PoisonError::into_inner);
        runs.insert(flow).then(|| ScheduledRunGuard { under_way: self.under_way.clone(), flow })
    }
}

impl Drop for ScheduledRunGuard {
    fn drop(&mut self) {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.flow);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn second(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn what_is_due_is_taken_once_and_the_earliest_first() {
        let (timers, workspace) = (ScheduleTimers::default(), WorkspaceId::random());
        let (early, late, off) = (FlowId::random(), FlowId::random(), FlowId::random());
        timers.set(workspace, late, Some(second(9)));
        timers.set(workspace, early, Some(second(3)));
        timers.set(workspace, off, Some(second(1)));
        timers.set(workspace, off, None);
        assert_eq!(timers.next(), Some(second(3)));
        assert_eq!(timers.take_due(second(9)), [(workspace, early), (workspace, late)]);
        assert_eq!((timers.take_due(second(9)), timers.next()), (vec![], None));
    }

    #[test]
    fn what_was_read_last_is_noted_last() {
        let (timers, kept) = (ScheduleTimers::default(), Mutex::new(None));
        let (workspace, flow) = (WorkspaceId::random(), FlowId::random());
        let rearm = |pause: Duration| {
            timers.read(|| {
                let read = *kept.lock().unwrap();
                std::thread::sleep(pause);
                timers.set(workspace, flow, read);
            });
        };
        std::thread::scope(|threads| {
            // It reads that the schedule is off, and somebody switches it on before that is noted.
            threads.spawn(|| rearm(Duration::from_millis(200)));
            std::thread::sleep(Duration::from_millis(50));
            *kept.lock().unwrap() = Some(second(3));
            threads.spawn(|| rearm(Duration::ZERO));
        });
        assert_eq!(timers.next(), Some(second(3)));
    }

    #[test]
    fn a_run_is_under_way_until_its_guard_is_gone() {
        let (timers, flow) = (ScheduleTimers::default(), FlowId::random());
        let guard = timers.begin(flow);
        assert!(guard.is_some() && timers.begin(flow).is_none());
        drop(guard);
        assert!(timers.begin(flow).is_some());
    }
}
