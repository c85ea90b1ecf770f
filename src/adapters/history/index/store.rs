//! Where the cache of versions is kept: ordered rows of bytes, in the database of the service or in memory.

use crate::domain::error::Result;
use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{Arc, Mutex, PoisonError};

/// A key and its value.
pub type IndexRow = (Vec<u8>, Vec<u8>);

/// A table of rows, ordered by the bytes of their keys. It may lose everything, but not a part of a `put`.
///
/// It is called with the history's turn held or without any lock, and never from inside a transaction, so an
/// implementation may open one (lock order: history, then database).
pub trait IndexStore: Send + Sync {
    /// The value of `key`.
    ///
    /// # Errors
    /// When the rows cannot be read.
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>>;

    /// At most `limit` rows with `from <= key < below`, by ascending key, or by descending key.
    ///
    /// # Errors
    /// When the rows cannot be read.
    fn range(&self, from: &[u8], below: &[u8], descending: bool, limit: usize) -> Result<Vec<IndexRow>>;

    /// Stores all rows or none, each in place of one with the same key.
    ///
    /// # Errors
    /// When the rows cannot be written.
    fn put(&self, rows: &[IndexRow]) -> Result<()>;

    /// Removes every row.
    ///
    /// # Errors
    /// When the rows cannot be removed.
    fn clear(&self) -> Result<()>;
}

/// Rows in memory: a restart walks the whole history once.
#[derive(Default)]
pub struct MemoryIndex(Mutex<BTreeMap<Vec<u8>, Vec<u8>>>);

impl MemoryIndex {
    fn with_rows<T>(&self, with: impl FnOnce(&mut BTreeMap<Vec<u8>, Vec<u8>>) -> T) -> Result<T> {
        Ok(with(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}

impl IndexStore for MemoryIndex {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        self.with_rows(|rows| rows.get(key).cloned())
    }

    fn range(&self, from: &[u8], below: &[u8], descending: bool, limit: usize) -> Result<Vec<IndexRow>> {
        self.with_rows(|rows| range(rows, from, below, descending, limit))
    }

    fn put(&self, new: &[IndexRow]) -> Result<()> {
        self.with_rows(|rows| rows.extend(new.iter().cloned()))
    }

    fn clear(&self) -> Result<()> {
        self.with_rows(BTreeMap::clear)
    }
}

impl<T: IndexStore> IndexStore for Arc<T> {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        self.as_ref().get(key)
    }

    fn range(&self, from: &[u8], below: &[u8], descending: bool, limit: usize) -> Result<Vec<IndexRow>> {
        self.as_ref().range(from, below, descending, limit)
    }

    fn put(&self, rows: &[IndexRow]) -> Result<()> {
        self.as_ref().put(rows)
    }

    fn clear(&self) -> Result<()> {
        self.as_ref().clear()
    }
}

/// [`IndexStore::range`] over a map.
pub(in crate::history) fn range(
    rows: &BTreeMap<Vec<u8>, Vec<u8>>,
    from: &[u8],
    below: &[u8],
    descending: bool,
    limit: usize,
) -> Vec<IndexRow> {
    if from >= below {
        return Vec::new();
    }
    let found = rows.range::<[u8], _>((Bound::Included(from), Bound::Excluded(below)));
    let own = |(key, value): (&Vec<u8>, &Vec<u8>)| (key.clone(), value.clone());
    if descending { found.rev().take(limit).map(own).collect() } else { found.take(limit).map(own).collect() }
}
