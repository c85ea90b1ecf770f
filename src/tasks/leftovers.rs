//! Removes files that a crash left behind, once, when the service has been up for a moment.

use crate::app::App;
use crate::domain::cancel::{Cancel, Reason};
use crate::limits::{LEFTOVER_AGE_MIN_SECONDS, LEFTOVER_WAIT_SECONDS};
use crate::ops::leftovers::{self, Swept};
use jiff::{SignedDuration, Timestamp};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::spawn_blocking;

/// Looks through the files on a thread of its own, so that no start takes longer for it; `stop` ends it.
pub async fn run(app: App, mut stop: watch::Receiver<bool>) {
    // The disk's clock, not the service's: files bear its times. A margin covers disks whose clock is another one.
    let before = Timestamp::now() - SignedDuration::from_secs(LEFTOVER_AGE_MIN_SECONDS);
    tokio::select! {
        () = tokio::time::sleep(Duration::from_secs(LEFTOVER_WAIT_SECONDS)) => {}
        _ = stop.wait_for(|stop| *stop) => return,
    }
    let cancel = Cancel::new(None);
    let token = cancel.clone();
    let mut round = spawn_blocking(move || leftovers::sweep(&app, before, &token));
    let ended = tokio::select! {
        done = &mut round => Some(done),
        _ = stop.wait_for(|stop| *stop) => None,
    };
    let done = match ended {
        Some(done) => done,
        None => {
            cancel.cancel(Reason::Shutdown);
            round.await
        }
    };
    match done {
        Ok(Ok(swept)) if swept == Swept::default() => {}
        Ok(Ok(Swept { folders, files })) => {
            tracing::info!(folders, files, "removed files that a crash left behind");
        }
        // The next start tries again.
        Ok(Err(error)) => tracing::warn!(%error, "files that a crash left behind could not be looked for"),
        Err(error) => tracing::error!(%error, "the task that removes files of a crash failed"),
    }
}
