//! Failed sign-ins, by account and by address: ten within fifteen minutes are free, then each further one costs
//! a longer wait, up to fifteen minutes. Nobody is locked out for good (manual 8.3 r3).
//!
//! An attempt is written down as a failure before it is judged and crossed out when it succeeds: otherwise a
//! thousand guesses sent at once would all be judged before the first failure is known.

use crate::base::address_block::AddressBlock;
use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher as _, RandomState};
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

const FAILURES_FREE: usize = 10;
const WINDOW_MS: i64 = 15 * 60 * 1000;
const FIRST_WAIT_MS: i64 = 30 * 1000;
const WAIT_MS_MAX: i64 = WINDOW_MS;
/// Accounts and addresses remembered, together: about 3 MB at most.
const SUBJECTS_MAX: usize = 20_000;

/// What is known about recent failures.
#[derive(Default)]
pub struct LoginThrottle {
    subjects: Mutex<HashMap<u64, FailureHistory>>,
    /// Accounts are remembered as hashes under a random key: what is typed as an account may be a password.
    hasher: RandomState,
}

#[derive(Default)]
struct FailureHistory {
    /// When the last failures were, oldest first.
    failures_ms: VecDeque<i64>,
    /// How many waits were imposed in a row.
    waits: u32,
    blocked_until_ms: i64,
}

/// Seconds until another attempt is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryAfter(pub u64);

impl LoginThrottle {
    /// Admits an attempt and notes it as failed, until [`Self::record_success`] takes that back.
    ///
    /// # Errors
    /// How long to wait, when the account or the address has failed too often. Nothing is noted then.
    pub fn admit(&self, account: &str, address: IpAddr, now_ms: i64) -> Result<(), RetryAfter> {
        let mut subjects = self.subjects.lock().unwrap_or_else(PoisonError::into_inner);
        let keys = self.keys(account, address);
        let wait_ms =
            keys.iter().filter_map(|key| Some(subjects.get_mut(key)?.wait_ms(now_ms))).max().unwrap_or(0);
        if wait_ms > 0 {
            return Err(RetryAfter(u64::try_from(wait_ms).unwrap_or(0).div_ceil(1000)));
        }
        if subjects.len() + keys.len() > SUBJECTS_MAX {
            evict_stale(&mut subjects, now_ms);
        }
        for key in keys {
            subjects.entry(key).or_default().record_failure(now_ms);
        }
        Ok(())
    }

    /// The attempt admitted last was right: the account starts afresh, and the address has one failure less.
    pub fn record_success(&self, account: &str, address: IpAddr) {
        let mut subjects = self.subjects.lock().unwrap_or_else(PoisonError::into_inner);
        let [account, address] = self.keys(account, address);
        subjects.remove(&account);
        // Not all of them: who owns one account must not guess at others between two of their own sign-ins.
        if let Some(record) = subjects.get_mut(&address) {
            record.undo_failure();
        }
    }

    fn keys(&self, account: &str, address: IpAddr) -> [u64; 2] {
        [
            self.hasher.hash_one(("account", account)),
            self.hasher.hash_one(("address", AddressBlock::from_address(address))),
        ]
    }
}

impl FailureHistory {
    /// Milliseconds until the next attempt may be judged; 0 when it may be now.
    fn wait_ms(&mut self, now_ms: i64) -> i64 {
        self.forget_old(now_ms);
        if self.failures_ms.len() < FAILURES_FREE {
            self.waits = 0;
            return 0;
        }
        // At most the longest wait, also after the wall clock was set back.
        (self.blocked_until_ms - now_ms).clamp(0, WAIT_MS_MAX)
    }

    fn forget_old(&mut self, now_ms: i64) {
        while self.failures_ms.front().is_some_and(|failure| now_ms - failure >= WINDOW_MS) {
            self.failures_ms.pop_front();
        }
    }

    fn record_failure(&mut self, now_ms: i64) {
        if self.failures_ms.len() >= FAILURES_FREE {
            self.failures_ms.pop_front();
        }
        self.failures_ms.push_back(now_ms);
        if self.failures_ms.len() == FAILURES_FREE {
            let wait_ms = FIRST_WAIT_MS.saturating_mul(1 << self.waits.min(10)).min(WAIT_MS_MAX);
            self.waits += 1;
            self.blocked_until_ms = now_ms + wait_ms;
        }
    }

    fn undo_failure(&mut self) {
        if self.failures_ms.len() == FAILURES_FREE {
            self.waits = self.waits.saturating_sub(1);
            self.blocked_until_ms = 0;
        }
        self.failures_ms.pop_back();
    }
}

/// Forgets whose failures are all old, then, if need be, the half that failed longest ago.
fn evict_stale(subjects: &mut HashMap<u64, FailureHistory>, now_ms: i64) {
    subjects.retain(|_, record| {
        record.forget_old(now_ms);
        !record.failures_ms.is_empty()
    });
    if subjects.len() <= SUBJECTS_MAX / 2 {
        return;
    }
    let mut latest: Vec<_> =
        subjects.values().filter_map(|record| record.failures_ms.back().copied()).collect();
    latest.sort_unstable();
    let middle = latest[latest.len() / 2];
    subjects.retain(|_, record| {
        let recent = record.failures_ms.back().is_some_and(|last| *last > middle);
        recent || record.blocked_until_ms > now_ms && record.failures_ms.len() == FAILURES_FREE
    });
    if subjects.len() >= SUBJECTS_MAX {
        subjects.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: i64 = 60_000;

    fn address(number: u32) -> IpAddr {
        std::net::Ipv4Addr::from(number).into()
    }

    #[test]
    fn a_line_guesses_as_one_whatever_addresses_it_takes() {
        let board = LoginThrottle::default();
        let from = |line: u128, host: u128| {
            std::net::Ipv6Addr::from(0x2001_0db8_u128 << 96 | line << 64 | host).into()
        };
        for host in 0..10 {
            board.admit(&format!("account {host}"), from(1, host), 0).unwrap();
        }
        assert!(board.admit("another", from(1, 99), 0).is_err());
        assert!(board.admit("another", from(2, 1), 0).is_ok());
    }

    #[test]
    fn after_ten_failures_waits_grow() {
        let board = LoginThrottle::default();
        for _ in 0..10 {
            board.admit("ada", address(1), 0).unwrap();
        }
        assert_eq!(
            board.admit("ada", address(2), 0),
            Err(RetryAfter(30)),
            "the account waits from everywhere"
        );
        assert_eq!(
            board.admit("bob", address(1), 1),
            Err(RetryAfter(30)),
            "the address waits for every account"
        );
        assert!(board.admit("bob", address(2), 1).is_ok());
        let mut now = 30_000;
        for expected in [60, 120, 240] {
            board.admit("ada", address(1), now).unwrap();
            assert_eq!(board.admit("ada", address(1), now), Err(RetryAfter(expected)));
            now += i64::try_from(expected).unwrap() * 1000;
        }
    }

    #[test]
    fn a_wait_ends_and_old_failures_are_forgotten() {
        let board = LoginThrottle::default();
        for minute in 0..10 {
            board.admit("ada", address(1), minute * MINUTE).unwrap();
        }
        assert!(board.admit("ada", address(1), 9 * MINUTE + 1).is_err());
        for _ in 0..9 {
            board.admit("ada", address(1), 25 * MINUTE).unwrap();
        }
        assert!(
            board.admit("ada", address(1), 25 * MINUTE).is_ok(),
            "the tenth within the window is free as well"
        );
        assert_eq!(
            board.admit("ada", address(1), 25 * MINUTE),
            Err(RetryAfter(30)),
            "waits begin short again"
        );
    }

    #[test]
    fn success_frees_the_account_and_counts_for_nothing() {
        let board = LoginThrottle::default();
        for round in 0..100 {
            board.admit("ada", address(1), round).unwrap();
            board.record_success("ada", address(1));
        }
        for round in 0..9 {
            board.admit("bob", address(1), round).unwrap();
        }
        board.admit("ada", address(1), 10).unwrap();
        board.record_success("ada", address(1));
        assert!(board.admit("bob", address(1), 11).is_ok());
        assert!(board.admit("ada", address(1), 12).is_err(), "success wipes no failures at other accounts");
    }

    #[test]
    fn memory_is_bounded_and_blocks_outlive_a_flood() {
        let board = LoginThrottle::default();
        for _ in 0..10 {
            board.admit("ada", address(0), 0).unwrap();
        }
        for number in 1..60_000 {
            let _ = board.admit(&number.to_string(), address(number), 1);
        }
        assert!(board.subjects.lock().unwrap().len() <= SUBJECTS_MAX);
        assert!(board.admit("ada", address(0), 2).is_err());
    }
}
