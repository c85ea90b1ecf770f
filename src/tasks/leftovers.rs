//! Removes what was left behind. Once, after the start: blocks of collections that an earlier process could not remove to
//! the end, and, when the service has been up for a moment, files of a crash. From then on every hour: what people sent to
//! vector stores in conversations of which nothing is there, and records of runs beyond what is kept; every day messages beyond it.

use super::run_until_stop;
use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::domain::error::{Error, Result};
use crate::ops::conversations::{chunks, expiry};
use crate::ops::knowledge::collections;
use crate::ops::pipelines;
use crate::ops::predictions::{consumption, executions};
use crate::ops::service::backup;
use crate::ops::service::leftovers::{self, LEFTOVER_AGE_MIN_SECONDS, SweepReport};
use jiff::{SignedDuration, Timestamp};
use std::time::Duration;
use tokio::sync::watch;

/// Time between the start and the look for what a crash left (manual 14.2).
const LEFTOVER_WAIT_SECONDS: u64 = 20;
/// Time between two looks for conversations in which nothing was said (manual 14.8).
const SILENT_CHATS_SECONDS: u64 = 3_600;
/// Hours between two looks for messages that are older than any is kept (manual 14.8).
const EXPIRY_HOURS: u64 = 24;

/// Works on threads of its own, so that no start takes longer for it; `stop` ends it, and the rest is for the next start.
pub(crate) async fn run(app: App, mut stop: watch::Receiver<bool>) {
    // The disk's clock, not the service's: files bear its times. A margin covers disks whose clock is another one.
    let before = Timestamp::now() - SignedDuration::from_secs(LEFTOVER_AGE_MIN_SECONDS);
    let service = app.clone();
    until_stop(&mut stop, "blocks of collections", move |cancel| {
        collections::delete_leftovers(&service, cancel)
    })
    .await;
    tokio::select! {
        () = tokio::time::sleep(Duration::from_secs(LEFTOVER_WAIT_SECONDS)) => {}
        _ = stop.wait_for(|stop| *stop) => return,
    }
    let service = app.clone();
    let sweep = move |_: &CancelToken| backup::sweep(&service).map_err(Error::internal);
    until_stop(&mut stop, "backups", sweep).await;
    let service = app.clone();
    let swept =
        until_stop(&mut stop, "files", move |cancel| leftovers::sweep(&service, before, cancel)).await;
    if let Some(SweepReport { folders, files }) = swept.filter(|swept| *swept != SweepReport::default()) {
        tracing::info!(folders, files, "files that a crash left behind were removed");
    }
    let service = app.clone();
    let sweep = move |cancel: &CancelToken| pipelines::sweep_files(&service, before, cancel);
    if let Some(files @ 1..) = until_stop(&mut stop, "files of pipelines", sweep).await {
        tracing::info!(files, "files of pipelines that a crash left behind were removed");
    }
    for hour in 0_u64.. {
        if hour % EXPIRY_HOURS == 0 {
            let service = app.clone();
            let expire = move |cancel: &CancelToken| expiry::delete_expired(&service, cancel);
            if let Some(removed @ 1..) = until_stop(&mut stop, "messages beyond their time", expire).await {
                tracing::info!(
                    removed,
                    "messages were removed that had been kept for as long as they are to be"
                );
            }
        }
        if hour % EXPIRY_HOURS == 0 {
            let service = app.clone();
            let expire = move |cancel: &CancelToken| consumption::delete_expired(&service, cancel);
            until_stop(&mut stop, "counts beyond their time", expire).await;
        }
        let service = app.clone();
        let sweep = move |cancel: &CancelToken| chunks::sweep(&service, cancel);
        until_stop(&mut stop, "chunks of conversations", sweep).await;
        let service = app.clone();
        let sweep = move |cancel: &CancelToken| executions::sweep(&service, cancel);
        until_stop(&mut stop, "records of runs", sweep).await;
        tokio::select! {
            () = tokio::time::sleep(Duration::from_secs(SILENT_CHATS_SECONDS)) => {}
            _ = stop.wait_for(|stop| *stop) => return,
        }
    }
}

/// What `work` gives, which `stop` cancels; `None` when it failed, which a later one tries again.
async fn until_stop<T: Send + 'static>(
    stop: &mut watch::Receiver<bool>,
    what: &'static str,
    work: impl FnOnce(&CancelToken) -> Result<T> + Send + 'static,
) -> Option<T> {
    match run_until_stop(stop, work).await {
        Ok(Ok(done)) => Some(done),
        Ok(Err(error)) => {
            tracing::warn!(error = error.for_log(), what, "leftovers could not be looked for");
            None
        }
        Err(error) => {
            super::log_panic("leftovers", &error);
            None
        }
    }
}
