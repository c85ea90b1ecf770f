//! The repository at a git host: copying the versions of every workspace there, or reading them (manual 19).

pub(crate) mod connect;
pub(crate) mod copy;
pub(crate) mod credential;
mod environment;
mod outcome;
pub(crate) mod repositories;
pub(crate) mod status;
mod target;

use crate::app::App;
use crate::domain::error::Result;
use crate::domain::remote::connection::Connection;
use crate::domain::remote::copy_state::CopyState;
use crate::domain::remote::environment::Role;
use crate::ops::flows::versions::history_error;
use crate::store::tables::{REMOTE_CONNECTION, REMOTE_CONNECTION_KEY};
pub(crate) use environment::{environment_of, label};

/// Finds out where the copy stood when the service ended; called once, before anything is served.
///
/// # Errors
/// When the database cannot be read or written.
pub(crate) fn recover(app: &App) -> Result<()> {
    if !app.history.is_enabled() {
        app.state.remote_copy.update(|state| *state = CopyState::Off);
        return Ok(());
    }
    environment::recover(app)?;
    let Some(connection) = load(app)? else { return Ok(()) };
    if let Err(error) = forget_old_notes(app, &connection) {
        tracing::error!(
            error = error.for_log(),
            "what is noted of the repository before could not be forgotten"
        );
    }
    let stopped =
        connection.stopped.clone().or_else(|| target::obstacle(&connection.place, &app.settings.git_host));
    let state = match stopped {
        Some(reason) => CopyState::Stopped(reason),
        None if is_copied(app, &connection) => CopyState::UpToDate { next_look: None },
        None => CopyState::connected(app.clock.now()),
    };
    app.state.remote_copy.update(|standing| *standing = state);
    Ok(())
}

/// What is noted of a repository says nothing of another one. It is forgotten once the new connection is stored, which until then
/// may be refused; a crash between the two is made good by the next start, and any other failure by the next copy.
///
/// # Errors
/// When the history or the database cannot be written.
fn forget_old_notes(app: &App, connection: &Connection) -> Result<()> {
    if !connection.has_old_notes {
        return Ok(());
    }
    app.history.forget_remote().map_err(history_error)?;
    edit(app, connection, |connection| connection.has_old_notes = false)
}

/// True when nothing waits for the host, as far as this server knows.
fn is_copied(app: &App, connection: &Connection) -> bool {
    Role::of(app.state.remote_copy.environment()) == Role::Copy
        && connection.copied.is_some()
        && matches!(app.history.count_waiting(), Ok(Some(0)))
}

/// The connection, if there is one.
fn load(app: &App) -> Result<Option<Connection>> {
    app.store.read(|tx| REMOTE_CONNECTION.get(tx, REMOTE_CONNECTION_KEY))
}

/// True when a repository is connected.
///
/// # Errors
/// When the database cannot be read.
pub(crate) fn is_connected(app: &App) -> Result<bool> {
    load(app).map(|connection| connection.is_some())
}

/// Changes what is stored of this connection, unless another one, or none, has taken its place.
fn edit(app: &App, connection: &Connection, change: impl Fn(&mut Connection)) -> Result<()> {
    app.store.write(|tx| {
        let Some(stored) = REMOTE_CONNECTION.get(tx, REMOTE_CONNECTION_KEY)? else { return Ok(()) };
        let mut changed = stored.clone();
        change(&mut changed);
        if stored.id != connection.id || changed == stored {
            return Ok(());
        }
        REMOTE_CONNECTION.put(tx, REMOTE_CONNECTION_KEY, &changed)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::flows::flow_change::FlowChange;
    use crate::domain::ids::{ConnectionId, CredentialId, WorkspaceId};
    use crate::domain::remote::connection::RepositoryPlace;
    use crate::domain::remote::copy_state::StopReason;
    use crate::domain::remote::environment::Environment;
    use std::path::PathBuf;

    /// Connects a repository as a build did that kept no label in the database.
    fn connect(app: &App, workspace: WorkspaceId, has_old_notes: bool) {
        let connection = Connection {
            id: ConnectionId::random(),
            place: RepositoryPlace::Folder { path: PathBuf::from("/srv/flows.git") },
            workspace,
            credential: CredentialId::random(),
            connected: app.clock.now(),
            stopped: None,
            copied: None,
            has_old_notes,
        };
        app.store.write(|tx| REMOTE_CONNECTION.put(tx, REMOTE_CONNECTION_KEY, &connection)).unwrap();
    }

    fn is_label_lost(app: &App) -> bool {
        let role = environment::role(app, &load(app).unwrap().unwrap());
        matches!(role, Err(outcome::Outcome::Stopped(StopReason::LabelLost)))
    }

    #[test]
    fn a_start_forgets_the_notes_of_another_repository_and_keeps_those_of_its_own() {
        let (folder, app, caller) = App::with_owner();
        crate::ops::flows::create(&app, &caller, &FlowChange::chatflow("f")).unwrap();
        let history = folder.path().join("versions");
        for has_old_notes in [true, false] {
            std::fs::create_dir_all(history.join("refs/versions")).unwrap();
            let main = std::fs::read_to_string(history.join("refs/heads/main")).unwrap();
            for name in ["github", "incoming"] {
                std::fs::write(history.join("refs/versions").join(name), &main).unwrap();
            }
            connect(&app, caller.workspace, has_old_notes);
            recover(&app).unwrap();
            let noted = (app.history.copied().unwrap(), app.history.incoming().unwrap());
            assert_eq!((noted.0.is_some(), noted.1.is_some()), (!has_old_notes, !has_old_notes));
            assert!(!load(&app).unwrap().unwrap().has_old_notes);
        }
    }

    #[test]
    fn what_an_earlier_build_labelled_outlives_the_history() {
        let (folder, app, caller) = App::with_owner();
        app.history.set_environment(Some(Environment::Prod)).unwrap();
        connect(&app, caller.workspace, false);
        recover(&app).unwrap();
        std::fs::remove_dir_all(folder.path().join("versions")).unwrap();
        recover(&app).unwrap();
        assert_eq!(environment_of(&app), Some(Environment::Prod));
        assert!(is_label_lost(&app));
    }

    #[test]
    fn a_server_that_an_earlier_build_connected_does_not_copy_without_its_history() {
        let (_folder, app, caller) = App::with_owner();
        connect(&app, caller.workspace, false);
        recover(&app).unwrap();
        assert!(is_label_lost(&app));
    }
}
