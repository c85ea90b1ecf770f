//! Which tables of a database a reader is shown, and may read.

use super::SqlError;
use rusqlite::Connection;
use std::collections::HashSet;

/// The tables its owner lets a model see.
#[derive(Debug, Clone, Default)]
pub struct VisibleTables {
    /// Only these; all, when it is empty.
    pub only: Vec<String>,
    /// Not these.
    pub not: Vec<String>,
}

impl VisibleTables {
    fn is_visible(&self, name: &str) -> bool {
        let has = |list: &[String]| list.iter().any(|other| other.eq_ignore_ascii_case(name));
        (self.only.is_empty() || has(&self.only)) && !has(&self.not)
    }
}

/// A table as the database describes it.
#[derive(Debug)]
pub(super) struct TableSchema {
    pub(super) name: String,
    pub(super) create_statement: String,
}

/// Names of a database, in small letters.
#[derive(Debug)]
pub(super) struct Catalog {
    all: HashSet<String>,
    readable: HashSet<String>,
}

impl Catalog {
    pub(super) fn is_readable(&self, table: &str) -> bool {
        self.readable.contains(&table.to_ascii_lowercase())
    }

    /// True for a name that only the statement itself can have given.
    pub(super) fn is_statement_name(&self, name: &str) -> bool {
        let name = name.to_ascii_lowercase();
        let own = ["sqlite_", "pragma_", "dbstat", "fts", "bytecode", "tables_used"];
        !self.all.contains(&name) && !own.iter().any(|start| name.starts_with(start))
    }
}

/// The tables that are shown, and the names for the walls. To be asked before the walls are there.
pub(super) fn read(
    connection: &Connection,
    tables: &VisibleTables,
) -> Result<(Vec<TableSchema>, Catalog), SqlError> {
    let mut listing = connection.prepare("SELECT name, type FROM pragma_table_list WHERE schema = 'main'")?;
    let listed: Vec<(String, String)> =
        listing.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
    let is_own = |name: &str| name.to_ascii_lowercase().starts_with("sqlite_");
    for wanted in tables.only.iter().chain(&tables.not) {
        if !listed.iter().any(|(name, _)| name.eq_ignore_ascii_case(wanted) && !is_own(name)) {
            return Err(SqlError::NoTable(wanted.clone()));
        }
    }
    let mut known = Catalog { all: HashSet::new(), readable: HashSet::new() };
    let mut shown = Vec::new();
    let mut made_by =
        connection.prepare("SELECT sql FROM sqlite_schema WHERE name = ?1 AND type IN ('table', 'view')")?;
    for (name, _) in
        listed.iter().filter(|(name, kind)| kind != "shadow" && !is_own(name) && tables.is_visible(name))
    {
        let text: Option<String> = made_by.query_row([name], |row| row.get(0))?;
        known.readable.insert(name.to_ascii_lowercase());
        shown.push(TableSchema { name: name.clone(), create_statement: text.unwrap_or_default() });
    }
    // A full-text table keeps its content in tables of its own, which are as readable as it is.
    let virtuals: Vec<String> = listed
        .iter()
        .filter(|(_, kind)| kind == "virtual")
        .map(|(name, _)| name.to_ascii_lowercase())
        .collect();
    for (name, kind) in &listed {
        let name = name.to_ascii_lowercase();
        let is_of =
            |base: &&String| name.strip_prefix(base.as_str()).is_some_and(|rest| rest.starts_with('_'));
        let owner = virtuals.iter().filter(is_of).max_by_key(|base| base.len());
        if kind == "shadow" && owner.is_some_and(|owner| known.readable.contains(owner)) {
            known.readable.insert(name.clone());
        }
        known.all.insert(name);
    }
    shown.sort_by(|a, b| a.name.cmp(&b.name));
    Ok((shown, known))
}
