//! Backups that the service makes by itself.

use super::SettingsError;
use super::parse::SettingsReader;
use std::path::PathBuf;

/// Hours between two backups that the service makes by itself, unless `SERVICE_BACKUP_HOURS` says otherwise (manual 14.9).
const BACKUP_GAP_HOURS: u64 = 24;
/// What `SERVICE_BACKUP_HOURS` may be (manual 14.9).
const BACKUP_GAP_RANGE_HOURS: (u64, u64) = (1, 8_760);
/// Such backups that are kept, unless `SERVICE_BACKUP_KEEP` says otherwise (manual 14.9).
const BACKUPS_KEEP_COUNT: u64 = 7;
/// What `SERVICE_BACKUP_KEEP` may be (manual 14.9).
const BACKUPS_KEEP_RANGE: (u64, u64) = (1, 1_000);

/// When and where backups are made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupSettings {
    /// `SERVICE_BACKUP_TO`: the folder; `None` makes none.
    pub folder: Option<PathBuf>,
    /// `SERVICE_BACKUP_HOURS`: time between two of them.
    pub hours: u64,
    /// `SERVICE_BACKUP_KEEP`: so many of the newest stay.
    pub keep: u64,
    /// `SERVICE_BACKUP_PASSPHRASE_FILE`: the file with what they are encrypted with; `None` encrypts none.
    pub passphrase_file: Option<PathBuf>,
}

pub(super) fn read(reader: &SettingsReader<'_>) -> Result<BackupSettings, SettingsError> {
    Ok(BackupSettings {
        folder: reader.text("SERVICE_BACKUP_TO").map(PathBuf::from),
        hours: reader.number("SERVICE_BACKUP_HOURS", BACKUP_GAP_RANGE_HOURS, BACKUP_GAP_HOURS)?,
        keep: reader.number("SERVICE_BACKUP_KEEP", BACKUPS_KEEP_RANGE, BACKUPS_KEEP_COUNT)?,
        passphrase_file: reader.text("SERVICE_BACKUP_PASSPHRASE_FILE").map(PathBuf::from),
    })
}
