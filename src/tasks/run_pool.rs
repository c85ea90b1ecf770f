//! Runs that no request waits for: a bounded number of them at once, each no longer than a run may take.

use crate::base::cancel::{CancelReason, CancelToken};
use crate::domain::ids::WorkspaceId;
use crate::limits::RUN_SECONDS;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::{Id, JoinSet};
use tokio::time::{MissedTickBehavior, interval, timeout};

/// Time between two looks for pauses whose time is up, and for answers of webhooks that are due (manual 14.4).
const DUE_TICK_SECONDS: u64 = 1;
/// How long the end of the service waits for runs without a caller that it stopped (manual 14.4).
const RUNS_STOP_SECONDS: u64 = 5;

/// How many may be under way at once.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlaceCount {
    pub(super) all: usize,
    pub(super) per_workspace: usize,
}

type Work<T> = Arc<dyn Fn(&T, &CancelToken) + Send + Sync>;

/// Runs under way, each on a thread of its own, and those that wait for a place.
pub(super) struct RunPool<T> {
    /// Whose runs these are, in the log.
    task: &'static str,
    work: Work<T>,
    queue: RunQueue<T>,
    cancel: CancelToken,
    set: JoinSet<()>,
    homes: HashMap<Id, WorkspaceId>,
}

impl<T: Send + 'static> RunPool<T> {
    pub(super) fn new(
        task: &'static str,
        places: PlaceCount,
        work: impl Fn(&T, &CancelToken) + Send + Sync + 'static,
    ) -> Self {
        Self {
            task,
            work: Arc::new(work),
            queue: RunQueue::new(places),
            cancel: CancelToken::new(None),
            set: JoinSet::new(),
            homes: HashMap::new(),
        }
    }

    /// Runs this as soon as there is a place.
    pub(super) fn push(&mut self, workspace: WorkspaceId, run: T) {
        self.queue.push(workspace, run);
        self.fill();
    }

    fn fill(&mut self) {
        while let Some((workspace, run)) = self.queue.begin() {
            let (work, all) = (self.work.clone(), self.cancel.clone());
            let handle = self.set.spawn_blocking(move || {
                let limited = all.child_within(Duration::from_secs(RUN_SECONDS));
                work(&run, &limited.token);
            });
            self.homes.insert(handle.id(), workspace);
        }
    }

    /// Waits for the next run that ends, and gives its place away; `None` while there is none.
    pub(super) async fn next_end(&mut self) -> Option<()> {
        let id = match self.set.join_next_with_id().await? {
            Ok((id, ())) => id,
            Err(error) => {
                super::log_panic(self.task, &error);
                error.id()
            }
        };
        if let Some(workspace) = self.homes.remove(&id) {
            self.queue.end(workspace);
        }
        self.fill();
        Some(())
    }

    /// Ends what is under way. What waits for a place, and what does not end in time, is found by the next start.
    pub(super) async fn stop(mut self) {
        self.queue.clear();
        self.cancel.cancel(CancelReason::Shutdown);
        let ends = async { while self.next_end().await.is_some() {} };
        let _ = timeout(Duration::from_secs(RUNS_STOP_SECONDS), ends).await;
    }
}

/// Runs what is due, with the workspace it belongs to, until `stop` turns true.
pub(super) async fn run_due<T: Send + 'static>(
    mut pool: RunPool<T>,
    mut stop: watch::Receiver<bool>,
    take_due: impl Fn() -> Vec<(WorkspaceId, T)>,
) {
    let mut timer = interval(Duration::from_secs(DUE_TICK_SECONDS));
    timer.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = timer.tick() => take_due().into_iter().for_each(|(workspace, due)| pool.push(workspace, due)),
            Some(()) = pool.next_end() => {}
            _ = stop.wait_for(|stop| *stop) => break,
        }
    }
    pool.stop().await;
}

/// Runs that wait for a place. Workspaces take turns, so that one with many at a time does not keep the others waiting, and
/// none takes all places.
struct RunQueue<T> {
    places: PlaceCount,
    waiting: HashMap<WorkspaceId, VecDeque<T>>,
    /// The workspaces with something that waits, the one whose turn it is first.
    turns: VecDeque<WorkspaceId>,
    under_way: HashMap<WorkspaceId, usize>,
}

impl<T> RunQueue<T> {
    fn new(places: PlaceCount) -> Self {
        Self { places, waiting: HashMap::new(), turns: VecDeque::new(), under_way: HashMap::new() }
    }

    fn push(&mut self, workspace: WorkspaceId, run: T) {
        let waiting = self.waiting.entry(workspace).or_default();
        waiting.push_back(run);
        if waiting.len() == 1 {
            self.turns.push_back(workspace);
        }
    }

    /// The run that gets the next place, if there is one.
    fn begin(&mut self) -> Option<(WorkspaceId, T)> {
        if self.under_way.values().sum::<usize>() >= self.places.all {
            return None;
        }
        let has_room = |workspace: &WorkspaceId| {
            self.under_way.get(workspace).is_none_or(|count| *count < self.places.per_workspace)
        };
        let place = self.turns.iter().position(has_room)?;
        let workspace = self.turns.remove(place)?;
        let waiting = self.waiting.get_mut(&workspace)?;
        let run = waiting.pop_front()?;
        if waiting.is_empty() {
            self.waiting.remove(&workspace);
        } else {
            self.turns.push_back(workspace);
        }
        *self.under_way.entry(workspace).or_default() += 1;
        Some((workspace, run))
    }

    /// A run of this workspace gave its place back.
    fn end(&mut self, workspace: WorkspaceId) {
        if let Some(count) = self.under_way.get_mut(&workspace) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                self.under_way.remove(&workspace);
            }
        }
    }

    /// Lets go of what waits.
    fn clear(&mut self) {
        self.waiting.clear();
        self.turns.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;

    const PLACES: PlaceCount = PlaceCount { all: 16, per_workspace: 12 };

    #[test]
    fn workspaces_take_turns() {
        let (mut queue, many, few) = (RunQueue::new(PLACES), WorkspaceId::random(), WorkspaceId::random());
        (0..5).for_each(|run| queue.push(many, run));
        queue.push(few, 9);
        let begun: Vec<i32> = std::iter::from_fn(|| queue.begin()).map(|(_, run)| run).collect();
        assert_eq!(begun, [0, 9, 1, 2, 3, 4]);
    }

    #[test]
    fn places_are_bounded_in_all_and_for_a_workspace() {
        let (mut queue, one, other) = (RunQueue::new(PLACES), WorkspaceId::random(), WorkspaceId::random());
        (0..50).for_each(|run| queue.push(one, run));
        let begun = |queue: &mut RunQueue<i32>| std::iter::from_fn(|| queue.begin()).count();
        assert_eq!(begun(&mut queue), PLACES.per_workspace);
        (0..50).for_each(|run| queue.push(other, run));
        assert_eq!(begun(&mut queue), PLACES.all - PLACES.per_workspace);
        queue.end(one);
        assert_eq!(begun(&mut queue), 1);
        assert_eq!(queue.begin(), None);
    }

    #[tokio::test]
    async fn what_is_due_runs_on_no_more_threads_than_there_are_places() {
        let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (done, ends) = mpsc::channel();
        let seen = most.clone();
        let pool = RunPool::new("test", PlaceCount { all: 3, per_workspace: 2 }, move |_: &usize, _| {
            seen.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            std::thread::sleep(Duration::from_millis(20));
            now.fetch_sub(1, Ordering::SeqCst);
            done.send(()).unwrap();
        });
        let (stop, stopping) = watch::channel(false);
        let homes = [WorkspaceId::random(), WorkspaceId::random()];
        let left = std::sync::Mutex::new((0..12).map(|run| (homes[run % 2], run)).collect::<Vec<_>>());
        let all = async {
            tokio::task::spawn_blocking(move || (0..12).for_each(|_| ends.recv().unwrap())).await.unwrap();
            stop.send_replace(true);
        };
        tokio::join!(run_due(pool, stopping, || std::mem::take(&mut *left.lock().unwrap())), all);
        assert_eq!(most.load(Ordering::SeqCst), 3);
    }

    #[tokio::test]
    async fn a_run_without_a_caller_takes_no_longer_than_a_run_may() {
        let (told, limit) = mpsc::channel();
        let mut pool = RunPool::new("test", PLACES, move |(): &(), cancel| {
            told.send(cancel.time_left()).unwrap();
        });
        pool.push(WorkspaceId::random(), ());
        pool.next_end().await.unwrap();
        assert!(limit.recv().unwrap().is_some_and(|left| left <= Duration::from_secs(RUN_SECONDS)));
    }

    #[tokio::test]
    async fn a_stop_ends_what_runs_and_begins_nothing_more() {
        let (told, ends) = mpsc::channel();
        let places = PlaceCount { all: 1, per_workspace: 1 };
        let mut pool = RunPool::new("test", places, move |run: &i32, cancel: &CancelToken| {
            let _ = cancel.sleep(Duration::from_secs(60));
            told.send((*run, cancel.reason())).unwrap();
        });
        let home = WorkspaceId::random();
        (0..3).for_each(|run| pool.push(home, run));
        pool.stop().await;
        assert_eq!(ends.iter().collect::<Vec<_>>(), [(0, Some(CancelReason::Shutdown))]);
    }
}
