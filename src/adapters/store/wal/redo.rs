//! The rows a transaction changed, as bytes that can be applied again: what the log keeps.

use super::memtable::unknown_record;
use super::segment::SEGMENT_BYTES;
use crate::domain::error::Result;
use crate::store::keys::KeyRange;
use crate::store::queries::index_writer::IndexWriter;
use crate::store::queries::messages;
use crate::store::tables::{
    self, CONSUMPTION, COUNTERS, EXECUTION_COUNTS, EXECUTION_INDEX, Table, VERSION_ANSWERS, VERSION_COUNTS,
    VERSION_FAILURES,
};
use crate::store::transaction::WriteTx;
use redb::TableHandle as _;

const PUT: u8 = 1;
const REMOVE: u8 = 2;
const REMOVE_RANGE: u8 = 3;

/// Changes in the order in which they were made.
#[derive(Debug)]
pub(in crate::store) struct RedoRecord {
    bytes: Vec<u8>,
    /// They outgrew every segment, or are no rows: only a checkpoint keeps them.
    is_oversized: bool,
}

impl RedoRecord {
    /// None yet.
    pub(in crate::store) const EMPTY: Self = Self { bytes: Vec::new(), is_oversized: false };

    /// The changes as rows of one record; `None` when a segment cannot hold them.
    pub(in crate::store) fn rows(&self) -> Option<&[u8]> {
        (!self.is_oversized).then_some(&self.bytes)
    }

    pub(in crate::store) fn put(&mut self, table: Table, key: &[u8], value: &[u8]) {
        self.push(PUT, table, &[key, value]);
    }

    pub(in crate::store) fn remove(&mut self, table: Table, key: &[u8]) {
        self.push(REMOVE, table, &[key]);
    }

    /// All rows of a range were removed.
    pub(in crate::store) fn remove_range(&mut self, table: Table, range: &KeyRange) {
        match range.end() {
            Some(end) => self.push(REMOVE_RANGE, table, &[range.start(), end]),
            None => self.push(REMOVE_RANGE, table, &[range.start()]),
        }
    }

    /// Something changed that is no row.
    pub(in crate::store) fn mark_oversized(&mut self) {
        self.is_oversized = true;
        self.bytes = Vec::new();
    }

    fn push(&mut self, kind: u8, table: Table, parts: &[&[u8]]) {
        let name = table.name().as_bytes();
        let length = name.len() + parts.iter().map(|part| part.len()).sum::<usize>() + 16;
        if self.is_oversized || (self.bytes.len() + length) as u64 > SEGMENT_BYTES {
            return self.mark_oversized();
        }
        self.bytes.extend([kind, u8::try_from(parts.len()).unwrap_or(u8::MAX)]);
        for part in std::iter::once(name).chain(parts.iter().copied()) {
            // It is shorter than a segment.
            self.bytes.extend(u32::try_from(part.len()).unwrap_or(u32::MAX).to_le_bytes());
            self.bytes.extend(part);
        }
    }
}

/// Makes the changes of a record again. Counts follow their rows (`queries/executions/list_writer.rs`,
/// `queries/answers/writer.rs`).
///
/// # Errors
/// [`Internal`](crate::domain::error::Error::Internal) when the database cannot be written, or the record is not of this
/// program.
pub(in crate::store) fn replay(tx: &WriteTx, mut record: &[u8], index: &mut IndexWriter) -> Result<()> {
    while !record.is_empty() {
        let (change, rest) = parse_operation(record).ok_or_else(unknown_record)?;
        record = rest;
        let table = tables::find_by_name(change.table).ok_or_else(unknown_record)?;
        if replay_indexed(tx, table, &change, index)? {
            continue;
        }
        match (change.kind, change.parts.as_slice()) {
            // What the database counts by now may be further on: messages reach it in another order than changes do.
            (PUT, [key, value]) if table.name() == COUNTERS.name() => {
                messages::raise_counter(tx, key, value)?;
            }
            (PUT, [key, value]) => tx.put(table, key, value)?,
            (REMOVE, [key]) => drop(tx.remove(table, key)?),
            (REMOVE_RANGE, [start]) => drop(tx.remove_range(table, &KeyRange::new(start, None))?),
            (REMOVE_RANGE, [start, end]) => drop(tx.remove_range(table, &KeyRange::new(start, Some(end)))?),
            _ => return Err(unknown_record()),
        }
    }
    Ok(())
}

/// Makes a change of a row again that is counted, or of such a count; false for every other table.
fn replay_indexed(
    tx: &WriteTx,
    table: Table,
    change: &RedoOperation<'_>,
    index: &mut IndexWriter,
) -> Result<bool> {
    let is_in = |known: Table| known.name() == table.name();
    match (change.kind, change.parts.as_slice()) {
        (PUT | REMOVE, _) if is_in(EXECUTION_COUNTS) || is_in(VERSION_COUNTS) => {}
        (PUT, [key, row]) if is_in(EXECUTION_INDEX) => index.runs.put(tx, key, row)?,
        (REMOVE, [key]) if is_in(EXECUTION_INDEX) => index.runs.remove(tx, key)?,
        (PUT, [key, row]) if is_in(VERSION_ANSWERS) => index.answers.put(tx, key, row)?,
        (REMOVE, [key]) if is_in(VERSION_ANSWERS) => index.answers.remove(tx, key)?,
        (PUT, [key, row]) if is_in(VERSION_FAILURES) => index.answers.put_failure(tx, key, row)?,
        (REMOVE, [key]) if is_in(VERSION_FAILURES) => index.answers.remove_failure(tx, key)?,
        (PUT, [key, row]) if is_in(CONSUMPTION) => index.consumption.raise(key, row),
        (REMOVE_RANGE, [start, end]) if is_in(CONSUMPTION) => {
            let range = KeyRange::new(start, Some(end));
            index.consumption.forget(&range);
            tx.remove_range(table, &range)?;
        }
        // All counts of a flow go with all of its rows.
        (REMOVE_RANGE, [start, end]) if is_in(VERSION_COUNTS) => {
            let range = KeyRange::new(start, Some(end));
            index.answers.forget(&range);
            tx.remove_range(table, &range)?;
        }
        _ => return Ok(false),
    }
    Ok(true)
}

struct RedoOperation<'a> {
    kind: u8,
    table: &'a [u8],
    parts: Vec<&'a [u8]>,
}

fn parse_operation(record: &[u8]) -> Option<(RedoOperation<'_>, &[u8])> {
    let (&[kind, count], rest) = record.split_first_chunk::<2>()?;
    let (table, mut rest) = parse_part(rest)?;
    let mut parts = Vec::with_capacity(usize::from(count.min(2)));
    for _ in 0..count {
        let (next, after) = parse_part(rest)?;
        parts.push(next);
        rest = after;
    }
    Some((RedoOperation { kind, table, parts }, rest))
}

fn parse_part(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    rest.split_at_checked(usize::try_from(u32::from_le_bytes(*length)).ok()?)
}
