//! How the copy of versions stands.

use crate::domain::flows::version::Sha;
use crate::domain::ids::CredentialId;
use crate::domain::remote::copy_state::CopyState;
use crate::domain::remote::environment::{Environment, Role};
use crate::domain::remote::status::{ConnectionStatus, CopyStatus};
use crate::time::IsoTime;
use serde::Serialize;

/// How the copy of versions at a git host stands.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "CopyStatus"))]
pub struct CopyStatusView {
    /// History is on.
    enabled: bool,
    connected: bool,
    credential: Option<CopyCredentialView>,
    /// `owner/name`.
    repo: Option<String>,
    /// Where a person finds the repository.
    url: Option<String>,
    /// What messages call the host: of the connected repository, or else of the next one.
    host: String,
    /// The address of the host that a repository would be connected at.
    host_url: String,
    state: CopyStateName,
    /// One sentence, where the state does not say it all.
    message: Option<String>,
    /// Versions that are not copied yet; null where that cannot be counted.
    waiting: Option<usize>,
    last_copied_at: Option<IsoTime>,
    /// Its short id.
    last_copied_version: Option<String>,
    next_try_at: Option<IsoTime>,
    connected_at: Option<IsoTime>,
    environment: Option<Environment>,
    role: RoleName,
    /// When Prod read the host last.
    last_checked_at: Option<IsoTime>,
    /// The short id of the newest version that Prod found.
    incoming_version: Option<String>,
}

/// The credential that holds the token.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
struct CopyCredentialView {
    id: CredentialId,
    name: String,
}

/// Where the copy stands.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "CopyState"))]
pub(crate) enum CopyStateName {
    NotConnected,
    UpToDate,
    Waiting,
    Copying,
    Retrying,
    Stopped,
    Off,
}

/// What the server does with the repository.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
enum RoleName {
    Copy,
    Read,
}

impl From<CopyStatus> for CopyStatusView {
    fn from(status: CopyStatus) -> Self {
        let CopyStatus { host, host_url, state, environment, connection } = status;
        let role = Role::of(environment);
        let unconnected = Self {
            enabled: state != CopyState::Off,
            connected: connection.is_some(),
            credential: None,
            repo: None,
            url: None,
            message: state.message(&host),
            host,
            host_url,
            next_try_at: state.next_try().map(IsoTime),
            state: CopyStateName::from(&state),
            waiting: None,
            last_copied_at: None,
            last_copied_version: None,
            connected_at: None,
            environment,
            role: match role {
                Role::Copy => RoleName::Copy,
                Role::Read => RoleName::Read,
            },
            last_checked_at: None,
            incoming_version: None,
        };
        let Some(connection) = connection else { return unconnected };
        let ConnectionStatus {
            repository,
            url,
            credential,
            connected,
            waiting,
            copied,
            copied_version,
            checked,
            incoming,
        } = connection;
        let reads = role == Role::Read;
        Self {
            credential: credential.map(|(id, name)| CopyCredentialView { id, name }),
            repo: Some(repository),
            url: Some(url),
            waiting,
            last_copied_at: copied.map(IsoTime),
            last_copied_version: copied_version.as_ref().map(Sha::short),
            connected_at: Some(connected.into()),
            last_checked_at: checked.filter(|_| reads).map(IsoTime),
            incoming_version: incoming.filter(|_| reads).as_ref().map(Sha::short),
            ..unconnected
        }
    }
}

impl From<&CopyState> for CopyStateName {
    fn from(state: &CopyState) -> Self {
        match state {
            CopyState::Off => Self::Off,
            CopyState::NotConnected => Self::NotConnected,
            CopyState::UpToDate { .. } => Self::UpToDate,
            CopyState::Waiting { .. } => Self::Waiting,
            CopyState::Copying { .. } => Self::Copying,
            CopyState::Retrying { .. } => Self::Retrying,
            CopyState::Stopped(_) => Self::Stopped,
        }
    }
}
