//! What the owner sees of the copy.

use super::copy_state::CopyState;
use super::environment::Environment;
use crate::domain::flows::version::Sha;
use crate::domain::ids::CredentialId;
use jiff::Timestamp;

/// How the copy stands (manual 19.2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopyStatus {
    /// What messages call the host that is connected, or could be.
    pub host: String,
    /// The address of that host.
    pub host_url: String,
    pub state: CopyState,
    pub environment: Option<Environment>,
    pub connection: Option<ConnectionStatus>,
}

/// Of the connected repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConnectionStatus {
    pub repository: String,
    pub url: String,
    /// Id and name; `None` when it was deleted.
    pub credential: Option<(CredentialId, String)>,
    pub connected: Timestamp,
    /// Versions that are not copied yet, where that can be counted.
    pub waiting: Option<usize>,
    pub copied: Option<Timestamp>,
    pub copied_version: Option<Sha>,
    pub checked: Option<Timestamp>,
    pub incoming: Option<Sha>,
}

/// A repository that a token reaches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostRepository {
    pub repository: String,
    pub private: bool,
    /// The host reports no content.
    pub empty: bool,
    /// When something was pushed last, or else changed.
    pub pushed: Option<Timestamp>,
}

/// The repositories that a token reaches, most recently changed first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepositoryList {
    /// Whose token it is.
    pub account: String,
    pub repositories: Vec<HostRepository>,
}
