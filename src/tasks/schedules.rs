//! Starts flows by their schedules. The task sleeps until the next one is due, and looks at the clock in between, because
//! somebody may set it.

use super::run_pool::{PlaceCount, RunPool};
use crate::app::App;
use crate::ops::triggers::schedules;
use jiff::Timestamp;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{Notify, watch};
use tokio::task::spawn_blocking;
use tokio::time::sleep;

/// Runs of schedules that are under way at once (manual 14.4).
const SCHEDULED_RUNS_MAX_COUNT: usize = 16;
/// Runs of schedules of one workspace that are under way at once (manual 14.4).
const SCHEDULED_RUNS_PER_WORKSPACE_COUNT: usize = 12;
/// Longest time between two looks at the clock for schedules (manual 14.4).
const CLOCK_LOOK_SECONDS: u64 = 5;
/// Time between two times that all schedules are read, beside those that change (manual 14.4).
const SCHEDULES_READ_SECONDS: u64 = 300;
/// Shortest time between two looks for what is due, so that what cannot be claimed is not asked for without a pause.
const LOOK_PAUSE: Duration = Duration::from_millis(20);

const PLACES: PlaceCount =
    PlaceCount { all: SCHEDULED_RUNS_MAX_COUNT, per_workspace: SCHEDULED_RUNS_PER_WORKSPACE_COUNT };

/// Watches the clock until `stop` turns true. Runs that go on then end with the service.
pub(crate) async fn run(app: App, mut stop: watch::Receiver<bool>) {
    let changed = Arc::new(Notify::new());
    let listener = changed.clone();
    app.state.schedule_timers.listen(move || listener.notify_one());
    // Read anew before anything else, and from time to time: what could not be read once is not lost.
    let mut read_next = Instant::now();
    let service = app.clone();
    let mut pool =
        RunPool::new("schedules", PLACES, move |run, cancel| schedules::run(&service, run, cancel));
    loop {
        if Instant::now() >= read_next {
            read_next = Instant::now() + read_all(&app).await;
        }
        let now = app.clock.now();
        if app.state.schedule_timers.next().is_some_and(|due| due <= now) {
            let service = app.clone();
            match spawn_blocking(move || schedules::claim_due(&service)).await {
                Ok(claimed) => claimed.into_iter().for_each(|run| pool.push(run.workspace, run)),
                Err(error) => super::log_panic("schedules", &error),
            }
        }
        tokio::select! {
            () = sleep(time_to_sleep(app.state.schedule_timers.next(), app.clock.now())) => {}
            () = changed.notified() => {}
            Some(()) = pool.next_end() => {}
            _ = stop.wait_for(|stop| *stop) => break,
        }
    }
    // What had no end by then is ended in the log by the next start.
    pool.stop().await;
}

/// Reads when each schedule comes next; how long until that is done again.
async fn read_all(app: &App) -> Duration {
    let service = app.clone();
    match spawn_blocking(move || schedules::load_timers(&service)).await {
        Ok(Ok(())) => return Duration::from_secs(SCHEDULES_READ_SECONDS),
        Ok(Err(error)) => {
            tracing::error!(error = error.for_log(), "schedules could not be looked for; it is tried again");
        }
        Err(error) => super::log_panic("schedules", &error),
    }
    Duration::from_secs(CLOCK_LOOK_SECONDS)
}

fn time_to_sleep(next: Option<Timestamp>, now: Timestamp) -> Duration {
    let longest = Duration::from_secs(CLOCK_LOOK_SECONDS);
    let left = next.map_or(longest, |next| Duration::try_from(next.duration_since(now)).unwrap_or_default());
    left.clamp(LOOK_PAUSE, longest)
}

#[cfg(test)]
mod tests {
    use super::*;

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
