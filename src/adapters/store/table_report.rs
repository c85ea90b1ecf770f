//! Every row of a table looked at, for who wants to know what a disk changed.

use super::page_damage::catch_damage;
use super::tables::Table;
use super::transaction::ReadTx;
use crate::domain::error::{Error, Result};
use redb::ReadableTableMetadata as _;

/// What was found in a table.
#[derive(Debug, Default)]
pub(super) struct TableReport {
    pub(super) rows: u64,
    /// The keys of those that are not what was stored.
    pub(super) damaged_keys: Vec<Vec<u8>>,
    /// All rows were reached that the database counts.
    pub(super) is_complete: bool,
}

impl ReadTx {
    /// Looks at every row of a table, whatever is wrong with some.
    ///
    /// # Errors
    /// [`Error::Cancelled`] when `is_cancelled` says so.
    pub(super) fn examine(&self, table: Table, is_cancelled: impl Fn() -> bool) -> Result<TableReport> {
        let mut report = TableReport::default();
        // What fails here shows in the end: the table is not complete.
        let _ = self.examine_rows(table, &mut report, &is_cancelled);
        if is_cancelled() { Err(Error::Cancelled) } else { Ok(report) }
    }

    fn examine_rows(
        &self,
        table: Table,
        report: &mut TableReport,
        is_cancelled: &impl Fn() -> bool,
    ) -> Result<()> {
        let name = table;
        let table = catch_damage(name, || self.tx.open_table(name))?;
        let mut rows = catch_damage(name, || table.range::<&[u8]>(..))?;
        let mut last: Option<Vec<u8>> = None;
        while let Some((key, value)) = catch_damage(name, || rows.next().transpose())? {
            if is_cancelled() {
                return Ok(());
            }
            let key = catch_damage(name, || Ok::<_, redb::StorageError>(key.value().to_vec()))?;
            report.rows += 1;
            // Also by way of the pages above it, which a walk does not look at.
            let is_sound = catch_damage(name, || {
                let fits = self.encoding.checked_value(name, &key, value.value()).is_some();
                Ok::<_, redb::StorageError>(fits && table.get(key.as_slice())?.is_some())
            });
            if !is_sound.unwrap_or(false) || last.is_some_and(|last| last >= key) {
                report.damaged_keys.push(key.clone());
            }
            last = Some(key);
        }
        report.is_complete = catch_damage(name, || table.len())? == report.rows;
        Ok(())
    }
}
