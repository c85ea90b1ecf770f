//! A backup, as its archive and the control socket tell of it.

use crate::domain::flows::version::Sha;
use crate::domain::service::backup::{BackupHead, BackupSummary};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// The format of archives that this program writes, and the newest that it reads.
pub const BACKUP_FORMAT: u32 = 1;

/// The first file of an archive. A newer format may say more, but says these.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BackupHeadView {
    /// Its format; the name tells whose it is.
    pub flowkeep_backup: u32,
    pub service: String,
    pub created: Timestamp,
    #[serde(default)]
    pub newest_version: Option<String>,
    #[serde(default)]
    pub secrets: bool,
}

impl From<&BackupHead> for BackupHeadView {
    fn from(head: &BackupHead) -> Self {
        Self {
            flowkeep_backup: BACKUP_FORMAT,
            service: head.service.clone(),
            created: head.created,
            newest_version: head.newest_version.as_ref().map(ToString::to_string),
            secrets: head.has_secrets,
        }
    }
}

impl From<BackupHeadView> for BackupHead {
    fn from(view: BackupHeadView) -> Self {
        Self {
            service: view.service,
            created: view.created,
            newest_version: view.newest_version.as_deref().and_then(Sha::parse),
            has_secrets: view.secrets,
        }
    }
}

/// One line of the last file of an archive: a file before it.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestRow {
    pub name: String,
    pub bytes: u64,
    pub sha256: String,
}

/// What is asked of a running service: its backup, which comes back as a stream.
#[derive(Debug, Serialize, Deserialize)]
pub struct BackupRequest {
    pub backup: BackupOptions,
}

/// What is to be in a backup.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct BackupOptions {
    pub secrets: bool,
}

/// What came of a backup.
#[derive(Debug, Serialize, Deserialize)]
pub struct BackupSummaryView {
    pub head: BackupHeadView,
    pub files: u64,
    pub bytes: u64,
}

impl From<&BackupSummary> for BackupSummaryView {
    fn from(summary: &BackupSummary) -> Self {
        Self { head: (&summary.head).into(), files: summary.files, bytes: summary.bytes }
    }
}

impl From<BackupSummaryView> for BackupSummary {
    fn from(view: BackupSummaryView) -> Self {
        Self { head: view.head.into(), files: view.files, bytes: view.bytes }
    }
}
