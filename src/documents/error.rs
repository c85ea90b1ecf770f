//! Why a document has no text.

use super::DocumentKind;
use crate::base::cancel::CancelReason;
use serde::{Deserialize, Serialize};
use std::fmt;

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

/// Why a document has no text. The words are ours: what a library said of the file is not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum DocumentError {
    /// No kind of document has this name.
    UnknownKind,
    /// The file is not what its name says.
    NotThisKind(DocumentKind),
    Damaged(DocumentKind),
    /// It can be read only with a password.
    Locked,
    /// There is more of something than there may be.
    TooLarge(LimitKind),
    /// It took too long to read.
    Timeout,
    /// It needed more memory, or deeper nesting, than it may have.
    Exhausted,
    /// Too many other documents were being read for as long as one waits.
    Busy,
    /// What names the wanted parts of a page cannot be read.
    Selector,
    #[serde(skip)]
    Cancelled(CancelReason),
    Unavailable,
}

impl fmt::Display for DocumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownKind => f.write_str("files of this type cannot be read"),
            Self::NotThisKind(kind) => write!(f, "the file is not {kind}, as its name says"),
            Self::Damaged(kind) => write!(f, "the file is damaged, or not {kind}"),
            Self::Locked => f.write_str("the file is protected by a password"),
            Self::TooLarge(LimitKind::File) => f.write_str("the file is too large"),
            Self::TooLarge(LimitKind::Unpacked) => f.write_str("the file unpacks to too much"),
            Self::TooLarge(LimitKind::Entries) => f.write_str("there are too many files in the file"),
            Self::TooLarge(LimitKind::Parts) => f.write_str("the file has too many pages"),
            Self::TooLarge(LimitKind::Text) => f.write_str("the file has too much text"),
            Self::Timeout => f.write_str("the file takes too long to read"),
            Self::Exhausted => f.write_str("the file takes too much memory to read"),
            Self::Busy => f.write_str("too many other files are being read; try again in a moment"),
            Self::Selector => f.write_str("the selector cannot be read"),
            Self::Cancelled(_) => f.write_str("the run was stopped"),
            Self::Unavailable => f.write_str("files cannot be read on this server at the moment"),
        }
    }
}

impl std::error::Error for DocumentError {}
