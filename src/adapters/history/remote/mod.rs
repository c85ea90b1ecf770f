//! The history and a repository elsewhere: what stands there, copying `main` to it, and reading its `main` (manual 19).
//!
//! Nothing here takes the turn to write: a save never waits for a copy.

mod check;
mod discovery;
mod error;
mod fetch;
mod folder;
mod host;
mod incoming;
mod label;
mod packet;
mod push;
mod references;
mod scan;
mod strict;

use self::host::Host;
use super::{History, HistoryError, commits};
use crate::base::cancel::CancelToken;
use crate::domain::flows::version::Sha;
use crate::net::Outgoing;
pub use error::RemoteError;
use gix::ObjectId;
pub(super) use incoming::new_index;
pub(super) use references::WaitingCount;
#[cfg(test)]
pub(super) use scan::{LIMITS, Limits};
use std::fmt;
use std::path::PathBuf;

/// A repository elsewhere.
#[derive(Clone)]
pub enum Remote {
    /// Over smart HTTP. The token goes to exactly this address' scheme, host and port, and nowhere else.
    Host {
        outgoing: Box<Outgoing>,
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

impl History {
    /// What stands in `remote`. Changes nothing on either side.
    ///
    /// # Errors
    /// As [`RemoteError`].
    pub fn inspect(&self, remote: &Remote, cancel: &CancelToken) -> Result<RemoteContent, RemoteError> {
        self.require_enabled()?;
        let references = match remote {
            Remote::Host { outgoing, url, token } => {
                let host = Host { outgoing, url, token, cancel };
                discovery::giver(&host).map_err(|fault| host.cleaned(fault))?.references
            }
            Remote::Folder(path) => folder::references(&folder::open(path)?)?,
        };
        match references.main() {
            Ok(None) => Ok(RemoteContent::Empty),
            Ok(Some(tip)) => {
                let is_known = self.repository.read(|repository| self.is_on_main(repository, tip))?;
                Ok(RemoteContent::Main { tip: commits::sha(tip)?, is_known: is_known.unwrap_or(false) })
            }
            Err(RemoteError::OtherReferences) => Ok(RemoteContent::OtherReferences),
            Err(fault) => Err(fault),
        }
    }

    /// True for a commit on the line of first parents of `main`.
    fn is_on_main(&self, repository: &gix::Repository, commit: ObjectId) -> Result<bool, HistoryError> {
        let Some(tip) = self.repository.main(repository)? else { return Ok(false) };
        if !repository.has_object(commit) {
            return Ok(false);
        }
        Ok(commits::first_parent_line(repository, tip, Some(commit), usize::MAX)?.1)
    }
}
