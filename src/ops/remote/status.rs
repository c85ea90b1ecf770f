//! What the owner sees of the copy.

use super::load;
use crate::app::App;
use crate::domain::error::Result;
use crate::domain::remote::connection::Connection;
use crate::domain::remote::copy_state::CopyState;
use crate::domain::remote::environment::Role;
use crate::domain::remote::status::{ConnectionStatus, CopyStatus};
use crate::store::tables::CREDENTIALS;

/// How the copy stands.
///
/// # Errors
/// When the database cannot be read.
pub(crate) fn read(app: &App) -> Result<CopyStatus> {
    let connection = load(app)?;
    let copy = &app.state.remote_copy;
    let host = match &connection {
        Some(connection) => connection.place.host_name().to_owned(),
        None => app.git_host.host().name().to_owned(),
    };
    let connection = connection.map(|connection| connection_status(app, connection)).transpose()?;
    let state = match (copy.state(), &connection) {
        // A change of the connection that is under way: what is stored counts.
        (CopyState::NotConnected, Some(_)) => CopyState::connected(app.clock.now()),
        (CopyState::Off, _) => CopyState::Off,
        (_, None) => CopyState::NotConnected,
        (state, Some(_)) => state,
    };
    let host_url = app.git_host.host().web().to_owned();
    Ok(CopyStatus { host, host_url, state, environment: copy.environment(), connection })
}

fn connection_status(app: &App, connection: Connection) -> Result<ConnectionStatus> {
    let credential =
        app.store.read(|tx| CREDENTIALS.get(tx, &connection.workspace, &connection.credential))?;
    let copies = Role::of(app.state.remote_copy.environment()) == Role::Copy;
    // A history that cannot be read has told the log; the rest of the status is as true.
    let known = |found: Result<_, _>| found.ok().flatten();
    let is_noted = app.history.is_enabled() && !connection.has_old_notes;
    Ok(ConnectionStatus {
        repository: connection.place.repository(),
        url: connection.place.url(),
        credential: credential.map(|found| (found.id, found.name)),
        connected: connection.connected,
        waiting: (is_noted && copies).then(|| app.history.count_waiting().ok().flatten()).flatten(),
        copied: connection.copied,
        copied_version: is_noted.then(|| known(app.history.copied())).flatten(),
        checked: app.state.remote_copy.checked(),
        incoming: is_noted.then(|| known(app.history.incoming())).flatten(),
    })
}
