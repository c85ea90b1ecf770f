//! Why an archive was not read, in words for the operator.

use crate::age::AgeError;
use std::io;

/// What is wrong with an archive, or stands in the way of reading it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ArchiveError {
    #[error("it is no backup that flowkeep made")]
    Foreign,
    #[error(
        "the backup has format {found} and this program knows formats up to {known}; use the flowkeep that made it, or a newer one"
    )]
    NewerFormat { found: u32, known: u32 },
    #[error("the backup is cut off or damaged; nothing of it can be trusted ({0})")]
    Damaged(String),
    #[error("the backup holds what no backup of flowkeep's holds ({0}); nothing of it was used")]
    Strange(String),
    #[error("{name} in the backup is not what was backed up; nothing of it can be trusted")]
    Mismatch { name: String },
    #[error(
        "the disk has {free} bytes free and {name} in the backup needs {needed}; make room, or use another disk"
    )]
    NoRoom { name: String, needed: u64, free: u64 },
    #[error("the backup is encrypted; name the file with its passphrase with --passphrase-file")]
    NoPassphrase,
    #[error("the backup {0}")]
    Encryption(AgeError),
    #[error("it could not be written: {0}")]
    Write(io::Error),
}

impl ArchiveError {
    /// What reading the archive said.
    pub(super) fn read(cause: &io::Error) -> Self {
        match AgeError::find_in(cause) {
            // Both sentences say that something is damaged, and one of them is enough.
            Some(AgeError::Damaged(how)) => Self::Damaged((*how).to_owned()),
            Some(fault) => Self::Damaged(format!("it {fault}")),
            // What reads a tar repeats the bytes that it cannot read.
            None => Self::Damaged(super::shown(cause.to_string().as_bytes())),
        }
    }
}
