//! Upkeep of the history: loose objects go into packs, and its list of versions to the database. After a start, flows that do not
//! know which version their Live is are told.

use super::run_until_stop;
use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::domain::error::Result;
use crate::ops::flows::live;
use crate::ops::flows::versions;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, MissedTickBehavior, interval_at};

/// Time between two rounds of packing and tidying the history (manual 14.2).
const HISTORY_UPKEEP_SECONDS: u64 = 300;

/// Looks for versions of Live once, then runs every few minutes until `stop` turns true, which also ends a round that is under way; the list of versions
/// is stored once more then.
pub(crate) async fn run(app: App, mut stop: watch::Receiver<bool>) {
    until_stop(&mut stop, &app, live::versions::look_up).await;
    let period = Duration::from_secs(HISTORY_UPKEEP_SECONDS);
    let mut timer = interval_at(Instant::now() + period, period);
    timer.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = timer.tick() => {}
            _ = stop.wait_for(|stop| *stop) => break,
        }
        until_stop(&mut stop, &app, versions::maintain).await;
    }
    log_failure(spawn_blocking(move || versions::store_index(&app)).await);
}

async fn until_stop(
    stop: &mut watch::Receiver<bool>,
    app: &App,
    work: impl FnOnce(&App, &CancelToken) -> Result<()> + Send + 'static,
) {
    let service = app.clone();
    log_failure(run_until_stop(stop, move |cancel| work(&service, cancel)).await);
}

/// Nothing that was recorded depends on upkeep: the next round, or the next start, makes up for it.
fn log_failure(done: std::result::Result<Result<()>, tokio::task::JoinError>) {
    match done {
        Ok(Ok(())) => {}
        Ok(Err(error)) => {
            tracing::warn!(error = error.for_log(), "history maintenance failed; a later round tries again");
        }
        Err(error) => super::log_panic("history", &error),
    }
}
