//! Reading a folder of the server that its operator lets flows read (manual 4.8).

use crate::domain::error::Error;
use std::io;

/// Why a folder is not read.
#[derive(Debug)]
pub enum FolderError {
    /// It is not below a folder of the list, or not there, or a link is on the way.
    NotListed,
    /// It holds the service's own data, or lies among them.
    OwnData,
    /// It holds more than is read.
    TooManyFiles,
    /// A file is larger than this may be.
    TooLarge(String),
    /// The system does not let the service read it.
    Io(io::Error),
    /// Whoever took the files wants no more.
    Stopped(Error),
}

impl From<io::Error> for FolderError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Who takes the files: the path of each below the folder, and what it holds, or why this file alone is not read.
pub type FileVisitor<'t> = &'t mut dyn FnMut(&str, Result<Vec<u8>, FolderError>) -> Result<(), Error>;

/// What is read of a folder.
#[derive(Clone, Copy)]
pub struct FolderQuery<'a> {
    /// The folder, from the root.
    pub path: &'a str,
    pub recursive: bool,
    /// Files before this one were read earlier, in the order of their paths.
    pub from: Option<&'a str>,
    /// True for names of files that are read; the others are passed over.
    pub is_read: &'a dyn Fn(&str) -> bool,
    /// The most files.
    pub files_max: usize,
    /// The most bytes of one file.
    pub bytes_max: usize,
}
