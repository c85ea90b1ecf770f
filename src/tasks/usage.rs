//! Uses of API keys, counted in memory, on their way to the database, and a look at the machine's clock each time.

use crate::app::App;
use crate::ops::accounts::keys;
use crate::ops::service::clock_check;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval};

/// Time between two writes of the uses of API keys (manual 14.2).
const USAGE_FLUSH_SECONDS: u64 = 5;

/// Stores the counts every few seconds until `stop` turns true, and once more then.
pub async fn run(app: App, mut stop: watch::Receiver<bool>) {
    let mut timer = interval(Duration::from_secs(USAGE_FLUSH_SECONDS));
    timer.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut stopping = false;
    let watch = clock_check::ClockWatch::default();
    while !stopping {
        tokio::select! {
            _ = timer.tick() => {}
            _ = stop.wait_for(|stop| *stop) => stopping = true,
        }
        watch.check(&app);
        let app = app.clone();
        // What could not be stored stays counted and is stored with the next tick.
        match tokio::task::spawn_blocking(move || keys::flush_usage(&app)).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                tracing::error!(error = error.for_log(), "the uses of API keys could not be stored");
            }
            Err(error) => super::log_panic("usage", &error),
        }
    }
}
