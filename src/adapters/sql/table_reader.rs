//! A database of another program, read whole by statements of this one: what moves in from there. Nothing in it is changed, and no
//! file is made beside it.

use super::SqlError;
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, params_from_iter};
use serde_json::{Map, Value};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// The longest value that is read: a canvas with files in it has some megabytes.
const VALUE_BYTES_MAX: i32 = 256 * 1024 * 1024;
/// Where the head of a database says whether its changes are written to a log first, and the value that says so.
const LOG_MODE_AT: usize = 18;
const LOG_MODE: u8 = 2;
/// The endings of files in which changes lie that are not in the database yet.
const JOURNALS: [&str; 2] = ["-journal", "-wal"];

/// An open database of another program.
pub(crate) struct TableReader {
    connection: Connection,
}

impl TableReader {
    /// Opens the database in this file once it is known to be whole.
    ///
    /// # Errors
    /// As [`SqlError`]; [`SqlError::Unsettled`] when changes lie beside it.
    pub(crate) fn open(path: &Path) -> Result<Self, SqlError> {
        let has_content = |journal: PathBuf| fs::metadata(journal).is_ok_and(|found| found.len() > 0);
        if JOURNALS.iter().any(|ending| has_content(beside(path, ending))) {
            return Err(SqlError::Unsettled);
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        // A database with a log can only be read as one that nobody writes, or files are made for it.
        let connection = if has_log(path)? {
            let address = format!("file:{}?immutable=1", percent_encode(path));
            Connection::open_with_flags(address, flags | OpenFlags::SQLITE_OPEN_URI)?
        } else {
            Connection::open_with_flags(path, flags)?
        };
        connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, VALUE_BYTES_MAX)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
        // A database that breaks off in its middle would only show when half of it has come in.
        let verdict: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
        if verdict != "ok" {
            return Err(SqlError::NotADatabase);
        }
        Ok(Self { connection })
    }

    /// The names of a table's columns, in their order; none for a table that is not there.
    ///
    /// # Errors
    /// As [`SqlError`].
    pub(crate) fn columns(&self, table: &str) -> Result<Vec<String>, SqlError> {
        let mut prepared = self.connection.prepare("SELECT name FROM pragma_table_info(?1)")?;
        let names = prepared.query_map([table], |row| row.get(0))?;
        Ok(names.collect::<Result<_, _>>()?)
    }

    /// Hands over the rows of a table, by column, in the order of one of its columns and then as they were stored, until `each`
    /// fails: all of them, or those that have a text in a column.
    ///
    /// # Errors
    /// As [`SqlError`], and what `each` returns.
    pub(crate) fn rows<E: From<SqlError>>(
        &self,
        table: &str,
        order: &str,
        filter: Option<(&str, &str)>,
        mut each: impl FnMut(Map<String, Value>) -> Result<(), E>,
    ) -> Result<(), E> {
        let (condition, wanted) = match filter {
            Some((column, text)) => (format!("WHERE {} = ?1", quote(column)), vec![text]),
            None => (String::new(), Vec::new()),
        };
        let (table, order) = (quote(table), quote(order));
        let statement = format!("SELECT * FROM {table} {condition} ORDER BY {order}, rowid");
        let mut prepared = self.connection.prepare(&statement).map_err(SqlError::from)?;
        let names: Vec<String> = prepared.column_names().map(str::to_owned).collect();
        let mut rows = prepared.query(params_from_iter(wanted)).map_err(SqlError::from)?;
        while let Some(row) = rows.next().map_err(SqlError::from)? {
            let mut read = Map::new();
            for (at, name) in names.iter().enumerate() {
                read.insert(name.clone(), to_json(row.get_ref(at).map_err(SqlError::from)?));
            }
            each(read)?;
        }
        Ok(())
    }
}

/// The path of a file that belongs to this one.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(ending);
    name.into()
}

fn has_log(path: &Path) -> Result<bool, SqlError> {
    let mut head = [0; LOG_MODE_AT + 1];
    File::open(path).and_then(|mut file| file.read_exact(&mut head)).map_err(|_| SqlError::NotADatabase)?;
    Ok(head[LOG_MODE_AT] == LOG_MODE)
}

/// A path as part of an address: what has a meaning there is written as a number.
fn percent_encode(path: &Path) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-~".contains(&byte);
    let bytes = path.as_os_str().as_encoded_bytes().iter();
    bytes
        .map(|byte| if plain(*byte) { char::from(*byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

fn quote(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn to_json(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => number.into(),
        ValueRef::Real(number) => number.into(),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => String::from_utf8_lossy(bytes).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(folder: &Path, statements: &str) -> PathBuf {
        let path = folder.join("made ?#%.sqlite");
        Connection::open(&path).unwrap().execute_batch(statements).unwrap();
        path
    }

    fn read(path: &Path) -> Result<Vec<Value>, SqlError> {
        let mut found = Vec::new();
        TableReader::open(path)?.rows("t", "n", None, |row| {
            found.push(Value::from(row));
            Ok::<_, SqlError>(())
        })?;
        Ok(found)
    }

    #[test]
    fn rows_come_by_column_and_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let path = made(
            folder.path(),
            "CREATE TABLE t (n INTEGER, \"text\" TEXT); INSERT INTO t VALUES (2, 'ü'), (1, NULL), (1, 'x')",
        );
        let rows = [
            serde_json::json!({"n": 1, "text": null}),
            serde_json::json!({"n": 1, "text": "x"}),
            serde_json::json!({"n": 2, "text": "ü"}),
        ];
        assert_eq!(read(&path).unwrap(), rows);
        let reader = TableReader::open(&path).unwrap();
        assert_eq!(reader.columns("t").unwrap(), ["n", "text"]);
        assert!(reader.columns("other").unwrap().is_empty());
        let mut some = 0;
        let count = |_| {
            some += 1;
            Ok::<_, SqlError>(())
        };
        reader.rows("t", "n", Some(("text", "ü")), count).unwrap();
        assert_eq!(some, 1);
    }

    #[test]
    fn reading_leaves_no_file_and_changes_none() {
        let folder = tempfile::tempdir().unwrap();
        let path =
            made(folder.path(), "PRAGMA journal_mode = WAL; CREATE TABLE t (n); INSERT INTO t VALUES (1)");
        let before = fs::read(&path).unwrap();
        assert!(has_log(&path).unwrap());
        assert_eq!(read(&path).unwrap().len(), 1);
        assert_eq!(fs::read(&path).unwrap(), before);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_is_not_whole_is_refused_before_anything_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let filling = "CREATE TABLE t (n); WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 9000) \
                       INSERT INTO t SELECT x FROM c";
        let path = made(folder.path(), filling);
        let whole = fs::read(&path).unwrap();
        for length in [0, 10, 100, 4_096, whole.len() / 2, whole.len() - 4_096] {
            fs::write(&path, &whole[..length]).unwrap();
            assert!(matches!(TableReader::open(&path), Err(SqlError::NotADatabase)), "{length}");
        }
        fs::write(&path, &whole).unwrap();
        fs::write(beside(&path, "-journal"), "changes").unwrap();
        assert!(matches!(TableReader::open(&path), Err(SqlError::Unsettled)));
        assert!(matches!(TableReader::open(Path::new("/nowhere")), Err(SqlError::NotADatabase)));
    }
}
