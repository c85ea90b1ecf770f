//! One moment of the whole database, and its copy into another file while the service goes on.
//!
//! The copy is made row by row, as each row is stored: what a transaction sees stays as it is, whatever is written meanwhile, and a
//! file that another writes could not be copied as it lies. The copy has everything that the log had, so it needs none.

use super::Store;
use super::engine::database::{LOG_MARK_KEY, new_epoch};
use super::tables::META;
use super::transaction::{ReadTx, WriteTx, database_error};
use super::wal::log::{KnownLength, LogMark};
use super::wal::memtable::Watermark;
use crate::domain::error::{Error, Result};
use redb::{
    Database, ReadableTable as _, ReadableTableMetadata as _, TableDefinition, TableHandle as _,
    WriteTransaction,
};
use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Pages of the copy that are in memory.
const COPY_CACHE_BYTES: usize = 8 << 20;
/// Rows that are written to the copy in one go.
const COPY_BATCH_BYTES: usize = 8 << 20;

/// A moment of the database. As long as it is held, the database keeps what it shows, and grows by what is written meanwhile.
pub struct Snapshot(ReadTx);

impl Store {
    /// This moment, with everything that was acknowledged before.
    ///
    /// # Errors
    /// [`Error::Internal`] when the database cannot be read.
    pub fn snapshot(&self) -> Result<Snapshot> {
        self.read_messages(|_| Ok(()))?;
        // What came since waits in the log, and in memory; a writer takes it along, as it does for a reader of messages.
        let begun = self.engine.begin_read().map(Snapshot);
        begun.inspect_err(|error| self.engine.inspect_error(error))
    }
}

impl Snapshot {
    /// Writes a database with these rows into `file`, which is empty; `go_on` is asked now and then.
    ///
    /// # Errors
    /// When the database cannot be read or `file` not be written, else what `go_on` returns.
    pub fn copy_into(&self, file: File, go_on: &dyn Fn() -> Result<()>) -> Result<()> {
        let copied = catch_unwind(AssertUnwindSafe(|| self.copy_rows(file, go_on)));
        copied.unwrap_or_else(|_| {
            Err(Error::internal(
                "the database is damaged and could not be read to its end; 'flowkeep data verify' says where",
            ))
        })
    }

    fn copy_rows(&self, file: File, go_on: &dyn Fn() -> Result<()>) -> Result<()> {
        let mut builder = Database::builder();
        let target = builder.set_cache_size(COPY_CACHE_BYTES).create_file(file);
        let target = target.map_err(|error| Error::internal(redb::Error::from(error)))?;
        let source = &self.0.tx;
        for table in source.list_tables().map_err(database_error)? {
            self.copy_table(&target, table.name(), go_on)?;
        }
        if source.list_multimap_tables().map_err(database_error)?.next().is_some() {
            return Err(Error::internal("the database has a table of a kind that is not copied"));
        }
        let mark = LogMark { epoch: new_epoch(), length: KnownLength::Bytes(0) };
        let tx = WriteTx::new(begin(&target)?, Watermark::default());
        tx.put(META, LOG_MARK_KEY, &mark.to_bytes())?;
        tx.commit_durable().map_err(database_error)
    }

    fn copy_table(&self, target: &Database, name: &str, go_on: &dyn Fn() -> Result<()>) -> Result<()> {
        let definition: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new(name);
        let source = self.0.tx.open_table(definition).map_err(database_error)?;
        let count = source.len().map_err(database_error)?;
        let mut rows = source.iter().map_err(database_error)?;
        let mut copied = 0;
        loop {
            go_on()?;
            let tx = begin(target)?;
            let mut bytes = 0;
            {
                let mut table = tx.open_table(definition).map_err(database_error)?;
                while bytes < COPY_BATCH_BYTES {
                    let Some(row) = rows.next() else { break };
                    let (key, value) = row.map_err(database_error)?;
                    bytes += key.value().len() + value.value().len();
                    table.insert(key.value(), value.value()).map_err(database_error)?;
                    copied += 1;
                }
            }
            tx.commit().map_err(database_error)?;
            if bytes < COPY_BATCH_BYTES {
                break;
            }
        }
        if copied == count {
            Ok(())
        } else {
            Err(Error::internal("the database is damaged: a table lacks rows"))
        }
    }
}

fn begin(target: &Database) -> Result<WriteTransaction> {
    target.begin_write().map_err(database_error)
}
