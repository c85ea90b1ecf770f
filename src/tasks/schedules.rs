//! Starts flows by their schedules. The task sleeps until the next one is due, and looks at the clock in between, because
//! somebody may set it.

use crate::app::App;
use crate::base::cancel::{CancelReason, CancelToken};
use crate::domain::ids::WorkspaceId;
use crate::ops::triggers::schedules::{self, ScheduledRun};
use jiff::Timestamp;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Notify, watch};
use tokio::task::{Id, JoinSet, spawn_blocking};
use tokio::time::{sleep, timeout};

/// Runs of schedules that are under way at once (manual 14.4).
const SCHEDULED_RUNS_MAX_COUNT: usize = 16;
/// Runs of schedules of one workspace that are under way at once (manual 14.4).
const SCHEDULED_RUNS_PER_WORKSPACE_COUNT: usize = 12;
/// Longest time between two looks at the clock for schedules (manual 14.4).
const CLOCK_LOOK_SECONDS: u64 = 5;
/// Shortest time between two looks for what is due, so that what cannot be claimed is not asked for without a pause.
const LOOK_PAUSE: Duration = Duration::from_millis(20);
/// How long the end of the service waits for scheduled runs that it stopped (manual 14.4).
const SCHEDULED_RUNS_STOP_SECONDS: u64 = 5;

/// Watches the clock until `stop` turns true. Runs that go on then end with the service.
pub(crate) async fn run(app: App, mut stop: watch::Receiver<bool>) {
    let changed = Arc::new(Notify::new());
    let listener = changed.clone();
    app.state.schedule_timers.listen(move || listener.notify_one());
    let service = app.clone();
    match spawn_blocking(move || schedules::load_timers(&service)).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => {
            tracing::error!(
                error = error.for_log(),
                "schedules could not be looked for; those of before start nothing until they change"
            );
        }
        Err(error) => super::log_panic("schedules", &error),
    }
    let cancel = CancelToken::new(None);
    let mut queue = RunQueue::default();
    let mut runs =
        Runs { app: app.clone(), cancel: cancel.clone(), set: JoinSet::new(), homes: HashMap::new() };
    loop {
        let now = app.clock.now();
        if app.state.schedule_timers.next().is_some_and(|due| due <= now) {
            let service = app.clone();
            match spawn_blocking(move || schedules::claim_due(&service)).await {
                Ok(claimed) => claimed.into_iter().for_each(|run| queue.push(run.workspace, run)),
                Err(error) => super::log_panic("schedules", &error),
            }
        }
        while let Some((workspace, run)) = queue.begin() {
            runs.spawn(workspace, run);
        }
        tokio::select! {
            () = sleep(time_to_sleep(app.state.schedule_timers.next(), app.clock.now())) => {}
            () = changed.notified() => {}
            Some(workspace) = runs.next_end() => queue.end(workspace),
            _ = stop.wait_for(|stop| *stop) => break,
        }
    }
    // What waits for a place is ended in the log by the next start, as is what does not end in time.
    cancel.cancel(CancelReason::Shutdown);
    let ends = async { while runs.next_end().await.is_some() {} };
    let _ = timeout(Duration::from_secs(SCHEDULED_RUNS_STOP_SECONDS), ends).await;
}

fn time_to_sleep(next: Option<Timestamp>, now: Timestamp) -> Duration {
    let longest = Duration::from_secs(CLOCK_LOOK_SECONDS);
    let left = next.map_or(longest, |next| Duration::try_from(next.duration_since(now)).unwrap_or_default());
    left.clamp(LOOK_PAUSE, longest)
}

/// Runs under way, each on a thread of its own.
struct Runs {
    app: App,
    cancel: CancelToken,
    set: JoinSet<()>,
    homes: HashMap<Id, WorkspaceId>,
}

impl Runs {
    fn spawn(&mut self, workspace: WorkspaceId, run: ScheduledRun) {
        let (app, cancel) = (self.app.clone(), self.cancel.clone());
        let handle = self.set.spawn_blocking(move || schedules::run(&app, &run, &cancel));
        self.homes.insert(handle.id(), workspace);
    }

    /// The workspace of the next run that ends; `None` while there is none.
    async fn next_end(&mut self) -> Option<WorkspaceId> {
        let id = match self.set.join_next_with_id().await? {
            Ok((id, ())) => id,
            Err(error) => {
                super::log_panic("schedules", &error);
                error.id()
            }
        };
        self.homes.remove(&id)
    }
}

/// Runs that wait for a place. Workspaces take turns, so that one with many schedules at an hour does not keep the others
/// waiting, and none takes all places.
struct RunQueue<T> {
    waiting: HashMap<WorkspaceId, VecDeque<T>>,
    /// The workspaces with something that waits, the one whose turn it is first.
    turns: VecDeque<WorkspaceId>,
    under_way: HashMap<WorkspaceId, usize>,
}

impl<T> Default for RunQueue<T> {
    fn default() -> Self {
        Self { waiting: HashMap::new(), turns: VecDeque::new(), under_way: HashMap::new() }
    }
}

impl<T> RunQueue<T> {
    fn push(&mut self, workspace: WorkspaceId, run: T) {
        let waiting = self.waiting.entry(workspace).or_default();
        waiting.push_back(run);
        if waiting.len() == 1 {
            self.turns.push_back(workspace);
        }
    }

    /// The run that gets the next place, if there is one.
    fn begin(&mut self) -> Option<(WorkspaceId, T)> {
        if self.under_way.values().sum::<usize>() >= SCHEDULED_RUNS_MAX_COUNT {
            return None;
        }
        let has_room = |workspace: &WorkspaceId| {
            self.under_way.get(workspace).is_none_or(|count| *count < SCHEDULED_RUNS_PER_WORKSPACE_COUNT)
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workspaces_take_turns() {
        let (mut queue, many, few) = (RunQueue::default(), WorkspaceId::random(), WorkspaceId::random());
        (0..5).for_each(|run| queue.push(many, run));
        queue.push(few, 9);
        let begun: Vec<i32> = std::iter::from_fn(|| queue.begin()).map(|(_, run)| run).collect();
        assert_eq!(begun, [0, 9, 1, 2, 3, 4]);
    }

    #[test]
    fn places_are_bounded_in_all_and_for_a_workspace() {
        let (mut queue, one, other) = (RunQueue::default(), WorkspaceId::random(), WorkspaceId::random());
        (0..50).for_each(|run| queue.push(one, run));
        let begun = |queue: &mut RunQueue<i32>| std::iter::from_fn(|| queue.begin()).count();
        assert_eq!(begun(&mut queue), SCHEDULED_RUNS_PER_WORKSPACE_COUNT);
        (0..50).for_each(|run| queue.push(other, run));
        assert_eq!(begun(&mut queue), SCHEDULED_RUNS_MAX_COUNT - SCHEDULED_RUNS_PER_WORKSPACE_COUNT);
        queue.end(one);
        assert_eq!(begun(&mut queue), 1);
        assert_eq!(queue.begin(), None);
    }

    #[test]
    fn the_task_sleeps_until_the_next_run_and_looks_at_the_clock_meanwhile() {
        let now = Timestamp::UNIX_EPOCH;
        let after = |milliseconds| Timestamp::from_millisecond(milliseconds).ok();
        assert_eq!(time_to_sleep(None, now), Duration::from_secs(CLOCK_LOOK_SECONDS));
        assert_eq!(time_to_sleep(after(3_600_000), now), Duration::from_secs(CLOCK_LOOK_SECONDS));
        assert_eq!(time_to_sleep(after(1_500), now), Duration::from_millis(1_500));
        assert_eq!(time_to_sleep(after(-1), now), LOOK_PAUSE);
    }
}
