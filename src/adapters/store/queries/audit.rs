//! The list of what was done: entries under a growing number, of which the newest are kept. Two rings share the numbers:
//! whoever floods the one that strangers can write pushes nothing out of the other (manual 8.11).

use crate::domain::error::{Error, Result};
use crate::domain::workspace::audit::{AuditEntry, AuditRing, ENTRIES_MAX};
use crate::store::keys::KeyRange;
use crate::store::tables::{AUDIT, AUDIT_SIGN_INS, Table};
use crate::store::transaction::{Order, Tx, WriteTx};
use jiff::Timestamp;
use std::collections::VecDeque;
use std::ops::ControlFlow;

/// Rows that are read at a time, so that a list of both rings holds neither of them.
const ROWS_PER_READ: usize = 256;

const fn table(ring: AuditRing) -> Table {
    match ring {
        AuditRing::Actions => AUDIT,
        AuditRing::SignIns => AUDIT_SIGN_INS,
    }
}

/// Adds an entry, and drops the one of its ring that is too old by then: the list is bounded by each write of it.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read or written.
pub fn append(tx: &WriteTx, entry: &AuditEntry) -> Result<()> {
    let mut newest = 0;
    for ring in AuditRing::ALL {
        newest = newest.max(edge_number(tx, table(ring), Order::Descending)?.unwrap_or(0));
    }
    // Nothing is dated before what it follows, also when a clock was set back or two changes overtook each other.
    let date = newest_date(tx)?.map_or(entry.date, |before| before.max(entry.date));
    let entry = &AuditEntry { date, ..entry.clone() };
    let ring = table(entry.action.ring());
    tx.put(ring, &(newest + 1).to_be_bytes(), &serde_json::to_vec(entry).map_err(Error::internal)?)?;
    while tx.row_count(ring)? > ENTRIES_MAX {
        let Some(outdated) = edge_number(tx, ring, Order::Ascending)? else { break };
        tx.remove(ring, &outdated.to_be_bytes())?;
    }
    Ok(())
}

/// The date of the newest entry of both rings; one that is damaged has none.
///
/// # Errors
/// [`Error::Internal`] when the database or an entry cannot be read.
pub fn newest_date(tx: &impl Tx) -> Result<Option<Timestamp>> {
    let mut found = None;
    for ring in AuditRing::ALL {
        let Some(number) = edge_number(tx, table(ring), Order::Descending)? else { continue };
        let read = |value: &[u8]| serde_json::from_slice::<AuditEntry>(value).map_err(Error::internal);
        match tx.get_with(table(ring), &number.to_be_bytes(), read) {
            Ok(entry) => found = found.max(entry.map(|entry| entry.date)),
            Err(Error::Damaged(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}

/// Hands every entry of `rings` with its number to `each`, the newest first.
///
/// # Errors
/// [`Error::Internal`] when the database or an entry cannot be read; what `each` returns.
pub fn walk(
    tx: &impl Tx,
    rings: &[AuditRing],
    mut each: impl FnMut(u64, AuditEntry) -> Result<()>,
) -> Result<()> {
    let mut ends: Vec<RingCursor> = rings.iter().map(|ring| RingCursor::new(table(*ring))).collect();
    loop {
        let mut newest: Option<(u64, usize)> = None;
        for (place, descent) in ends.iter_mut().enumerate() {
            newest = newest.max(descent.peek(tx)?.map(|number| (number, place)));
        }
        let Some((_, place)) = newest else { return Ok(()) };
        let Some((number, value)) = ends[place].rows.pop_front() else { return Ok(()) };
        each(number, serde_json::from_slice(&value).map_err(Error::internal)?)?;
    }
}

/// A way down one ring.
struct RingCursor {
    ring: Table,
    rows: VecDeque<(u64, Vec<u8>)>,
    /// What was read already begins here.
    read_from: Option<u64>,
}

impl RingCursor {
    const fn new(ring: Table) -> Self {
        Self { ring, rows: VecDeque::new(), read_from: None }
    }

    /// The number of the next row; `None` at the end.
    fn peek(&mut self, tx: &impl Tx) -> Result<Option<u64>> {
        if self.rows.is_empty() && self.read_from != Some(0) {
            let range =
                self.read_from.map_or_else(KeyRange::all, |from| KeyRange::between(&[], &from.to_be_bytes()));
            tx.scan(self.ring, &range, Order::Descending, |key, value| {
                self.rows.push_back((parse_number(key)?, value.to_vec()));
                Ok(if self.rows.len() < ROWS_PER_READ {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                })
            })?;
            // Numbers begin at 1, so nothing is below 0.
            self.read_from = Some(self.rows.back().map_or(0, |(number, _)| *number));
        }
        Ok(self.rows.front().map(|(number, _)| *number))
    }
}

/// The first number of a ring in this order.
fn edge_number(tx: &impl Tx, ring: Table, order: Order) -> Result<Option<u64>> {
    let mut found = None;
    tx.scan_keys(ring, &KeyRange::all(), order, |key| {
        found = Some(parse_number(key)?);
        Ok(ControlFlow::Break(()))
    })?;
    Ok(found)
}

fn parse_number(key: &[u8]) -> Result<u64> {
    Ok(u64::from_be_bytes(key.try_into().map_err(Error::internal)?))
}
