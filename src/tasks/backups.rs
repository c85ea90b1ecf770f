//! Makes backups after so many hours, where the operator wants them.

use super::run_until_stop;
use crate::app::App;
use crate::ops::service::backup::{BackupError, scheduled};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

/// Time until a backup that could not be made is tried again (manual 14.2).
const BACKUP_RETRY_SECONDS: u64 = 1_800;

/// Runs until `stop` turns true, which also ends a backup that is under way.
pub(crate) async fn run(app: App, mut stop: watch::Receiver<bool>) {
    let mut has_failed = false;
    loop {
        let service = app.clone();
        let Ok(Some(due)) = spawn_blocking(move || scheduled::time_to_next(&service)).await else { return };
        let due = if has_failed { due.max(Duration::from_secs(BACKUP_RETRY_SECONDS)) } else { due };
        tokio::select! {
            () = sleep(due) => {}
            _ = stop.wait_for(|stop| *stop) => return,
        }
        let service = app.clone();
        let ended = run_until_stop(&mut stop, move |cancel| scheduled::run(&service, cancel)).await;
        has_failed = !matches!(ended, Ok(Ok(())));
        match ended {
            Ok(Ok(()) | Err(BackupError::Stopped)) => {}
            Ok(Err(error)) => {
                tracing::error!(%error, "the backup that was due could not be made; it is tried again");
            }
            Err(error) => super::log_panic("backups", &error),
        }
    }
}
