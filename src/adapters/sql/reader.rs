//! An open database, behind its walls.

use super::tables::{self, TableSchema, VisibleTables};
use super::{SqlError, SqlLimits, authorizer};
use crate::base::cancel::CancelToken;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};
use serde_json::{Map, Value};
use std::path::Path;
use std::time::{Duration, Instant};

/// Tables of a database that are described to a model (manual 14.6).
const SQL_TABLES_MAX: usize = 100;
/// About how many bytes describe them (manual 14.6).
const SQL_SCHEMA_BYTES_MAX: usize = 64 * 1024;
/// How often a running statement is asked whether it may go on, in steps of SQLite's machine.
const STEPS_PER_CHECK: i32 = 1_000;
/// How long somebody who writes is waited for.
const BUSY: Duration = Duration::from_secs(2);
/// Characters of the statement that made a table, and of a text in a sample.
const CREATE_CHARS_MAX: usize = 4_000;
const SAMPLE_CHARS_MAX: usize = 100;
const LEFT_OUT: &str = "(the rest is left out)";

/// An open database.
pub struct SqlReader {
    connection: Connection,
    tables: Vec<TableSchema>,
    limits: SqlLimits,
    cancel: CancelToken,
}

impl SqlReader {
    pub(super) fn open(
        path: &Path,
        tables: &VisibleTables,
        limits: SqlLimits,
        cancel: &CancelToken,
    ) -> Result<Self, SqlError> {
        // Not as an address: a name could then switch off what is set here.
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_NOFOLLOW;
        Self::from_connection(Connection::open_with_flags(path, flags)?, tables, limits, cancel)
    }

    /// Puts the walls up around a connection.
    pub(super) fn from_connection(
        mut connection: Connection,
        tables: &VisibleTables,
        limits: SqlLimits,
        cancel: &CancelToken,
    ) -> Result<Self, SqlError> {
        connection.busy_timeout(BUSY)?;
        authorizer::limit_connection(&connection)?;
        install_progress_handler(&mut connection, limits.time, cancel)?;
        let (tables, known) = tables::read(&connection, tables)?;
        authorizer::install_authorizer(&mut connection, known)?;
        Ok(Self { connection, tables, limits, cancel: cancel.clone() })
    }

    /// The tables, as whoever writes a statement needs them: how each was made, and its first rows, as far as they can
    /// be had in the time of one statement.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn describe(&mut self, samples: usize) -> Result<String, SqlError> {
        install_progress_handler(&mut self.connection, self.limits.time, &self.cancel)?;
        let limits = SqlLimits { rows_max: samples, cell_chars_max: SAMPLE_CHARS_MAX, ..self.limits };
        let (mut text, mut has_time) = (String::new(), samples > 0);
        for (at, TableSchema { name, create_statement: made_by }) in self.tables.iter().enumerate() {
            if at == SQL_TABLES_MAX || text.len() > SQL_SCHEMA_BYTES_MAX {
                text.push_str(LEFT_OUT);
                break;
            }
            text.extend(made_by.chars().take(CREATE_CHARS_MAX));
            text.push('\n');
            if has_time {
                let statement = format!("SELECT * FROM \"{}\" LIMIT {samples}", name.replace('"', "\"\""));
                match self.select(&statement, limits) {
                    Ok(rows) => text.push_str(&format!("-- first rows: {rows}\n")),
                    Err(SqlError::Cancelled) => return Err(SqlError::Cancelled),
                    Err(SqlError::TimedOut) => has_time = false,
                    // A view over a table that is not shown, or rows that are too large: the model sees none.
                    Err(_) => {}
                }
            }
            text.push('\n');
        }
        Ok(text)
    }

    /// The rows a statement selects, as JSON text.
    ///
    /// # Errors
    /// As [`SqlError`].
    pub fn rows(&mut self, statement: &str) -> Result<String, SqlError> {
        if !authorizer::is_short_enough(statement) {
            return Err(SqlError::Statement("it is too long".into()));
        }
        install_progress_handler(&mut self.connection, self.limits.time, &self.cancel)?;
        self.select(statement, self.limits)
    }

    fn select(&self, statement: &str, limits: SqlLimits) -> Result<String, SqlError> {
        self.run_select(statement, limits).map_err(|error| match error {
            SqlError::TimedOut if self.cancel.reason().is_some() => SqlError::Cancelled,
            other => other,
        })
    }

    fn run_select(&self, statement: &str, limits: SqlLimits) -> Result<String, SqlError> {
        let mut prepared = self.connection.prepare(statement)?;
        if !prepared.readonly() || prepared.column_count() == 0 {
            return Err(SqlError::Refused);
        }
        let names: Vec<String> =
            prepared.column_names().take(limits.columns_max).map(str::to_owned).collect();
        let (mut text, mut count) = (String::from("["), 0);
        let mut rows = prepared.query([])?;
        while let Some(row) = rows.next()? {
            let mut object = Map::new();
            for (at, name) in names.iter().enumerate() {
                object.insert(name.clone(), to_json(row.get_ref(at)?, limits.cell_chars_max));
            }
            let line = Value::Object(object).to_string();
            if count == limits.rows_max || text.len() + line.len() > limits.bytes_max {
                return Ok(format!("{text}] {LEFT_OUT}"));
            }
            if count > 0 {
                text.push_str(",\n");
            }
            text.push_str(&line);
            count += 1;
        }
        text.push(']');
        Ok(text)
    }
}

/// A value as JSON, and no more of a text than this.
fn to_json(value: ValueRef<'_>, chars_max: usize) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => number.into(),
        ValueRef::Real(number) => number.into(),
        ValueRef::Text(bytes) => {
            // As many bytes as characters can have, so that a long value is not copied.
            let end = bytes.len().min(chars_max * 4);
            let text: String = String::from_utf8_lossy(&bytes[..end]).chars().take(chars_max).collect();
            if text.len() < bytes.len() { format!("{text}…").into() } else { text.into() }
        }
        ValueRef::Blob(bytes) => format!("({} bytes)", bytes.len()).into(),
    }
}

/// Ends what runs on the connection after `time`, or when the run ends.
fn install_progress_handler(
    connection: &mut Connection,
    time: Duration,
    cancel: &CancelToken,
) -> Result<(), SqlError> {
    let (end, cancel) = (Instant::now() + time, cancel.clone());
    let is_over = move || Instant::now() >= end || cancel.reason().is_some();
    Ok(connection.progress_handler(STEPS_PER_CHECK, Some(is_over))?)
}

#[cfg(test)]
mod tests;
