//! Typed records over byte tables. A `WorkspaceTable` is asked with a workspace, always; a `GlobalTable` holds the few
//! records that stand above workspaces or lead to one.

use super::keys::{self, AsKey, KeyRange, RecordId};
use super::tables::Table;
use super::transaction::{Order, Tx, WriteTx};
use crate::domain::error::{Error, Result};
use crate::domain::ids::WorkspaceId;
use redb::TableHandle as _;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::marker::PhantomData;
use std::ops::ControlFlow;

/// JSON records of one type that belong to a workspace, in one table: workspace ‖ id -> record.
pub struct WorkspaceTable<T, I> {
    table: Table,
    record_type: PhantomData<fn() -> (T, I)>,
}

/// JSON records of one type, found by a key of their own without a workspace.
pub struct GlobalTable<T, K: ?Sized> {
    table: Table,
    record_type: PhantomData<fn(&K) -> T>,
}

/// Texts that belong to a workspace, stored as they are: no quoting, no copy through a parser.
pub struct WorkspaceTexts<I> {
    table: Table,
    record_type: PhantomData<fn() -> I>,
}

/// A stored record this version cannot read. Named by table: a record may hold what must not be logged.
// Line and column only: serde's own text can quote the value it did not expect.
#[derive(Debug, thiserror::Error)]
#[error("a record in table {table} cannot be read (JSON, column {})", .cause.column())]
struct UnreadableRecordError {
    table: String,
    cause: serde_json::Error,
}

fn parse<T: DeserializeOwned>(table: Table, value: &[u8]) -> Result<T> {
    let unreadable = |cause| Error::internal(UnreadableRecordError { table: table.name().to_owned(), cause });
    serde_json::from_slice(value).map_err(unreadable)
}

fn put_record<T: Serialize>(tx: &WriteTx, table: Table, key: &[u8], record: &T) -> Result<()> {
    tx.put(table, key, &serde_json::to_vec(record).map_err(Error::internal)?)
}

fn put_records<'r, K: AsRef<[u8]>, T: Serialize + 'r>(
    tx: &WriteTx,
    table: Table,
    records: impl IntoIterator<Item = (K, &'r T)>,
) -> Result<()> {
    let row = |(key, record)| Ok((key, serde_json::to_vec(record).map_err(Error::internal)?));
    tx.put_all(table, records.into_iter().map(row).collect::<Result<Vec<(K, Vec<u8>)>>>()?)
}

fn list_records<T: DeserializeOwned>(tx: &impl Tx, table: Table, range: &KeyRange) -> Result<Vec<T>> {
    let mut records = Vec::new();
    tx.scan(table, range, Order::Ascending, |_, value| {
        records.push(parse(table, value)?);
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(records)
}

fn keys_in(tx: &impl Tx, table: Table, range: &KeyRange) -> Result<Vec<Vec<u8>>> {
    let mut keys = Vec::new();
    tx.scan_keys(table, range, Order::Ascending, |key| {
        keys.push(key.to_vec());
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(keys)
}

/// Each record with its key, without rows that are damaged. They were named in the log, and stand in nobody else's way.
fn each_intact<T: DeserializeOwned>(
    tx: &impl Tx,
    table: Table,
    range: &KeyRange,
    mut each: impl FnMut(Vec<u8>, T),
) -> Result<()> {
    for key in keys_in(tx, table, range)? {
        match tx.get_with(table, &key, |value| parse(table, value)) {
            Ok(Some(record)) => each(key, record),
            Ok(None) | Err(Error::Damaged(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// As [`list_records`], without rows that are damaged.
fn list_intact_records<T: DeserializeOwned>(tx: &impl Tx, table: Table, range: &KeyRange) -> Result<Vec<T>> {
    let mut records = Vec::new();
    each_intact(tx, table, range, |_, record| records.push(record))?;
    Ok(records)
}

impl<T: Serialize + DeserializeOwned, I: RecordId> WorkspaceTable<T, I> {
    /// The records of workspaces in `table`.
    #[must_use]
    pub const fn new(table: Table) -> Self {
        Self { table, record_type: PhantomData }
    }

    /// The record, if this workspace has it.
    ///
    /// # Errors
    /// [`Error::Internal`] when the database or the record cannot be read.
    pub fn get(&self, tx: &impl Tx, workspace: &WorkspaceId, id: &I) -> Result<Option<T>> {
        tx.get_with(self.table, &keys::in_workspace(workspace, id), |value| parse(self.table, value))
    }

    /// True when this workspace has the record; the record is not read.
    ///
    /// # Errors
    /// [`Error::Internal`] when the database cannot be read.
    pub fn has(&self, tx: &impl Tx, workspace: &WorkspaceId, id: &I) -> Result<bool> {
        tx.has(self.table, &keys::in_workspace(workspace, id))
    }

    /// Every record of the workspace, in the order of their ids (which are random).
    ///
    /// # Errors
    /// [`Error::Internal`] when the database or a record cannot be read.
    pub fn list(&self, tx: &impl Tx, workspace: &WorkspaceId) -> Result<Vec<T>> {
        list_records(tx, self.table, &KeyRange::prefix(workspace.bytes()))
    }

    /// As [`Self::list`], without records whose rows are damaged: for work of the service that must go on for all others.
    ///
    /// # Errors
    /// [`Error::Internal`] when the database or a record cannot be read.
    pub fn list_intact(&self, tx: &impl Tx, workspace: &WorkspaceId) -> Result<Vec<T>> {
        list_intact_records(tx, self.table, &KeyRange::prefix(workspace.bytes()))
    }

    /// As [`Self::list`], with the id of each.
    ///
    /// # Errors
    /// [`Error::Internal`] when the database or a record cannot be read.
    pub fn entries(&self, tx: &impl Tx, workspace: &WorkspaceId) -> Result<Vec<(I, T)>> {
        let mut entries = Vec::new();
        tx.scan(self.table, &KeyRange::prefix(workspace.bytes()), Order::Ascending, |key, value| {
            let id = key.get(16..).and_then(|id| id.try_into().ok());
            let id = id.ok_or_else(|| Error::internal("the key of a record has another length"))?;
            entries.push((I::from_key(id), parse(self.table, value)?));
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(entries)
    }

    /// How many records the workspace has; they are not read.
    ///
    /// # Errors
    /// [`Error::Internal`] when the database cannot be read.
    pub fn count(&self, tx: &impl Tx, workspace: &WorkspaceId) -> Result<usize> {
        let mut count = 0;
        tx.scan_keys(self.table, &KeyRange::prefix(workspace.bytes()), Order::Ascending, |_| {
            count += 1;
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(count)
    }

    /// Stores the record, in place of what was there.
    ///
    /// # Errors
    /// [`Error::Internal`] when the database cannot be written.
    pub fn put(&self, tx: &WriteTx, workspace: &WorkspaceId, id: &I, record: &T) -> Result<()> {
        put_record(tx, self.table, &keys::in_workspace(workspace, id), record)
    }

    /// Stores several records, each in place of what was there.
    ///
    /// # Errors
    /// [`Error::Internal`] when the database cannot be written.
    pub(crate) fn put_all<'r>(
        &self,
        tx: &WriteTx,
        records: impl IntoIterator<Item = (&'r WorkspaceId, &'r I, &'r T)>,
    ) -> Result<()>
    where
        I: 'r,
        T: 'r,
    {
        let row = |(workspace, id, record)| (keys::in_workspace(workspace, id), record);
        put_records(tx, self.table, records.into_iter().map(row))
    }

    /// Removes the record; false when this workspace has none.
    ///
    /// # Errors
    /// [`Error::Internal`] when the database cannot be written.
    pub fn remove(&self, tx: &WriteTx, workspace: &WorkspaceId, id: &I) -> Result<bool> {
        tx.remove(self.table, &keys::in_workspace(workspace, id))
    }

    /// Removes every record of the workspace.
    ///
    /// # Errors
    /// [`Error::Internal`] when the database cannot be written.
    pub fn clear(&self, tx: &WriteTx, workspace: &WorkspaceId) -> Result<()> {
        tx.remove_range(self.table, &KeyRange::prefix(workspace.bytes())).map(drop)
    }
}

impl<T: Serialize + DeserializeOwned, K: AsKey + ?Sized> GlobalTable<T, K> {
    /// The records in `table`.
    #[must_use]
    pub const fn new(table: Table) -> Self {
        Self { table, record_type: PhantomData }
    }

    /// The record under `key`.
    ///
    /// # Errors
    /// [`Error::Internal`] when the database or the record cannot be read.
    pub fn get(&self, tx: &impl Tx, key: &K) -> Result<Option<T>> {
        tx.get_with(self.table, key.key(), |value| parse(self.table, value))
    }

    /// Every record, in the order of their keys.
    ///
    /// # Errors
    /// [`Error::Internal`] when the database or a record cannot be read.
    pub fn list(&self, tx: &impl Tx) -> Result<Vec<T>> {
        list_records(tx, self.table, &KeyRange::all())
    }

    /// As [`Self::list`], without records whose rows are damaged: for work of the service that must go on for all others.
    ///
    /// # Errors
    /// [`Error::Internal`] when the database or a record cannot be read.
    pub fn list_intact(&self, tx: &impl Tx) -> Result<Vec<T>> {
        list_intact_records(tx, self.table, &KeyRange::all())
    }

    /// The keys of all records, in their order; no record is read.
    ///
    /// # Errors
    /// [`Error::Internal`] when the database cannot be read.
    pub fn keys(&self, tx: &impl Tx) -> Result<Vec<Vec<u8>>> {
        keys_in(tx, self.table, &KeyRange::all())
    }

    /// Stores the record, in place of what was there.
    ///
    /// # Errors
    /// [`Error::Internal`] when the database cannot be written.
    pub fn put(&self, tx: &WriteTx, key: &K, record: &T) -> Result<()> {
        put_record(tx, self.table, key.key(), record)
    }

    /// Stores what is no record, for tests of what comes of that.
    ///
    /// # Errors
    /// [`Error::Internal`] when the database cannot be written.
    #[cfg(any(test, feature = "test-support"))]
    pub fn spoil(&self, tx: &WriteTx, key: &K) -> Result<()> {
        tx.put(self.table, key.key(), b"no record")
    }

    /// Stores several records, each in place of what was there.
    ///
    /// # Errors
    /// [`Error::Internal`] when the database cannot be written.
    pub(crate) fn put_all<'r>(
        &self,
        tx: &WriteTx,
        records: impl IntoIterator<Item = (&'r K, &'r T)>,
    ) -> Result<()>
    where
        K: 'r,
        T: 'r,
    {
        put_records(tx, self.table, records.into_iter().map(|(key, record)| (key.key(), record)))
    }

    /// Removes the record; false when there was none.
    ///
    /// # Errors
    /// [`Error::Internal`] when the database cannot be written.
    pub fn remove(&self, tx: &WriteTx, key: &K) -> Result<bool> {
        tx.remove(self.table, key.key())
    }

    /// Removes every record that `keep` does not want; the number removed. One that is damaged stays.
    ///
    /// # Errors
    /// [`Error::Internal`] when the database cannot be read or written.
    pub fn retain(&self, tx: &WriteTx, keep: impl Fn(&T) -> bool) -> Result<usize> {
        self.retain_keyed(tx, |_, record| keep(record))
    }

    /// As [`Self::retain`], where the record alone does not tell; a key comes as it is stored.
    ///
    /// # Errors
    /// As [`Self::retain`].
    pub fn retain_keyed(&self, tx: &WriteTx, keep: impl Fn(&[u8], &T) -> bool) -> Result<usize> {
        let mut unwanted = Vec::new();
        each_intact(tx, self.table, &KeyRange::all(), |key, record| {
            if !keep(&key, &record) {
                unwanted.push(key);
            }
        })?;
        for key in &unwanted {
            tx.remove(self.table, key)?;
        }
        Ok(unwanted.len())
    }
}

impl<I: RecordId> WorkspaceTexts<I> {
    /// Texts in `table`.
    #[must_use]
    pub const fn new(table: Table) -> Self {
        Self { table, record_type: PhantomData }
    }

    /// The text, if this workspace has it.
    ///
    /// # Errors
    /// [`Error::Internal`] when the database cannot be read or what it holds is no text.
    pub fn get(&self, tx: &impl Tx, workspace: &WorkspaceId, id: &I) -> Result<Option<String>> {
        tx.get_with(self.table, &keys::in_workspace(workspace, id), |value| {
            std::str::from_utf8(value).map(str::to_owned).map_err(Error::internal)
        })
    }

    /// Stores the text, in place of what was there.
    ///
    /// # Errors
    /// [`Error::Internal`] when the database cannot be written.
    pub fn put(&self, tx: &WriteTx, workspace: &WorkspaceId, id: &I, text: &str) -> Result<()> {
        tx.put(self.table, &keys::in_workspace(workspace, id), text.as_bytes())
    }

    /// Removes the text; false when this workspace has none.
    ///
    /// # Errors
    /// [`Error::Internal`] when the database cannot be written.
    pub fn remove(&self, tx: &WriteTx, workspace: &WorkspaceId, id: &I) -> Result<bool> {
        tx.remove(self.table, &keys::in_workspace(workspace, id))
    }
}
