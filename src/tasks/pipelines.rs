//! Goes on with pipelines that the end of the process cut off, and ends those that run when the service stops.

use crate::app::App;
use crate::ops::pipelines;
use tokio::sync::watch;
use tokio::task::spawn_blocking;

/// Waits until `stop` turns true, and for the batches that are under way then.
pub(crate) async fn run(app: App, mut stop: watch::Receiver<bool>) {
    let started = app.clone();
    let resumed = spawn_blocking(move || pipelines::resume_all(&started)).await;
    if let Ok(Err(error)) = resumed {
        tracing::error!(error = error.for_log(), "pipelines that were cut off could not be found");
    }
    // Whoever could say so is gone: that is a stop as well.
    let _ = stop.wait_for(|stop| *stop).await;
    let _ = spawn_blocking(move || pipelines::stop_all(&app)).await;
}
