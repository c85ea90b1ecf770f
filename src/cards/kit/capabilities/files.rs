//! Files that a workspace, a flow or the operator keeps for flows to read.

use crate::domain::error::Result;
use crate::domain::knowledge::server_folder::{FileVisitor, FolderError, FolderQuery};
use crate::sql::SqliteFile;
use serde::{Deserialize, Serialize};

/// A file of a flow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredFile {
    /// The name its owner knows it by.
    pub name: String,
    pub bytes: Vec<u8>,
}

/// A file that a run made, to be kept with its answer.
#[derive(Debug, Clone, Copy)]
pub struct NewFile<'a> {
    /// A label, never a path.
    pub name: &'a str,
    /// Its media type; empty where its name alone tells.
    pub mime: &'a str,
    pub bytes: &'a [u8],
}

/// A file of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptFile {
    pub name: String,
    pub mime: String,
    /// Opens it for a while, without a key.
    pub link: String,
    /// The name under which it is stored with the conversation.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub file_name: String,
}

impl KeptFile {
    #[must_use]
    pub fn is_picture(&self) -> bool {
        self.mime.starts_with("image/")
    }
}

/// Keeps what a run makes beside its text.
pub trait AnswerFiles: Send + Sync {
    /// Keeps a file with the conversation; it goes away with the question where that fails.
    ///
    /// # Errors
    /// When a quota is reached or it cannot be written.
    fn keep_file(&self, file: &NewFile<'_>) -> Result<KeptFile>;
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
