//! Who watches the runs that calls of a flow's webhook start: the canvas, while its owner tries the webhook out.

use crate::domain::ids::{FlowId, WebhookListenerId};
use std::collections::HashMap;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Seconds after which somebody who watches no more is forgotten (manual 14.4).
const LISTENER_SECONDS: u64 = 120;
/// Those who watch one flow at once (manual 14.4).
const LISTENERS_PER_FLOW_MAX: usize = 8;
/// Those who watch webhooks of all flows at once (manual 14.4).
const LISTENERS_MAX: usize = 64;
/// Events that wait for a slow reader before it is let go.
const EVENTS_WAITING_MAX: usize = 4096;

/// Something that happened in a run, with what there is to say of it as JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListenerEvent {
    pub name: &'static str,
    pub data: serde_json::Value,
}

struct Listener {
    id: WebhookListenerId,
    seen: Instant,
    /// `None` until it reads.
    events: Option<SyncSender<ListenerEvent>>,
}

/// All who watch, by flow.
#[derive(Default)]
pub struct WebhookListeners(Mutex<Watchers>);

#[derive(Default)]
struct Watchers {
    by_flow: HashMap<FlowId, Vec<Listener>>,
    is_closed: bool,
}

impl Watchers {
    fn forget_gone(&mut self, now: Instant) {
        let limit = Duration::from_secs(LISTENER_SECONDS);
        for listeners in self.by_flow.values_mut() {
            listeners.retain(|listener| now.saturating_duration_since(listener.seen) < limit);
        }
        self.by_flow.retain(|_, listeners| !listeners.is_empty());
    }

    fn find(&mut self, flow: &FlowId, id: &WebhookListenerId) -> Option<&mut Listener> {
        self.by_flow.get_mut(flow)?.iter_mut().find(|listener| listener.id == *id)
    }
}

impl WebhookListeners {
    fn lock(&self) -> MutexGuard<'_, Watchers> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes somebody who is going to watch a flow; `None` when there are as many as there may be.
    pub fn register(&self, flow: FlowId, now: Instant) -> Option<WebhookListenerId> {
        let mut watchers = self.lock();
        watchers.forget_gone(now);
        let all: usize = watchers.by_flow.values().map(Vec::len).sum();
        let of_flow = watchers.by_flow.get(&flow).map_or(0, Vec::len);
        if all >= LISTENERS_MAX || of_flow >= LISTENERS_PER_FLOW_MAX {
            return None;
        }
        let id = WebhookListenerId::random();
        watchers.by_flow.entry(flow).or_default().push(Listener { id, seen: now, events: None });
        Some(id)
    }

    /// Begins to read, in the place of an earlier reader; `None` for somebody unknown.
    pub fn open(
        &self,
        flow: &FlowId,
        id: &WebhookListenerId,
        now: Instant,
    ) -> Option<Receiver<ListenerEvent>> {
        let mut watchers = self.lock();
        watchers.forget_gone(now);
        if watchers.is_closed {
            return None;
        }
        let (sender, receiver) = sync_channel(EVENTS_WAITING_MAX);
        let listener = watchers.find(flow, id)?;
        (listener.seen, listener.events) = (now, Some(sender));
        Some(receiver)
    }

    /// Somebody still reads.
    pub fn touch(&self, flow: &FlowId, id: &WebhookListenerId, now: Instant) {
        if let Some(listener) = self.lock().find(flow, id) {
            listener.seen = now;
        }
    }

    /// Forgets somebody; one that is unknown is no error.
    pub fn remove(&self, flow: &FlowId, id: &WebhookListenerId) {
        if let Some(listeners) = self.lock().by_flow.get_mut(flow) {
            listeners.retain(|listener| listener.id != *id);
        }
    }

    /// True when somebody reads what happens in runs of this flow's webhook.
    pub fn has_readers(&self, flow: &FlowId) -> bool {
        let watchers = self.lock();
        watchers.by_flow.get(flow).is_some_and(|all| all.iter().any(|listener| listener.events.is_some()))
    }

    /// Tells everybody who reads. A run waits for none of them: who is too slow gets no more.
    pub fn publish(&self, flow: &FlowId, event: &ListenerEvent) {
        for listener in self.lock().by_flow.get_mut(flow).into_iter().flatten() {
            if listener.events.as_ref().is_some_and(|events| events.try_send(event.clone()).is_err()) {
                listener.events = None;
            }
        }
    }

    /// Ends all reading: the service stops, and would wait for it.
    pub fn close(&self) {
        let mut watchers = self.lock();
        watchers.is_closed = true;
        watchers.by_flow.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(name: &'static str) -> ListenerEvent {
        ListenerEvent { name, data: "x".into() }
    }

    #[test]
    fn who_reads_hears_of_its_own_flow_and_of_no_other() {
        let (listeners, flow, now) = (WebhookListeners::default(), FlowId::random(), Instant::now());
        let id = listeners.register(flow, now).unwrap();
        assert!(!listeners.has_readers(&flow));
        let events = listeners.open(&flow, &id, now).unwrap();
        listeners.publish(&FlowId::random(), &event("other"));
        listeners.publish(&flow, &event("own"));
        assert_eq!(events.try_recv().unwrap().name, "own");
        assert!(events.try_recv().is_err());
    }

    #[test]
    fn who_does_not_read_for_two_minutes_is_forgotten() {
        let (listeners, flow, now) = (WebhookListeners::default(), FlowId::random(), Instant::now());
        let id = listeners.register(flow, now).unwrap();
        let later = |seconds| now + Duration::from_secs(seconds);
        listeners.touch(&flow, &id, later(119));
        assert!(listeners.open(&flow, &id, later(238)).is_some());
        assert!(listeners.open(&flow, &id, later(238 + 120)).is_none());
    }

    #[test]
    fn no_more_watch_a_flow_than_may() {
        let (listeners, flow, now) = (WebhookListeners::default(), FlowId::random(), Instant::now());
        for _ in 0..LISTENERS_PER_FLOW_MAX {
            listeners.register(flow, now).unwrap();
        }
        assert!(listeners.register(flow, now).is_none());
        assert!(listeners.register(FlowId::random(), now).is_some());
    }

    #[test]
    fn a_reader_that_is_too_slow_holds_nobody_up() {
        let (listeners, flow, now) = (WebhookListeners::default(), FlowId::random(), Instant::now());
        let id = listeners.register(flow, now).unwrap();
        let events = listeners.open(&flow, &id, now).unwrap();
        for _ in 0..=EVENTS_WAITING_MAX {
            listeners.publish(&flow, &event("x"));
        }
        assert!(!listeners.has_readers(&flow));
        assert_eq!(events.iter().count(), EVENTS_WAITING_MAX);
    }

    #[test]
    fn a_stop_ends_all_reading() {
        let (listeners, flow, now) = (WebhookListeners::default(), FlowId::random(), Instant::now());
        let id = listeners.register(flow, now).unwrap();
        let events = listeners.open(&flow, &id, now).unwrap();
        listeners.close();
        assert!(events.recv().is_err());
    }
}
