//! Why a repository elsewhere could not be used.

use super::FoundSecret;
use crate::domain::flows::version::Sha;
use crate::history::HistoryError;
use crate::net::NetError;
use std::io;

/// Why a repository elsewhere could not be used. Its text is one sentence for people: no path, no token, and of what the host
/// said at most one clean line.
#[derive(Debug, thiserror::Error)]
pub enum RemoteError {
    /// No connection, cut connection, time over, refused by policy.
    #[error("{0}")]
    Net(#[source] NetError),
    /// 401, or 403 where the host says that the token may not.
    #[error("the host refused the token")]
    TokenRefused,
    /// 403 with words to the effect that nobody may write there.
    #[error("the repository is archived or read-only")]
    ReadOnly,
    /// 404 or 410. Hosts answer so for what a token may not see, too.
    #[error("the host has no such repository for this token")]
    NoRepository,
    /// The host answered with a redirect, which is never followed.
    #[error("the repository moved: the host answered with a redirect")]
    Redirected,
    /// An answer that is no answer of a git server: a sign-in page, say.
    #[error("the address did not answer as a git server")]
    NotGit,
    /// A git server that cannot do what is needed: `report-status` for a push, version 2 of the protocol for a fetch.
    #[error("the git server of the host is too old")]
    Outdated,
    /// Too many requests, and for how long when the host said so.
    #[error("the host asked to wait")]
    Throttled { seconds: Option<u64> },
    /// 5xx and any other status.
    #[error("the host answered with status {0}")]
    Status(u16),
    /// The git server gave up and said why, in one clean line.
    #[error("the host could not do it: {0}")]
    Said(String),
    /// The protocol was broken off or not spoken as agreed.
    #[error("the answer of the host was cut or damaged")]
    Broken,
    /// The host's `main` has commits that this server does not have.
    #[error("the host's main has commits that this server does not have")]
    Foreign(Sha),
    /// The host has branches or tags, and no `main`.
    #[error("the repository has other branches or tags and no main")]
    OtherReferences,
    /// The host's `main` moved between two looks at it, to another version of this history.
    #[error("the host's main moved while it was copied to")]
    Moved,
    /// The host declined the update of `main`: a hook, a branch rule, a size limit. Holds its reason, one clean line.
    #[error("the host declined the copy: {0}")]
    Declined(String),
    /// A version must not be copied.
    #[error("version {} holds text that looks like a secret ({})", .0.version.short(), .0.family)]
    Secret(FoundSecret),
    /// The repository does not use SHA-1.
    #[error("the repository uses an object format that is not supported; make it with SHA-1")]
    ObjectFormat,
    /// What the host's `main` holds is refused: rewritten, truncated, not a history of this service, or beyond a limit.
    #[error("the history on the host is refused: {0}")]
    Refused(&'static str),
    #[error("{0}")]
    History(#[source] HistoryError),
    #[error("the copy was stopped")]
    Cancelled,
}

pub(super) type Result<T, E = RemoteError> = std::result::Result<T, E>;

impl From<NetError> for RemoteError {
    fn from(fault: NetError) -> Self {
        match fault {
            NetError::Cancelled => Self::Cancelled,
            // Only answers that are read up to a limit of their own can be too large; others are refused where they are read.
            NetError::TooLarge => Self::Broken,
            fault => Self::Net(fault),
        }
    }
}

impl From<HistoryError> for RemoteError {
    fn from(fault: HistoryError) -> Self {
        match fault {
            HistoryError::Cancelled => Self::Cancelled,
            fault => Self::History(fault),
        }
    }
}

impl RemoteError {
    /// What ended a read of an answer.
    pub(super) fn from_read(fault: io::Error) -> Self {
        match fault.kind() {
            io::ErrorKind::UnexpectedEof => Self::Broken,
            _ => NetError::from(fault).into(),
        }
    }

    /// What ended a read or write of a file of our own.
    pub(super) fn from_disk(fault: io::Error) -> Self {
        Self::History(fault.into())
    }
}
