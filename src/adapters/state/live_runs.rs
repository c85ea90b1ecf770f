//! What runs of agentflows show while they are under way, for people who watch them. A run has a board. What happens goes
//! through one bounded row of events, which all who watch read at their own pace; nobody makes the run wait, and the row
//! stays as long as it is however many they are. Who falls behind learns that something was missed, and looks at the
//! entries, which the run holds anyway.

use crate::base::cancel::{CancelReason, CancelToken, HookGuard};
use crate::domain::ids::ExecutionId;
use crate::domain::predictions::execution::{ExecutionEntry, StepStatus};
use crate::domain::predictions::run_event::{RunEvent, StepLabel};
use serde_json::Value;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Bytes of events of a run that wait for those who watch it; who is slower misses what was said between two steps
/// (manual 14.1).
const WATCHED_EVENTS_MAX_BYTES: usize = 256 * 1024;

/// The runs under way, by their records.
#[derive(Default)]
pub struct LiveRuns(Arc<Mutex<HashMap<ExecutionId, Arc<LiveRun>>>>);

/// Something that happened in a run.
#[derive(Debug, Clone, PartialEq)]
pub enum LiveEvent {
    Begin {
        node: Arc<str>,
        label: Arc<str>,
    },
    End {
        node: Arc<str>,
        label: Arc<str>,
        status: StepStatus,
        error: Option<Arc<str>>,
    },
    /// There are so many entries now.
    Entries(usize),
    Token(Arc<str>),
    Thinking(Arc<str>),
    CalledTools(Arc<Value>),
    Usage(Arc<Value>),
    Artifacts(Arc<Value>),
    FileAnnotations(Arc<Value>),
}

impl LiveEvent {
    /// Bytes that it holds, about.
    fn bytes(&self) -> usize {
        const EVENT_BYTES: usize = 64;
        EVENT_BYTES
            + match self {
                Self::Begin { node, label } => node.len() + label.len(),
                Self::End { node, label, error, .. } => {
                    node.len() + label.len() + error.as_ref().map_or(0, |error| error.len())
                }
                Self::Entries(_) => 0,
                Self::Token(text) | Self::Thinking(text) => text.len(),
                Self::CalledTools(value)
                | Self::Usage(value)
                | Self::Artifacts(value)
                | Self::FileAnnotations(value) => value.to_string().len(),
            }
    }
}

/// The board of a run.
pub struct LiveRun {
    board: Mutex<Board>,
    changed: Condvar,
    /// Set by whoever wants the run to end for good.
    stop: CancelToken,
}

#[derive(Default)]
struct Board {
    /// In the order of the record.
    entries: Vec<Arc<ExecutionEntry>>,
    events: VecDeque<(usize, LiveEvent)>,
    bytes: usize,
    /// How many events left the row.
    gone: u64,
    watchers: usize,
    has_ended: bool,
}

impl Board {
    fn push(&mut self, event: LiveEvent) {
        if self.watchers == 0 {
            return;
        }
        let bytes = event.bytes();
        self.bytes += bytes;
        self.events.push_back((bytes, event));
        while self.bytes > WATCHED_EVENTS_MAX_BYTES
            && let Some((bytes, _)) = self.events.pop_front()
        {
            self.bytes -= bytes;
            self.gone += 1;
        }
    }

    fn end_of_events(&self) -> u64 {
        self.gone + self.events.len() as u64
    }
}

/// A run that is listed until this is dropped, which ends it for all who watch.
pub struct LiveRunGuard {
    all: Arc<Mutex<HashMap<ExecutionId, Arc<LiveRun>>>>,
    id: ExecutionId,
    run: Arc<LiveRun>,
}

impl LiveRuns {
    /// Lists a run that begins, or that goes on behind these entries.
    #[must_use]
    pub fn register(&self, id: ExecutionId, entries: Vec<Arc<ExecutionEntry>>) -> LiveRunGuard {
        let board = Mutex::new(Board { entries, ..Board::default() });
        let run = Arc::new(LiveRun { board, changed: Condvar::new(), stop: CancelToken::new(None) });
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(id, run.clone());
        LiveRunGuard { all: self.0.clone(), id, run }
    }

    /// Ends a run, and waits for its end as long as that; true when it came, `None` when the run is not under way.
    pub fn stop(&self, id: ExecutionId, wait: Duration) -> Option<bool> {
        let run = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&id).cloned()?;
        run.stop.cancel(CancelReason::Aborted);
        let goes_on = |board: &mut Board| !board.has_ended;
        let waited = run.changed.wait_timeout_while(run.lock(), wait, goes_on);
        Some(waited.unwrap_or_else(PoisonError::into_inner).0.has_ended)
    }

    /// Watches a run from here on; `None` when it is not under way.
    #[must_use]
    pub fn watch(&self, id: ExecutionId) -> Option<RunWatcher> {
        let run = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&id).cloned()?;
        let mut board = run.lock();
        board.watchers += 1;
        let (next, seen) = (board.end_of_events(), board.entries.len());
        drop(board);
        Some(RunWatcher { run, next, seen })
    }
}

impl LiveRunGuard {
    #[must_use]
    pub fn run(&self) -> Arc<LiveRun> {
        self.run.clone()
    }
}

impl Drop for LiveRunGuard {
    fn drop(&mut self) {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        // One that waited may be listed anew by who took it up.
        if all.get(&self.id).is_some_and(|listed| Arc::ptr_eq(listed, &self.run)) {
            all.remove(&self.id);
        }
        drop(all);
        self.run.lock().has_ended = true;
        self.run.changed.notify_all();
    }
}

impl LiveRun {
    fn lock(&self) -> MutexGuard<'_, Board> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has this token set when somebody ends the run, until the guard is dropped.
    #[must_use]
    pub fn on_stop(&self, cancel: CancelToken) -> HookGuard {
        self.stop.on_cancel(move || cancel.cancel(CancelReason::Aborted))
    }

    /// Tells what happened. Where the run stands, and what it waits for, its record says at the end.
    pub fn tell(&self, event: &RunEvent<'_>) {
        let mut board = self.lock();
        let names = |step: StepLabel<'_>| (Arc::from(step.node), Arc::from(step.label));
        match *event {
            RunEvent::State(_)
            | RunEvent::Action(_)
            | RunEvent::Reasoning(_)
            | RunEvent::NextAgent(_)
            | RunEvent::AnswerBegins
            | RunEvent::Team(_) => return,
            RunEvent::Entries(entries) => {
                let known = board.entries.len().min(entries.len());
                board.entries.extend_from_slice(&entries[known..]);
                let count = board.entries.len();
                board.push(LiveEvent::Entries(count));
            }
            _ if board.watchers == 0 => return,
            RunEvent::Begin(step) => {
                let (node, label) = names(step);
                board.push(LiveEvent::Begin { node, label });
            }
            RunEvent::End { step, status, error } => {
                let (node, label) = names(step);
                board.push(LiveEvent::End { node, label, status, error: error.map(Arc::from) });
            }
            RunEvent::CalledTools(calls) => board.push(LiveEvent::CalledTools(Arc::new(calls.clone()))),
            RunEvent::Usage(usage) => board.push(LiveEvent::Usage(Arc::new(usage.clone()))),
            RunEvent::Artifacts(pictures) => board.push(LiveEvent::Artifacts(Arc::new(pictures.clone()))),
            RunEvent::FileAnnotations(files) => {
                board.push(LiveEvent::FileAnnotations(Arc::new(files.clone())));
            }
        }
        drop(board);
        self.changed.notify_all();
    }

    pub fn tell_token(&self, text: &str) {
        self.tell_text(text, LiveEvent::Token);
    }

    pub fn tell_thinking(&self, text: &str) {
        self.tell_text(text, LiveEvent::Thinking);
    }

    fn tell_text(&self, text: &str, event: fn(Arc<str>) -> LiveEvent) {
        let mut board = self.lock();
        if board.watchers == 0 || text.is_empty() {
            return;
        }
        board.push(event(text.into()));
        drop(board);
        self.changed.notify_all();
    }

    /// True when somebody wants to know of each token.
    #[must_use]
    pub fn is_watched(&self) -> bool {
        self.lock().watchers > 0
    }
}

/// Somebody who watches a run.
pub struct RunWatcher {
    run: Arc<LiveRun>,
    /// The number of the next event.
    next: u64,
    /// How many entries it knows of.
    seen: usize,
}

/// What somebody who watches learns next.
#[derive(Debug, Clone, PartialEq)]
pub enum LiveNews {
    /// What happened, in its order.
    Events(Vec<LiveEvent>),
    /// More happened than is kept for who is slow.
    Missed,
    End,
}

impl RunWatcher {
    /// The first `count` entries without the first `skip`.
    #[must_use]
    pub fn entries(&self, skip: usize, count: usize) -> Vec<Arc<ExecutionEntry>> {
        self.run.lock().entries.iter().take(count).skip(skip).cloned().collect()
    }

    /// How many entries there were when it last looked.
    #[must_use]
    pub const fn seen(&self) -> usize {
        self.seen
    }

    /// Waits for what happens next.
    ///
    /// # Errors
    /// Why who watches is to wait no longer.
    pub fn next(&mut self, cancel: &CancelToken) -> Result<LiveNews, CancelReason> {
        const LOOK: Duration = Duration::from_secs(60);
        let run = self.run.clone();
        let _hook = cancel.on_cancel({
            let run = self.run.clone();
            move || {
                // Under the lock, so that nobody misses it between a look at the token and the wait.
                drop(run.lock());
                run.changed.notify_all();
            }
        });
        let mut board = run.lock();
        loop {
            if let Some(reason) = cancel.reason() {
                return Err(reason);
            }
            if let Some(news) = self.take(&board) {
                return Ok(news);
            }
            let wait = cancel.time_left().map_or(LOOK, |left| left.min(LOOK));
            board = run.changed.wait_timeout(board, wait).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn take(&mut self, board: &Board) -> Option<LiveNews> {
        if self.next < board.gone {
            self.next = board.end_of_events();
            self.seen = board.entries.len();
            return Some(LiveNews::Missed);
        }
        let known = usize::try_from(self.next - board.gone).unwrap_or(usize::MAX);
        let events: Vec<LiveEvent> =
            board.events.iter().skip(known).map(|(_, event)| event.clone()).collect();
        if events.is_empty() {
            return board.has_ended.then_some(LiveNews::End);
        }
        self.next = board.end_of_events();
        self.seen = board.entries.len();
        Some(LiveNews::Events(events))
    }
}

impl Drop for RunWatcher {
    fn drop(&mut self) {
        let mut board = self.run.lock();
        board.watchers -= 1;
        if board.watchers == 0 {
            board.gone = board.end_of_events();
            board.events.clear();
            board.bytes = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Map;

    fn entry() -> Arc<ExecutionEntry> {
        Arc::new(ExecutionEntry {
            node_id: "a".to_owned(),
            node_label: "A".to_owned(),
            data: Map::new(),
            previous_node_ids: Vec::new(),
            status: StepStatus::Finished,
        })
    }

    fn token(text: &str) -> LiveEvent {
        LiveEvent::Token(text.into())
    }

    fn now(watcher: &mut RunWatcher) -> LiveNews {
        watcher.next(&CancelToken::new(Some(Duration::from_secs(10)))).unwrap()
    }

    #[test]
    fn all_who_watch_learn_all_from_when_they_came() {
        let (runs, id) = (LiveRuns::default(), ExecutionId::random());
        let guard = runs.register(id, Vec::new());
        guard.run().tell_token("nobody");
        let mut first = runs.watch(id).unwrap();
        guard.run().tell_token("one");
        let mut second = runs.watch(id).unwrap();
        guard.run().tell(&RunEvent::Entries(&[entry()]));
        assert_eq!(now(&mut first), LiveNews::Events(vec![token("one"), LiveEvent::Entries(1)]));
        assert_eq!(now(&mut second), LiveNews::Events(vec![LiveEvent::Entries(1)]));
        assert_eq!(
            (second.entries(0, 1).len(), second.entries(1, 1).len(), second.entries(9, 9).len()),
            (1, 0, 0)
        );
        guard.run().tell_token("last");
        drop(guard);
        assert_eq!(now(&mut first), LiveNews::Events(vec![token("last")]));
        assert_eq!(now(&mut first), LiveNews::End);
        assert!(runs.watch(id).is_none());
    }

    #[test]
    fn who_is_slow_is_told_so_and_the_row_stays_short() {
        let (runs, id) = (LiveRuns::default(), ExecutionId::random());
        let guard = runs.register(id, Vec::new());
        let mut slow = runs.watch(id).unwrap();
        let text = "x".repeat(1_000);
        (0..1_000).for_each(|_| guard.run().tell_token(&text));
        assert!(guard.run().lock().bytes <= WATCHED_EVENTS_MAX_BYTES);
        assert_eq!(now(&mut slow), LiveNews::Missed);
        guard.run().tell_token("new");
        assert_eq!(now(&mut slow), LiveNews::Events(vec![token("new")]));
        drop(slow);
        assert!(!guard.run().is_watched());
        assert_eq!(guard.run().lock().bytes, 0);
    }

    #[test]
    fn who_leaves_waits_no_longer() {
        let (runs, id) = (LiveRuns::default(), ExecutionId::random());
        let _guard = runs.register(id, vec![entry()]);
        let mut watcher = runs.watch(id).unwrap();
        assert_eq!((watcher.seen(), watcher.entries(0, 1).len()), (1, 1));
        let cancel = CancelToken::new(None);
        let other = cancel.clone();
        let waiting = std::thread::spawn(move || watcher.next(&other));
        std::thread::sleep(Duration::from_millis(20));
        cancel.cancel(CancelReason::CallerLeft);
        assert_eq!(waiting.join().unwrap(), Err(CancelReason::CallerLeft));
    }

    #[test]
    fn who_stops_a_run_waits_for_its_end_and_ends_no_other() {
        let (runs, id) = (LiveRuns::default(), ExecutionId::random());
        let (guard, other) =
            (runs.register(id, Vec::new()), runs.register(ExecutionId::random(), Vec::new()));
        let (own, others) = (CancelToken::new(None), CancelToken::new(None));
        let _hooks = (guard.run().on_stop(own.clone()), other.run().on_stop(others.clone()));
        assert_eq!(runs.stop(id, Duration::from_millis(1)), Some(false));
        assert_eq!((own.reason(), others.reason()), (Some(CancelReason::Aborted), None));
        let late = CancelToken::new(None);
        let _late = guard.run().on_stop(late.clone());
        assert_eq!(late.reason(), Some(CancelReason::Aborted), "who comes late is stopped too");
        std::thread::scope(|threads| {
            let stopped = threads.spawn(|| runs.stop(id, Duration::from_secs(60)));
            std::thread::sleep(Duration::from_millis(20));
            drop(guard);
            assert_ne!(stopped.join().unwrap(), Some(false));
        });
        assert_eq!(runs.stop(id, Duration::ZERO), None);
    }

    #[test]
    fn a_run_that_is_listed_anew_outlives_its_first_listing() {
        let (runs, id) = (LiveRuns::default(), ExecutionId::random());
        let first = runs.register(id, Vec::new());
        let second = runs.register(id, Vec::new());
        drop(first);
        assert!(runs.watch(id).is_some());
        drop(second);
        assert!(runs.watch(id).is_none());
    }
}
