//! Files that a workspace, a flow or the operator keeps for flows to read.

use crate::domain::error::Result;
use crate::domain::knowledge::server_folder::{FileVisitor, FolderError, FolderQuery};
use crate::sql::SqliteFile;

/// A file of a flow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredFile {
    /// The name its owner knows it by.
    pub name: String,
    pub bytes: Vec<u8>,
}

pub trait WorkspaceFiles: Send + Sync {
    /// A file that the flow keeps, by the name its canvas has for it; `None` when it is gone.
    ///
    /// # Errors
    /// When it cannot be read.
    fn stored_file(&self, name: &str) -> Result<Option<StoredFile>>;

    /// Hands over the files of a folder of the server that its operator lets flows read.
    ///
    /// # Errors
    /// Why they are not read, or not to the last.
    fn folder(&self, wanted: &FolderQuery<'_>, each: FileVisitor<'_>)
    -> std::result::Result<(), FolderError>;

    /// A database of the flow's workspace, by the name of its file; `None` when there is none. Nothing is opened yet.
    ///
    /// # Errors
    /// When it cannot be looked for.
    fn database(&self, name: &str) -> Result<Option<SqliteFile>>;
}
