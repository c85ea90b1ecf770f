//! Goes on with pipelines that the end of the process cut off, and ends those that run when the service stops.

use crate::app::App;
use crate::domain::error::Result;
use crate::ops::pipelines;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

/// Time after which pipelines that could not go on are tried again.
const RESUME_RETRY: Duration = Duration::from_secs(60);

/// Waits until `stop` turns true, and for the batches that are under way then.
pub(crate) async fn run(app: App, mut stop: watch::Receiver<bool>) {
    resume(&app, stop.clone()).await;
    // Whoever could say so is gone: that is a stop as well.
    let _ = stop.wait_for(|stop| *stop).await;
    let _ = spawn_blocking(move || pipelines::stop_all(&app)).await;
}

/// Goes on with those that were cut off, until each has: a flow whose run did not end can start no other. A stop comes between two
/// tries, so that nothing begins behind it.
async fn resume(app: &App, mut stop: watch::Receiver<bool>) {
    let mut cut_off = None;
    loop {
        let (service, found) = (app.clone(), cut_off.take());
        let resumed = spawn_blocking(move || -> Result<_> {
            let found = found.map_or_else(|| pipelines::list_cut_off(&service), Ok)?;
            Ok(pipelines::resume_each(&service, found))
        });
        match resumed.await {
            Ok(Ok(left)) if left.is_empty() => return,
            Ok(Ok(left)) => cut_off = Some(left),
            Ok(Err(error)) => {
                tracing::error!(error = error.for_log(), "pipelines that were cut off could not be found");
            }
            Err(error) => super::log_panic("pipelines", &error),
        }
        tokio::select! {
            () = sleep(RESUME_RETRY) => {}
            _ = stop.wait_for(|stop| *stop) => return,
        }
    }
}
