//! Requests of rate-limited flows: a fixed window for each flow, with one clock for all its callers, counted by
//! client address (manual 2.5). The memory it can take is fixed: see the two limits below.

use crate::base::address_block::AddressBlock;
use crate::domain::flows::rate_limit::{RateLimit, WindowState};
use crate::domain::ids::FlowId;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

/// Flows with a running clock.
const FLOWS_MAX: usize = 1_000;
/// Addresses counted, over all flows: about 2 MB at most.
const ADDRESSES_MAX: usize = 20_000;

/// The windows of all flows.
#[derive(Default)]
pub struct RateLimiter(Mutex<RateWindows>);

#[derive(Default)]
struct RateWindows {
    flow_windows: HashMap<FlowId, FlowWindow>,
    counts: HashMap<(FlowId, AddressBlock), AddressCount>,
}

/// A flow's clock. It starts with the first request under a limit, and again when the limit changes.
#[derive(Clone, Copy)]
struct FlowWindow {
    window_start_ms: i64,
    window_ms: i64,
    max: u32,
}

#[derive(Clone, Copy)]
struct AddressCount {
    window_start_ms: i64,
    requests: u32,
}

impl RateLimiter {
    /// Counts a request of `address` to `flow` and says where it stands. A refused request counts as well.
    ///
    /// # Errors
    /// The state of the window when the address is over the limit.
    pub fn admit(
        &self,
        flow: &FlowId,
        limit: &RateLimit,
        address: IpAddr,
        now_ms: i64,
    ) -> Result<WindowState, WindowState> {
        let mut windows = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let clock = windows.flow_window(*flow, limit, now_ms);
        let requests = windows.count((*flow, AddressBlock::from_address(address)), clock, now_ms);
        let left_ms = clock.window_start_ms + clock.window_ms - now_ms;
        let state = WindowState {
            limit: limit.max,
            remaining: limit.max.saturating_sub(requests),
            reset_seconds: u64::try_from(left_ms).unwrap_or(0).div_ceil(1000),
        };
        if requests > limit.max { Err(state) } else { Ok(state) }
    }
}

impl FlowWindow {
    fn is_over(&self, now_ms: i64) -> bool {
        now_ms >= self.window_start_ms + self.window_ms
    }
}

impl RateWindows {
    fn flow_window(&mut self, flow: FlowId, limit: &RateLimit, now_ms: i64) -> FlowWindow {
        let window_ms = i64::from(limit.window_seconds) * 1000;
        let fresh = FlowWindow { window_start_ms: now_ms, window_ms, max: limit.max };
        let known = self.flow_windows.get(&flow).copied();
        let same = known.filter(|clock| clock.window_ms == window_ms && clock.max == limit.max);
        let clock = match same {
            // The wall clock was set back: nobody should wait for the time to come again.
            Some(clock) if now_ms < clock.window_start_ms => fresh,
            Some(clock) if clock.is_over(now_ms) => {
                let into_window_ms = (now_ms - clock.window_start_ms) % window_ms;
                FlowWindow { window_start_ms: now_ms - into_window_ms, ..clock }
            }
            Some(clock) => clock,
            None => fresh,
        };
        if known.is_none() && self.flow_windows.len() >= FLOWS_MAX {
            self.evict_flow_windows(now_ms);
        }
        self.flow_windows.insert(flow, clock);
        clock
    }

    /// Drops clocks whose window is over, or else the one that ends first.
    fn evict_flow_windows(&mut self, now_ms: i64) {
        self.flow_windows.retain(|_, clock| !clock.is_over(now_ms));
        while self.flow_windows.len() >= FLOWS_MAX {
            let first =
                self.flow_windows.iter().min_by_key(|(_, clock)| clock.window_start_ms + clock.window_ms);
            let Some(flow) = first.map(|(flow, _)| *flow) else { return };
            self.flow_windows.remove(&flow);
        }
    }

    fn count(&mut self, caller: (FlowId, AddressBlock), clock: FlowWindow, now_ms: i64) -> u32 {
        if self.counts.len() >= ADDRESSES_MAX && !self.counts.contains_key(&caller) {
            self.evict_address_counts(now_ms);
        }
        let window_start_ms = clock.window_start_ms;
        let count = self.counts.entry(caller).or_insert(AddressCount { window_start_ms, requests: 0 });
        if count.window_start_ms != window_start_ms {
            *count = AddressCount { window_start_ms, requests: 0 };
        }
        count.requests = count.requests.saturating_add(1);
        count.requests
    }

    /// Drops counts of windows that are over, then the smallest counts until half the room is free. Who comes
    /// from many addresses to be forgotten loses small counts only: those near their limit stay longest.
    fn evict_address_counts(&mut self, now_ms: i64) {
        let Self { flow_windows, counts } = self;
        counts.retain(|(flow, _), count| {
            let clock = flow_windows.get(flow);
            clock
                .is_some_and(|clock| !clock.is_over(now_ms) && clock.window_start_ms == count.window_start_ms)
        });
        let mut least = 1;
        while counts.len() > ADDRESSES_MAX / 2 {
            counts.retain(|_, count| count.requests > least);
            least = least.saturating_mul(2);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv6Addr;

    fn limit(max: u32, window_seconds: u32) -> RateLimit {
        RateLimit { max, window_seconds, message: String::new() }
    }

    fn address(number: u128) -> IpAddr {
        // A network of its own for each.
        Ipv6Addr::from(0x2001_0db8_u128 << 96 | number << 64).into()
    }

    fn remaining(result: Result<WindowState, WindowState>) -> Result<u32, u64> {
        result.map(|state| state.remaining).map_err(|state| state.reset_seconds)
    }

    #[test]
    fn a_window_is_shared_by_time_and_counted_by_address() {
        let (rates, flow, limit) = (RateLimiter::default(), FlowId::random(), limit(2, 60));
        let ask = |who, now_ms| remaining(rates.admit(&flow, &limit, address(who), now_ms));
        assert_eq!(ask(1, 1_000), Ok(1));
        assert_eq!(ask(1, 1_500), Ok(0));
        assert_eq!(ask(1, 1_501), Err(60));
        assert_eq!(ask(2, 31_000), Ok(1), "another address has its own count");
        assert_eq!(ask(1, 60_999), Err(1));
        let IpAddr::V6(first) = address(1) else { unreachable!() };
        let sibling = Ipv6Addr::from(u128::from(first) | 7).into();
        assert!(rates.admit(&flow, &limit, sibling, 60_999).is_err(), "one line has one count");
        assert_eq!(ask(1, 61_000), Ok(1));
        assert_eq!(ask(2, 61_000), Ok(1), "one clock: the window began for all");
        assert_eq!(ask(1, 61_000 + 7 * 60_000 + 5), Ok(1), "windows keep their beat through a pause");
        assert_eq!(ask(1, 61_000 + 8 * 60_000 - 1), Ok(0));
        assert_eq!(remaining(rates.admit(&FlowId::random(), &limit, address(1), 1_501)), Ok(1));
    }

    #[test]
    fn a_changed_limit_starts_its_clock_anew() {
        let (rates, flow) = (RateLimiter::default(), FlowId::random());
        assert!(rates.admit(&flow, &limit(1, 60), address(1), 0).is_ok());
        assert!(rates.admit(&flow, &limit(1, 60), address(1), 1).is_err());
        assert_eq!(remaining(rates.admit(&flow, &limit(3, 60), address(1), 2)), Ok(2));
    }

    #[test]
    fn a_clock_set_back_locks_nobody_out() {
        let (rates, flow, limit) = (RateLimiter::default(), FlowId::random(), limit(1, 60));
        assert!(rates.admit(&flow, &limit, address(1), 1_000_000).is_ok());
        assert!(rates.admit(&flow, &limit, address(1), 0).is_ok());
        assert_eq!(remaining(rates.admit(&flow, &limit, address(1), 1)), Err(60));
    }

    #[test]
    fn one_address_written_two_ways_is_one() {
        let (rates, flow, limit) = (RateLimiter::default(), FlowId::random(), limit(1, 60));
        assert!(rates.admit(&flow, &limit, "192.0.2.1".parse().unwrap(), 0).is_ok());
        assert!(rates.admit(&flow, &limit, "::ffff:192.0.2.1".parse().unwrap(), 0).is_err());
    }

    #[test]
    fn memory_is_bounded_and_the_greedy_are_not_forgotten() {
        let (rates, flow, limit) = (RateLimiter::default(), FlowId::random(), limit(5, 60));
        for _ in 0..6 {
            let _ = rates.admit(&flow, &limit, address(0), 0);
        }
        for number in 1..100_000 {
            assert!(rates.admit(&flow, &limit, address(number), 1).is_ok());
        }
        assert!(rates.admit(&flow, &limit, address(0), 2).is_err());
        for _ in 0..3_000 {
            assert!(rates.admit(&FlowId::random(), &limit, address(1), 3).is_ok());
        }
        let windows = rates.0.lock().unwrap();
        assert!(windows.counts.len() <= ADDRESSES_MAX && windows.flow_windows.len() <= FLOWS_MAX);
    }
}
