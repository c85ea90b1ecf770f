//! A backup: what it says of itself.

use crate::domain::flows::version::Sha;
use jiff::Timestamp;

/// What stands at the beginning of a backup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupHead {
    /// The version of the service that made it.
    pub service: String,
    /// The moment that it holds.
    pub created: Timestamp,
    /// The newest version of the history; `None` before the first one.
    pub newest_version: Option<Sha>,
    /// Whether the secrets of the server are in it.
    pub has_secrets: bool,
}

/// A backup that was written to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupSummary {
    pub head: BackupHead,
    pub files: u64,
    /// What the files hold together, before it was packed.
    pub bytes: u64,
}
