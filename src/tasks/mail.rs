//! Sends messages that are due, and looks every minute whether the owner is to be told of something.

use super::run_until_stop;
use crate::app::App;
use crate::ops::service::mail::{alerts, delivery};
use jiff::{SignedDuration, Timestamp};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::spawn_blocking;
use tokio::time::{MissedTickBehavior, interval};

/// Time between two looks for messages that are due (manual 14.17).
const MAIL_LOOK_SECONDS: u64 = 1;
/// Time between two looks for what the owner is to be told of (manual 14.17).
const ALERT_LOOK_SECONDS: i64 = 60;

/// Runs until `stop` turns true, which also ends what is being sent. Where no mail server is set, there is nothing to do.
pub async fn run(app: App, stop: watch::Receiver<bool>) {
    if app.mail.is_some() {
        tokio::join!(deliver(app.clone(), stop.clone()), watch_problems(app, stop));
    }
}

async fn deliver(app: App, mut stop: watch::Receiver<bool>) {
    let mut timer = interval(Duration::from_secs(MAIL_LOOK_SECONDS));
    timer.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = timer.tick() => {}
            _ = stop.wait_for(|stop| *stop) => return,
        }
        if !app.state.mail_timers.is_due(app.clock.now()) {
            continue;
        }
        let service = app.clone();
        let ended = run_until_stop(&mut stop, move |cancel| delivery::send_due(&service, cancel)).await;
        if let Err(error) = ended {
            super::log_panic("mail", &error);
        }
    }
}

async fn watch_problems(app: App, mut stop: watch::Receiver<bool>) {
    let mut timer = interval(Duration::from_secs(MAIL_LOOK_SECONDS));
    timer.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut looked: Option<Timestamp> = None;
    loop {
        tokio::select! {
            _ = timer.tick() => {}
            _ = stop.wait_for(|stop| *stop) => return,
        }
        let now = app.clock.now();
        // By the service's clock, as what was told is; one that was set counts at once.
        let rests = |looked: Timestamp| {
            let passed = now.duration_since(looked);
            !passed.is_negative() && passed < SignedDuration::from_secs(ALERT_LOOK_SECONDS)
        };
        if looked.is_some_and(rests) {
            continue;
        }
        looked = Some(now);
        let service = app.clone();
        match spawn_blocking(move || alerts::look(&service)).await {
            Ok(Ok(())) => {}
            Ok(Err(fault)) => {
                tracing::warn!(error = fault.for_log(), "the owner could not be told of problems by mail");
            }
            Err(error) => super::log_panic("mail", &error),
        }
    }
}
