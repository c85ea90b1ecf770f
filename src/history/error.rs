//! Why history could not do what was asked.

use crate::domain::error::Error;
use std::fmt;
use std::io;

/// The result of a history operation.
pub type Result<T, E = HistoryError> = std::result::Result<T, E>;

/// What can go wrong. Its text may be shown (`historyError`, `lastError`): it holds no path and nothing of a flow.
#[derive(Debug)]
pub enum HistoryError {
    /// History is switched off (spec 8).
    Off,
    /// Another program holds the branch, or keeps moving it.
    Busy,
    /// The folder cannot be read or written; a full disk is among these.
    Disk(io::Error),
    /// The repository cannot be read.
    Repository(Box<dyn std::error::Error + Send + Sync>),
    /// The cache of versions cannot be read or written.
    Index(Error),
    /// Whoever waits for it is to wait no longer.
    Cancelled,
}

impl HistoryError {
    /// A repository whose content is not what it must be.
    pub(super) fn damaged(what: &'static str) -> Self {
        Self::Repository(what.into())
    }
}

impl fmt::Display for HistoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
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
            Self::Repository(_) => "The version history could not be read.",
            Self::Index(_) => "The list of versions could not be read or written.",
            Self::Cancelled => "It was stopped before its end.",
        })
    }
}

impl std::error::Error for HistoryError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Disk(fault) => Some(fault),
            Self::Repository(fault) => Some(fault.as_ref()),
            Self::Index(fault) => Some(fault),
            Self::Off | Self::Busy | Self::Cancelled => None,
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
