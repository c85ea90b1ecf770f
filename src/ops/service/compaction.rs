//! Making database and history smaller after deletions (manual 13.19): beside a service that goes on, or on a folder that nobody uses.

use super::data_folder;
use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::domain::error::{Conflict, Error, Result};
use crate::domain::service::compaction::{
    CompactionReport, DatabaseCompaction, HistoryCompaction, Shrinkage,
};
use crate::store::bytes_on_disk;
use std::fs;
use std::sync::PoisonError;
use std::time::Instant;

/// What stays free of the disk while a smaller database is made (manual 14.2).
const COMPACTION_FREE_MIN_BYTES: u64 = 256 * 1024 * 1024;
/// Least room in the file of the database, beside a quarter of it, for which it is made smaller without being asked for (manual 14.2).
const COMPACTION_GAIN_MIN_BYTES: u64 = 16 * 1024 * 1024;
/// What that is of the whole file: a quarter.
const COMPACTION_GAIN_MIN_PART: u64 = 4;
/// Objects of the history with files of their own for which it becomes one pack without being asked for (manual 14.2).
const COMPACTION_LOOSE_MIN_COUNT: usize = 100;

/// Compacts the database and the history, whatever there is to gain. How it ended is kept for the owner.
///
/// # Errors
/// 409 when the disk has no room for a copy of the database, [`Error::Cancelled`] when `cancel` was set meanwhile; when
/// something cannot be read or written. What is stored is what it was then.
pub(crate) fn run(app: &App, cancel: &CancelToken) -> Result<CompactionReport> {
    with_record(app, || compact(app, cancel, Parts { database: true, history: true }))
}

/// As [`run`], of what is worth it; `None` when nothing is.
///
/// # Errors
/// As [`run`].
pub(crate) fn run_if_worth_it(app: &App, cancel: &CancelToken) -> Result<Option<CompactionReport>> {
    let go_on = || Error::check_cancelled(cancel);
    let bytes = database_bytes(app)?;
    let free = bytes.saturating_sub(app.store.needed_bytes(&go_on)?);
    let parts = Parts {
        database: free >= COMPACTION_GAIN_MIN_BYTES.max(bytes / COMPACTION_GAIN_MIN_PART),
        history: app.history.is_enabled() && app.history.size()?.loose >= COMPACTION_LOOSE_MIN_COUNT,
    };
    if !parts.database && !parts.history {
        return Ok(None);
    }
    with_record(app, || compact(app, cancel, parts)).map(Some)
}

/// True while nobody would notice the work: no run, no pipeline and no filling is under way.
#[must_use]
pub(crate) fn is_idle(app: &App) -> bool {
    app.state.active_runs.count() == 0 && app.state.pipelines.is_idle() && app.state.active_upserts.is_idle()
}

#[derive(Debug, Clone, Copy)]
struct Parts {
    database: bool,
    history: bool,
}

fn with_record(app: &App, work: impl FnOnce() -> Result<CompactionReport>) -> Result<CompactionReport> {
    // One at a time: the second would copy what the first is about to replace.
    let _turn = app.state.compaction_turn.lock().unwrap_or_else(PoisonError::into_inner);
    let done = work();
    let mut health = app.state.compaction.lock().unwrap_or_else(PoisonError::into_inner);
    match &done {
        Ok(report) => (health.last, health.error) = (Some(*report), None),
        Err(Error::Cancelled) => {}
        Err(error @ Error::Conflict(_)) => health.error = Some(error.to_string()),
        Err(error) => {
            tracing::error!(cause = error.for_log(), "the data could not be made smaller");
            health.error = Some("The data could not be made smaller. The log says why.".to_owned());
        }
    }
    done
}

fn compact(app: &App, cancel: &CancelToken, parts: Parts) -> Result<CompactionReport> {
    let begun = Instant::now();
    let database = if parts.database {
        compact_database(app, cancel)?
    } else {
        DatabaseCompaction::Unchanged { bytes: database_bytes(app)? }
    };
    Error::check_cancelled(cancel)?;
    let history = if parts.history { app.history.compact(cancel)? } else { None };
    Error::check_cancelled(cancel)?;
    let history = history.map(|(before, after)| HistoryCompaction {
        bytes: Shrinkage { before: before.bytes, after: after.bytes },
        loose: Shrinkage { before: before.loose, after: after.loose },
        packs: Shrinkage { before: before.packs, after: after.packs },
    });
    let report = CompactionReport { ended: app.clock.now(), took: begun.elapsed(), database, history };
    log(&report);
    Ok(report)
}

fn compact_database(app: &App, cancel: &CancelToken) -> Result<DatabaseCompaction> {
    let bytes = database_bytes(app)?;
    require_room(bytes, data_folder::free_bytes(&app.settings.data_dir).map_err(Error::internal)?)?;
    Ok(match app.store.compact(&app.settings.database(), &|| Error::check_cancelled(cancel))? {
        Some(sizes) => DatabaseCompaction::Smaller(Shrinkage { before: sizes.before, after: sizes.after }),
        None => DatabaseCompaction::Unchanged { bytes },
    })
}

/// Refuses a copy that the disk could not hold beside a database of so many bytes. Nobody knows what is `free` on some systems.
fn require_room(bytes: u64, free: Option<u64>) -> Result<()> {
    let needed = bytes.saturating_add(COMPACTION_FREE_MIN_BYTES);
    match free {
        Some(free) if free < needed => Err(Conflict::NoRoomToCompact { needed, free }.into()),
        _ => Ok(()),
    }
}

fn database_bytes(app: &App) -> Result<u64> {
    fs::metadata(app.settings.database()).map(|file| bytes_on_disk(&file)).map_err(Error::internal)
}

fn log(report: &CompactionReport) {
    let took_ms = u64::try_from(report.took.as_millis()).unwrap_or(u64::MAX);
    if let DatabaseCompaction::Smaller(Shrinkage { before, after }) = report.database {
        tracing::info!(before, after, took_ms, "the database was made smaller");
    }
    if let Some(HistoryCompaction { bytes, loose, packs }) = report.history {
        tracing::info!(
            before = bytes.before,
            after = bytes.after,
            loose_before = loose.before,
            loose_after = loose.after,
            packs_before = packs.before,
            packs_after = packs.after,
            took_ms,
            "the history was packed"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::cancel::CancelReason;

    #[test]
    fn what_is_not_worth_it_is_left_alone_unless_it_is_asked_for() {
        let (_folder, app, _) = App::with_owner();
        assert!(run_if_worth_it(&app, &CancelToken::new(None)).unwrap().is_none());
        assert!(app.state.compaction.lock().unwrap().last.is_none());
        let report = run(&app, &CancelToken::new(None)).unwrap();
        assert_eq!(app.state.compaction.lock().unwrap().last, Some(report));
        assert_eq!(report.history, None, "there is no version yet");
    }

    #[test]
    fn a_disk_without_room_for_a_copy_is_left_alone() {
        assert!(require_room(5, Some(5 + COMPACTION_FREE_MIN_BYTES)).is_ok());
        assert!(require_room(5, None).is_ok());
        let (needed, free) = (5 + COMPACTION_FREE_MIN_BYTES, 4 + COMPACTION_FREE_MIN_BYTES);
        let refused = require_room(5, Some(free));
        let expected = Conflict::NoRoomToCompact { needed, free };
        assert!(matches!(refused, Err(Error::Conflict(why)) if why == expected));
    }

    #[test]
    fn a_compaction_that_is_stopped_is_no_failure() {
        let (_folder, app, _) = App::with_owner();
        let cancel = CancelToken::new(None);
        cancel.cancel(CancelReason::Shutdown);
        assert!(matches!(run(&app, &cancel), Err(Error::Cancelled)));
        assert!(app.state.compaction.lock().unwrap().error.is_none());
    }
}
