//! Databases of others, read for a model: it writes the statement, so the statement is a stranger's.
//!
//! The connection is opened for reading alone, and `authorizer.rs` is asked about everything a statement wants while it is
//! prepared: it may select from the tables it was shown and call functions that compute, and nothing else. Time, memory,
//! lengths and what comes back are bounded; `CancelToken` ends a statement where it stands.

mod authorizer;
mod error;
mod reader;
mod sheet;
mod table_reader;
mod tables;

use crate::base::cancel::CancelToken;
pub use error::SqlError;
pub use reader::SqlReader;
pub use sheet::Sheet;
use std::path::PathBuf;
use std::time::Duration;
pub(crate) use table_reader::TableReader;
pub use tables::VisibleTables;

/// Time of one SQL statement that a model wrote (manual 14.6).
const SQL_SECONDS: u64 = 10;
/// Rows of such a statement's result (manual 14.6).
const SQL_ROWS_MAX: usize = 500;
/// Columns of its result (manual 14.6).
const SQL_COLUMNS_MAX: usize = 100;
/// Characters of a text in its result (manual 14.6).
const SQL_CELL_CHARS_MAX: usize = 2_000;
/// Bytes of its result, as JSON (manual 14.6).
const SQL_RESULT_BYTES_MAX: usize = 48 * 1024;

/// What reading may use.
#[derive(Debug, Clone, Copy)]
pub struct SqlLimits {
    pub time: Duration,
    pub rows_max: usize,
    /// Columns of a row that come back.
    pub columns_max: usize,
    /// Characters of a text that come back.
    pub cell_chars_max: usize,
    /// Bytes of all that comes back.
    pub bytes_max: usize,
}

impl Default for SqlLimits {
    fn default() -> Self {
        Self {
            time: Duration::from_secs(SQL_SECONDS),
            rows_max: SQL_ROWS_MAX,
            columns_max: SQL_COLUMNS_MAX,
            cell_chars_max: SQL_CELL_CHARS_MAX,
            bytes_max: SQL_RESULT_BYTES_MAX,
        }
    }
}

/// A database in a file. Nothing is opened yet.
#[derive(Debug, Clone)]
pub struct SqliteFile {
    path: PathBuf,
}

impl SqliteFile {
    /// The database in this file, whose path holds no link.
    #[must_use]
    pub const fn new(path: PathBuf) -> Self {
        Self { path }
    }

    /// Opens it for reading these tables.
    ///
    /// # Errors
    /// As [`SqlError`].
    pub fn open(
        &self,
        tables: &VisibleTables,
        limits: SqlLimits,
        cancel: &CancelToken,
    ) -> Result<SqlReader, SqlError> {
        SqlReader::open(&self.path, tables, limits, cancel)
    }
}
