//! The repository that this server is connected to.

use super::copy_state::StopReason;
use super::git_host::host_name;
use super::repository::RepositoryName;
use crate::domain::ids::{ConnectionId, CredentialId, WorkspaceId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A connection, as it is stored. The token is not in it: it stays in the credential.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Connection {
    /// Tells it from one that was made later: what a copy of an earlier connection ends with says nothing of this one.
    pub id: ConnectionId,
    pub place: RepositoryPlace,
    /// The workspace of the credential.
    pub workspace: WorkspaceId,
    pub credential: CredentialId,
    pub connected: Timestamp,
    /// Why nothing is copied any more until the owner acts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<StopReason>,
    /// When everything was on the host last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copied: Option<Timestamp>,
    /// What the history notes is of the repository before this one, and is still to be forgotten.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_old_notes: bool,
}

/// Where a connected repository lies: what kind of place it was when it was connected, so that no setting can turn one into
/// another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum RepositoryPlace {
    Host {
        /// The address of the host.
        web: String,
        repository: RepositoryName,
        /// The host's API was a stand-in.
        #[serde(default)]
        stand_in: bool,
    },
    /// A bare repository in the folder that stands in for a host.
    TestRoot { root: PathBuf, repository: RepositoryName },
    /// A bare repository on this machine.
    Folder { path: PathBuf },
}

impl RepositoryPlace {
    /// The name that people know it by.
    #[must_use]
    pub fn repository(&self) -> String {
        match self {
            Self::Host { repository, .. } | Self::TestRoot { repository, .. } => repository.to_string(),
            Self::Folder { path } => format!("file://{}", path.display()),
        }
    }

    /// Where a person finds it.
    #[must_use]
    pub fn url(&self) -> String {
        match self {
            Self::Host { web, repository, .. } => format!("{web}/{repository}"),
            Self::TestRoot { root, repository } => format!("file://{}", repository.folder_in(root).display()),
            Self::Folder { path } => format!("file://{}", path.display()),
        }
    }

    /// What messages call the host.
    #[must_use]
    pub fn host_name(&self) -> &str {
        match self {
            Self::Host { web, .. } => host_name(web),
            Self::TestRoot { .. } | Self::Folder { .. } => "The local repository",
        }
    }
}

/// What a caller connects, as it was sent.
pub struct ConnectRequest {
    pub repository: String,
    pub token: TokenSource,
    pub credential_name: Option<String>,
}

/// Where the token of the host comes from, as it was sent: one of the two. It may hold the token, so it has no `Debug`.
pub struct TokenSource {
    pub token: Option<String>,
    pub credential: Option<CredentialId>,
}
