//! Why a folder of Flowise gives nothing.

use crate::domain::error::Error;
use crate::sql::SqlError;

/// Why nothing of a folder can move in.
#[derive(Debug, thiserror::Error)]
pub enum FlowiseError {
    #[error(
        "There is no database.sqlite of Flowise there that can be read: name its data folder, or the database itself. A service that runs \
         reads it as its own user."
    )]
    NoDatabase,
    #[error(
        "The database has changes beside it that it did not take in: stop Flowise, or start it once more and stop it, and try again."
    )]
    Unsettled,
    #[error("The database cannot be read ({0}): it is damaged, not whole, or no database of SQLite.")]
    Unreadable(SqlError),
    #[error("The database is not one of Flowise: it has no table '{0}'.")]
    NotFlowise(&'static str),
    #[error(
        "The database is of a version of Flowise that cannot be read here: '{table}' has no column '{column}'. Start Flowise 3 on a \
         copy of the folder once, and move that in."
    )]
    OtherVersion { table: &'static str, column: &'static str },
    #[error(
        "The folder has no encryption.key, and credentials are encrypted with it: name the file that holds the key with --key."
    )]
    NoKey,
    #[error("The key cannot be read.")]
    UnreadableKey,
    #[error(
        "The key does not open the credentials: it is not the one they were encrypted with. Name the right one with --key."
    )]
    WrongKey,
    #[error(
        "The database holds several workspaces: name the one to move in with --from-workspace. They are: {0}."
    )]
    SeveralWorkspaces(String),
    #[error("The database has no workspace of this id.")]
    NoWorkspace,
}

impl From<SqlError> for FlowiseError {
    fn from(error: SqlError) -> Self {
        match error {
            SqlError::Unsettled => Self::Unsettled,
            other => Self::Unreadable(other),
        }
    }
}

/// Why an encrypted value gives nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CellError {
    #[error("Its secret is not encrypted as Flowise does it.")]
    Malformed,
    #[error("Its secret was encrypted with another key.")]
    OtherKey,
}

impl From<FlowiseError> for Error {
    fn from(error: FlowiseError) -> Self {
        Self::Invalid(error.to_string())
    }
}

impl From<CellError> for Error {
    fn from(error: CellError) -> Self {
        Self::Invalid(error.to_string())
    }
}
