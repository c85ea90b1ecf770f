//! Transactions over byte tables. No guard of the database leaves a function of this file.

use super::checksum::{CHECKSUM_BYTES, RowEncoding, checksum};
use super::keys::KeyRange;
use super::page_damage::catch_damage;
use super::tables::{self, MessageTable, Table};
use super::wal::memtable::Watermark;
use super::wal::redo::RedoRecord;
use crate::domain::error::{Error, Result};
use redb::{AccessGuard, Durability, ReadableTable as _, ReadableTableMetadata as _};
use std::cell::{Cell, Ref, RefCell};
use std::ops::{ControlFlow, Deref};
use std::sync::Arc;

/// Which end of a range comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Smallest key first: the order in which records were made, where keys hold a sequence.
    Ascending,
    /// Largest key first.
    Descending,
}

/// A table that transactions of the kind `X` may look at.
pub trait ReadableIn<X> {
    /// The table in the database's own words.
    fn definition(self) -> Table;
}

impl<X: Tx> ReadableIn<X> for Table {
    fn definition(self) -> Table {
        self
    }
}

impl<X: MessageReader> ReadableIn<X> for MessageTable {
    fn definition(self) -> Table {
        self.table()
    }
}

/// What every kind of transaction can do: look. A write transaction sees what it wrote itself.
pub trait Tx: Sized {
    /// Hands the stored value of `key` to `read`; `None` when there is none.
    ///
    /// # Errors
    /// [`Error::Internal`] when the database cannot be read, [`Error::Damaged`] when the row is not what was stored, else
    /// what `read` returns.
    fn get_with<R>(
        &self,
        table: impl ReadableIn<Self>,
        key: &[u8],
        read: impl FnOnce(&[u8]) -> Result<R>,
    ) -> Result<Option<R>>;

    /// True when there is a row under `key`; its value is not read.
    ///
    /// # Errors
    /// [`Error::Internal`] when the database cannot be read.
    fn has(&self, table: impl ReadableIn<Self>, key: &[u8]) -> Result<bool>;

    /// Hands the rows of `range` to `each`, until it breaks. `each` must not touch the same table.
    ///
    /// # Errors
    /// [`Error::Internal`] when the database cannot be read, [`Error::Damaged`] when a row is not what was stored, else what
    /// `each` returns.
    fn scan(
        &self,
        table: impl ReadableIn<Self>,
        range: &KeyRange,
        order: Order,
        each: impl FnMut(&[u8], &[u8]) -> Result<ControlFlow<()>>,
    ) -> Result<()>;

    /// As [`Self::scan`], for who needs the keys alone: what is damaged can be counted and removed like everything else.
    ///
    /// # Errors
    /// [`Error::Internal`] when the database cannot be read, else what `each` returns.
    fn scan_keys(
        &self,
        table: impl ReadableIn<Self>,
        range: &KeyRange,
        order: Order,
        each: impl FnMut(&[u8]) -> Result<ControlFlow<()>>,
    ) -> Result<()>;

    /// How many rows a whole table has, without reading them.
    ///
    /// # Errors
    /// [`Error::Internal`] when the database cannot be read.
    fn row_count(&self, table: impl ReadableIn<Self>) -> Result<u64>;
}

/// A transaction that lacks no message which was acknowledged before it began.
pub trait MessageReader: Tx {}

/// A snapshot: sees what was committed when it began. It looks at no messages, because it waited for none.
pub struct ReadTx {
    pub(super) tx: redb::ReadTransaction,
    pub(super) encoding: RowEncoding,
    /// Last, so that the transaction ends before.
    _reader: Option<Arc<()>>,
}

/// A snapshot that began when the database had every acknowledged message.
pub struct MessagesTx(ReadTx);

/// What becomes of a row.
pub(super) enum RowChange<V> {
    Put(V),
    Remove,
    /// It stays as it is.
    Keep,
}

/// A change in the making. Nothing of it is seen by others before its commit.
pub struct WriteTx {
    tx: redb::WriteTransaction,
    /// Whether the operation that now runs in this transaction has written (see `engine/write_group.rs`).
    has_written: Cell<bool>,
    /// Something else than what runs leave behind was written.
    concerns_caches: Cell<bool>,
    /// What all operations changed so far.
    redo: RefCell<RedoRecord>,
    /// It sees every message below this; the others are not in the database yet.
    watermark: Watermark,
    /// An operation in it asked for a checkpoint.
    is_checkpoint_requested: Cell<bool>,
    encoding: Cell<RowEncoding>,
}

/// A failure of the database, for the log.
pub(super) fn database_error(cause: impl Into<redb::Error>) -> Error {
    Error::internal(cause.into())
}

/// True when the database itself failed, and not a record in it.
pub(super) fn is_database_error(error: &Error) -> bool {
    matches!(error, Error::Internal(cause) if cause.is::<redb::Error>())
}

impl ReadTx {
    pub(super) const fn new(tx: redb::ReadTransaction) -> Self {
        Self::with_encoding(tx, RowEncoding::Checksummed)
    }

    /// Over a database whose rows have this encoding.
    pub(super) const fn with_encoding(tx: redb::ReadTransaction, encoding: RowEncoding) -> Self {
        Self { tx, encoding, _reader: None }
    }

    pub(super) fn counted_by(self, reader: Arc<()>) -> Self {
        Self { _reader: Some(reader), ..self }
    }

    const fn encoding(&self) -> RowEncoding {
        self.encoding
    }
}

impl MessagesTx {
    /// Takes the word of whoever calls that `tx` began after the messages were stored, or that what it lacks is added to what
    /// it finds.
    pub(super) const fn assume_drained(tx: ReadTx) -> Self {
        Self(tx)
    }
}

impl Deref for MessagesTx {
    type Target = ReadTx;
    fn deref(&self) -> &ReadTx {
        &self.0
    }
}

impl MessageReader for MessagesTx {}

/// A change begins when the memtable is empty.
impl MessageReader for WriteTx {}

type Bytes = &'static [u8];
type Rows<'tx> = redb::Table<'tx, Bytes, Bytes>;

fn walk_range<T: redb::ReadableTable<Bytes, Bytes>>(
    name: Table,
    table: &T,
    range: &KeyRange,
    order: Order,
    mut each: impl FnMut(&[u8], &AccessGuard<'_, Bytes>) -> Result<ControlFlow<()>>,
) -> Result<()> {
    let mut rows = catch_damage(name, || table.range::<&[u8]>(range.bounds()))?;
    loop {
        let row = catch_damage(name, || match order {
            Order::Ascending => rows.next().transpose(),
            Order::Descending => rows.next_back().transpose(),
        })?;
        let Some((key, value)) = row else { return Ok(()) };
        let key = value_of(name, &key)?;
        if each(key, &value)?.is_break() {
            return Ok(());
        }
    }
}

fn value_of<'a>(table: Table, guard: &'a AccessGuard<'_, Bytes>) -> Result<&'a [u8]> {
    catch_damage(table, || Ok::<_, redb::StorageError>(guard.value()))
}

/// All transactions open tables by the same words, but through no trait of redb.
macro_rules! impl_reads {
    ($tx:ty) => {
        impl Tx for $tx {
            fn get_with<R>(
                &self,
                table: impl ReadableIn<Self>,
                key: &[u8],
                read: impl FnOnce(&[u8]) -> Result<R>,
            ) -> Result<Option<R>> {
                let name = table.definition();
                let table = catch_damage(name, || self.tx.open_table(name))?;
                let Some(value) = catch_damage(name, || table.get(key))? else { return Ok(None) };
                read(self.encoding().read_value(name, key, value_of(name, &value)?)?).map(Some)
            }

            fn has(&self, table: impl ReadableIn<Self>, key: &[u8]) -> Result<bool> {
                let name = table.definition();
                let table = catch_damage(name, || self.tx.open_table(name))?;
                Ok(catch_damage(name, || table.get(key))?.is_some())
            }

            fn scan(
                &self,
                table: impl ReadableIn<Self>,
                range: &KeyRange,
                order: Order,
                mut each: impl FnMut(&[u8], &[u8]) -> Result<ControlFlow<()>>,
            ) -> Result<()> {
                let (name, form) = (table.definition(), self.encoding());
                let table = catch_damage(name, || self.tx.open_table(name))?;
                walk_range(name, &table, range, order, |key, value| {
                    each(key, form.read_value(name, key, value_of(name, value)?)?)
                })
            }

            fn scan_keys(
                &self,
                table: impl ReadableIn<Self>,
                range: &KeyRange,
                order: Order,
                mut each: impl FnMut(&[u8]) -> Result<ControlFlow<()>>,
            ) -> Result<()> {
                let name = table.definition();
                let table = catch_damage(name, || self.tx.open_table(name))?;
                walk_range(name, &table, range, order, |key, _| each(key))
            }

            fn row_count(&self, table: impl ReadableIn<Self>) -> Result<u64> {
                let name = table.definition();
                let table = catch_damage(name, || self.tx.open_table(name))?;
                catch_damage(name, || table.len())
            }
        }
    };
}

impl_reads!(ReadTx);
impl_reads!(MessagesTx);
impl_reads!(WriteTx);

impl WriteTx {
    pub(super) const fn new(tx: redb::WriteTransaction, watermark: Watermark) -> Self {
        Self {
            tx,
            has_written: Cell::new(false),
            concerns_caches: Cell::new(false),
            redo: RefCell::new(RedoRecord::EMPTY),
            watermark,
            is_checkpoint_requested: Cell::new(false),
            encoding: Cell::new(RowEncoding::Checksummed),
        }
    }

    fn encoding(&self) -> RowEncoding {
        self.encoding.get()
    }

    /// Reads and writes rows in this encoding from here on.
    pub(super) fn set_encoding(&self, encoding: RowEncoding) {
        self.encoding.set(encoding);
    }

    pub(super) const fn watermark(&self) -> Watermark {
        self.watermark
    }

    /// Has a checkpoint made when this is committed. It counts as a write.
    pub(super) fn request_checkpoint(&self) {
        self.has_written.set(true);
        self.is_checkpoint_requested.set(true);
    }

    /// True when an operation in it asked for a checkpoint.
    pub(super) fn is_checkpoint_requested(&self) -> bool {
        self.is_checkpoint_requested.get()
    }

    /// Forgets what the operation before wrote.
    pub(super) fn start_operation(&self) {
        self.has_written.set(false);
    }

    /// True when the operation that started last has written something.
    pub(super) fn has_written(&self) -> bool {
        self.has_written.get()
    }

    /// What was changed in it.
    pub(super) fn redo(&self) -> Ref<'_, RedoRecord> {
        self.redo.borrow()
    }

    /// True when something was changed in it.
    pub(super) fn has_changes(&self) -> bool {
        !matches!(self.redo().rows(), Some([]))
    }

    /// Commits and flushes everything that was committed before along with it. Quick repair makes opening after a
    /// kill take no longer at 10 GB than at 10 kB; it commits in two phases.
    pub(super) fn commit_durable(mut self) -> Result<(), redb::Error> {
        self.tx.set_two_phase_commit(true);
        self.tx.set_quick_repair(true);
        Ok(self.tx.commit()?)
    }

    /// Commits for readers and later transactions of this process; the next checkpoint takes it to disk.
    pub(super) fn commit_volatile(mut self) -> Result<(), redb::Error> {
        self.tx.set_durability(Durability::None)?;
        Ok(self.tx.commit()?)
    }

    pub(super) fn abort(self) -> Result<(), redb::StorageError> {
        self.tx.abort()
    }

    /// True when something was changed that may be kept outside of the database ([`tables::is_of_runs`]).
    pub(super) fn concerns_caches(&self) -> bool {
        self.concerns_caches.get()
    }

    fn note_write(&self, table: Table) {
        self.has_written.set(true);
        if !self.concerns_caches.get() && !tables::is_of_runs(table) {
            self.concerns_caches.set(true);
        }
    }

    /// Makes a table that does not exist yet.
    pub(super) fn create_table(&self, table: Table) -> Result<()> {
        self.note_write(table);
        self.redo.borrow_mut().mark_oversized();
        self.tx.open_table(table).map(drop).map_err(database_error)
    }

    /// Stores `value` under `key`, in place of what was there.
    ///
    /// # Errors
    /// [`Error::Internal`] when the database cannot be written.
    pub fn put(&self, table: impl ReadableIn<Self>, key: &[u8], value: &[u8]) -> Result<()> {
        self.put_all(table, [(key, value)])
    }

    /// Stores several rows: opening a table costs about as much as storing one.
    ///
    /// # Errors
    /// [`Error::Internal`] when the database cannot be written.
    pub(crate) fn put_all<K: AsRef<[u8]>, V: AsRef<[u8]>>(
        &self,
        table: impl ReadableIn<Self>,
        rows: impl IntoIterator<Item = (K, V)>,
    ) -> Result<()> {
        let name = table.definition();
        self.note_write(name);
        let mut table = self.tx.open_table(name).map_err(database_error)?;
        rows.into_iter()
            .try_for_each(|(key, value)| self.insert(name, &mut table, key.as_ref(), value.as_ref()))
    }

    /// Stores several rows, each in place of what `change` is shown of it, which may be that it is damaged.
    ///
    /// # Errors
    /// [`Error::Internal`] when the database cannot be read or written, else what `change` returns.
    pub(super) fn change_all<K: AsRef<[u8]>, C, V: AsRef<[u8]>>(
        &self,
        table: impl ReadableIn<Self>,
        changes: impl IntoIterator<Item = (K, C)>,
        mut change: impl FnMut(C, Result<Option<&[u8]>>) -> Result<RowChange<V>>,
    ) -> Result<()> {
        let name = table.definition();
        self.note_write(name);
        let mut table = self.tx.open_table(name).map_err(database_error)?;
        for (key, wanted) in changes {
            let key = key.as_ref();
            let changed = match catch_damage(name, || table.get(key))? {
                None => change(wanted, Ok(None))?,
                Some(row) => {
                    let value = self.encoding().read_value(name, key, value_of(name, &row)?);
                    change(wanted, value.map(Some))?
                }
            };
            match changed {
                RowChange::Put(value) => self.insert(name, &mut table, key, value.as_ref())?,
                RowChange::Remove => drop(self.take(name, &mut table, key)?),
                RowChange::Keep => {}
            }
        }
        Ok(())
    }

    fn insert(&self, name: Table, table: &mut Rows<'_>, key: &[u8], value: &[u8]) -> Result<()> {
        if self.encoding().has_checksum(name, key) {
            let mut room = table.insert_reserve(key, value.len() + CHECKSUM_BYTES).map_err(database_error)?;
            let (of_value, of_sum) = room.as_mut().split_at_mut(value.len());
            of_value.copy_from_slice(value);
            of_sum.copy_from_slice(&checksum(name, key, value));
        } else {
            table.insert(key, value).map_err(database_error)?;
        }
        self.redo.borrow_mut().put(name, key, value);
        Ok(())
    }

    fn take(&self, name: Table, table: &mut Rows<'_>, key: &[u8]) -> Result<bool> {
        let is_removed = table.remove(key).map_err(database_error)?.is_some();
        self.redo.borrow_mut().remove(name, key);
        Ok(is_removed)
    }

    /// Removes one row; false when there was none.
    ///
    /// # Errors
    /// [`Error::Internal`] when the database cannot be written.
    pub fn remove(&self, table: impl ReadableIn<Self>, key: &[u8]) -> Result<bool> {
        self.remove_all(table, [key]).map(|removed| removed > 0)
    }

    /// Removes several rows; how many there were.
    ///
    /// # Errors
    /// [`Error::Internal`] when the database cannot be written.
    pub fn remove_all<K: AsRef<[u8]>>(
        &self,
        table: impl ReadableIn<Self>,
        keys: impl IntoIterator<Item = K>,
    ) -> Result<usize> {
        let name = table.definition();
        self.note_write(name);
        let mut table = self.tx.open_table(name).map_err(database_error)?;
        keys.into_iter()
            .try_fold(0, |removed, key| Ok(removed + usize::from(self.take(name, &mut table, key.as_ref())?)))
    }

    /// Removes every row of `range`; the number of rows removed.
    ///
    /// # Errors
    /// [`Error::Internal`] when the database cannot be written.
    pub(crate) fn remove_range(&self, table: impl ReadableIn<Self>, range: &KeyRange) -> Result<usize> {
        let table = table.definition();
        self.note_write(table);
        let mut removed = 0;
        let keep_none = |_: &[u8], _: &[u8]| {
            removed += 1;
            false
        };
        let mut rows = self.tx.open_table(table).map_err(database_error)?;
        rows.retain_in::<&[u8], _>(range.bounds(), keep_none).map_err(database_error)?;
        self.redo.borrow_mut().remove_range(table, range);
        Ok(removed)
    }
}
