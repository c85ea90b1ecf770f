//! Behaviour checks that run, and those that ended a while ago (manual 18.2). Of a flow one at a time but for that of a promotion, a
//! few at once, and none that nobody will look at any more.

mod entry;

pub use self::entry::CheckEntry;
use crate::base::cancel::CancelReason;
use crate::domain::checks::check::Check;
use crate::domain::checks::sides::Comparison;
use crate::domain::ids::FlowId;
use jiff::{SignedDuration, Timestamp};
use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Checks that run at once (manual 14.4).
const CHECKS_RUNNING_MAX: usize = 3;
/// Minutes for which the result of a check is kept (manual 14.4).
const CHECK_KEPT_MINUTES: i64 = 30;
/// Results of checks that are kept, the newest of them (manual 14.4).
const CHECKS_KEPT_MAX: usize = 200;

/// Why a check cannot begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckRefusal {
    /// One of the flow is running.
    UnderWay,
    /// As many are running as may be.
    TooMany,
}

/// A flow, and what its checks compare.
type CheckKey = (FlowId, Comparison);

type Newest = HashMap<CheckKey, Arc<CheckEntry>>;

/// The newest checks of each flow.
#[derive(Default)]
pub struct Checks {
    newest: Mutex<Newest>,
    /// One begins or ends.
    changed: Condvar,
}

impl Checks {
    fn newest(&self) -> MutexGuard<'_, Newest> {
        self.newest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a check up, in place of the one that compared the same and ended.
    ///
    /// # Errors
    /// When another one is in its way.
    pub fn begin(&self, check: Check, now: Timestamp) -> Result<Arc<CheckEntry>, CheckRefusal> {
        let mut newest = self.newest();
        drop_expired(&mut newest, now);
        let key = check.key();
        let is_in_way = |other: &CheckKey| other.0 == key.0 && key.1.excludes(other.1);
        if newest.iter().any(|(other, entry)| is_in_way(other) && entry.check().is_running()) {
            return Err(CheckRefusal::UnderWay);
        }
        if newest.values().filter(|entry| entry.check().is_running()).count() >= CHECKS_RUNNING_MAX {
            return Err(CheckRefusal::TooMany);
        }
        let entry = Arc::new(CheckEntry::new(check));
        newest.insert(key, entry.clone());
        self.changed.notify_all();
        Ok(entry)
    }

    /// Takes back one that could not be begun after all.
    pub fn remove(&self, key: &CheckKey) {
        self.newest().remove(key);
        self.changed.notify_all();
    }

    /// The newest check of a flow that compares this, where it is not too old.
    pub fn newest_of(&self, key: &CheckKey, now: Timestamp) -> Option<Arc<CheckEntry>> {
        let mut newest = self.newest();
        drop_expired(&mut newest, now);
        newest.get(key).cloned()
    }

    /// Tells whoever waits that a check ended.
    pub fn tell_ended(&self) {
        // The lock makes sure that nobody is between looking and waiting.
        drop(self.newest());
        self.changed.notify_all();
    }

    /// Forgets the checks of a flow that is gone, and ends them.
    pub fn forget(&self, flow: &FlowId) {
        let gone: Vec<Arc<CheckEntry>> = {
            let mut newest = self.newest();
            let keys: Vec<CheckKey> = newest.keys().filter(|(of, _)| of == flow).copied().collect();
            keys.iter().filter_map(|key| newest.remove(key)).collect()
        };
        gone.iter().for_each(|entry| entry.cancel.cancel(CancelReason::Aborted));
    }

    /// Ends all that run, because the service stops, and waits for them, but no longer than `most`.
    pub fn stop_all(&self, most: Duration) {
        let end = Instant::now() + most;
        let mut newest = self.newest();
        let running = |newest: &Newest| -> Vec<Arc<CheckEntry>> {
            newest.values().filter(|entry| entry.check().is_running()).cloned().collect()
        };
        loop {
            // Each time anew: a request that is under way may begin one still.
            let all = running(&newest);
            let left = end.saturating_duration_since(Instant::now());
            if all.is_empty() || left.is_zero() {
                return;
            }
            all.iter().for_each(|entry| entry.cancel.cancel(CancelReason::Shutdown));
            newest = self.changed.wait_timeout(newest, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

fn drop_expired(newest: &mut Newest, now: Timestamp) {
    let oldest = now - SignedDuration::from_mins(CHECK_KEPT_MINUTES);
    let finished = |entry: &Arc<CheckEntry>| entry.check().finished;
    newest.retain(|_, entry| finished(entry).is_none_or(|finished| finished > oldest));
    if newest.len() > CHECKS_KEPT_MAX {
        let first = newest.iter().filter_map(|(key, entry)| finished(entry).zip(Some(*key))).min();
        if let Some((_, key)) = first {
            newest.remove(&key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::checks::check::{
        AskedQuestion, CheckLimits, CheckOptions, CheckStatus, NewCheck, StopReason,
    };
    use crate::domain::checks::sides::{SideName, SideNames};
    use crate::domain::flows::version::Sha;

    fn check(flow: FlowId) -> Check {
        Check::new(NewCheck {
            flow,
            sides: SideNames::LIVE_AND_DRAFT,
            started: Timestamp::UNIX_EPOCH,
            questions: vec![AskedQuestion { text: "a".to_owned(), expect: Vec::new() }],
            options: CheckOptions { control: false, repeat: 1, confirms: false },
            limits: CheckLimits::new(1, 1),
            include_risky_steps: false,
            live_empty: false,
            draft_saved: None,
        })
    }

    fn minutes(minutes: i64) -> Timestamp {
        Timestamp::UNIX_EPOCH + SignedDuration::from_mins(minutes)
    }

    #[test]
    fn one_of_a_flow_and_three_at_once() {
        let checks = Checks::default();
        let flows: Vec<FlowId> = (0..4).map(|_| FlowId::random()).collect();
        let first = checks.begin(check(flows[0]), minutes(0)).ok().unwrap();
        assert_eq!(checks.begin(check(flows[0]), minutes(0)).err(), Some(CheckRefusal::UnderWay));
        assert!(checks.begin(check(flows[1]), minutes(0)).is_ok());
        assert!(checks.begin(check(flows[2]), minutes(0)).is_ok());
        assert_eq!(checks.begin(check(flows[3]), minutes(0)).err(), Some(CheckRefusal::TooMany));
        first.check().end(CheckStatus::Done, minutes(0));
        assert!(checks.begin(check(flows[3]), minutes(0)).is_ok());
    }

    #[test]
    fn a_check_before_a_promotion_runs_beside_another_one_of_the_flow() {
        let (checks, flow) = (Checks::default(), FlowId::random());
        let dev = |byte: u8| {
            let right = SideName::Incoming(Sha::from_bytes([byte; 20]));
            Check { sides: SideNames { left: SideName::Live, right }, ..check(flow) }
        };
        let draft = checks.begin(check(flow), minutes(0)).ok().unwrap();
        let promotion = checks.begin(dev(1), minutes(0)).ok().unwrap();
        assert_eq!(checks.begin(dev(2), minutes(0)).err(), Some(CheckRefusal::UnderWay));
        let sides = SideNames { left: SideName::Live, right: SideName::Given };
        let of_file = checks.begin(Check { sides, ..check(flow) }, minutes(0));
        assert_eq!(of_file.err(), Some(CheckRefusal::UnderWay));
        let newest = |of: Comparison| checks.newest_of(&(flow, of), minutes(0)).map(|one| one.check().id);
        assert_eq!(newest(Comparison::Draft), Some(draft.check().id));
        assert_eq!(newest(Comparison::Promotion), Some(promotion.check().id));
        assert_eq!(newest(Comparison::Versions), None);
        checks.forget(&flow);
        assert!([draft, promotion].iter().all(|one| one.cancel.reason().is_some()));
        assert_eq!(newest(Comparison::Promotion), None);
    }

    #[test]
    fn a_result_is_kept_for_half_an_hour_after_its_end() {
        let (checks, flow) = (Checks::default(), FlowId::random());
        let entry = checks.begin(check(flow), minutes(0)).ok().unwrap();
        let find = |now: i64| checks.newest_of(&(flow, Comparison::Draft), minutes(now));
        assert!(find(500).is_some());
        entry.check().end(CheckStatus::Stopped(StopReason::Time), minutes(500));
        assert!(find(529).is_some());
        assert!(find(530).is_none());
    }

    #[test]
    fn what_begins_during_the_stop_is_stopped_too() {
        let checks = Checks::default();
        let first = checks.begin(check(FlowId::random()), minutes(0)).ok().unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| checks.stop_all(Duration::from_secs(60)));
            assert!(!first.cancel.sleep(Duration::from_secs(60)));
            let late = checks.begin(check(FlowId::random()), minutes(0)).ok().unwrap();
            assert!(!late.cancel.sleep(Duration::from_secs(60)));
            for entry in [first, late] {
                entry.check().end(CheckStatus::Stopped(StopReason::Stopped), minutes(1));
                checks.tell_ended();
            }
        });
    }

    #[test]
    fn stopping_all_waits_for_their_end_and_not_for_ever() {
        let (checks, flow) = (Checks::default(), FlowId::random());
        let entry = checks.begin(check(flow), minutes(0)).ok().unwrap();
        checks.stop_all(Duration::from_millis(10));
        assert_eq!(entry.cancel.reason(), Some(CancelReason::Shutdown));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                entry.check().end(CheckStatus::Stopped(StopReason::Stopped), minutes(1));
                checks.tell_ended();
            });
            checks.stop_all(Duration::from_secs(60));
        });
        assert!(!entry.check().is_running());
    }
}
