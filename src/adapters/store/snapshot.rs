//! One moment of the whole database, and its copy into another file while the service goes on.
//!
//! The copy is made row by row, as each row is stored: what a transaction sees stays as it is, whatever is written meanwhile, and a
//! file that another writes could not be copied as it lies.

use super::Store;
use super::engine::checkpoint::{LOG_MARK_KEY, new_epoch};
use super::tables::META;
use super::transaction::{ReadTx, Tx as _, WriteTx, database_error};
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
/// Rows that are held in memory to be inserted in a better order than theirs.
const TIGHT_BATCH_BYTES: usize = 1 << 20;
/// Of so many rows, so many come first ([`insert_tightly`]): halves then end up about five sixths full, and few are split again.
const TURN_ROWS: usize = 5;
const FIRST_TURN_ROWS: usize = 3;

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
    pub(super) const fn new(tx: ReadTx) -> Self {
        Self(tx)
    }

    /// Writes a database with these rows into `file`, which is empty; `go_on` is asked now and then.
    ///
    /// # Errors
    /// When the database cannot be read or `file` not be written, else what `go_on` returns.
    pub fn copy_into(&self, file: File, go_on: &dyn Fn() -> Result<()>) -> Result<()> {
        // It has everything that the log had, so it must meet none.
        let mark = LogMark { epoch: new_epoch(), length: KnownLength::Bytes(0) };
        self.copy_with_mark(file, mark, go_on).map(drop)
    }

    /// As [`Self::copy_into`], as small as it can be, and going on with the log as the database did at this moment: the copy, and
    /// what it counts on.
    ///
    /// # Errors
    /// As [`Self::copy_into`].
    pub(super) fn copy_compact(
        &self,
        file: File,
        go_on: &dyn Fn() -> Result<()>,
    ) -> Result<(Database, LogMark)> {
        let mark = self.0.get_with(META, LOG_MARK_KEY, |value| {
            LogMark::parse(value).ok_or_else(|| Error::internal("the mark of the journal cannot be read"))
        })?;
        let mark = mark.ok_or_else(|| Error::internal("the database does not know its journal"))?;
        let mut copy = self.copy_with_mark(file, mark, go_on)?;
        go_on()?;
        // Nobody else knows it yet, so its free pages can go.
        copy.compact().map_err(|error| Error::internal(redb::Error::from(error)))?;
        finish(&copy, mark)?;
        Ok((copy, mark))
    }

    fn copy_with_mark(&self, file: File, mark: LogMark, go_on: &dyn Fn() -> Result<()>) -> Result<Database> {
        let copied = catch_unwind(AssertUnwindSafe(|| self.copy_rows(file, mark, go_on)));
        copied.unwrap_or_else(|_| {
            Err(Error::internal(
                "the database is damaged and could not be read to its end; 'flowkeep data verify' says where",
            ))
        })
    }

    fn copy_rows(&self, file: File, mark: LogMark, go_on: &dyn Fn() -> Result<()>) -> Result<Database> {
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
        finish(&target, mark)?;
        Ok(target)
    }

    fn copy_table(&self, target: &Database, name: &str, go_on: &dyn Fn() -> Result<()>) -> Result<()> {
        let definition: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new(name);
        let source = self.0.tx.open_table(definition).map_err(database_error)?;
        let count = source.len().map_err(database_error)?;
        let mut rows = source.iter().map_err(database_error)?;
        let mut copied = 0;
        let mut is_over = false;
        while !is_over {
            go_on()?;
            let tx = begin(target)?;
            let mut bytes = 0;
            {
                let mut table = tx.open_table(definition).map_err(database_error)?;
                while bytes < COPY_BATCH_BYTES && !is_over {
                    let (some, some_bytes) = take_rows(&mut rows)?;
                    is_over = some.is_empty();
                    bytes += some_bytes;
                    copied += some.len() as u64;
                    insert_tightly(&mut table, &some)?;
                }
            }
            tx.commit().map_err(database_error)?;
        }
        if copied == count {
            Ok(())
        } else {
            Err(Error::internal("the database is damaged: a table lacks rows"))
        }
    }
}

type OwnRow = (Vec<u8>, Vec<u8>);

/// The next rows, and their bytes; none at the end.
fn take_rows(rows: &mut redb::Range<'_, &'static [u8], &'static [u8]>) -> Result<(Vec<OwnRow>, usize)> {
    let (mut taken, mut bytes) = (Vec::new(), 0);
    while bytes < TIGHT_BATCH_BYTES {
        let Some(row) = rows.next() else { break };
        let (key, value) = row.map_err(database_error)?;
        let (key, value) = (key.value().to_vec(), value.value().to_vec());
        bytes += key.len() + value.len();
        taken.push((key, value));
    }
    Ok((taken, bytes))
}

/// Inserts rows that are in order. A page that is full is split into two halves, and one that rows in their order have filled gets
/// no other row any more: so some of the rows come first, and the others fill the halves that those left.
fn insert_tightly(table: &mut redb::Table<'_, &'static [u8], &'static [u8]>, rows: &[OwnRow]) -> Result<()> {
    for is_first_turn in [true, false] {
        for (place, (key, value)) in rows.iter().enumerate() {
            if (place % TURN_ROWS < FIRST_TURN_ROWS) == is_first_turn {
                table.insert(key.as_slice(), value.as_slice()).map_err(database_error)?;
            }
        }
    }
    Ok(())
}

/// Lets the copy know how it stands to its log; everything in it is on disk when this returns.
fn finish(copy: &Database, mark: LogMark) -> Result<()> {
    let tx = WriteTx::new(begin(copy)?, Watermark::default());
    tx.put(META, LOG_MARK_KEY, &mark.to_bytes())?;
    tx.commit_durable().map_err(database_error)
}

fn begin(target: &Database) -> Result<WriteTransaction> {
    target.begin_write().map_err(database_error)
}
