//! Connecting a repository, and forgetting it.

use super::credential::{GivenToken, given_token};
use super::{environment, forget_old_notes, load, outcome, status, target};
use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::domain::accounts::caller::Caller;
use crate::domain::accounts::user::DisplayName;
use crate::domain::error::{Conflict, Error, Result};
use crate::domain::ids::ConnectionId;
use crate::domain::remote::connection::{ConnectRequest, Connection, RepositoryPlace};
use crate::domain::remote::copy_state::CopyState;
use crate::domain::remote::environment::Role;
use crate::domain::remote::repository::RepositoryChoice;
use crate::domain::remote::status::CopyStatus;
use crate::domain::remote::token::{HostToken, TOKEN_CREDENTIAL, TOKEN_FIELD};
use crate::domain::workspace::audit::{AuditAction, AuditEntry, AuditTargetKind};
use crate::domain::workspace::credential::{Credential, CredentialChange};
use crate::domain::workspace::credential_types::find_type;
use crate::history::remote::RemoteContent;
use crate::ops::flows::versions::{history_error, require_history};
use crate::ops::workspace::{audit, credentials};
use crate::store::tables::{CREDENTIALS, REMOTE_CONNECTION, REMOTE_CONNECTION_KEY};
use serde_json::Map;

/// Connects a repository in place of the one before. Nothing is saved before the host has answered for it.
///
/// # Errors
/// 400 for what is no repository or no token, and where the host does not answer as it should; 409 while history is off, for a
/// repository with other content, and when the label of this server changed meanwhile.
pub(crate) fn connect(
    app: &App,
    caller: &Caller,
    request: ConnectRequest,
    cancel: &CancelToken,
) -> Result<CopyStatus> {
    require_history(&app.history)?;
    let ConnectRequest { repository, token, credential_name } = request;
    let settings = &app.settings.git_host;
    let place = target::place(RepositoryChoice::parse(&repository, &settings.host)?, settings)?;
    let given = given_token(app, caller, token)?;
    // Made before the host is asked, so that a name that cannot be is refused first; stored after it has answered.
    let (made, used) = match &given {
        GivenToken::Pasted(token) => {
            let made = prepare_credential(app, caller, &place, credential_name, token)?;
            (Some(made.clone()), made.id)
        }
        GivenToken::Stored(id, _) => (None, *id),
    };
    let role = Role::of(app.state.remote_copy.environment());
    let remote = target::remote(app, &place, given.token());
    let content = app
        .history
        .inspect(&remote, cancel)
        .map_err(|fault| outcome::connect_error(fault, place.host_name()))?;
    judge_content(content, role, &place)?;

    let _changes = app.state.remote_copy.lock_changes();
    if Role::of(app.state.remote_copy.environment()) != role {
        return Err(Conflict::EnvironmentMoved.into());
    }
    let _turn = app.state.remote_copy.take_over(cancel).ok_or(Error::Cancelled)?;
    let now = app.clock.monotonic_now();
    let connection = Connection {
        id: ConnectionId::random(),
        place,
        workspace: caller.workspace,
        credential: used,
        connected: now,
        stopped: None,
        copied: None,
        has_old_notes: true,
    };
    store(app, caller, &connection, made.as_ref())?;
    app.state.remote_copy.set_checked(None);
    app.state.remote_copy.update(|state| *state = CopyState::connected(now));
    if let Err(error) = forget_old_notes(app, &connection) {
        // It is connected all the same: the first copy does it, or fails and says why.
        tracing::error!(
            error = error.for_log(),
            "what is noted of the repository before could not be forgotten"
        );
    }
    tracing::info!(by = %caller.principal, "a repository was connected");
    status::read(app)
}

/// Forgets the connected repository. Its credential stays, and nothing changes at the host.
///
/// # Errors
/// When the database or the history cannot be written; [`Error::Cancelled`] when `cancel` was set before what runs had ended.
pub(crate) fn disconnect(app: &App, caller: &Caller, cancel: &CancelToken) -> Result<CopyStatus> {
    let _changes = app.state.remote_copy.lock_changes();
    let _turn = app.state.remote_copy.take_over(cancel).ok_or(Error::Cancelled)?;
    let Some(connection) = load(app)? else { return status::read(app) };
    // While history is off its folder is left alone; the next connection forgets what is noted there.
    if app.history.is_enabled() {
        app.history.forget_remote().map_err(history_error)?;
    }
    let entry = audit_entry(app, caller, AuditAction::RepositoryDisconnected, &connection);
    app.store.write(|tx| {
        REMOTE_CONNECTION.remove(tx, REMOTE_CONNECTION_KEY)?;
        audit::record(tx, &entry)
    })?;
    app.state.remote_copy.set_checked(None);
    app.state.remote_copy.update(|state| {
        if *state != CopyState::Off {
            *state = CopyState::NotConnected;
        }
    });
    tracing::info!(by = %caller.principal, "a repository was disconnected");
    status::read(app)
}

/// A server that copies writes into an empty repository, or goes on in its own. One that reads takes what another server wrote.
fn judge_content(content: RemoteContent, role: Role, place: &RepositoryPlace) -> Result<()> {
    match (content, role) {
        (RemoteContent::Empty | RemoteContent::Main { is_known: true, .. }, _)
        | (RemoteContent::Main { .. }, Role::Read) => Ok(()),
        (RemoteContent::Main { .. }, Role::Copy) | (RemoteContent::OtherReferences, _) => {
            Err(Conflict::OtherContent { host: place.host_name().to_owned() }.into())
        }
    }
}

fn prepare_credential(
    app: &App,
    caller: &Caller,
    place: &RepositoryPlace,
    name: Option<String>,
    token: &HostToken,
) -> Result<Credential> {
    let name = match name {
        Some(name) => DisplayName::parse("credentialName", &name)?,
        None => DisplayName::shortened(&format!("{}: {}", app.git_host.host(), place.repository())),
    };
    let fields = Map::from_iter([(TOKEN_FIELD.to_owned(), token.as_str().into())]);
    let change = CredentialChange {
        name: Some(name),
        credential_name: Some(TOKEN_CREDENTIAL.to_owned()),
        fields: Some(fields),
    };
    credentials::prepare(app, caller, find_type, &change)
}

/// The connection, and the credential that was made for it, or neither.
fn store(app: &App, caller: &Caller, connection: &Connection, made: Option<&Credential>) -> Result<()> {
    let entry = audit_entry(app, caller, AuditAction::RepositoryConnected, connection);
    let label = app.state.remote_copy.environment();
    app.store.write(|tx| {
        match made {
            Some(made) => credentials::insert(tx, caller, made)?,
            // Deleted while the host was asked.
            None if !CREDENTIALS.has(tx, &caller.workspace, &connection.credential)? => {
                return Err(super::credential::unknown());
            }
            None => {}
        }
        REMOTE_CONNECTION.put(tx, REMOTE_CONNECTION_KEY, connection)?;
        // What this server is to do with it, whatever becomes of the history.
        environment::keep(tx, label)?;
        audit::record(tx, &entry)
    })
}

fn audit_entry(app: &App, caller: &Caller, action: AuditAction, connection: &Connection) -> AuditEntry {
    let name = connection.place.repository();
    AuditEntry::by_caller(caller, action, app.clock.monotonic_now()).with_target(
        AuditTargetKind::Repository,
        connection.id,
        &name,
    )
}
