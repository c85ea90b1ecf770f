//! One copy of the versions to the host, or one reading of those there.

use super::outcome::Outcome;
use super::{edit, environment, forget_old_notes, load, status, target};
use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Conflict, Error, Result};
use crate::domain::remote::connection::Connection;
use crate::domain::remote::copy_state::{CopyState, Failure};
use crate::domain::remote::environment::Role;
use crate::domain::remote::status::CopyStatus;
use crate::domain::secrets::{SecretFamily, first_match};
use crate::domain::workspace::audit::{AuditAction, AuditEntry, AuditTargetKind};
use crate::history::remote::{CopyItem, Remote, RemoteError};
use crate::ops::flows::versions::require_history;
use crate::ops::workspace::audit;
use jiff::Timestamp;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// When something is to be done by itself.
pub(crate) fn next_due(app: &App) -> Option<Timestamp> {
    app.state.remote_copy.state().due()
}

/// Calls this when [`next_due`] may have changed.
pub(crate) fn listen(app: &App, listener: impl Fn() + Send + Sync + 'static) {
    app.state.remote_copy.listen(listener);
}

/// Copies or reads, when that is due.
pub(crate) fn run_due(app: &App, cancel: &CancelToken) {
    let Some(turn) = app.state.remote_copy.take_turn(cancel) else { return };
    let now = app.clock.now();
    if app.state.remote_copy.update(|state| state.begin_due(now)) {
        perform(app, turn.cancel());
    }
}

/// Copies or reads at once, whatever waits or stopped, and answers when that is done or failed.
///
/// # Errors
/// 409 while history is off, and where nothing is connected; [`Error::Cancelled`] when `cancel` was set before it began.
pub(crate) fn push(app: &App, caller: &Caller, cancel: &CancelToken) -> Result<CopyStatus> {
    require_history(&app.history)?;
    let unconnected =
        || Error::from(Conflict::NoRepositoryConnected { host: app.git_host.host().to_string() });
    let connection = load(app)?.ok_or_else(unconnected)?;
    let turn = app.state.remote_copy.take_turn(cancel).ok_or(Error::Cancelled)?;
    // Disconnected while this waited for its turn.
    if !app.state.remote_copy.update(CopyState::begin) {
        return Err(unconnected());
    }
    let entry = AuditEntry::by_caller(caller, AuditAction::VersionsCopied, app.clock.monotonic_now())
        .with_target(AuditTargetKind::Repository, connection.id, &connection.place.repository());
    let noted = app.store.write(|tx| audit::record(tx, &entry));
    perform(app, turn.cancel());
    drop(turn);
    noted?;
    status::read(app)
}

/// Copies or reads, and moves the machine by what came of it.
fn perform(app: &App, cancel: &CancelToken) {
    let (connection, outcome) = match load(app) {
        Ok(None) => {
            app.state.remote_copy.update(|state| *state = CopyState::NotConnected);
            return;
        }
        Ok(Some(connection)) => {
            let outcome = catch_unwind(AssertUnwindSafe(|| attempt(app, &connection, cancel)));
            let panicked = |_| {
                let message = "The service failed to do this. Its log says why.".to_owned();
                Outcome::Failed(Failure { message, wait_seconds: None })
            };
            (Some(connection), outcome.unwrap_or_else(panicked))
        }
        Err(error) => (None, Outcome::of_error(&error)),
    };
    settle(app, connection.as_ref(), outcome);
}

fn attempt(app: &App, connection: &Connection, cancel: &CancelToken) -> Outcome {
    let remote = match target::connected(app, connection) {
        Ok(Ok(remote)) => remote,
        Ok(Err(reason)) => return Outcome::Stopped(reason),
        Err(error) => return Outcome::of_error(&error),
    };
    let role = match environment::role(app, connection) {
        Ok(role) => role,
        Err(outcome) => return outcome,
    };
    if let Err(error) = forget_old_notes(app, connection) {
        return Outcome::of_error(&error);
    }
    let done = match role {
        Role::Copy => app.history.push(&remote, &mut judge, cancel).map(|pushed| pushed.versions),
        Role::Read => read(app, &remote, cancel).map(|()| 0),
    };
    match done {
        Ok(versions) => Outcome::Done { versions },
        Err(fault) => {
            tracing::warn!(fault = for_log(&fault), "versions could not be copied or read");
            Outcome::of_fault(fault, connection.place.host_name())
        }
    }
}

fn read(app: &App, remote: &Remote, cancel: &CancelToken) -> Result<(), RemoteError> {
    app.history.fetch(remote, cancel)?;
    app.state.remote_copy.set_checked(Some(app.clock.now()));
    Ok(())
}

/// A key-shaped text in what is about to be copied. Recording hides such texts; what an earlier scanner missed, or another tool
/// wrote, is found here.
fn judge(item: CopyItem<'_>) -> Option<&'static str> {
    let found = match item {
        CopyItem::Commit(_, bytes) => first_match(bytes),
        CopyItem::File(_, path, bytes) => first_match(path.as_bytes()).or_else(|| first_match(bytes)),
    };
    found.map(SecretFamily::name)
}

/// What a log says of a fault: nothing of what the host wrote.
fn for_log(fault: &RemoteError) -> String {
    match fault {
        RemoteError::Declined(_) => "the host declined the copy".to_owned(),
        RemoteError::Said(_) => "the host could not do it".to_owned(),
        fault => fault.to_string(),
    }
}

fn settle(app: &App, connection: Option<&Connection>, outcome: Outcome) {
    let (now, role) = (app.clock.now(), Role::of(app.state.remote_copy.environment()));
    let metrics = &app.state.metrics;
    let is_done = matches!(outcome, Outcome::Done { .. });
    let stopped = app.state.remote_copy.update(|state| {
        match outcome {
            Outcome::Done { versions } => {
                metrics.copies_completed.increment();
                if versions > 0 {
                    tracing::info!(versions, "versions were copied");
                }
                state.succeed(now, role);
            }
            Outcome::Failed(failure) => {
                metrics.copies_failed.increment();
                state.fail(now, failure, chance());
            }
            Outcome::Stopped(reason) => {
                metrics.copies_failed.increment();
                tracing::warn!("nothing is copied or read any more until the owner acts");
                state.stop(reason);
            }
            Outcome::GivenUp => state.give_up(now),
        }
        match state {
            CopyState::Stopped(reason) => Some(reason.clone()),
            _ => None,
        }
    });
    let Some(connection) = connection else { return };
    let stored = edit(app, connection, |connection| {
        connection.stopped.clone_from(&stopped);
        if is_done && role == Role::Copy {
            connection.copied = Some(now);
        }
    });
    if let Err(error) = stored {
        tracing::error!(error = error.for_log(), "what a copy came to could not be stored");
    }
}

/// A number from 0 to 1. Without random numbers waits are whole.
fn chance() -> f64 {
    let mut byte = [0];
    getrandom::fill(&mut byte).map_or(0.0, |()| f64::from(byte[0]) / 255.0)
}
