//! The label of this server: in the history's folder, and in the database, which outlives that folder.

use super::outcome::Outcome;
use super::status;
use super::{edit, is_connected, load};
use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Conflict, Error, Result};
use crate::domain::remote::connection::Connection;
use crate::domain::remote::copy_state::StopReason;
use crate::domain::remote::environment::{Environment, Role, ServerLabel};
use crate::domain::remote::status::CopyStatus;
use crate::domain::workspace::audit::{AuditAction, AuditEntry, AuditTargetKind};
use crate::history::HistoryError;
use crate::ops::flows::versions::{history_error, require_history};
use crate::ops::workspace::audit;
use crate::store::WriteTx;
use crate::store::tables::{SERVER_LABEL, SERVER_LABEL_KEY};

/// What the list of changes calls a server without a label.
const NO_LABEL: &str = "none";

/// What the owner labelled this server as.
#[must_use]
pub(crate) fn environment_of(app: &App) -> Option<Environment> {
    app.state.remote_copy.environment()
}

/// Labels this server as Dev, as Prod or as neither.
///
/// # Errors
/// 409 while history is off, and for a label that would turn copying into reading, or the reverse, while a repository is
/// connected.
pub(crate) fn label(app: &App, caller: &Caller, environment: Option<Environment>) -> Result<CopyStatus> {
    require_history(&app.history)?;
    let _changes = app.state.remote_copy.lock_changes();
    let before = app.state.remote_copy.environment();
    let connection = load(app)?;
    if Role::of(before) != Role::of(environment) && connection.is_some() {
        return Err(Conflict::EnvironmentWhileConnected.into());
    }
    // A crash between the two leaves labels that differ, with which nothing is copied until the owner labels again.
    app.history.set_environment(environment).map_err(history_error)?;
    let word = environment.map_or(NO_LABEL, Environment::as_str);
    let entry = AuditEntry::by_caller(caller, AuditAction::EnvironmentChanged, app.clock.monotonic_now())
        .with_target(AuditTargetKind::Server, word, word);
    app.store.write(|tx| {
        keep(tx, environment)?;
        if before == environment { Ok(()) } else { audit::record(tx, &entry) }
    })?;
    app.state.remote_copy.set_environment(environment);
    if before != environment {
        tracing::info!(environment = word, by = %caller.principal, "the server was labelled");
    }
    if let Some(connection) = connection {
        resume(app, &connection)?;
    }
    status::read(app)
}

/// What stopped because the label was lost goes on.
fn resume(app: &App, connection: &Connection) -> Result<()> {
    edit(app, connection, |connection| {
        if connection.stopped == Some(StopReason::LabelLost) {
            connection.stopped = None;
        }
    })?;
    let now = app.clock.now();
    app.state.remote_copy.update(|state| state.change_label(now));
    Ok(())
}

/// Keeps the label in the database.
///
/// # Errors
/// When the database cannot be written.
pub(super) fn keep(tx: &WriteTx, environment: Option<Environment>) -> Result<()> {
    SERVER_LABEL.put(tx, SERVER_LABEL_KEY, &ServerLabel { environment })
}

/// What the database keeps; `None` where only builds that kept nothing have labelled or connected.
fn kept(app: &App) -> Result<Option<ServerLabel>> {
    app.store.read(|tx| SERVER_LABEL.get(tx, SERVER_LABEL_KEY))
}

/// Finds out what this server is; called once, before anything is served. What an earlier build labelled is kept from here on.
///
/// # Errors
/// When the database cannot be read or written.
pub(super) fn recover(app: &App) -> Result<()> {
    let found = app.history.environment();
    let environment = match (kept(app)?, found) {
        // A history that cannot be read now was named in the log.
        (Some(label), found) => label.beside(found.unwrap_or_default()),
        (None, Err(_)) => None,
        (None, Ok(found)) => {
            if found.is_some() || (app.history.is_begun() && is_connected(app)?) {
                app.store.write(|tx| keep(tx, found))?;
            }
            found
        }
    };
    app.state.remote_copy.set_environment(environment);
    Ok(())
}

/// What this server does with its repository. Read anew each time: a server that is not known to copy must not.
///
/// # Errors
/// What comes of it where that is not known.
pub(super) fn role(app: &App, connection: &Connection) -> Result<Role, Outcome> {
    let of_error = |error: Error| Outcome::of_error(&error);
    let lost = || Outcome::Stopped(StopReason::LabelLost);
    let found = match app.history.environment() {
        Ok(found) => Some(found),
        Err(HistoryError::Missing) => None,
        Err(fault) => return Err(Outcome::of_fault(fault.into(), connection.place.host_name())),
    };
    let label = match kept(app).map_err(of_error)? {
        Some(label) => label,
        None => {
            // An earlier build connected this, and its history was there from then on: where it is not, its label is unknown.
            let is_lost = connection.stopped == Some(StopReason::LabelLost) || !app.history.is_begun();
            let environment = found.filter(|_| !is_lost).ok_or_else(lost)?;
            app.store.write(|tx| keep(tx, environment)).map_err(of_error)?;
            ServerLabel { environment }
        }
    };
    let found = found.flatten();
    let environment = label.beside(found);
    app.state.remote_copy.set_environment(environment);
    // A history that is missing on a server that copies is told of by the copy itself.
    if label.agrees_with(found) { Ok(Role::of(environment)) } else { Err(lost()) }
}
