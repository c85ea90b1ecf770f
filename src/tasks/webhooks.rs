//! Sends the answers of webhooks that are due, forgets what calls left behind, and lets go of who watches when the service
//! stops.

use super::run_pool::{PlaceCount, RunPool, run_due};
use crate::app::App;
use crate::ops::triggers::webhooks;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::spawn_blocking;
use tokio::time::{MissedTickBehavior, interval};

/// Answers of webhooks that are sent again at once (manual 14.4).
const CALLBACKS_MAX_COUNT: usize = 16;
/// Answers of webhooks of one workspace that are sent again at once (manual 14.4).
const CALLBACKS_PER_WORKSPACE_COUNT: usize = 12;
/// Time between two times that old signatures and answers are removed.
const SWEEP_PERIOD: Duration = Duration::from_secs(300);

const PLACES: PlaceCount =
    PlaceCount { all: CALLBACKS_MAX_COUNT, per_workspace: CALLBACKS_PER_WORKSPACE_COUNT };

/// Looks for what is due until `stop` turns true. What is under way then is sent after the next start.
pub async fn run(app: App, stop: watch::Receiver<bool>) {
    tokio::join!(deliver(&app, stop.clone()), sweep_at_times(&app, stop));
}

async fn deliver(app: &App, stop: watch::Receiver<bool>) {
    let service = app.clone();
    let pool =
        RunPool::new("webhooks", PLACES, move |due, cancel| webhooks::take_step(&service, due, cancel));
    run_due(pool, stop, || {
        let due = app.state.callback_timers.take_due(app.clock.now());
        due.into_iter().map(|due| (due.workspace, due)).collect()
    })
    .await;
}

async fn sweep_at_times(app: &App, mut stop: watch::Receiver<bool>) {
    let mut timer = interval(SWEEP_PERIOD);
    timer.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = timer.tick() => {}
            _ = stop.wait_for(|stop| *stop) => break,
        }
        let service = app.clone();
        drop(spawn_blocking(move || sweep(&service)));
    }
    app.state.webhook_listeners.close();
}

fn sweep(app: &App) {
    if let Err(fault) = webhooks::sweep(app) {
        tracing::warn!(error = fault.for_log(), "what calls of webhooks left behind could not be removed");
    }
}
