//! Who watches the runs that calls of a flow's webhook start: the canvas, while its owner tries the webhook out.

use crate::domain::ids::{FlowId, WebhookListenerId};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Seconds after which somebody who watches no more is forgotten (manual 14.4).
const LISTENER_SECONDS: u64 = 120;
/// Those who watch one flow at once (manual 14.4).
const LISTENERS_PER_FLOW_MAX: usize = 8;
/// Those who watch webhooks of all flows at once (manual 14.4).
const LISTENERS_MAX: usize = 64;
/// Bytes of events of runs that wait for somebody who watches a webhook; who is slower is let go (manual 14.4).
const LISTENER_EVENTS_MAX_BYTES: usize = 4 * 1024 * 1024;

/// Something that happened in a run, with what there is to say of it as JSON. All who watch share it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListenerEvent {
    pub name: &'static str,
    pub data: Arc<Value>,
    bytes: usize,
}

impl ListenerEvent {
    #[must_use]
    pub fn new(name: &'static str, data: Value) -> Self {
        const EVENT_BYTES: usize = 64;
        let bytes = EVENT_BYTES + data.to_string().len();
        Self { name, data: Arc::new(data), bytes }
    }
}

struct Listener {
    id: WebhookListenerId,
    seen: Instant,
    /// `None` until it reads.
    reader: Option<Reader>,
}

/// The writing end of somebody who reads.
struct Reader {
    events: Sender<ListenerEvent>,
    /// Bytes of what it did not read yet.
    waiting: Arc<AtomicUsize>,
}

impl Reader {
    /// False when it reads no more, or so slowly that it is to be let go. One event waits however large it is.
    fn tell(&self, event: &ListenerEvent) -> bool {
        let before = self.waiting.fetch_add(event.bytes, Ordering::AcqRel);
        let has_room = before == 0 || before + event.bytes <= LISTENER_EVENTS_MAX_BYTES;
        has_room && self.events.send(event.clone()).is_ok()
    }
}

/// What somebody who watches has to read.
pub struct ListenerEvents {
    events: Receiver<ListenerEvent>,
    waiting: Arc<AtomicUsize>,
}

impl ListenerEvents {
    /// The next event, when it comes in time.
    ///
    /// # Errors
    /// When none came, and when none will.
    pub fn next(&self, wait: Duration) -> Result<ListenerEvent, RecvTimeoutError> {
        let event = self.events.recv_timeout(wait)?;
        self.waiting.fetch_sub(event.bytes, Ordering::AcqRel);
        Ok(event)
    }
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
        watchers.by_flow.entry(flow).or_default().push(Listener { id, seen: now, reader: None });
        Some(id)
    }

    /// Begins to read, in the place of an earlier reader; `None` for somebody unknown.
    pub fn open(&self, flow: &FlowId, id: &WebhookListenerId, now: Instant) -> Option<ListenerEvents> {
        let mut watchers = self.lock();
        watchers.forget_gone(now);
        if watchers.is_closed {
            return None;
        }
        let ((sender, events), waiting) = (channel(), Arc::new(AtomicUsize::new(0)));
        let listener = watchers.find(flow, id)?;
        (listener.seen, listener.reader) = (now, Some(Reader { events: sender, waiting: waiting.clone() }));
        Some(ListenerEvents { events, waiting })
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
        watchers.by_flow.get(flow).is_some_and(|all| all.iter().any(|listener| listener.reader.is_some()))
    }

    /// Tells everybody who reads. A run waits for none of them: who is too slow gets no more.
    pub fn publish(&self, flow: &FlowId, event: &ListenerEvent) {
        for listener in self.lock().by_flow.get_mut(flow).into_iter().flatten() {
            if listener.reader.as_ref().is_some_and(|reader| !reader.tell(event)) {
                listener.reader = None;
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
        ListenerEvent::new(name, "x".into())
    }

    /// What there is to read now.
    fn read(events: &ListenerEvents) -> Vec<ListenerEvent> {
        std::iter::from_fn(|| events.next(Duration::ZERO).ok()).collect()
    }

    #[test]
    fn who_reads_hears_of_its_own_flow_and_of_no_other() {
        let (listeners, flow, now) = (WebhookListeners::default(), FlowId::random(), Instant::now());
        let id = listeners.register(flow, now).unwrap();
        assert!(!listeners.has_readers(&flow));
        let events = listeners.open(&flow, &id, now).unwrap();
        listeners.publish(&FlowId::random(), &event("other"));
        listeners.publish(&flow, &event("own"));
        assert_eq!(read(&events), [event("own")]);
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
        let long = ListenerEvent::new("x", "x".repeat(1_000_000).into());
        (0..4).for_each(|_| listeners.publish(&flow, &long));
        assert!(listeners.has_readers(&flow));
        listeners.publish(&flow, &long);
        assert!(!listeners.has_readers(&flow));
        assert_eq!(read(&events).len(), 4);
    }

    #[test]
    fn who_reads_in_time_is_told_however_much_there_is() {
        let (listeners, flow, now) = (WebhookListeners::default(), FlowId::random(), Instant::now());
        let id = listeners.register(flow, now).unwrap();
        let events = listeners.open(&flow, &id, now).unwrap();
        let large = ListenerEvent::new("x", "x".repeat(LISTENER_EVENTS_MAX_BYTES).into());
        for _ in 0..3 {
            listeners.publish(&flow, &large);
            assert_eq!(read(&events).len(), 1);
        }
    }

    #[test]
    fn all_who_read_share_what_happened() {
        let (listeners, flow, now) = (WebhookListeners::default(), FlowId::random(), Instant::now());
        let open = || listeners.open(&flow, &listeners.register(flow, now).unwrap(), now).unwrap();
        let (one, other) = (open(), open());
        listeners.publish(&flow, &event("x"));
        assert!(Arc::ptr_eq(&read(&one)[0].data, &read(&other)[0].data));
    }

    #[test]
    fn a_stop_ends_all_reading() {
        let (listeners, flow, now) = (WebhookListeners::default(), FlowId::random(), Instant::now());
        let id = listeners.register(flow, now).unwrap();
        let events = listeners.open(&flow, &id, now).unwrap();
        listeners.close();
        assert_eq!(events.next(Duration::from_secs(60)), Err(RecvTimeoutError::Disconnected));
    }
}
