//! Makes database and history smaller once a day, when nothing else is under way and there is something to gain.

use super::run_until_stop;
use crate::app::App;
use crate::domain::error::Error;
use crate::ops::service::compaction;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::sleep;

/// Time between a start and the first look for room in the database (manual 14.2).
const COMPACTION_WAIT_SECONDS: u64 = 1_800;
/// Time between two looks for room in the database (manual 14.2).
const COMPACTION_PERIOD_SECONDS: u64 = 86_400;
/// Time until a service that was busy is looked at for that again (manual 14.2).
const COMPACTION_BUSY_SECONDS: u64 = 600;

/// Runs until `stop` turns true, which also ends a compaction that is under way: what was stored is what it was then.
pub(crate) async fn run(app: App, mut stop: watch::Receiver<bool>) {
    let mut wait = COMPACTION_WAIT_SECONDS;
    loop {
        tokio::select! {
            () = sleep(Duration::from_secs(wait)) => {}
            _ = stop.wait_for(|stop| *stop) => return,
        }
        if !compaction::is_idle(&app) {
            wait = COMPACTION_BUSY_SECONDS;
            continue;
        }
        wait = COMPACTION_PERIOD_SECONDS;
        let service = app.clone();
        let ended =
            run_until_stop(&mut stop, move |cancel| compaction::run_if_worth_it(&service, cancel)).await;
        match ended {
            Ok(Ok(_) | Err(Error::Cancelled)) => {}
            Ok(Err(error)) => {
                tracing::warn!(
                    error = error.for_log(),
                    "the data was not made smaller; tomorrow it is tried again"
                );
            }
            Err(error) => super::log_panic("compaction", &error),
        }
    }
}
