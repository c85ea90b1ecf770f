//! What was counted of questions and models (manual 5.15): a row for each day, flow, key and model of a workspace, and
//! one for each step of time in which answers came.
//!
//! A row comes along with the messages of its question in the state that it has behind that question, and its numbers never
//! fall. So the greater number is always the newer one, whatever order rows reach the database in, and a log that is made
//! again over a database which has some of it already counts nothing twice.

use crate::domain::error::{Error, Result};
use crate::domain::ids::WorkspaceId;
use crate::domain::predictions::consumption::{Consumption, ConsumptionKey, ConsumptionRows, UtcDay};
use crate::store::keys::{self, KeyRange};
use crate::store::tables::CONSUMPTION;
use crate::store::transaction::{MessageReader, Order, RowChange, WriteTx};
use crate::store::wal::memtable::unknown_record;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::ControlFlow;

/// Bytes of a row: five numbers.
const ROW_BYTES: usize = 40;

fn to_bytes(row: &Consumption) -> [u8; ROW_BYTES] {
    let Consumption { questions, failed, calls, prompt_tokens, completion_tokens } = *row;
    let mut bytes = [0; ROW_BYTES];
    let numbers = [questions, failed, calls, prompt_tokens, completion_tokens];
    for (place, number) in bytes.chunks_exact_mut(8).zip(numbers) {
        place.copy_from_slice(&number.to_be_bytes());
    }
    bytes
}

fn parse(bytes: &[u8]) -> Option<Consumption> {
    let bytes: &[u8; ROW_BYTES] = bytes.try_into().ok()?;
    let mut numbers = bytes.chunks_exact(8).map(|number| number.try_into().map_or(0, u64::from_be_bytes));
    let mut next = || numbers.next().unwrap_or(0);
    Some(Consumption {
        questions: next(),
        failed: next(),
        calls: next(),
        prompt_tokens: next(),
        completion_tokens: next(),
    })
}

/// Rows as one record beside messages.
pub(super) fn encode(workspace: &WorkspaceId, rows: &ConsumptionRows) -> Vec<u8> {
    let mut record = Vec::new();
    for (row, counted) in rows {
        let key = keys::consumption(workspace, row);
        // The name of a model is cut long before.
        record.extend(u16::try_from(key.len()).unwrap_or(u16::MAX).to_be_bytes());
        record.extend(key);
        record.extend(to_bytes(counted));
    }
    record
}

/// Gathers rows, because many questions move the same ones, and writes each once.
#[derive(Default)]
pub(in crate::store) struct ConsumptionWriter(BTreeMap<Vec<u8>, Consumption>);

impl ConsumptionWriter {
    /// Takes the rows of a record.
    ///
    /// # Errors
    /// [`Error::Internal`] when it was written by another program.
    pub(in crate::store) fn add(&mut self, mut record: &[u8]) -> Result<()> {
        while !record.is_empty() {
            let (key, row, rest) = split_row(record).ok_or_else(unknown_record)?;
            self.raise(key, row);
            record = rest;
        }
        Ok(())
    }

    /// Takes a row; one of another shape counts nothing.
    pub(in crate::store) fn raise(&mut self, key: &[u8], row: &[u8]) {
        let Some(row) = parse(row) else { return };
        match self.0.entry(key.to_vec()) {
            Entry::Occupied(mut known) => known.get_mut().raise(&row),
            Entry::Vacant(new) => drop(new.insert(row)),
        }
    }

    /// Forgets the rows of a range of which all rows are removed.
    pub(in crate::store) fn forget(&mut self, range: &KeyRange) {
        self.0.retain(|key, _| !range.contains(key));
    }

    /// Writes the rows. One that is damaged is made anew with what is known.
    ///
    /// # Errors
    /// [`Error::Internal`] when the database cannot be read or written.
    pub(in crate::store) fn finish(self, tx: &WriteTx) -> Result<()> {
        if self.0.is_empty() {
            return Ok(());
        }
        tx.change_all(CONSUMPTION, self.0, |mut row, stored| {
            let stored = match stored {
                Err(Error::Damaged(_)) => None,
                stored => stored?.and_then(parse),
            };
            if let Some(stored) = stored {
                row.raise(&stored);
                if row == stored {
                    return Ok(RowChange::Keep);
                }
            }
            Ok(RowChange::Put(to_bytes(&row)))
        })
    }
}

fn split_row(record: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let (length, rest) = record.split_first_chunk()?;
    let (key, rest) = rest.split_at_checked(usize::from(u16::from_be_bytes(*length)))?;
    let (row, rest) = rest.split_at_checked(ROW_BYTES)?;
    Some((key, row, rest))
}

/// Hands over the rows of a workspace of these days, the last one included, in the order of the days.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub fn scan(
    tx: &impl MessageReader,
    workspace: &WorkspaceId,
    (from, to): (UtcDay, UtcDay),
    mut each: impl FnMut(ConsumptionKey, Consumption),
) -> Result<()> {
    let range = KeyRange::between(
        &keys::consumption_day(workspace, from),
        &keys::consumption_day(workspace, to.next()),
    );
    tx.scan(CONSUMPTION, &range, Order::Ascending, |key, value| {
        if let (Some(row), Some(counted)) = (keys::parse_consumption(key), parse(value)) {
            each(row, counted);
        }
        Ok(ControlFlow::Continue(()))
    })
}

/// Removes what was counted in a workspace before a day; how many rows.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be written.
pub fn remove_before(tx: &WriteTx, workspace: &WorkspaceId, day: UtcDay) -> Result<usize> {
    tx.remove_range(CONSUMPTION, &days_before(workspace, day))
}

/// Forgets all that was counted in a workspace that goes away.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be written.
pub fn remove_workspace(tx: &WriteTx, workspace: &WorkspaceId) -> Result<()> {
    tx.remove_range(CONSUMPTION, &KeyRange::prefix(workspace.bytes())).map(drop)
}

/// True when something was counted in a workspace before a day.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub fn has_before(tx: &impl MessageReader, workspace: &WorkspaceId, day: UtcDay) -> Result<bool> {
    let mut found = false;
    tx.scan_keys(CONSUMPTION, &days_before(workspace, day), Order::Ascending, |_| {
        found = true;
        Ok(ControlFlow::Break(()))
    })?;
    Ok(found)
}

fn days_before(workspace: &WorkspaceId, day: UtcDay) -> KeyRange {
    let first = keys::consumption_day(workspace, UtcDay::from_number(0));
    KeyRange::between(&first, &keys::consumption_day(workspace, day))
}
