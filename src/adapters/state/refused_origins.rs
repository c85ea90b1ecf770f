//! Pages that a flow turned away because its Allowed Domains do not name them, and how often, so that an owner who forgot
//! one finds it. Any program can claim any origin, so their number is bounded, and what came often outlives what came once.

use crate::domain::flows::flow::RefusedOrigin;
use crate::domain::ids::FlowId;
use jiff::{SignedDuration, Timestamp};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Flows with an entry; the one that refused longest ago makes room.
const FLOWS_MAX: usize = 1000;
const ORIGINS_MAX: usize = 20;
/// No site's name is longer (RFC 1035), its scheme and port included.
const ORIGIN_BYTES_MAX: usize = 280;
const RETENTION: SignedDuration = SignedDuration::from_hours(30 * 24);

/// The refusals of all flows: about 6 MB at most.
#[derive(Default)]
pub struct RefusedOrigins {
    flows: Mutex<HashMap<FlowId, Vec<RefusedOrigin>>>,
}

impl RefusedOrigins {
    fn lock(&self) -> MutexGuard<'_, HashMap<FlowId, Vec<RefusedOrigin>>> {
        self.flows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts one refused request of a page.
    pub fn record(&self, flow: &FlowId, origin: &str, now: Timestamp) {
        if origin.len() > ORIGIN_BYTES_MAX {
            return;
        }
        let mut flows = self.lock();
        if !flows.contains_key(flow) && flows.len() >= FLOWS_MAX {
            let oldest = flows.iter().min_by_key(|(_, seen)| seen.iter().map(|one| one.last).max());
            let oldest = oldest.map(|(flow, _)| *flow);
            oldest.and_then(|flow| flows.remove(&flow));
        }
        let seen = flows.entry(*flow).or_default();
        seen.retain(|one| now.duration_since(one.last) < RETENTION);
        if let Some(known) = seen.iter_mut().find(|one| one.origin == origin) {
            known.count = known.count.saturating_add(1);
            known.last = now;
            return;
        }
        if seen.len() >= ORIGINS_MAX {
            let least = seen.iter().enumerate().min_by_key(|(_, one)| (one.count, one.last));
            if let Some((at, _)) = least {
                seen.swap_remove(at);
            }
        }
        seen.push(RefusedOrigin { origin: origin.to_owned(), count: 1, last: now });
    }

    /// What a flow refused lately, the newest first.
    #[must_use]
    pub fn recent(&self, flow: &FlowId, now: Timestamp) -> Vec<RefusedOrigin> {
        let mut seen = self.lock().get(flow).cloned().unwrap_or_default();
        seen.retain(|one| now.duration_since(one.last) < RETENTION);
        seen.sort_by(|a, b| b.last.cmp(&a.last).then_with(|| a.origin.cmp(&b.origin)));
        seen
    }

    /// Forgets a flow that is deleted.
    pub fn forget(&self, flow: &FlowId) {
        self.lock().remove(flow);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn shown(board: &RefusedOrigins, flow: &FlowId, second: i64) -> Vec<(String, u64)> {
        board.recent(flow, at(second)).into_iter().map(|one| (one.origin, one.count)).collect()
    }

    #[test]
    fn each_refusal_counts_for_its_flow_and_the_newest_is_first() {
        let board = RefusedOrigins::default();
        let (one, other) = (FlowId::random(), FlowId::random());
        for (second, origin) in [(1, "https://a.example"), (2, "https://b.example"), (3, "https://a.example")]
        {
            board.record(&one, origin, at(second));
        }
        board.record(&other, "https://c.example", at(4));
        let expected = [("https://a.example".to_owned(), 2), ("https://b.example".to_owned(), 1)];
        assert_eq!(shown(&board, &one, 5), expected);
        board.forget(&one);
        assert_eq!(shown(&board, &one, 5), []);
        assert_eq!(shown(&board, &other, 5), [("https://c.example".to_owned(), 1)]);
    }

    #[test]
    fn a_flood_of_made_up_origins_drives_out_no_page_that_came_often() {
        let board = RefusedOrigins::default();
        let flow = FlowId::random();
        board.record(&flow, "https://shop.example", at(0));
        board.record(&flow, "https://shop.example", at(1));
        for number in 0..1000 {
            board.record(&flow, &format!("https://{number}.example"), at(2 + number));
        }
        let shown = shown(&board, &flow, 2000);
        assert_eq!(shown.len(), ORIGINS_MAX);
        assert!(shown.contains(&("https://shop.example".to_owned(), 2)));
        board.record(&flow, &"x".repeat(ORIGIN_BYTES_MAX + 1), at(2000));
        assert_eq!(board.recent(&flow, at(2001)).len(), ORIGINS_MAX);
    }

    #[test]
    fn the_flow_that_refused_longest_ago_makes_room() {
        let board = RefusedOrigins::default();
        let flows: Vec<_> = (0..=FLOWS_MAX).map(|_| FlowId::random()).collect();
        for (flow, second) in flows.iter().zip(0..) {
            board.record(flow, "https://a.example", at(second));
        }
        assert_eq!(board.lock().len(), FLOWS_MAX);
        assert_eq!(shown(&board, &flows[0], 2000), []);
        assert_eq!(shown(&board, &flows[FLOWS_MAX], 2000).len(), 1);
    }

    #[test]
    fn what_is_a_month_old_is_not_shown() {
        let board = RefusedOrigins::default();
        let flow = FlowId::random();
        board.record(&flow, "https://a.example", at(0));
        let month = RETENTION.as_secs();
        assert_eq!(shown(&board, &flow, month - 1).len(), 1);
        assert_eq!(shown(&board, &flow, month), []);
        board.record(&flow, "https://a.example", at(month));
        assert_eq!(shown(&board, &flow, month), [("https://a.example".to_owned(), 1)]);
    }
}
