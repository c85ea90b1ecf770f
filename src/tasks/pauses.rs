//! Answers pauses of runs whose time is up: nobody decided, which counts as a rejection.

use crate::app::App;
use crate::base::cancel::{CancelReason, CancelToken};
use crate::ops::predictions;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::spawn_blocking;
use tokio::time::{MissedTickBehavior, interval};

/// Time between two looks for pauses whose time is up (manual 14.4).
const PAUSE_TICK_SECONDS: u64 = 1;

/// Looks every second until `stop` turns true. Runs that go on then end with the service.
pub(crate) async fn run(app: App, mut stop: watch::Receiver<bool>) {
    let service = app.clone();
    let loaded = spawn_blocking(move || predictions::load_pause_timers(&service)).await;
    if let Ok(Err(fault)) = loaded {
        tracing::warn!(
            error = fault.for_log(),
            "pauses of runs could not be looked for; those of before do not end"
        );
    }
    let mut timer = interval(Duration::from_secs(PAUSE_TICK_SECONDS));
    timer.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let cancel = CancelToken::new(None);
    loop {
        tokio::select! {
            _ = timer.tick() => {}
            _ = stop.wait_for(|stop| *stop) => break,
        }
        for due in app.state.pause_timers.take_due(app.clock.now()) {
            let (app, cancel) = (app.clone(), cancel.clone());
            drop(spawn_blocking(move || predictions::end_pause(&app, &due, &cancel)));
        }
    }
    cancel.cancel(CancelReason::Shutdown);
}
