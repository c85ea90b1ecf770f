//! Answers pauses of runs whose time is up: nobody decided, which counts as a rejection.

use super::run_pool::{PlaceCount, RunPool, run_due};
use crate::app::App;
use crate::ops::predictions;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

/// Runs that go on because nobody answered in time, under way at once (manual 14.4).
const ENDED_PAUSES_MAX_COUNT: usize = 16;
/// Runs of one workspace that go on because nobody answered in time, under way at once (manual 14.4).
const ENDED_PAUSES_PER_WORKSPACE_COUNT: usize = 12;

/// Time after which pauses of before are looked for again, where they could not be.
const LOAD_RETRY: Duration = Duration::from_secs(10);

const PLACES: PlaceCount =
    PlaceCount { all: ENDED_PAUSES_MAX_COUNT, per_workspace: ENDED_PAUSES_PER_WORKSPACE_COUNT };

/// Looks for what is due until `stop` turns true. Runs that go on then end with the service.
pub(crate) async fn run(app: App, stop: watch::Receiver<bool>) {
    tokio::join!(load(&app, stop.clone()), end(&app, stop));
}

/// Starts the timers of pauses of an earlier start, as soon as they can be read.
async fn load(app: &App, mut stop: watch::Receiver<bool>) {
    loop {
        let service = app.clone();
        match spawn_blocking(move || predictions::load_pause_timers(&service)).await {
            Ok(Ok(())) => return,
            Ok(Err(fault)) => tracing::warn!(
                error = fault.for_log(),
                "pauses of runs could not be looked for; it is tried again, and those of before end later"
            ),
            Err(error) => super::log_panic("pauses", &error),
        }
        tokio::select! {
            () = sleep(LOAD_RETRY) => {}
            _ = stop.wait_for(|stop| *stop) => return,
        }
    }
}

async fn end(app: &App, stop: watch::Receiver<bool>) {
    let service = app.clone();
    let pool =
        RunPool::new("pauses", PLACES, move |due, cancel| predictions::end_pause(&service, due, cancel));
    run_due(pool, stop, || {
        let due = app.state.pause_timers.take_due(app.clock.now());
        due.into_iter().map(|due| (due.workspace, due)).collect()
    })
    .await;
}
