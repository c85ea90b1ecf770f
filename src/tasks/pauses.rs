//! Answers pauses of runs whose time is up: nobody decided, which counts as a rejection.

use super::run_pool::{PlaceCount, RunPool, run_due};
use crate::app::App;
use crate::ops::predictions;
use tokio::sync::watch;
use tokio::task::spawn_blocking;

/// Runs that go on because nobody answered in time, under way at once (manual 14.4).
const ENDED_PAUSES_MAX_COUNT: usize = 16;
/// Runs of one workspace that go on because nobody answered in time, under way at once (manual 14.4).
const ENDED_PAUSES_PER_WORKSPACE_COUNT: usize = 12;

const PLACES: PlaceCount =
    PlaceCount { all: ENDED_PAUSES_MAX_COUNT, per_workspace: ENDED_PAUSES_PER_WORKSPACE_COUNT };

/// Looks for what is due until `stop` turns true. Runs that go on then end with the service.
pub(crate) async fn run(app: App, stop: watch::Receiver<bool>) {
    let service = app.clone();
    let loaded = spawn_blocking(move || predictions::load_pause_timers(&service)).await;
    if let Ok(Err(fault)) = loaded {
        tracing::warn!(
            error = fault.for_log(),
            "pauses of runs could not be looked for; those of before do not end"
        );
    }
    let service = app.clone();
    let pool =
        RunPool::new("pauses", PLACES, move |due, cancel| predictions::end_pause(&service, due, cancel));
    run_due(pool, stop, || {
        let due = app.state.pause_timers.take_due(app.clock.now());
        due.into_iter().map(|due| (due.workspace, due)).collect()
    })
    .await;
}
