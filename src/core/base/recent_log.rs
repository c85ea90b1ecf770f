//! The newest lines of the log, kept in memory: one list for the process, as there is one log. Whoever starts the log fills it,
//! and a program that starts none keeps nothing.

use crate::domain::service::log_line::{Gravity, LogExcerpt, LogLine};
use jiff::{SignedDuration, Timestamp};
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Lines of the log that are kept in memory (manual 14.2).
pub(crate) const LOG_LINES_KEPT_COUNT: usize = 2_000;
/// What the lines of the log that are kept in memory take together (manual 14.2).
const LOG_LINES_KEPT_BYTES: usize = 1024 * 1024;
/// How long a line of the log is kept in memory (manual 14.2).
const LOG_LINES_KEPT_MINUTES: i64 = 60;

/// The lines of this process.
pub static RECENT_LOG: RecentLog =
    RecentLog(Mutex::new(KeptLines { lines: VecDeque::new(), bytes: 0, dropped: VecDeque::new() }));

/// A bounded list of lines.
pub struct RecentLog(Mutex<KeptLines>);

struct KeptLines {
    /// Oldest first.
    lines: VecDeque<LogLine>,
    bytes: usize,
    /// How many were dropped for want of room, by the minute in which they were written.
    dropped: VecDeque<(i64, u64)>,
}

impl RecentLog {
    /// Keeps a line in place of the oldest ones that it leaves no room for.
    pub fn push(&self, line: LogLine) {
        let mut kept = self.kept();
        kept.forget_old(line.at);
        kept.bytes += line.bytes();
        kept.lines.push_back(line);
        while kept.lines.len() > LOG_LINES_KEPT_COUNT || kept.bytes > LOG_LINES_KEPT_BYTES {
            let Some(at) = kept.drop_oldest() else { break };
            let minute = at.as_second().div_euclid(60);
            match kept.dropped.back_mut() {
                Some((last, count)) if *last == minute => *count += 1,
                _ => kept.dropped.push_back((minute, 1)),
            }
        }
    }

    /// The newest `most` lines of the last hour that are at least this grave.
    pub fn newest(&self, at_least: Gravity, most: usize, now: Timestamp) -> LogExcerpt {
        let mut kept = self.kept();
        kept.forget_old(now);
        let fitting = kept.lines.iter().rev().filter(|line| line.gravity <= at_least);
        LogExcerpt {
            lines: fitting.take(most).cloned().collect(),
            dropped: kept.dropped.iter().map(|(_, count)| count).sum(),
        }
    }

    fn kept(&self) -> MutexGuard<'_, KeptLines> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl KeptLines {
    fn forget_old(&mut self, now: Timestamp) {
        let Ok(oldest) = now.checked_sub(SignedDuration::from_mins(LOG_LINES_KEPT_MINUTES)) else { return };
        while self.lines.front().is_some_and(|line| line.at < oldest) {
            self.drop_oldest();
        }
        let oldest = oldest.as_second().div_euclid(60);
        while self.dropped.front().is_some_and(|(minute, _)| *minute < oldest) {
            self.dropped.pop_front();
        }
    }

    /// When the line was written that is gone now.
    fn drop_oldest(&mut self) -> Option<Timestamp> {
        let line = self.lines.pop_front()?;
        self.bytes = self.bytes.saturating_sub(line.bytes());
        Some(line.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log() -> RecentLog {
        RecentLog(Mutex::new(KeptLines { lines: VecDeque::new(), bytes: 0, dropped: VecDeque::new() }))
    }

    fn line(second: i64, gravity: Gravity, message: &str) -> LogLine {
        let at = Timestamp::from_second(second).unwrap();
        LogLine { at, gravity, target: "x", message: message.to_owned(), fields: Vec::new() }
    }

    fn moment(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn the_newest_come_first_and_those_that_are_grave_enough() {
        let log = log();
        for (second, gravity) in [(1, Gravity::Error), (2, Gravity::Info), (3, Gravity::Warn)] {
            log.push(line(second, gravity, &second.to_string()));
        }
        let told = |at_least, most| {
            let found = log.newest(at_least, most, moment(4));
            found.lines.into_iter().map(|line| line.message).collect::<Vec<_>>()
        };
        assert_eq!(told(Gravity::Info, 9), ["3", "2", "1"]);
        assert_eq!(told(Gravity::Warn, 9), ["3", "1"]);
        assert_eq!(told(Gravity::Error, 9), ["1"]);
        assert_eq!(told(Gravity::Info, 1), ["3"]);
    }

    #[test]
    fn lines_and_bytes_are_bounded_and_what_had_no_room_is_counted() {
        let log = log();
        for number in 0..LOG_LINES_KEPT_COUNT + 5 {
            log.push(line(1, Gravity::Info, &number.to_string()));
        }
        let found = log.newest(Gravity::Info, usize::MAX, moment(1));
        assert_eq!((found.lines.len(), found.dropped), (LOG_LINES_KEPT_COUNT, 5));
        for _ in 0..9 {
            log.push(line(2, Gravity::Info, &"x".repeat(LOG_LINES_KEPT_BYTES / 4)));
        }
        let found = log.newest(Gravity::Info, usize::MAX, moment(2));
        assert!(found.lines.iter().map(LogLine::bytes).sum::<usize>() <= LOG_LINES_KEPT_BYTES);
        assert_eq!(found.lines.len(), 3);
    }

    #[test]
    fn what_is_older_than_an_hour_is_forgotten() {
        let log = log();
        log.push(line(0, Gravity::Info, "old"));
        log.push(line(3_000, Gravity::Info, "new"));
        let found = log.newest(Gravity::Info, 9, moment(3_601));
        assert_eq!(found.lines.len(), 1);
        assert_eq!(log.newest(Gravity::Info, 9, moment(9_000)).lines, []);
    }
}
