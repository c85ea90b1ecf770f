//! The rows of the version index: ordered bytes that history understands and the store does not.

use crate::domain::error::Result;
use crate::store::keys::KeyRange;
use crate::store::tables::VERSION_INDEX;
use crate::store::transaction::{Order, Tx, WriteTx};
use std::ops::ControlFlow;

/// A key and its value.
pub(crate) type VersionIndexRow = (Vec<u8>, Vec<u8>);

/// The value of `key`.
///
/// # Errors
/// When the database cannot be read.
pub fn get(tx: &impl Tx, key: &[u8]) -> Result<Option<Vec<u8>>> {
    tx.get_with(VERSION_INDEX, key, |value| Ok(value.to_vec()))
}

/// At most `limit` rows with `from <= key < below`, in this order.
///
/// # Errors
/// When the database cannot be read.
pub fn range(
    tx: &impl Tx,
    from: &[u8],
    below: &[u8],
    order: Order,
    limit: usize,
) -> Result<Vec<VersionIndexRow>> {
    let mut rows = Vec::new();
    if from >= below || limit == 0 {
        return Ok(rows);
    }
    tx.scan(VERSION_INDEX, &KeyRange::between(from, below), order, |key, value| {
        rows.push((key.to_vec(), value.to_vec()));
        Ok(if rows.len() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
    })?;
    Ok(rows)
}

/// Stores rows, each in place of one with the same key.
///
/// # Errors
/// When the database cannot be written.
pub fn put(tx: &WriteTx, rows: &[VersionIndexRow]) -> Result<()> {
    rows.iter().try_for_each(|(key, value)| tx.put(VERSION_INDEX, key, value))
}

/// Removes every row.
///
/// # Errors
/// When the database cannot be written.
pub fn clear(tx: &WriteTx) -> Result<()> {
    tx.remove_range(VERSION_INDEX, &KeyRange::all()).map(drop)
}
