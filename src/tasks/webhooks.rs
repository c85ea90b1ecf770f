//! Sends the answers of webhooks that are due, forgets what calls left behind, and lets go of who watches when the service
//! stops.

use crate::app::App;
use crate::base::cancel::{CancelReason, CancelToken};
use crate::ops::triggers::webhooks;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::spawn_blocking;
use tokio::time::{MissedTickBehavior, interval};

/// Time between two looks for answers that are due (manual 14.4).
const CALLBACK_TICK_SECONDS: u64 = 1;
/// Ticks between two times that old signatures and answers are removed.
const SWEEP_TICKS: u64 = 300;

/// Looks every second until `stop` turns true. What is under way then is sent after the next start.
pub async fn run(app: App, mut stop: watch::Receiver<bool>) {
    let service = app.clone();
    if let Ok(Err(fault)) = spawn_blocking(move || webhooks::load_callbacks(&service)).await {
        tracing::warn!(
            error = fault.for_log(),
            "answers of webhooks that an earlier start promised could not be looked for"
        );
    }
    let mut timer = interval(Duration::from_secs(CALLBACK_TICK_SECONDS));
    timer.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let cancel = CancelToken::new(None);
    let mut ticks: u64 = 0;
    loop {
        tokio::select! {
            _ = timer.tick() => {}
            _ = stop.wait_for(|stop| *stop) => break,
        }
        for due in app.state.callback_timers.take_due(app.clock.now()) {
            let (app, cancel) = (app.clone(), cancel.clone());
            drop(spawn_blocking(move || webhooks::deliver_callback(&app, due, &cancel)));
        }
        if ticks.is_multiple_of(SWEEP_TICKS) {
            let app = app.clone();
            drop(spawn_blocking(move || sweep(&app)));
        }
        ticks += 1;
    }
    cancel.cancel(CancelReason::Shutdown);
    app.state.webhook_listeners.close();
}

fn sweep(app: &App) {
    if let Err(fault) = webhooks::sweep(app) {
        tracing::warn!(error = fault.for_log(), "what calls of webhooks left behind could not be removed");
    }
}
