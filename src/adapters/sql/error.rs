//! Why a database gave nothing.

use crate::limits::SHEET_COLUMNS_MAX;
use rusqlite::ErrorCode;

/// Why a database gave nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SqlError {
    /// The file is no SQLite database, or cannot be read as one.
    #[error("the file is not a SQLite database that can be read")]
    NotADatabase,
    /// A sheet is empty, or has more columns than a table may.
    #[error("the file is no table of 1 to {SHEET_COLUMNS_MAX} columns")]
    NoColumns,
    /// There is no table of this name.
    #[error("the database has no table '{0}'")]
    NoTable(String),
    /// The statement wants more than to read what it was shown.
    #[error("only SELECT over the tables that were named is allowed")]
    Refused,
    /// The statement is wrong; in the words of the database, which are for whoever wrote the statement.
    #[error("the statement is wrong: {0}")]
    Statement(String),
    #[error("the query took too long")]
    TimedOut,
    /// A value or what the statement needs is too large.
    #[error("the query needs too much memory or a value is too large")]
    TooLarge,
    #[error("the database is in use by another program")]
    Busy,
    /// A journal with changes lies beside the file.
    #[error("changes lie beside the database that were not taken in yet")]
    Unsettled,
    #[error("the run was ended")]
    Cancelled,
}

impl SqlError {
    /// True when whoever wrote the statement can do better.
    #[must_use]
    pub const fn is_of_statement(&self) -> bool {
        matches!(self, Self::Refused | Self::Statement(_))
    }
}

impl From<rusqlite::Error> for SqlError {
    fn from(error: rusqlite::Error) -> Self {
        let code = error.sqlite_error_code();
        match (code, &error) {
            // Which of the two it was, only the reader knows: it asks the token.
            (Some(ErrorCode::OperationInterrupted), _) => Self::TimedOut,
            (Some(ErrorCode::AuthorizationForStatementDenied), _) => Self::Refused,
            (Some(ErrorCode::TooBig | ErrorCode::OutOfMemory | ErrorCode::DiskFull), _) => Self::TooLarge,
            (Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked), _) => Self::Busy,
            (
                Some(
                    ErrorCode::NotADatabase
                    | ErrorCode::CannotOpen
                    | ErrorCode::DatabaseCorrupt
                    | ErrorCode::PermissionDenied
                    | ErrorCode::SystemIoFailure,
                ),
                _,
            ) => Self::NotADatabase,
            (_, rusqlite::Error::MultipleStatement) => Self::Statement("write one statement only".into()),
            (_, rusqlite::Error::SqliteFailure(_, Some(why))) => Self::Statement(why.clone()),
            (_, rusqlite::Error::SqlInputError { msg, .. }) => Self::Statement(msg.clone()),
            _ => Self::Statement("it cannot be run".into()),
        }
    }
}
