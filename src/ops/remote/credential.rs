//! The credential of the copy: where a token comes from, and what becomes of the copy when the credential changes.

use super::{edit, load, target};
use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::ids::CredentialId;
use crate::domain::remote::connection::{Connection, TokenSource};
use crate::domain::remote::copy_state::StopReason;
use crate::domain::remote::token::HostToken;

/// A token that somebody sent, or that is stored already.
pub(super) enum GivenToken {
    Pasted(HostToken),
    Stored(CredentialId, HostToken),
}

impl GivenToken {
    pub(super) const fn token(&self) -> &HostToken {
        match self {
            Self::Pasted(token) | Self::Stored(_, token) => token,
        }
    }
}

/// Reads the token that a request names.
///
/// # Errors
/// 400 where it names none, or more than one, or one that is of no use.
pub(super) fn given_token(app: &App, caller: &Caller, source: TokenSource) -> Result<GivenToken> {
    let TokenSource { token, credential } = source;
    let id = match (token, credential) {
        (Some(token), None) => return HostToken::parse(&token).map(GivenToken::Pasted),
        (None, Some(id)) => id,
        (Some(_), Some(_)) => return Err(Error::invalid("Send a token or a credentialId, and not both.")),
        (None, None) => {
            return Err(Error::invalid("Send a token, or the credentialId of one that is stored."));
        }
    };
    match app.store.read(|tx| target::token_of(app, tx, &caller.workspace, &id))? {
        Ok(token) => Ok(GivenToken::Stored(id, token)),
        Err(StopReason::CredentialGone) => Err(unknown()),
        Err(_) => Err(Error::invalid("This credential holds no token of a git host.")),
    }
}

/// The 400 of a credential that is not there.
pub(super) fn unknown() -> Error {
    Error::invalid("There is no credential with this credentialId in this workspace.")
}

/// A credential was changed: what its token may have been the fault of is tried again, or ends when it holds none any more.
pub(in crate::ops) fn note_change(app: &App, id: &CredentialId) {
    let moved = connection_with(app, id).and_then(|found| {
        let Some(connection) = found else { return Ok(()) };
        let token = app.store.read(|tx| target::token_of(app, tx, &connection.workspace, id))?;
        match token {
            Ok(_) => resume(app, &connection),
            Err(reason) => stop(app, &connection, reason),
        }
    });
    log_failure(moved);
}

/// A credential was deleted.
pub(in crate::ops) fn note_deletion(app: &App, id: &CredentialId) {
    let moved = connection_with(app, id)
        .and_then(|found| found.map_or(Ok(()), |found| stop(app, &found, StopReason::CredentialGone)));
    log_failure(moved);
}

fn connection_with(app: &App, id: &CredentialId) -> Result<Option<Connection>> {
    Ok(load(app)?.filter(|connection| connection.credential == *id))
}

fn resume(app: &App, connection: &Connection) -> Result<()> {
    edit(app, connection, |connection| connection.stopped = None)?;
    let now = app.clock.now();
    app.state.remote_copy.update(|state| state.change_credential(now));
    Ok(())
}

fn stop(app: &App, connection: &Connection, reason: StopReason) -> Result<()> {
    edit(app, connection, |connection| connection.stopped = Some(reason.clone()))?;
    app.state.remote_copy.update(|state| state.stop(reason));
    // What runs has a token that is not to be used any more.
    app.state.remote_copy.interrupt();
    Ok(())
}

/// The credential is changed already, and the next copy finds out what this could not say.
fn log_failure(moved: Result<()>) {
    if let Err(error) = moved {
        tracing::error!(error = error.for_log(), "the copy could not be told of a changed credential");
    }
}
