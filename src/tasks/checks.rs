//! Ends the checks of flows when the service stops.

use crate::app::App;
use crate::ops::checks;
use tokio::sync::watch;
use tokio::task::spawn_blocking;

/// Waits until `stop` turns true, and for the runs that are under way then.
pub async fn run(app: App, mut stop: watch::Receiver<bool>) {
    // Whoever could say so is gone: that is a stop as well.
    let _ = stop.wait_for(|stop| *stop).await;
    let _ = spawn_blocking(move || checks::stop_all(&app)).await;
}
