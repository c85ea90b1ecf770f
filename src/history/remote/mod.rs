//! The history and a repository elsewhere: what stands there, copying `main` to it, and reading its `main` (manual 19).
//!
//! Nothing here takes the turn to write: a save never waits for a copy.

use super::{History, HistoryError};
use crate::base::cancel::CancelToken;
use crate::domain::flows::version::{Sha, Version, VersionContent};
use crate::domain::ids::FlowId;
use crate::domain::remote::environment::Environment;
use crate::net::{NetError, Outgoing};
use std::fmt;
use std::path::PathBuf;

/// A repository elsewhere.
#[derive(Clone)]
pub enum Remote {
    /// Over smart HTTP. The token goes to exactly this address' scheme, host and port, and nowhere else.
    Host {
        outgoing: Outgoing,
        /// The address of the repository without `.git`, such as `https://git.example.org/owner/name`.
        url: String,
        token: String,
    },
    /// A bare repository on this machine: for tests only (manual 19.9).
    Folder(PathBuf),
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Never the token.
        match self {
            Self::Host { url, .. } => write!(f, "Remote({url})"),
            Self::Folder(_) => f.write_str("Remote(folder)"),
        }
    }
}

/// What a repository holds, as far as it matters to whoever connects it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RemoteContent {
    /// No branch and no tag.
    Empty,
    /// A `main`, and whether this server's `main` contains it (first parents).
    Main { tip: Sha, is_known: bool },
    /// Branches or tags, and no `main`.
    OtherReferences,
}

/// Text that is about to be copied, to be judged: a key-shaped text in it stops the copy.
#[derive(Debug, Clone, Copy)]
pub enum CopyItem<'a> {
    /// The commit object of a version: title, details, author.
    Commit(Sha, &'a [u8]),
    /// The path and content of a file that the version brought in.
    File(Sha, &'a str, &'a [u8]),
}

/// What a push did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PushResult {
    /// What the host's `main` is now.
    pub tip: Sha,
    /// How many versions went over; zero when the host had them all.
    pub versions: usize,
}

/// A version that is looked at before it is copied, and must not be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundSecret {
    pub version: Sha,
    /// The family of the pattern, never the text.
    pub family: &'static str,
}

/// Why a repository elsewhere could not be used. Its text is one sentence for people: no path, no token, and of what the host
/// said at most one clean line.
#[derive(Debug, thiserror::Error)]
pub enum RemoteError {
    /// No connection, cut connection, time over, refused by policy.
    #[error("{0}")]
    Net(#[from] NetError),
    /// 401, or 403 where the host says that the token may not.
    #[error("the host refused the token")]
    TokenRefused,
    /// 404, or a repository that is archived, moved or read-only.
    #[error("the host has no such repository for this token")]
    NoRepository,
    /// The host answered with a redirect, which is never followed.
    #[error("the repository moved: the host answered with a redirect")]
    Redirected,
    /// An answer that is no answer of a git server: a sign-in page, say.
    #[error("the address did not answer as a git server")]
    NotGit,
    /// Too many requests, and for how long when the host said so.
    #[error("the host asked to wait")]
    Throttled { seconds: Option<u64> },
    /// 5xx and any other status.
    #[error("the host answered with status {0}")]
    Status(u16),
    /// The protocol was broken off or not spoken as agreed.
    #[error("the answer of the host was cut or damaged")]
    Broken,
    /// The host's `main` has commits that this server does not have.
    #[error("the host's main has commits that this server does not have")]
    Foreign(Sha),
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
    History(#[from] HistoryError),
    #[error("the copy was stopped")]
    Cancelled,
}

impl History {
    /// What stands in `remote`. Changes nothing on either side.
    ///
    /// # Errors
    /// As [`RemoteError`].
    pub fn inspect(&self, remote: &Remote, cancel: &CancelToken) -> Result<RemoteContent, RemoteError> {
        unimplemented!("{remote:?} {:?}", cancel.reason())
    }

    /// Copies `main` to the `main` of `remote`: what it lacks, as one pack, never forced, with the value that it has now as the
    /// condition. Each version that goes over is handed to `judge` first. Notes the copied tip in `refs/versions/github`.
    ///
    /// # Errors
    /// As [`RemoteError`]; nothing was copied then, or the host did not say that it was.
    pub fn push(
        &self,
        remote: &Remote,
        judge: &mut dyn FnMut(CopyItem<'_>) -> Option<&'static str>,
        cancel: &CancelToken,
    ) -> Result<PushResult, RemoteError> {
        let _ = judge;
        unimplemented!("{remote:?} {:?}", cancel.reason())
    }

    /// Reads the `main` of `remote` into `refs/versions/incoming`, and changes nothing else. `None` for an empty repository.
    ///
    /// # Errors
    /// As [`RemoteError`]; what was read before stays as it is then.
    pub fn fetch(&self, remote: &Remote, cancel: &CancelToken) -> Result<Option<Sha>, RemoteError> {
        unimplemented!("{remote:?} {:?}", cancel.reason())
    }

    /// The version that was copied last (`refs/versions/github`).
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn copied(&self) -> Result<Option<Sha>, HistoryError> {
        unimplemented!()
    }

    /// How many versions of `main` are not copied yet; `None` when that cannot be counted.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn count_waiting(&self) -> Result<Option<usize>, HistoryError> {
        unimplemented!()
    }

    /// Forgets what was copied and what was read: both references go.
    ///
    /// # Errors
    /// When the history cannot be written.
    pub fn forget_remote(&self) -> Result<(), HistoryError> {
        unimplemented!()
    }

    /// What this server is, by the label in the repository's internal folder.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn environment(&self) -> Result<Option<Environment>, HistoryError> {
        unimplemented!()
    }

    /// Labels this server; makes the repository when there is none.
    ///
    /// # Errors
    /// When the history cannot be written.
    pub fn set_environment(&self, environment: Option<Environment>) -> Result<(), HistoryError> {
        unimplemented!("{environment:?}")
    }

    /// The tip of what was read (`refs/versions/incoming`).
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn incoming(&self) -> Result<Option<Sha>, HistoryError> {
        unimplemented!()
    }

    /// The newest version of each flow in what was read, newest first.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn incoming_newest(&self) -> Result<Vec<(FlowId, Version)>, HistoryError> {
        unimplemented!()
    }

    /// The versions of one flow in what was read, newest first, at most `limit`.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn incoming_versions(&self, flow: &FlowId, limit: usize) -> Result<Vec<Version>, HistoryError> {
        unimplemented!("{flow} {limit}")
    }

    /// What a version of a flow in what was read holds, judged as a stranger's file; `None` when it is no flow.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn incoming_content(
        &self,
        flow: &FlowId,
        version: &Version,
    ) -> Result<Option<VersionContent>, HistoryError> {
        unimplemented!("{flow} {version:?}")
    }
}
