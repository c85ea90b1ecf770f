//! A table that comes as rows of text, such as CSV: made a database in memory, which a model then reads as any other.

use super::{SqlError, SqlLimits, SqlReader, VisibleTables, authorizer};
use crate::base::cancel::CancelToken;
use crate::limits::SHEET_COLUMNS_MAX;
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use std::collections::HashSet;

/// Longest text of a cell: longer ones end there, for no value of a database may be longer than its walls let pass.
const CELL_BYTES_MAX: usize = 64 * 1024;
/// How many rows go by until the run is asked whether it goes on.
const ROWS_PER_CHECK: usize = 1_000;

/// A table whose first row names its columns.
#[derive(Debug, Clone)]
pub struct Sheet {
    pub name: String,
    /// All of its rows, that of the names first.
    pub rows: Vec<Vec<String>>,
}

/// What all cells of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ColumnType {
    Whole,
    Number,
    Text,
}

impl ColumnType {
    /// Numbers are what is written as one: a code such as `007` is a text.
    fn infer<'a>(cells: impl Iterator<Item = &'a str>) -> Self {
        let mut found = None;
        for cell in cells.map(str::trim).filter(|cell| !cell.is_empty()) {
            let digits = cell.trim_start_matches(['-', '+']);
            let is_padded = digits.len() > 1 && digits.starts_with('0') && !digits.starts_with("0.");
            let is_number = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.');
            let kind = match (cell.parse::<i64>(), cell.parse::<f64>()) {
                _ if is_padded || !is_number => Self::Text,
                (Ok(_), _) => Self::Whole,
                (_, Ok(number)) if number.is_finite() => Self::Number,
                _ => Self::Text,
            };
            found = match (found, kind) {
                (_, Self::Text) => return Self::Text,
                (Some(Self::Number), _) | (_, Self::Number) => Some(Self::Number),
                _ => Some(Self::Whole),
            };
        }
        found.unwrap_or(Self::Text)
    }

    const fn sql_name(self) -> &'static str {
        match self {
            Self::Whole => "INTEGER",
            Self::Number => "REAL",
            Self::Text => "TEXT",
        }
    }

    fn to_sql_value(self, cell: &str) -> Value {
        let trimmed = cell.trim();
        if trimmed.is_empty() {
            return Value::Null;
        }
        match self {
            Self::Whole => trimmed.parse().map_or(Value::Null, Value::Integer),
            Self::Number => trimmed.parse().map_or(Value::Null, Value::Real),
            Self::Text => Value::Text(cell[..cell.floor_char_boundary(CELL_BYTES_MAX)].to_owned()),
        }
    }
}

impl Sheet {
    /// A reader of these tables alone.
    ///
    /// # Errors
    /// When one has no columns or too many, all of them are too large, and when the run is to end.
    pub fn open_reader(
        sheets: &[Self],
        limits: SqlLimits,
        cancel: &CancelToken,
    ) -> Result<SqlReader, SqlError> {
        let connection = Connection::open_in_memory()?;
        authorizer::limit_memory(&connection)?;
        for sheet in sheets {
            sheet.insert_rows(&connection, cancel)?;
        }
        SqlReader::from_connection(connection, &VisibleTables::default(), limits, cancel)
    }

    fn insert_rows(&self, connection: &Connection, cancel: &CancelToken) -> Result<(), SqlError> {
        let (names, rows) = self.rows.split_first().ok_or(SqlError::NoColumns)?;
        let width = self.rows.iter().map(Vec::len).max().unwrap_or_default();
        if width == 0 || width > SHEET_COLUMNS_MAX {
            return Err(SqlError::NoColumns);
        }
        let kinds: Vec<ColumnType> = (0..width)
            .map(|at| ColumnType::infer(rows.iter().map(|row| row.get(at).map_or("", String::as_str))))
            .collect();
        let columns: Vec<String> = column_names(names, width)
            .iter()
            .zip(&kinds)
            .map(|(name, kind)| format!("{} {}", quote(name), kind.sql_name()))
            .collect();
        let table = quote(&self.name);
        connection.execute_batch(&format!("BEGIN; CREATE TABLE {table} ({});", columns.join(", ")))?;
        let places = vec!["?"; width].join(",");
        let mut insert = connection.prepare(&format!("INSERT INTO {table} VALUES ({places})"))?;
        for (at, row) in rows.iter().enumerate() {
            if at % ROWS_PER_CHECK == 0 && cancel.reason().is_some() {
                return Err(SqlError::Cancelled);
            }
            if row.iter().all(|cell| cell.trim().is_empty()) {
                continue;
            }
            let cell = |(at, kind): (usize, &ColumnType)| {
                row.get(at).map_or(Value::Null, |cell| kind.to_sql_value(cell))
            };
            insert.execute(params_from_iter(kinds.iter().enumerate().map(cell)))?;
        }
        drop(insert);
        Ok(connection.execute_batch("COMMIT")?)
    }
}

fn quote(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\"").replace('\0', ""))
}

/// A name for each column, each another one.
fn column_names(names: &[String], width: usize) -> Vec<String> {
    let mut taken = HashSet::new();
    (0..width)
        .map(|at| {
            let own = names.get(at).map(|name| name.trim()).filter(|name| !name.is_empty());
            let own = own.map_or_else(|| format!("column{}", at + 1), str::to_owned);
            let mut name = own.clone();
            let mut number = 2;
            while !taken.insert(name.to_lowercase()) {
                name = format!("{own}_{number}");
                number += 1;
            }
            name
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheet(rows: &[&[&str]]) -> Sheet {
        let rows = rows.iter().map(|row| row.iter().map(|cell| (*cell).to_owned()).collect());
        Sheet { name: "shop".to_owned(), rows: rows.collect() }
    }

    fn read(sheet: Sheet) -> Result<SqlReader, SqlError> {
        Sheet::open_reader(&[sheet], SqlLimits::default(), &CancelToken::new(None))
    }

    #[test]
    fn columns_are_what_all_of_their_cells_are() {
        let mut reader = read(sheet(&[
            &["id", " price ", "zip", "", "price", "note"],
            &["1", "2.5", "01234", "x", "", "NaN"],
            &["2", "3", "99", "", "", "inf"],
            &["", "", "", "", "", ""],
            &["-3", "-.5", "7", "y\"z", "", "1e5", "further"],
        ]))
        .unwrap();
        let told = reader.describe(0).unwrap();
        assert!(
            told.contains(
                r#"CREATE TABLE "shop" ("id" INTEGER, "price" REAL, "zip" TEXT, "column4" TEXT, "price_2" TEXT, "note" TEXT, "column7" TEXT)"#
            ),
            "{told}"
        );
        let rows = reader
            .rows("SELECT sum(id) AS s, sum(price) AS p, max(zip) AS z, count(*) AS n FROM shop")
            .unwrap();
        assert_eq!(rows, r#"[{"s":0,"p":5.0,"z":"99","n":3}]"#);
        let row = reader.rows("SELECT column4, column7 FROM shop WHERE id = -3").unwrap();
        assert_eq!(row, r#"[{"column4":"y\"z","column7":"further"}]"#);
    }

    #[test]
    fn a_statement_reads_the_sheet_and_does_nothing_else() {
        let mut reader = read(sheet(&[&["a"], &["1"]])).unwrap();
        for statement in [
            "INSERT INTO shop VALUES (2)",
            "DROP TABLE shop",
            "ATTACH 'x.db' AS x",
            "CREATE TABLE t (a)",
            "VACUUM",
        ] {
            assert!(reader.rows(statement).is_err(), "{statement}");
        }
        assert_eq!(reader.rows("SELECT count(*) AS n FROM shop").unwrap(), r#"[{"n":1}]"#);
    }

    #[test]
    fn what_is_no_table_is_told_and_names_are_only_names() {
        assert_eq!(read(sheet(&[])).err(), Some(SqlError::NoColumns));
        assert_eq!(read(sheet(&[&[]])).err(), Some(SqlError::NoColumns));
        let wide = vec!["x"; SHEET_COLUMNS_MAX + 1];
        assert_eq!(read(sheet(&[&wide])).err(), Some(SqlError::NoColumns));
        let long = "ü".repeat(CELL_BYTES_MAX);
        let mut reader = read(sheet(&[&["a\"); DROP TABLE shop; --"], &[&long]])).unwrap();
        assert_eq!(reader.rows("SELECT count(*) AS n FROM shop").unwrap(), r#"[{"n":1}]"#);
        let cancel = CancelToken::new(None);
        cancel.cancel(crate::base::cancel::CancelReason::Aborted);
        let ended = Sheet::open_reader(&[sheet(&[&["a"], &["1"]])], SqlLimits::default(), &cancel);
        assert_eq!(ended.err(), Some(SqlError::Cancelled));
    }
}
