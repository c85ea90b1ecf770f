//! Copies versions to the connected repository, or reads those there, whenever that is due. It sleeps until then, and looks at
//! the clock in between, because somebody may set it.

use super::run_until_stop;
use crate::app::App;
use crate::ops::remote::copy;
use jiff::Timestamp;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Notify, watch};
use tokio::time::sleep;

/// Longest time between two looks at the clock for the copy (manual 14.16).
const CLOCK_LOOK_SECONDS: u64 = 30;
/// Shortest time between two copies, so that nothing that is due again and again takes a processor.
const PAUSE: Duration = Duration::from_millis(200);

/// Watches the copy until `stop` turns true, and ends what runs then.
pub async fn run(app: App, mut stop: watch::Receiver<bool>) {
    let moved = Arc::new(Notify::new());
    let listener = moved.clone();
    copy::listen(&app, move || listener.notify_one());
    while !*stop.borrow() {
        if copy::next_due(&app).is_some_and(|due| due <= app.clock.now()) {
            let service = app.clone();
            let ended = run_until_stop(&mut stop, move |cancel| copy::run_due(&service, cancel)).await;
            if let Err(error) = ended {
                super::log_panic("remote", &error);
            }
        }
        tokio::select! {
            () = sleep(time_to_sleep(copy::next_due(&app), app.clock.now())) => {}
            () = moved.notified() => {}
            _ = stop.wait_for(|stop| *stop) => break,
        }
    }
}

fn time_to_sleep(next: Option<Timestamp>, now: Timestamp) -> Duration {
    let longest = Duration::from_secs(CLOCK_LOOK_SECONDS);
    let left = next.map_or(longest, |next| Duration::try_from(next.duration_since(now)).unwrap_or_default());
    left.clamp(PAUSE, longest)
}
