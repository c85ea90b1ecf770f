//! Puts whole runs into their lists, and makes what a log says of lists again.
//!
//! A log is made again over a database that may have some of it already. A row is the same however often it is put, but a count
//! that is raised again is not; and a count that is set to what it was once forgets what was counted since. So counts are never
//! taken from the log: they follow the rows that come and go, each as often as it really does.

use super::index::{self, IndexChanges, IndexKey};
use crate::domain::error::Result;
use crate::domain::predictions::execution::Execution;
use crate::store::queries::counts::{Damages, write_counts};
use crate::store::tables::{EXECUTION_COUNTS, EXECUTION_INDEX};
use crate::store::transaction::{Tx as _, WriteTx};
use std::collections::BTreeMap;

/// See the head of this file.
#[derive(Default)]
pub(in crate::store) struct ListWriter {
    /// What becomes of counts, which are written at the end.
    counts: BTreeMap<[u8; 43], i64>,
    /// Rows may be there already.
    is_replay: bool,
}

impl ListWriter {
    /// For the changes of a log.
    pub(in crate::store) fn for_replay() -> Self {
        Self { is_replay: true, ..Self::default() }
    }

    /// Puts runs that were in no list into theirs.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub(super) fn add<'r>(&mut self, tx: &WriteTx, runs: impl Iterator<Item = &'r Execution>) -> Result<()> {
        let mut changes = IndexChanges::default();
        runs.for_each(|run| changes.replace(None, Some(run)));
        if self.is_replay {
            return changes.new_rows().try_for_each(|(key, row)| self.put(tx, key, row));
        }
        tx.put_all(EXECUTION_INDEX, changes.new_rows())?;
        for (count, change) in changes.into_counts() {
            *self.counts.entry(count).or_default() += change;
        }
        Ok(())
    }

    /// Puts a row of a list, which may be there.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub(in crate::store) fn put(&mut self, tx: &WriteTx, key: &[u8], row: &[u8]) -> Result<()> {
        if !tx.has(EXECUTION_INDEX, key)? {
            self.count(key, 1);
        }
        tx.put(EXECUTION_INDEX, key, row)
    }

    /// Removes a row of a list, which may be gone.
    ///
    /// # Errors
    /// As [`Self::put`].
    pub(in crate::store) fn remove(&mut self, tx: &WriteTx, key: &[u8]) -> Result<()> {
        if tx.remove(EXECUTION_INDEX, key)? {
            self.count(key, -1);
        }
        Ok(())
    }

    /// A key of another shape stands in no list.
    fn count(&mut self, key: &[u8], change: i64) {
        if let Ok(key) = <&IndexKey>::try_from(key) {
            index::count_keys(key, |count| *self.counts.entry(count).or_default() += change);
        }
    }

    /// Writes the counts. One that is damaged stays as it is: the runs are there, and whoever looks at their list is told.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub(in crate::store) fn finish(self, tx: &WriteTx) -> Result<()> {
        write_counts(tx, EXECUTION_COUNTS, self.counts, Damages::PassOver)
    }
}
