//! What became of the times at which flows were to start by themselves, by flow, in the order it was noted.

use crate::domain::error::{Error, Result};
use crate::domain::ids::{FlowId, TriggerLogId};
use crate::domain::triggers::schedule::{TriggerLog, TriggerStatus};
use crate::store::keys::{self, KeyRange};
use crate::store::tables::TRIGGER_LOG;
use crate::store::transaction::{Order, Tx, WriteTx};
use std::collections::HashSet;
use std::ops::{ControlFlow, Range};

fn parse(value: &[u8]) -> Result<TriggerLog> {
    serde_json::from_slice(value).map_err(|_| Error::internal("a stored row of a log cannot be read"))
}

/// Stores a row under its number, in place of what was there.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be written.
pub fn put(tx: &WriteTx, number: u64, row: &TriggerLog) -> Result<()> {
    let value = serde_json::to_vec(row).map_err(Error::internal)?;
    tx.put(TRIGGER_LOG, &keys::timeline(&row.flow, number), &value)
}

/// The row of a number; `None` when it is not kept any more.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub fn get(tx: &impl Tx, flow: &FlowId, number: u64) -> Result<Option<TriggerLog>> {
    tx.get_with(TRIGGER_LOG, &keys::timeline(flow, number), parse)
}

/// The rows of a flow in one of these states, or in any when none is named: those of `range`, newest first, and how many there
/// are in all.
///
/// # Errors
/// [`Error::Internal`] when the database or a row cannot be read.
pub fn list(
    tx: &impl Tx,
    flow: &FlowId,
    statuses: &[TriggerStatus],
    range: Range<usize>,
) -> Result<(Vec<TriggerLog>, usize)> {
    let (mut rows, mut total) = (Vec::new(), 0);
    tx.scan(TRIGGER_LOG, &KeyRange::prefix(flow.bytes()), Order::Descending, |_, value| {
        let row = parse(value)?;
        if statuses.is_empty() || statuses.contains(&row.status) {
            if range.contains(&total) {
                rows.push(row);
            }
            total += 1;
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok((rows, total))
}

/// The rows of a flow with these ids, by their numbers.
///
/// # Errors
/// [`Error::Internal`] when the database or a row cannot be read.
pub fn find(tx: &impl Tx, flow: &FlowId, ids: &[TriggerLogId]) -> Result<Vec<(u64, TriggerLog)>> {
    let wanted: HashSet<&TriggerLogId> = ids.iter().collect();
    let mut rows = Vec::new();
    tx.scan(TRIGGER_LOG, &KeyRange::prefix(flow.bytes()), Order::Ascending, |key, value| {
        let row = parse(value)?;
        if wanted.contains(&row.id) {
            rows.extend(keys::sequence(key).map(|number| (number, row)));
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(rows)
}

/// Removes a row.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be written.
pub fn remove(tx: &WriteTx, flow: &FlowId, number: u64) -> Result<()> {
    tx.remove(TRIGGER_LOG, &keys::timeline(flow, number)).map(drop)
}

/// Removes the rows below a number, but for the one of `kept`.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be written.
pub fn remove_below(tx: &WriteTx, flow: &FlowId, below: u64, kept: Option<u64>) -> Result<()> {
    let range = KeyRange::between(&keys::timeline(flow, 0), &keys::timeline(flow, below));
    let mut old = Vec::new();
    tx.scan_keys(TRIGGER_LOG, &range, Order::Ascending, |key| {
        old.extend(keys::sequence(key).filter(|number| Some(*number) != kept));
        Ok(ControlFlow::Continue(()))
    })?;
    old.iter().try_for_each(|number| remove(tx, flow, *number))
}

/// Removes the rows of a flow that goes away.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be written.
pub fn remove_flow(tx: &WriteTx, flow: &FlowId) -> Result<()> {
    tx.remove_range(TRIGGER_LOG, &KeyRange::prefix(flow.bytes())).map(drop)
}
