//! How the server is, for its owner: settings in force, health of its parts, and what somebody has to see to. What a part cannot
//! say is said of that part, and the rest of the answer is as true.

use super::backup::scheduled;
use super::clock_check::clock_warnings;
use super::data_folder;
use super::disk_use::folder_sizes;
use super::mail;
use crate::app::App;
use crate::base::recent_log::RECENT_LOG;
use crate::domain::error::Result;
use crate::domain::remote::copy_state::CopyState;
use crate::domain::remote::status::CopyStatus;
use crate::domain::service::compaction::CompactionHealth;
use crate::domain::service::log_line::{Gravity, LogExcerpt};
use crate::domain::service::mail::MailHealth;
use crate::domain::service::problem::{Problem, ProblemKind};
use crate::domain::service::server_setting::last_segment;
use crate::domain::service::server_status::{
    BackupHealth, DatabaseHealth, DiskUse, HistoryHealth, ServerStatus,
};
use crate::ops::remote;
use crate::settings::MetricsAccess;
use crate::store::Store;
use crate::store::tables::{API_KEYS, INTENTS, SESSIONS, WORKSPACES};
use std::fs;
use std::sync::PoisonError;

/// A disk with less room than this is told as a problem (manual 14.2).
const DISK_FREE_MIN_BYTES: u64 = 1024 * 1024 * 1024;

/// How the server is.
///
/// # Errors
/// When the database cannot be read at all.
pub(crate) fn read(app: &App) -> Result<ServerStatus> {
    let sizes = folder_sizes(app);
    let (started, uptime) = app.clock.started();
    let disk = DiskUse {
        folder: last_segment(&app.settings.data_dir.to_string_lossy()),
        bytes: sizes.data,
        free: free_bytes(app),
    };
    let (database, history) = (database_health(app), history_health(app, sizes.history)?);
    let copy = Some(remote::status::read(app)?).filter(|status| status.connection.is_some());
    let backup = scheduled::health(app);
    let compaction = compaction_health(app);
    let now = app.clock.now();
    let (sessions, keys) = app.store.read(|tx| {
        let alive = SESSIONS.list(tx)?.iter().filter(|session| session.is_alive(now)).count();
        let mut keys = 0;
        for workspace in WORKSPACES.list(tx)? {
            keys += API_KEYS.count(tx, &workspace.id)?;
        }
        Ok((alive, keys))
    })?;
    let mail = mail::health(app)?;
    let parts = Parts {
        database: &database,
        history: &history,
        copy: copy.as_ref(),
        backup: &backup,
        compaction: &compaction,
        mail: mail.as_ref(),
        disk_free: disk.free,
    };
    let problems = parts.problems(app);
    Ok(ServerStatus {
        started,
        uptime_seconds: uptime.as_secs(),
        environment: remote::environment_of(app),
        settings: app.settings.in_force(),
        disk,
        database,
        history,
        copy,
        backup,
        mail,
        compaction,
        sessions,
        keys,
        metrics: app.settings.metrics != MetricsAccess::Off,
        tracing: app.settings.traces.is_some(),
        problems,
    })
}

/// What somebody has to see to, without what takes long to add up.
///
/// # Errors
/// When the database cannot be read at all.
pub(crate) fn problems(app: &App) -> Result<Vec<Problem>> {
    let (database, history) = (database_health(app), history_health(app, 0)?);
    let (copy, backup) = (remote::status::read(app)?, scheduled::health(app));
    let (compaction, mail) = (compaction_health(app), mail::health(app)?);
    let parts = Parts {
        database: &database,
        history: &history,
        copy: Some(&copy).filter(|status| status.connection.is_some()),
        backup: &backup,
        compaction: &compaction,
        mail: mail.as_ref(),
        disk_free: free_bytes(app),
    };
    Ok(parts.problems(app))
}

/// How the last compaction went.
fn compaction_health(app: &App) -> CompactionHealth {
    app.state.compaction.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// How the parts are that can have a problem.
struct Parts<'a> {
    database: &'a DatabaseHealth,
    history: &'a HistoryHealth,
    copy: Option<&'a CopyStatus>,
    backup: &'a BackupHealth,
    compaction: &'a CompactionHealth,
    mail: Option<&'a MailHealth>,
    disk_free: Option<u64>,
}

impl Parts<'_> {
    fn problems(&self, app: &App) -> Vec<Problem> {
        let disk = self.disk_free.filter(|free| *free < DISK_FREE_MIN_BYTES).map(|free| {
            format!(
                "The disk of the data folder has {} MiB free. Make room before it is full.",
                free / 1_048_576
            )
        });
        let found = [
            (ProblemKind::Database, self.database.error.clone()),
            (ProblemKind::Compaction, self.compaction.error.clone()),
            (ProblemKind::History, self.history.error.clone()),
            (ProblemKind::Copy, self.copy.and_then(copy_problem)),
            (ProblemKind::Backup, self.backup.error.clone()),
            (ProblemKind::Disk, disk),
            (ProblemKind::Mail, self.mail.and_then(|mail| mail.error.clone())),
        ];
        let of_clock = clock_warnings(app).into_iter().map(|told| ProblemKind::Clock.because(told));
        let found = found.into_iter().filter_map(|(kind, told)| told.map(|told| kind.because(told)));
        found.chain(of_clock).collect()
    }
}

fn free_bytes(app: &App) -> Option<u64> {
    data_folder::free_bytes(&app.settings.data_dir).ok().flatten()
}

/// The newest lines of the log that are at least this grave.
#[must_use]
pub(crate) fn log(app: &App, at_least: Gravity, most: usize) -> LogExcerpt {
    RECENT_LOG.newest(at_least, most, app.clock.now())
}

fn database_health(app: &App) -> DatabaseHealth {
    let files = Store::files(&app.settings.database());
    let bytes = files.iter().filter_map(|path| fs::metadata(path).ok()).map(|file| file.len()).sum();
    let error = app.store.read_messages(|_| Ok(())).err();
    let told = error.map(|error| {
        tracing::error!(cause = error.for_log(), "the database does not answer");
        "The database does not answer. The log says why.".to_owned()
    });
    DatabaseHealth { bytes, error: told }
}

fn history_health(app: &App, bytes: u64) -> Result<HistoryHealth> {
    if !app.history.is_enabled() {
        return Ok(HistoryHealth { is_on: false, versions: None, bytes, error: None });
    }
    let (versions, unread) = match app.history.count() {
        Ok(count) => (Some(count), None),
        Err(fault) => (None, Some(fault.to_string())),
    };
    // A failure is over when nothing waits to be recorded any more.
    let waits = !app.store.read(|tx| INTENTS.keys(tx))?.is_empty();
    let unrecorded = app.history.last_failure().filter(|_| waits);
    Ok(HistoryHealth { is_on: true, versions, bytes, error: unread.or(unrecorded) })
}

fn copy_problem(status: &CopyStatus) -> Option<String> {
    match &status.state {
        CopyState::Retrying { .. } | CopyState::Stopped(_) => status.state.message(&status.host),
        CopyState::Off
        | CopyState::NotConnected
        | CopyState::UpToDate { .. }
        | CopyState::Waiting { .. }
        | CopyState::Copying { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_server_is_well() {
        let (_folder, app, _) = App::with_owner();
        let status = read(&app).unwrap();
        assert_eq!((status.database.error, status.history.error), (None, None));
        assert_eq!((status.history.is_on, status.history.versions), (true, Some(0)));
        assert!(status.copy.is_none() && !status.backup.has_folder);
        assert!(status.mail.is_none());
        assert!(
            status.problems.iter().all(|problem| problem.kind == ProblemKind::Disk),
            "{:?}",
            status.problems
        );
        assert!(!status.disk.folder.contains('/') && status.database.bytes > 0);
    }

    #[test]
    fn a_clock_that_was_set_is_a_problem() {
        let (_folder, app, _) = App::with_owner();
        app.clock.advance_seconds(7_200);
        let problems = read(&app).unwrap().problems;
        assert!(problems.iter().any(|problem| problem.kind == ProblemKind::Clock), "{problems:?}");
    }
}
