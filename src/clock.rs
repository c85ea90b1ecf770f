//! The time, as one replaceable source, so that tests can move it.

use jiff::Timestamp;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// Tells the time. A clone shows the same time.
#[derive(Clone, Default)]
pub struct Clock {
    shift_seconds: Arc<AtomicI64>,
}

impl Clock {
    /// Now, to the millisecond, which is what records and answers carry.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        let now = Timestamp::now().as_millisecond() + self.shift_seconds.load(Ordering::Relaxed) * 1000;
        Timestamp::from_millisecond(now).expect("the clock is within the years a timestamp can hold")
    }

    /// Moves this clock forward, for tests of what expires.
    pub fn advance_seconds(&self, seconds: i64) {
        self.shift_seconds.fetch_add(seconds, Ordering::Relaxed);
    }
}

/// The wire form of a time: ISO 8601 with milliseconds and `Z`, as the family's clients compare it.
#[must_use]
pub fn iso(time: Timestamp) -> String {
    format!("{time:.3}")
}
