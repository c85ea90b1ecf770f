//! The list of what was done: entries under a growing number, of which the newest are kept.

use super::keys::KeyRange;
use super::tables::AUDIT;
use super::tx::{Order, Tx, WriteTx};
use crate::domain::audit::{ENTRIES_MAX, Entry};
use crate::domain::error::{Error, Result};
use std::ops::ControlFlow;

/// Adds an entry, and drops the one that is too old by then: the list is bounded by each write of it.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read or written.
pub fn append(tx: &WriteTx, entry: &Entry) -> Result<()> {
    let mut newest = 0;
    tx.scan(AUDIT, &KeyRange::all(), Order::Descending, |key, _| {
        newest = number(key)?;
        Ok(ControlFlow::Break(()))
    })?;
    let next = newest + 1;
    tx.put(AUDIT, &next.to_be_bytes(), &serde_json::to_vec(entry).map_err(Error::internal)?)?;
    if let Some(outdated) = next.checked_sub(ENTRIES_MAX).filter(|number| *number > 0) {
        tx.remove(AUDIT, &outdated.to_be_bytes())?;
    }
    Ok(())
}

/// Hands every entry with its number to `each`, the newest first.
///
/// # Errors
/// [`Error::Internal`] when the database or an entry cannot be read; what `each` returns.
pub fn walk(tx: &impl Tx, mut each: impl FnMut(u64, Entry) -> Result<()>) -> Result<()> {
    tx.scan(AUDIT, &KeyRange::all(), Order::Descending, |key, value| {
        each(number(key)?, serde_json::from_slice(value).map_err(Error::internal)?)?;
        Ok(ControlFlow::Continue(()))
    })
}

fn number(key: &[u8]) -> Result<u64> {
    Ok(u64::from_be_bytes(key.try_into().map_err(Error::internal)?))
}
