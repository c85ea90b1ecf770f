//! Why history could not do what was asked.

use super::repository::ErrorChain;
use crate::domain::error::Error;
use gix::ObjectId;
use std::fmt;
use std::io;

/// The result of a history operation.
pub type Result<T, E = HistoryError> = std::result::Result<T, E>;

/// What can go wrong. Its text may be shown (`historyError`, `lastError`): it holds no path and nothing of a flow.
#[derive(Debug)]
pub enum HistoryError {
    /// History is switched off (manual 6.10).
    Off,
    /// Another program holds the branch, or keeps moving it.
    Busy,
    /// The folder cannot be read or written; a full disk is among these.
    Disk(io::Error),
    /// A version is on the branch, and the disk does not say that it stays there: it counts when that was seen to.
    Unconfirmed(Box<HistoryError>),
    Repository(Box<dyn std::error::Error + Send + Sync>),
    /// An object that is missing, or is not what its id says.
    Object {
        id: ObjectId,
        cause: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The database knows versions, and the repository they were recorded in is not there or has no branch.
    Missing,
    /// The folder holds a repository, or files, that this program did not make.
    Foreign,
    /// The cache of versions cannot be read or written.
    Index(Error),
    /// Whoever waits for it is to wait no longer.
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

impl fmt::Display for HistoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::Object { id, .. } => {
                return write!(
                    f,
                    "The version history is damaged: object {id} is missing or cannot be read. Put its folder back from a \
                     backup."
                );
            }
            Self::Missing => {
                "The version history is missing, although this server has recorded versions. Put its folder back from a \
                 backup, or begin a new history with 'flowkeep history restart'."
            }
            Self::Foreign => {
                "The folder of the version history holds something that is no history of Flowkeep's. Nothing was written \
                 there. Move it away, or choose another folder with SERVICE_VERSIONS_DIR."
            }
            Self::Off => "Version history is off on this server.",
            Self::Busy => "The version history is in use by another program. Try again in a moment.",
            Self::Disk(fault) => match fault.kind() {
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                    "The disk of the version history is full."
                }
                io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                    "The service may not write its version history."
                }
                _ => "The version history could not be read or written.",
            },
            Self::Unconfirmed(_) => "The disk did not confirm the new version. The next change tries again.",
            Self::Repository(_) => {
                "The version history is damaged and could not be read. Put its folder back from a backup."
            }
            Self::Index(_) => "The list of versions could not be read or written.",
            Self::Cancelled => "It was stopped before its end.",
        };
        f.write_str(text)
    }
}

impl std::error::Error for HistoryError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Disk(fault) => Some(fault),
            Self::Repository(fault) | Self::Object { cause: fault, .. } => Some(fault.as_ref()),
            Self::Index(fault) => Some(fault),
            Self::Unconfirmed(fault) => Some(fault.as_ref()),
            Self::Off | Self::Busy | Self::Missing | Self::Foreign | Self::Cancelled => None,
        }
    }
}

impl From<io::Error> for HistoryError {
    fn from(fault: io::Error) -> Self {
        Self::Disk(fault)
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
