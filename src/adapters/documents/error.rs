//! Why a document has no text.

use super::DocumentKind;
use crate::base::cancel::CancelReason;
use serde::{Deserialize, Serialize};

/// What there was too much of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum LimitKind {
    File,
    Unpacked,
    /// Files in it.
    Entries,
    /// Pages, sheets, slides or chapters.
    Parts,
    Text,
}

impl LimitKind {
    const fn message(self) -> &'static str {
        match self {
            Self::File => "the file is too large",
            Self::Unpacked => "the file unpacks to too much",
            Self::Entries => "there are too many files in the file",
            Self::Parts => "the file has too many pages",
            Self::Text => "the file has too much text",
        }
    }
}

/// Why a document has no text. The words are ours: what a library said of the file is not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum DocumentError {
    /// No kind of document has this name.
    #[error("files of this type cannot be read")]
    UnknownKind,
    /// The file is not what its name says.
    #[error("the file is not {0}, as its name says")]
    NotThisKind(DocumentKind),
    #[error("the file is damaged, or not {0}")]
    Damaged(DocumentKind),
    /// It can be read only with a password.
    #[error("the file is protected by a password")]
    Locked,
    /// There is more of something than there may be.
    #[error("{}", .0.message())]
    TooLarge(LimitKind),
    /// It took too long to read.
    #[error("the file takes too long to read")]
    Timeout,
    /// It needed more memory, or deeper nesting, than it may have.
    #[error("the file takes too much memory to read")]
    Exhausted,
    /// Too many other documents were being read for as long as one waits.
    #[error("too many other files are being read; try again in a moment")]
    Busy,
    /// What names the wanted parts of a page cannot be read.
    #[error("the selector cannot be read")]
    Selector,
    #[serde(skip)]
    #[error("the run was stopped")]
    Cancelled(CancelReason),
    #[error("files cannot be read on this server at the moment")]
    Unavailable,
}
