//! Files and folders that outlive a power cut. Whatever is made below the data folder is made here.
//!
//! A disk keeps a file's content when the file was flushed, and its name when the folder was. So a file is written beside
//! its name, flushed, renamed, and the folder flushed; and a folder is flushed into the one above before anything is put
//! into it. [`Tree::make`] gives a [`DurableFolder`], the only thing that files can be made in, once all of the way down to
//! it is on disk.
//!
//! **A flush that failed** says what it says once: the next one succeeds, although what the first was to keep may be gone
//! from memory and disk alike. So nothing counts because a later flush went well. What was being made is removed, and is
//! made anew by whoever tries again; a folder's handle that saw a failure around it keeps nothing any more; and folders that
//! are in doubt and in use, which cannot be made anew, are refused until the next start.
//!
//! **What another process made and did not flush**, because it was killed, looks like anything else. So the first time a
//! folder is found and not made, the one above it is flushed; and if it is empty, it is made anew.

mod access;
mod faults;
mod file;
#[cfg_attr(not(unix), path = "folder_elsewhere.rs")]
mod folder;
mod growing_file;
mod replacement;
mod scratch;
mod side_file;
#[cfg(test)]
mod tests;
mod tree;

pub use access::{Access, AccessError, enforce, restrict_umask};
pub use faults::Faults;
pub use file::{FlushedFile, TempFile};
pub use folder::Folder;
pub use growing_file::GrowingFile;
pub use replacement::{Replacement, ReplacementError, ReplacementState, is_pending, settle};
pub use scratch::Scratch;
pub use side_file::SideFile;
pub use tree::{DurableFolder, Tree};

/// The beginning of the name of a file that is being made, until it is whole and gets its name.
const UNFINISHED: char = '.';

/// True for the name of a file that nobody finished.
#[must_use]
pub fn is_unfinished(name: &str) -> bool {
    let rest = name.strip_prefix(UNFINISHED).unwrap_or_default();
    rest.len() == 32 && rest.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// What lies in a folder.
#[derive(Debug, Clone)]
pub struct Entry {
    pub name: String,
    pub kind: EntryKind,
    /// When it was changed, in seconds since 1970: a folder by what was put into it or taken out.
    pub changed: i64,
}

/// What an entry of a folder is. Everything this service did not put there is [`Self::Other`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// A whole file of this many bytes.
    File(u64),
    /// A file that somebody writes, or that was left by a process that was killed.
    Unfinished,
    Folder,
    /// A link, or anything else that is never opened.
    Other,
}

impl EntryKind {
    /// The size of a whole file; what is no such file counts nothing.
    #[must_use]
    pub const fn bytes(self) -> u64 {
        match self {
            Self::File(bytes) => bytes,
            Self::Unfinished | Self::Folder | Self::Other => 0,
        }
    }
}
