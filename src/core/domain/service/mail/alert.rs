//! When the owner is told of a problem: once when it begins, once when it is over, and of the same one at most once an hour.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

/// Least time between two messages about the same problem (manual 14.17).
const ALERT_GAP_SECONDS: i64 = 3_600;

/// What the owner was told last of a problem.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AlertRecord {
    /// When.
    pub told: Timestamp,
    /// That it is there; otherwise that it is over.
    pub is_open: bool,
    /// How it was when it began.
    pub sentence: String,
}

/// What the owner is told now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AlertStep {
    Begins,
    Ends,
}

/// What to tell of a problem that is there now, or is not. A problem that comes and goes is told again after the hour, as it is
/// then. A clock that was set back does not silence it for longer than that.
#[must_use]
pub fn next_step(record: Option<&AlertRecord>, is_there: bool, now: Timestamp) -> Option<AlertStep> {
    let (was_open, rests) = record.map_or((false, false), |record| {
        let passed = now.duration_since(record.told);
        (record.is_open, !passed.is_negative() && passed < SignedDuration::from_secs(ALERT_GAP_SECONDS))
    });
    match (was_open, is_there) {
        _ if rests => None,
        (false, true) => Some(AlertStep::Begins),
        (true, false) => Some(AlertStep::Ends),
        (false, false) | (true, true) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_is_told_at_both_ends_and_at_most_once_an_hour() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let told = |second, is_open| AlertRecord { told: at(second), is_open, sentence: String::new() };
        for (record, is_there, now, expected) in [
            (None, false, 0, None),
            (None, true, 0, Some(AlertStep::Begins)),
            (Some(told(0, true)), true, 9_000, None),
            (Some(told(0, true)), false, 3_599, None),
            (Some(told(0, true)), false, 3_600, Some(AlertStep::Ends)),
            (Some(told(0, false)), true, 3_599, None),
            (Some(told(0, false)), true, 3_600, Some(AlertStep::Begins)),
            (Some(told(0, false)), false, 9_000, None),
            (Some(told(9_000, true)), false, 0, Some(AlertStep::Ends)),
        ] {
            assert_eq!(
                next_step(record.as_ref(), is_there, at(now)),
                expected,
                "{record:?} {is_there} {now}"
            );
        }
    }
}
