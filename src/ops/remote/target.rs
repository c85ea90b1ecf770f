//! Where a connection leads, and whose token goes along.

use crate::app::App;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{CredentialId, WorkspaceId};
use crate::domain::remote::connection::{Connection, RepositoryPlace};
use crate::domain::remote::copy_state::StopReason;
use crate::domain::remote::repository::RepositoryChoice;
use crate::domain::remote::token::{HostToken, TOKEN_CREDENTIAL, TOKEN_FIELD};
use crate::history::remote::Remote;
use crate::ops::workspace::credentials;
use crate::settings::GitHostSettings;
use crate::store::Tx;
use crate::store::tables::CREDENTIALS;

/// What kind of place the settings make of a repository.
///
/// # Errors
/// 400 for a repository of this machine where the settings admit none.
pub(super) fn place(choice: RepositoryChoice, settings: &GitHostSettings) -> Result<RepositoryPlace> {
    Ok(match (choice, &settings.test_root) {
        (RepositoryChoice::Folder(path), _) if settings.file_remotes => RepositoryPlace::Folder { path },
        (RepositoryChoice::Folder(_), _) => {
            return Err(Error::invalid(format!(
                "Invalid repository: write owner/name, or the address of a repository such as {}/owner/name.",
                settings.host.web()
            )));
        }
        (RepositoryChoice::Named(repository), Some(root)) => {
            RepositoryPlace::TestRoot { root: root.clone(), repository }
        }
        (RepositoryChoice::Named(repository), None) => RepositoryPlace::Host {
            web: settings.host.web().to_owned(),
            repository,
            stand_in: settings.is_stand_in,
        },
    })
}

/// Why the settings do not lead to this place any more: what was connected in a test never becomes a repository at a host, and
/// a token never goes to another host than the one it was given for.
pub(super) fn obstacle(place: &RepositoryPlace, settings: &GitHostSettings) -> Option<StopReason> {
    match place {
        RepositoryPlace::Host { stand_in: true, .. } if !settings.is_stand_in => {
            Some(StopReason::StandInRemoved)
        }
        RepositoryPlace::Host { web, .. } if *web != settings.host.web() || settings.test_root.is_some() => {
            Some(StopReason::HostChanged { web: web.clone() })
        }
        RepositoryPlace::TestRoot { root, .. } if settings.test_root.as_ref() != Some(root) => {
            Some(StopReason::StandInRemoved)
        }
        RepositoryPlace::Folder { .. } if !settings.file_remotes => Some(StopReason::StandInRemoved),
        RepositoryPlace::Host { .. } | RepositoryPlace::TestRoot { .. } | RepositoryPlace::Folder { .. } => {
            None
        }
    }
}

/// The repository of this place, with this token.
pub(super) fn remote(app: &App, place: &RepositoryPlace, token: &HostToken) -> Remote {
    match place {
        RepositoryPlace::Host { .. } => Remote::Host {
            outgoing: Box::new(app.git_host.outgoing().clone()),
            url: place.url(),
            token: token.as_str().to_owned(),
        },
        RepositoryPlace::TestRoot { root, repository } => Remote::Folder(repository.folder_in(root)),
        RepositoryPlace::Folder { path } => Remote::Folder(path.clone()),
    }
}

/// The repository of a connection, with its token.
///
/// # Errors
/// When the database cannot be read; why the copy has to stop.
pub(super) fn connected(app: &App, connection: &Connection) -> Result<Result<Remote, StopReason>> {
    if let Some(reason) = obstacle(&connection.place, &app.settings.git_host) {
        return Ok(Err(reason));
    }
    let found = app.store.read(|tx| token_of(app, tx, &connection.workspace, &connection.credential))?;
    Ok(found.map(|token| remote(app, &connection.place, &token)))
}

/// The token in a credential.
///
/// # Errors
/// When the database cannot be read; why the credential is of no use.
pub(super) fn token_of(
    app: &App,
    tx: &impl Tx,
    workspace: &WorkspaceId,
    id: &CredentialId,
) -> Result<Result<HostToken, StopReason>> {
    let Some(stored) = CREDENTIALS.get(tx, workspace, id)? else {
        return Ok(Err(StopReason::CredentialGone));
    };
    if stored.credential_name != TOKEN_CREDENTIAL {
        return Ok(Err(StopReason::CredentialEmpty));
    }
    // What was sealed with another key than this server's holds nothing that can be read.
    let fields = credentials::decrypt(&app.secrets.vault, &stored).unwrap_or_default();
    let token = fields.get(TOKEN_FIELD).and_then(|value| HostToken::parse(value.as_str()?).ok());
    Ok(token.ok_or(StopReason::CredentialEmpty))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::remote::git_host::GitHost;
    use crate::domain::remote::repository::RepositoryName;
    use std::path::PathBuf;

    fn settings(host: GitHost) -> GitHostSettings {
        GitHostSettings { host, is_named: false, is_stand_in: false, file_remotes: false, test_root: None }
    }

    fn named() -> RepositoryChoice {
        RepositoryChoice::Named(RepositoryName::parse("acme/flows").unwrap())
    }

    #[test]
    fn a_connection_stays_with_the_host_it_was_made_at() {
        let provider = settings(GitHost::provider());
        let other = settings(GitHost::new("https://git.example.org", "https://git.example.org/api/v1"));
        let place = place(named(), &provider).unwrap();
        assert_eq!(obstacle(&place, &provider), None);
        let web = "https://github.com".to_owned();
        assert_eq!(obstacle(&place, &other), Some(StopReason::HostChanged { web: web.clone() }));
        let with_root =
            GitHostSettings { file_remotes: true, test_root: Some(PathBuf::from("/srv")), ..provider };
        assert_eq!(obstacle(&place, &with_root), Some(StopReason::HostChanged { web }));
    }

    #[test]
    fn what_was_connected_in_a_test_never_becomes_a_repository_at_a_host() {
        let provider = settings(GitHost::provider());
        let files = GitHostSettings { file_remotes: true, ..provider.clone() };
        let root = GitHostSettings { test_root: Some(PathBuf::from("/srv/git")), ..files.clone() };
        let other_root = GitHostSettings { test_root: Some(PathBuf::from("/srv/other")), ..files.clone() };
        let api = GitHostSettings {
            host: GitHost::with_stand_in("http://127.0.0.1:9"),
            is_stand_in: true,
            ..files.clone()
        };
        let folder = RepositoryChoice::Folder(PathBuf::from("/srv/git/a.git"));
        assert!(place(folder.clone(), &provider).is_err());
        for (choice, made_with, removed) in [
            (named(), &root, [&provider, &files, &other_root]),
            (named(), &api, [&provider, &files, &provider]),
            (folder, &files, [&provider, &provider, &provider]),
        ] {
            let place = place(choice, made_with).unwrap();
            assert_eq!(obstacle(&place, made_with), None, "{place:?}");
            for settings in removed {
                assert_eq!(obstacle(&place, settings), Some(StopReason::StandInRemoved), "{place:?}");
            }
        }
    }
}
