//! Transactions over byte tables. No guard of the database leaves a function of this file.

use super::changes::Changes;
use super::keys::KeyRange;
use super::tables::{FLOW_TIMELINE, MESSAGES, Table};
use super::tail::Bound;
use crate::domain::error::{Error, Result};
use redb::{Durability, ReadableTable as _, ReadableTableMetadata as _, TableHandle as _};
use std::cell::{Cell, Ref, RefCell};
use std::ops::ControlFlow;

/// Which end of a range comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Smallest key first: the order in which records were made, where keys hold a sequence.
    Ascending,
    /// Largest key first.
    Descending,
}

/// What both kinds of transaction can do: look. A write transaction sees what it wrote itself.
pub trait Tx {
    /// Hands the stored value of `key` to `read`; `None` when there is none.
    ///
    /// # Errors
    /// [`Error::Internal`] when the database cannot be read, else what `read` returns.
    fn look<R>(&self, table: Table, key: &[u8], read: impl FnOnce(&[u8]) -> Result<R>) -> Result<Option<R>>;

    /// Hands the rows of `range` to `each`, until it breaks. `each` must not touch the same table.
    ///
    /// # Errors
    /// [`Error::Internal`] when the database cannot be read, else what `each` returns.
    fn scan(
        &self,
        table: Table,
        range: &KeyRange,
        order: Order,
        each: impl FnMut(&[u8], &[u8]) -> Result<ControlFlow<()>>,
    ) -> Result<()>;

    /// How many rows a whole table has, without reading them.
    ///
    /// # Errors
    /// [`Error::Internal`] when the database cannot be read.
    fn rows(&self, table: Table) -> Result<u64>;
}

/// A snapshot: sees what was committed when it began.
pub struct ReadTx {
    tx: redb::ReadTransaction,
    sees: Sees,
}

/// How much of the database a snapshot may look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sees {
    /// Everything that was acknowledged.
    All,
    /// Everything but messages, the newest of which may be missing (`tail.rs`).
    AllButMessages,
}

impl Sees {
    fn check(self, table: Table) -> Result<()> {
        let is_of_messages = || [MESSAGES, FLOW_TIMELINE].iter().any(|one| one.name() == table.name());
        if self == Self::AllButMessages && is_of_messages() {
            return Err(Error::internal("a reader that does not see messages looked for some"));
        }
        Ok(())
    }
}

/// A change in the making. Nothing of it is seen by others before its commit.
pub struct WriteTx {
    tx: redb::WriteTransaction,
    /// Whether the operation that now runs in this transaction has written (see `commit.rs`).
    wrote: Cell<bool>,
    /// What all operations changed so far.
    changes: RefCell<Changes>,
    /// The newest messages that it sees; those after it are not in the database yet.
    bound: Bound,
    /// An operation in it wants the database flushed.
    flushes: Cell<bool>,
}

/// A failure of the database, for the log.
pub(super) fn broken(cause: impl Into<redb::Error>) -> Error {
    Error::internal(cause.into())
}

/// True when the database itself failed, and not a record in it.
pub(super) fn is_broken(error: &Error) -> bool {
    matches!(error, Error::Internal(cause) if cause.is::<redb::Error>())
}

impl ReadTx {
    pub(super) const fn new(tx: redb::ReadTransaction, sees: Sees) -> Self {
        Self { tx, sees }
    }

    fn check(&self, table: Table) -> Result<()> {
        self.sees.check(table)
    }
}

fn walk<T: redb::ReadableTable<&'static [u8], &'static [u8]>>(
    table: &T,
    range: &KeyRange,
    order: Order,
    mut each: impl FnMut(&[u8], &[u8]) -> Result<ControlFlow<()>>,
) -> Result<()> {
    let mut rows = table.range::<&[u8]>(range.bounds()).map_err(broken)?;
    loop {
        let row = match order {
            Order::Ascending => rows.next(),
            Order::Descending => rows.next_back(),
        };
        let Some(row) = row else { return Ok(()) };
        let (key, value) = row.map_err(broken)?;
        if each(key.value(), value.value())?.is_break() {
            return Ok(());
        }
    }
}

/// Both transactions open tables by the same words, but through no trait of redb.
macro_rules! looking {
    ($tx:ty) => {
        impl Tx for $tx {
            fn look<R>(
                &self,
                table: Table,
                key: &[u8],
                read: impl FnOnce(&[u8]) -> Result<R>,
            ) -> Result<Option<R>> {
                self.check(table)?;
                let table = self.tx.open_table(table).map_err(broken)?;
                let value = table.get(key).map_err(broken)?;
                value.map(|value| read(value.value())).transpose()
            }

            fn scan(
                &self,
                table: Table,
                range: &KeyRange,
                order: Order,
                each: impl FnMut(&[u8], &[u8]) -> Result<ControlFlow<()>>,
            ) -> Result<()> {
                self.check(table)?;
                walk(&self.tx.open_table(table).map_err(broken)?, range, order, each)
            }

            fn rows(&self, table: Table) -> Result<u64> {
                self.check(table)?;
                self.tx.open_table(table).map_err(broken)?.len().map_err(broken)
            }
        }
    };
}

looking!(ReadTx);
looking!(WriteTx);

impl WriteTx {
    pub(super) const fn new(tx: redb::WriteTransaction, bound: Bound) -> Self {
        Self {
            tx,
            wrote: Cell::new(false),
            changes: RefCell::new(Changes::NONE),
            bound,
            flushes: Cell::new(false),
        }
    }

    fn check(&self, table: Table) -> Result<()> {
        Sees::All.check(table)
    }

    /// Which messages it sees.
    pub(super) const fn bound(&self) -> Bound {
        self.bound
    }

    /// Has the database flushed when this is committed. It counts as a write.
    pub(super) fn ask_flush(&self) {
        self.wrote.set(true);
        self.flushes.set(true);
    }

    /// True when it was asked to flush.
    pub(super) fn flushes(&self) -> bool {
        self.flushes.get()
    }

    /// Forgets what the operation before wrote.
    pub(super) fn start_operation(&self) {
        self.wrote.set(false);
    }

    /// True when the operation that started last has written something.
    pub(super) fn wrote(&self) -> bool {
        self.wrote.get()
    }

    /// What was changed in it.
    pub(super) fn changes(&self) -> Ref<'_, Changes> {
        self.changes.borrow()
    }

    /// True when something was changed in it.
    pub(super) fn has_changes(&self) -> bool {
        !matches!(self.changes().rows(), Some([]))
    }

    /// Commits and flushes everything that was committed before along with it. Quick repair makes opening after a
    /// kill take no longer at 10 GB than at 10 kB; it commits in two phases.
    pub(super) fn flush(mut self) -> Result<(), redb::Error> {
        self.tx.set_two_phase_commit(true);
        self.tx.set_quick_repair(true);
        Ok(self.tx.commit()?)
    }

    /// Commits for readers and later transactions of this process; the next flush takes it to disk.
    pub(super) fn commit_in_memory(mut self) -> Result<(), redb::Error> {
        self.tx.set_durability(Durability::None)?;
        Ok(self.tx.commit()?)
    }

    pub(super) fn abort(self) -> Result<(), redb::StorageError> {
        self.tx.abort()
    }

    /// Makes a table that does not exist yet.
    pub(super) fn create(&self, table: Table) -> Result<()> {
        self.wrote.set(true);
        self.changes.borrow_mut().beyond_rows();
        self.tx.open_table(table).map(drop).map_err(broken)
    }

    /// Stores `value` under `key`, in place of what was there.
    ///
    /// # Errors
    /// [`Error::Internal`] when the database cannot be written.
    pub fn put(&self, table: Table, key: &[u8], value: &[u8]) -> Result<()> {
        self.put_all(table, [(key, value)])
    }

    /// Stores several rows: opening a table costs about as much as storing one.
    ///
    /// # Errors
    /// [`Error::Internal`] when the database cannot be written.
    pub fn put_all<K: AsRef<[u8]>, V: AsRef<[u8]>>(
        &self,
        table: Table,
        rows: impl IntoIterator<Item = (K, V)>,
    ) -> Result<()> {
        self.wrote.set(true);
        let definition = table;
        let mut table = self.tx.open_table(definition).map_err(broken)?;
        for (key, value) in rows {
            table.insert(key.as_ref(), value.as_ref()).map_err(broken)?;
            self.changes.borrow_mut().put(definition, key.as_ref(), value.as_ref());
        }
        Ok(())
    }

    /// Removes one row; false when there was none.
    ///
    /// # Errors
    /// [`Error::Internal`] when the database cannot be written.
    pub fn remove(&self, table: Table, key: &[u8]) -> Result<bool> {
        self.wrote.set(true);
        let removed = self.tx.open_table(table).map_err(broken)?.remove(key).map_err(broken)?.is_some();
        self.changes.borrow_mut().remove(table, key);
        Ok(removed)
    }

    /// Removes every row of `range`; the number of rows removed.
    ///
    /// # Errors
    /// [`Error::Internal`] when the database cannot be written.
    pub fn remove_range(&self, table: Table, range: &KeyRange) -> Result<usize> {
        self.wrote.set(true);
        let mut removed = 0;
        let keep_none = |_: &[u8], _: &[u8]| {
            removed += 1;
            false
        };
        let mut rows = self.tx.open_table(table).map_err(broken)?;
        rows.retain_in::<&[u8], _>(range.bounds(), keep_none).map_err(broken)?;
        self.changes.borrow_mut().remove_range(table, range);
        Ok(removed)
    }
}
