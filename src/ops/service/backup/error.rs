//! Why there is no backup, or no restore, in words for the operator.

use super::passphrase_file::PassphraseFileError;
use crate::backup::ArchiveError;
use crate::domain::error::Error;
use crate::durable::ReplacementError;
use std::io;
use std::path::PathBuf;

/// Each text is one line that says what is wrong; nothing was changed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BackupError {
    #[error("the backup was stopped before its end")]
    Stopped,
    #[error("this service makes another backup just now; run this again when that is done")]
    Busy,
    #[error(
        "the disk of the data folder has {free} bytes free, and a backup needs about {needed} there for a copy of the database while it \
         is made; make room"
    )]
    NoRoom { needed: u64, free: u64 },
    #[error("what is to be backed up could not be read: {0}")]
    Unreadable(String),
    #[error("what was unpacked of the backup could not be read: {0}")]
    Look(io::Error),
    #[error("the backup could not be made: {0}")]
    Io(#[from] io::Error),
    #[error("{0}")]
    Archive(#[from] ArchiveError),
    #[error("the database in the backup cannot be opened: {0}")]
    Database(String),
    #[error(
        "{} holds data of flowkeep; name another folder with --data-dir, or add --replace, which keeps that data beside what is \
         restored", .0.display()
    )]
    Occupied(PathBuf),
    #[error(
        "{} is not empty and holds no data of flowkeep; name an empty folder, or one that is not there yet, with --data-dir", .0.display()
    )]
    Strange(PathBuf),
    #[error("a running flowkeep uses {}; stop it, or name another folder with --data-dir", .0.display())]
    InUse(PathBuf),
    #[error("another restore into {} is under way", .0.display())]
    UnderWay(PathBuf),
    #[error(
        "a restore puts the history into the data folder, and SERVICE_VERSIONS_DIR names another place; run this with SERVICE_VERSIONS_DIR \
         unset, and move the folder versions there before the next start"
    )]
    HistoryElsewhere,
    #[error("the file of the passphrase, {}, {}", .0.display(), .1)]
    Passphrase(PathBuf, PassphraseFileError),
    #[error("{} cannot be written: {}", .0.display(), .1)]
    Folder(PathBuf, io::Error),
}

impl From<Error> for BackupError {
    fn from(error: Error) -> Self {
        match error {
            Error::Cancelled => Self::Stopped,
            Error::Internal(cause) => Self::Unreadable(cause.to_string()),
            other => Self::Unreadable(other.to_string()),
        }
    }
}

impl BackupError {
    pub(super) fn replacement(folder: PathBuf, error: ReplacementError) -> Self {
        match error {
            ReplacementError::UnderWay => Self::UnderWay(folder),
            ReplacementError::Io(cause) => Self::Folder(folder, cause),
        }
    }
}
