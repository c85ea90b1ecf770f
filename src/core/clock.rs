//! The time, as one replaceable source, so that tests can move it.

use jiff::{SignedDuration, Timestamp};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

/// Tells the time. A clone shows the same time.
#[derive(Clone)]
pub struct Clock {
    shift_seconds: Arc<AtomicI64>,
    /// The newest date that is stored, in milliseconds.
    newest_ms: Arc<AtomicI64>,
    /// When it was made, by this machine's clock and by one that nobody can set.
    started: (Timestamp, Instant),
}

impl Default for Clock {
    fn default() -> Self {
        Self {
            shift_seconds: Arc::default(),
            newest_ms: Arc::default(),
            started: (Timestamp::now(), Instant::now()),
        }
    }
}

impl Clock {
    /// Now, to the millisecond, which is what records and answers carry. For what expires.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        let now = Timestamp::now().as_millisecond() + self.shift_seconds.load(Ordering::Relaxed) * 1000;
        Timestamp::from_millisecond(now).expect("the clock is within the years a timestamp can hold")
    }

    /// The date for something that is stored: now, and never before a date that is stored already. A clock that somebody set
    /// back dates nothing before what it follows.
    #[must_use]
    pub fn monotonic_now(&self) -> Timestamp {
        let now = self.now();
        let newest = self.newest_ms.fetch_max(now.as_millisecond(), Ordering::Relaxed);
        Timestamp::from_millisecond(newest).map_or(now, |newest| newest.max(now))
    }

    /// Notes a date that is stored.
    pub fn observe(&self, stored: Timestamp) {
        self.newest_ms.fetch_max(stored.as_millisecond(), Ordering::Relaxed);
    }

    /// The newest date that is stored, when this clock stands before it.
    #[must_use]
    pub fn newest_ahead(&self) -> Option<Timestamp> {
        let newest = Timestamp::from_millisecond(self.newest_ms.load(Ordering::Relaxed)).ok()?;
        (newest > self.now()).then_some(newest)
    }

    /// How far this machine's clock was set, forwards or back, since this one was made. A machine that slept looks the same as
    /// one whose clock was set forwards.
    #[must_use]
    pub fn drift(&self) -> SignedDuration {
        let (then, since) = self.started;
        let passed = SignedDuration::try_from(since.elapsed()).unwrap_or(SignedDuration::MAX);
        self.now().duration_since(then) - passed
    }

    /// When it was made, by this machine's clock, and how long ago that is by one that nobody can set.
    #[must_use]
    pub fn started(&self) -> (Timestamp, Duration) {
        let (then, since) = self.started;
        (then, since.elapsed())
    }

    /// Moves this clock, for tests of what expires and of clocks that are set.
    pub fn advance_seconds(&self, seconds: i64) {
        self.shift_seconds.fetch_add(seconds, Ordering::Relaxed);
    }
}

/// The wire form of a time: ISO 8601 with milliseconds and `Z`, as Flowise's clients compare it.
#[must_use]
pub fn iso(time: Timestamp) -> String {
    format!("{time:.3}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_is_never_dated_before_what_is_there() {
        let clock = Clock::default();
        let first = clock.monotonic_now();
        clock.advance_seconds(-7_200);
        assert!(clock.now() < first && clock.monotonic_now() >= first);
        assert!(clock.newest_ahead().is_some_and(|newest| newest >= first));
        assert!(clock.drift() < SignedDuration::from_mins(-119));
        clock.advance_seconds(7_201);
        assert!(clock.monotonic_now() > first && clock.newest_ahead().is_none());
        let later = clock.now() + SignedDuration::from_hours(24);
        clock.observe(later);
        assert_eq!(clock.clone().monotonic_now(), later);
    }
}
