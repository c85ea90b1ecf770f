//! Transactions over byte tables. No guard of the database leaves a function of this file.

use super::changes::Changes;
use super::keys::KeyRange;
use super::rows;
use super::sums::{Form, SUM_BYTES, sum};
use super::tables::{FLOW_TIMELINE, MESSAGES, Table};
use super::tail::Bound;
use crate::domain::error::{Error, Result};
use redb::{AccessGuard, Durability, ReadableTable as _, ReadableTableMetadata as _, TableHandle as _};
use std::cell::{Cell, Ref, RefCell};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};

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
    /// [`Error::Internal`] when the database cannot be read, [`Error::Damaged`] when the row is not what was stored, else
    /// what `read` returns.
    fn look<R>(&self, table: Table, key: &[u8], read: impl FnOnce(&[u8]) -> Result<R>) -> Result<Option<R>>;

    /// True when there is a row under `key`; its value is not read.
    ///
    /// # Errors
    /// [`Error::Internal`] when the database cannot be read.
    fn has(&self, table: Table, key: &[u8]) -> Result<bool>;

    /// Hands the rows of `range` to `each`, until it breaks. `each` must not touch the same table.
    ///
    /// # Errors
    /// [`Error::Internal`] when the database cannot be read, [`Error::Damaged`] when a row is not what was stored, else what
    /// `each` returns.
    fn scan(
        &self,
        table: Table,
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
        table: Table,
        range: &KeyRange,
        order: Order,
        each: impl FnMut(&[u8]) -> Result<ControlFlow<()>>,
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
    form: Form,
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
    form: Cell<Form>,
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
        Self::in_form(tx, sees, Form::Summed)
    }

    /// Over a database whose rows are of this form.
    pub(super) const fn in_form(tx: redb::ReadTransaction, sees: Sees, form: Form) -> Self {
        Self { tx, sees, form }
    }

    fn check(&self, table: Table) -> Result<()> {
        self.sees.check(table)
    }

    const fn form(&self) -> Form {
        self.form
    }

    /// Looks at every row of a table, whatever is wrong with some.
    ///
    /// # Errors
    /// [`Error::Cancelled`] when `is_over` says so.
    pub(super) fn examine(&self, table: Table, is_over: impl Fn() -> bool) -> Result<Examined> {
        let mut found = Examined::default();
        // What fails here is told in the end: the table is not whole.
        let _ = self.examine_rows(table, &mut found, &is_over);
        if is_over() { Err(Error::Cancelled) } else { Ok(found) }
    }

    fn examine_rows(&self, table: Table, found: &mut Examined, is_over: &impl Fn() -> bool) -> Result<()> {
        let name = table;
        let table = contained(name, || self.tx.open_table(name))?;
        let mut rows = contained(name, || table.range::<&[u8]>(..))?;
        let mut last: Option<Vec<u8>> = None;
        while let Some((key, value)) = contained(name, || rows.next().transpose())? {
            if is_over() {
                return Ok(());
            }
            let key = contained(name, || Ok::<_, redb::StorageError>(key.value().to_vec()))?;
            found.rows += 1;
            // Also by way of the pages above it, which a walk does not look at.
            let is_sound = contained(name, || {
                let fits = self.form.value(name, &key, value.value()).is_some();
                Ok::<_, redb::StorageError>(fits && table.get(key.as_slice())?.is_some())
            });
            if !is_sound.unwrap_or(false) || last.is_some_and(|last| last >= key) {
                found.damaged.push(key.clone());
            }
            last = Some(key);
        }
        found.is_whole = contained(name, || table.len())? == found.rows;
        Ok(())
    }
}

/// What was found in a table.
#[derive(Debug, Default)]
pub(super) struct Examined {
    /// How many rows were reached.
    pub(super) rows: u64,
    /// The keys of those that are not what was stored.
    pub(super) damaged: Vec<Vec<u8>>,
    /// All rows were reached that the database counts.
    pub(super) is_whole: bool,
}

/// Runs a read of the database. What a disk changed in its pages may be a panic there, which is one of this table alone.
fn contained<T, E: Into<redb::Error>>(table: Table, read: impl FnOnce() -> Result<T, E>) -> Result<T> {
    let damaged = || {
        let damage = rows::damaged_table(table);
        tracing::error!(table = damage.place(), "pages of the database are damaged");
        Error::Damaged(damage)
    };
    match catch_unwind(AssertUnwindSafe(read)) {
        Ok(Ok(found)) => Ok(found),
        Ok(Err(error)) => Err(match error.into() {
            redb::Error::Corrupted(_) => damaged(),
            other => broken(other),
        }),
        Err(_) => Err(damaged()),
    }
}

type Bytes = &'static [u8];

fn walk<T: redb::ReadableTable<Bytes, Bytes>>(
    name: Table,
    table: &T,
    range: &KeyRange,
    order: Order,
    mut each: impl FnMut(&[u8], &AccessGuard<'_, Bytes>) -> Result<ControlFlow<()>>,
) -> Result<()> {
    let mut rows = contained(name, || table.range::<&[u8]>(range.bounds()))?;
    loop {
        let row = contained(name, || match order {
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
    contained(table, || Ok::<_, redb::StorageError>(guard.value()))
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
                let name = table;
                let table = contained(name, || self.tx.open_table(name))?;
                let Some(value) = contained(name, || table.get(key))? else { return Ok(None) };
                read(self.form().read(name, key, value_of(name, &value)?)?).map(Some)
            }

            fn has(&self, table: Table, key: &[u8]) -> Result<bool> {
                self.check(table)?;
                let name = table;
                let table = contained(name, || self.tx.open_table(name))?;
                Ok(contained(name, || table.get(key))?.is_some())
            }

            fn scan(
                &self,
                table: Table,
                range: &KeyRange,
                order: Order,
                mut each: impl FnMut(&[u8], &[u8]) -> Result<ControlFlow<()>>,
            ) -> Result<()> {
                self.check(table)?;
                let (name, form) = (table, self.form());
                let table = contained(name, || self.tx.open_table(name))?;
                walk(name, &table, range, order, |key, value| {
                    each(key, form.read(name, key, value_of(name, value)?)?)
                })
            }

            fn scan_keys(
                &self,
                table: Table,
                range: &KeyRange,
                order: Order,
                mut each: impl FnMut(&[u8]) -> Result<ControlFlow<()>>,
            ) -> Result<()> {
                self.check(table)?;
                let name = table;
                let table = contained(name, || self.tx.open_table(name))?;
                walk(name, &table, range, order, |key, _| each(key))
            }

            fn rows(&self, table: Table) -> Result<u64> {
                self.check(table)?;
                let name = table;
                let table = contained(name, || self.tx.open_table(name))?;
                contained(name, || table.len())
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
            form: Cell::new(Form::Summed),
        }
    }

    fn check(&self, table: Table) -> Result<()> {
        Sees::All.check(table)
    }

    fn form(&self) -> Form {
        self.form.get()
    }

    /// Reads and writes rows of this form from here on.
    pub(super) fn take_form(&self, form: Form) {
        self.form.set(form);
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
            let (key, value) = (key.as_ref(), value.as_ref());
            if self.form().has_sum(definition, key) {
                let mut room = table.insert_reserve(key, value.len() + SUM_BYTES).map_err(broken)?;
                let (of_value, of_sum) = room.as_mut().split_at_mut(value.len());
                of_value.copy_from_slice(value);
                of_sum.copy_from_slice(&sum(definition, key, value));
            } else {
                table.insert(key, value).map_err(broken)?;
            }
            self.changes.borrow_mut().put(definition, key, value);
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
