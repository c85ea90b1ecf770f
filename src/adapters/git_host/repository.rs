//! What the host's API says of accounts and repositories.

use crate::domain::remote::repository::RepositoryName;
use crate::domain::remote::status::HostRepository;
use jiff::Timestamp;
use serde::Deserialize;

/// The account of a token.
#[derive(Deserialize)]
pub(super) struct AccountRow {
    pub login: String,
}

/// A row of the host's list of repositories, which hosts of one interface fill differently.
#[derive(Deserialize)]
pub(super) struct RepositoryRow {
    full_name: String,
    #[serde(default)]
    private: bool,
    #[serde(default)]
    archived: bool,
    /// Only some hosts say it.
    empty: Option<bool>,
    #[serde(default)]
    size: u64,
    pushed_at: Option<Timestamp>,
    updated_at: Option<Timestamp>,
}

impl RepositoryRow {
    /// As it is listed; `None` for what could not be connected anyway.
    pub(super) fn into_listed(self) -> Option<HostRepository> {
        let can_be_connected = !self.archived && RepositoryName::parse(&self.full_name).is_some();
        can_be_connected.then(|| self.into_repository())
    }

    pub(super) fn into_repository(self) -> HostRepository {
        HostRepository {
            private: self.private,
            empty: self.empty.unwrap_or(self.size == 0),
            pushed: self.pushed_at.or(self.updated_at),
            repository: self.full_name,
        }
    }
}
