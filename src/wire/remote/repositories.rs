//! Repositories that a token reaches.

use crate::domain::remote::status::{HostRepository, RepositoryList};
use crate::time::IsoTime;
use serde::Serialize;

/// The repositories that a token reaches, most recently changed first.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "RepositoryList"))]
pub struct RepositoryListView {
    /// Whose token it is.
    account: String,
    repos: Vec<RepositoryView>,
}

/// A repository at the git host.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "HostRepository"))]
pub struct RepositoryView {
    /// `owner/name`.
    repo: String,
    private: bool,
    /// The host reports no content.
    empty: bool,
    /// When something was pushed last, or else changed.
    pushed_at: Option<IsoTime>,
}

impl From<RepositoryList> for RepositoryListView {
    fn from(RepositoryList { account, repositories }: RepositoryList) -> Self {
        Self { account, repos: repositories.into_iter().map(RepositoryView::from).collect() }
    }
}

impl From<HostRepository> for RepositoryView {
    fn from(HostRepository { repository, private, empty, pushed }: HostRepository) -> Self {
        Self { repo: repository, private, empty, pushed_at: pushed.map(IsoTime) }
    }
}
