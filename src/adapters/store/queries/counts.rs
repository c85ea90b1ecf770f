//! Counts beside an index: how many rows fall into a bucket.

use crate::domain::error::{Error, Result};
use crate::store::tables::Table;
use crate::store::transaction::{RowChange, WriteTx};
use std::collections::BTreeMap;

/// What to do about a count that is damaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Damages {
    Refuse,
    PassOver,
}

/// Changes counts by so many. Those that stay as they were are not written.
pub(super) fn write_counts<K: AsRef<[u8]> + Ord>(
    tx: &WriteTx,
    table: Table,
    mut counts: BTreeMap<K, i64>,
    damages: Damages,
) -> Result<()> {
    counts.retain(|_, change| *change != 0);
    if counts.is_empty() {
        return Ok(());
    }
    tx.change_all(table, &counts, |change, count| {
        let count = match count.and_then(|count| count.map_or(Ok(0), parse_count)) {
            Ok(count) => count.saturating_add_signed(*change),
            Err(_) if damages == Damages::PassOver => return Ok(RowChange::Keep),
            Err(error) => return Err(error),
        };
        Ok(if count > 0 { RowChange::Put(count.to_be_bytes()) } else { RowChange::Remove })
    })
}

pub(super) fn parse_count(value: &[u8]) -> Result<u64> {
    Ok(u64::from_be_bytes(value.try_into().map_err(Error::internal)?))
}
