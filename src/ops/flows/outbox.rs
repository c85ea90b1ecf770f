//! From the database to history, exactly once: intents, and what becomes of them.

use super::live;
use crate::app::App;
use crate::domain::error::Result;
use crate::domain::flows::flow::Flow;
use crate::domain::flows::record_result::RecordResult;
use crate::domain::flows::version::{NewVersion, Version, VersionKind};
use crate::history::{HistoryError, IndexRow, Recorder};
use crate::ops::service::history;
use crate::store::queries::version_index;
use crate::store::tables::INTENTS;
use crate::store::{Store, WriteTx};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Writes the intent beside the change it is about.
///
/// # Errors
/// When the database cannot be written.
pub(crate) fn put(tx: &WriteTx, change: Option<&NewVersion>) -> Result<()> {
    change.map_or(Ok(()), |change| INTENTS.put(tx, change.intent.as_bytes(), change))
}

/// The recorder's lock; `None` while history is off. It is taken before the database: who waited for it inside a write would
/// wait for somebody who waits for that write.
pub(crate) fn lock_recorder(app: &App) -> Option<Recorder<'_>> {
    debug_assert!(!Store::is_in_write(), "history's lock comes before the database, never inside a write");
    app.history.is_enabled().then(|| app.history.recorder())
}

/// Records a change whose Live is durable, and clears its intent. A failure is reported and changes nothing else: Live
/// serves already, and the next change is recorded as if nothing had happened.
pub(crate) fn record(
    app: &App,
    recorder: Option<Recorder<'_>>,
    change: Option<NewVersion>,
    flow: &Flow,
) -> RecordResult {
    let Some(recorder) = recorder else { return RecordResult::Off };
    let Some(change) = change else { return RecordResult::Nothing };
    // What an earlier crash left comes first: versions stand in the order in which Live changed.
    let left = record_pending(app, &recorder, Some(&change));
    let recorded = record_one(app, &recorder, &change);
    let clear = |tx: &WriteTx, rows: &[IndexRow]| {
        // With the version, so that the database knows of it whatever becomes of the history.
        version_index::put(tx, rows)?;
        if let Ok(version) = &recorded {
            live::note_version(tx, flow, change.kind, version)?;
        }
        if recorded.is_ok() {
            history::record_mark(tx, &app.history)?;
            // An older content must never be recorded on top of this one.
            for older in left.iter().filter(|older| older.content.flow() == change.content.flow()) {
                INTENTS.remove(tx, older.intent.as_bytes())?;
            }
        }
        // Nor forgotten while nobody knows whether it is there.
        if matches!(recorded, Err(HistoryError::Unconfirmed(_))) {
            return Ok(());
        }
        INTENTS.remove(tx, change.intent.as_bytes()).map(drop)
    };
    let cleared = app.history.flush_index_with(|rows| app.store.write(|tx| clear(tx, rows)));
    if let Err(error) = cleared {
        // The next start finds out whether it is on the branch: an intent is never recorded twice.
        tracing::error!(flow = %flow.id, error = error.for_log(), "an intent could not be cleared");
    }
    match recorded {
        Ok(version) => RecordResult::Version(Box::new(version)),
        Err(error) => RecordResult::Failed(error.to_string()),
    }
}

/// The flow as it reads after its version was noted on it.
#[must_use]
pub(crate) fn with_version(flow: &Flow, kind: VersionKind, recorded: &RecordResult) -> Flow {
    let mut flow = flow.clone();
    if let (true, Some(last), Some(version)) =
        (kind.is_last_publish(), &mut flow.last_published, recorded.version())
    {
        last.sha = Some(version.sha.to_string());
    }
    flow
}

/// Records one change. A failure after the branch moved is none, and a panic is a failure: Live has changed already,
/// and the caller is to hear so.
fn record_one(app: &App, recorder: &Recorder<'_>, change: &NewVersion) -> Result<Version, HistoryError> {
    let completed = record_or_find(recorder, change);
    let metrics = &app.state.metrics;
    if completed.is_ok() { &metrics.versions_recorded } else { &metrics.versions_failed }.increment();
    if completed.is_ok() {
        app.state.remote_copy.note_version(app.clock.now());
    }
    completed
}

fn record_or_find(recorder: &Recorder<'_>, change: &NewVersion) -> Result<Version, HistoryError> {
    let attempt = catch_unwind(AssertUnwindSafe(|| recorder.record_once(change)));
    let failed = match attempt {
        Ok(Ok(version)) => return Ok(version),
        Ok(Err(error)) => error,
        Err(_) => HistoryError::Disk(std::io::Error::other("the recorder ended in a panic")),
    };
    match recorder.find_recorded(&change.intent) {
        Ok(Some(version)) => Ok(version),
        Err(unsure @ HistoryError::Unconfirmed(_)) => Err(unsure),
        Ok(None) | Err(_) => Err(failed),
    }
}

/// Records what was left between database and history, in order, except `present`. Returns what could not be recorded.
fn record_pending(app: &App, recorder: &Recorder<'_>, present: Option<&NewVersion>) -> Vec<NewVersion> {
    let left = match app.store.read(|tx| INTENTS.list_intact(tx)) {
        Ok(left) => left,
        Err(error) => {
            tracing::error!(error = error.for_log(), "versions that wait to be recorded cannot be read");
            return Vec::new();
        }
    };
    let mut left =
        left.into_iter().filter(|change| present.is_none_or(|present| present.intent != change.intent));
    while let Some(change) = left.next() {
        let settled =
            record_one(app, recorder, &change).map_err(|error| error.to_string()).and_then(|version| {
                let noted = app.store.write(|tx| {
                    live::note_replayed_version(tx, &change, &version)?;
                    history::record_mark(tx, &app.history)?;
                    INTENTS.remove(tx, change.intent.as_bytes()).map(drop)
                });
                noted.map_err(|error| error.for_log())
            });
        if let Err(error) = settled {
            tracing::error!(flow = %change.content.flow(), %error, "a version could not be recorded; the next change tries again");
            return std::iter::once(change).chain(left).collect();
        }
    }
    Vec::new()
}

/// Records what a crash left between database and history, in order; called once, before anything is served.
/// What cannot be recorded now is tried again before the next change is recorded.
///
/// # Errors
/// When the database cannot be read.
pub(crate) fn replay(app: &App) -> Result<()> {
    let left = app.store.read(|tx| INTENTS.list_intact(tx))?;
    let Some(recorder) = lock_recorder(app).filter(|_| !left.is_empty()) else { return Ok(()) };
    tracing::info!(count = left.len(), "completing versions that a crash left behind");
    record_pending(app, &recorder, None);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "history's lock comes before the database")]
    fn historys_lock_comes_first() {
        let (_folder, app) = App::temporary();
        assert!(lock_recorder(&app).is_some(), "outside of a write it may be taken");
        let _ = app.store.write(|_| Ok(lock_recorder(&app).is_some()));
    }
}
