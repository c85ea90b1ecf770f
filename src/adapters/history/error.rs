//! Why history could not do what was asked.

use super::repository::ErrorChain;
use crate::domain::error::Error;
use gix::ObjectId;
use std::fmt;
use std::io;

/// The result of a history operation.
pub(super) type Result<T, E = HistoryError> = std::result::Result<T, E>;

/// What can go wrong. Its text may be shown (`historyError`, `lastError`): it holds no path and nothing of a flow.
#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    /// History is switched off (manual 6.10).
    #[error("Version history is off on this server.")]
    Off,
    /// Another program holds the branch, or keeps moving it.
    #[error("The version history is in use by another program. Try again in a moment.")]
    Busy,
    /// The folder cannot be read or written; a full disk is among these.
    #[error("{}", disk_message(.0))]
    Disk(#[from] io::Error),
    /// A version is on the branch, and the disk does not say that it stays there: it counts when that was seen to.
    #[error("The disk did not confirm the new version. The next change tries again.")]
    Unconfirmed(#[source] Box<HistoryError>),
    #[error("The version history is damaged and could not be read. Put its folder back from a backup.")]
    Repository(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// An object that is missing, or is not what its id says.
    #[error(
        "The version history is damaged: object {id} is missing or cannot be read. Put its folder back from a \
         backup."
    )]
    Object {
        id: ObjectId,
        #[source]
        cause: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The database knows versions, and the repository they were recorded in is not there or has no branch.
    #[error(
        "The version history is missing, although this server has recorded versions. Put its folder back from a \
         backup, or begin a new history with 'flowkeep history restart'."
    )]
    Missing,
    /// The folder holds a repository, or files, that this program did not make.
    #[error(
        "The folder of the version history holds something that is no history of Flowkeep's. Nothing was written \
         there. Move it away, or choose another folder with SERVICE_VERSIONS_DIR."
    )]
    Foreign,
    /// The cache of versions cannot be read or written.
    #[error("The list of versions could not be read or written.")]
    Index(#[source] Error),
    /// Whoever waits for it is to wait no longer.
    #[error("It was stopped before its end.")]
    Cancelled,
}

impl HistoryError {
    /// An object that cannot be what it must be.
    pub(super) fn object(id: ObjectId, cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Object { id, cause: cause.into() }
    }

    /// With everything that led to it, in one line, for the log.
    #[must_use]
    pub const fn with_causes(&self) -> impl fmt::Display + '_ {
        ErrorChain(self)
    }

    /// True for what another look at the folder may end: another tool may have packed or replaced it meanwhile.
    pub(super) const fn is_transient(&self) -> bool {
        matches!(self, Self::Repository(_) | Self::Object { .. } | Self::Missing)
    }

    /// A repository whose content is not what it must be.
    pub(super) fn corrupt(what: &'static str) -> Self {
        Self::Repository(what.into())
    }
}

fn disk_message(fault: &io::Error) -> &'static str {
    match fault.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "The disk of the version history is full."
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "The service may not write its version history."
        }
        _ => "The version history could not be read or written.",
    }
}

impl From<gix::Error> for HistoryError {
    fn from(fault: gix::Error) -> Self {
        Self::Repository(Box::new(fault))
    }
}

impl From<HistoryError> for Error {
    fn from(fault: HistoryError) -> Self {
        match fault {
            HistoryError::Cancelled => Self::Cancelled,
            fault => Self::internal(fault),
        }
    }
}
