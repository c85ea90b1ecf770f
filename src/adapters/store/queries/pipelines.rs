//! Runs of pipelines, by flow, in the order in which they began; and the documents that their cards saw before.

use crate::domain::error::{Error, Result};
use crate::domain::ids::{FlowId, PipelineRunId};
use crate::domain::pipelines::run::PipelineRun;
use crate::store::keys::{self, KeyRange};
use crate::store::tables::{PIPELINE_DIGESTS, PIPELINE_RUNS};
use crate::store::transaction::{Order, Tx, WriteTx};
use std::ops::{ControlFlow, Range};

/// What tells apart for whom documents are remembered.
pub type PipelineScope = [u8; 16];

/// Digests that are moved or removed in one commit, so that others write between two of them.
const DIGESTS_AT_ONCE: usize = 10_000;

fn parse(value: &[u8]) -> Result<PipelineRun> {
    serde_json::from_slice(value).map_err(|_| Error::internal("a stored run of a pipeline cannot be read"))
}

/// Stores a run under its number, in place of what was there.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be written.
pub fn put(tx: &WriteTx, run: &PipelineRun) -> Result<()> {
    let value = serde_json::to_vec(run).map_err(Error::internal)?;
    tx.put(PIPELINE_RUNS, &keys::timeline(&run.flow, run.number), &value)
}

/// The run of a number; `None` when it is not kept any more.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub fn get(tx: &impl Tx, flow: &FlowId, number: u64) -> Result<Option<PipelineRun>> {
    tx.get_with(PIPELINE_RUNS, &keys::timeline(flow, number), parse)
}

/// The number of the next run of a flow.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub fn next_number(tx: &impl Tx, flow: &FlowId) -> Result<u64> {
    let mut next = 0;
    tx.scan_keys(PIPELINE_RUNS, &KeyRange::prefix(flow.bytes()), Order::Descending, |key| {
        next = keys::sequence(key).map_or(0, |newest| newest + 1);
        Ok(ControlFlow::Break(()))
    })?;
    Ok(next)
}

/// The runs of a flow: those of `range`, newest first, and how many there are in all.
///
/// # Errors
/// [`Error::Internal`] when the database or a row cannot be read.
pub fn list(tx: &impl Tx, flow: &FlowId, range: &Range<usize>) -> Result<(Vec<PipelineRun>, usize)> {
    let (mut rows, mut total) = (Vec::new(), 0);
    tx.scan(PIPELINE_RUNS, &KeyRange::prefix(flow.bytes()), Order::Descending, |_, value| {
        if range.contains(&total) {
            rows.push(parse(value)?);
        }
        total += 1;
        Ok(ControlFlow::Continue(()))
    })?;
    Ok((rows, total))
}

/// The run with this id; `None` when the flow has none.
///
/// # Errors
/// [`Error::Internal`] when the database or a row cannot be read.
pub fn find(tx: &impl Tx, flow: &FlowId, id: &PipelineRunId) -> Result<Option<PipelineRun>> {
    let mut found = None;
    tx.scan(PIPELINE_RUNS, &KeyRange::prefix(flow.bytes()), Order::Descending, |_, value| {
        let run = parse(value)?;
        if run.id != *id {
            return Ok(ControlFlow::Continue(()));
        }
        found = Some(run);
        Ok(ControlFlow::Break(()))
    })?;
    Ok(found)
}

/// Removes the runs below a number.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be written.
pub fn remove_below(tx: &WriteTx, flow: &FlowId, below: u64) -> Result<()> {
    let range = KeyRange::between(&keys::timeline(flow, 0), &keys::timeline(flow, below));
    tx.remove_range(PIPELINE_RUNS, &range).map(drop)
}

/// True when a card saw this document before.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub fn was_seen(tx: &impl Tx, flow: &FlowId, scope: &PipelineScope, digest: &[u8; 16]) -> Result<bool> {
    tx.has(PIPELINE_DIGESTS, &keys::pipeline_digest(flow, scope, digest))
}

/// Notes documents that cards saw.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be written.
pub fn note_seen<'d>(
    tx: &WriteTx,
    flow: &FlowId,
    seen: impl IntoIterator<Item = &'d (PipelineScope, [u8; 16])>,
) -> Result<()> {
    let key = |(scope, digest): &(PipelineScope, [u8; 16])| keys::pipeline_digest(flow, scope, digest);
    seen.into_iter().try_for_each(|one| tx.put(PIPELINE_DIGESTS, &key(one), &[]))
}

/// Lets some of what was seen within the first scope count for the second one instead; true while more is left.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be written.
pub fn move_seen(tx: &WriteTx, flow: &FlowId, (from, to): (&PipelineScope, &PipelineScope)) -> Result<bool> {
    let some = some_seen(tx, flow, from)?;
    for key in &some {
        tx.remove(PIPELINE_DIGESTS, key)?;
        let digest = key.last_chunk().ok_or_else(|| Error::internal("the key of a document is too short"))?;
        tx.put(PIPELINE_DIGESTS, &keys::pipeline_digest(flow, to, digest), &[])?;
    }
    Ok(some.len() >= DIGESTS_AT_ONCE)
}

/// Forgets some of what was seen within a scope; true while more is left.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be written.
pub fn forget_seen(tx: &WriteTx, flow: &FlowId, scope: &PipelineScope) -> Result<bool> {
    let some = some_seen(tx, flow, scope)?;
    some.iter().try_for_each(|key| tx.remove(PIPELINE_DIGESTS, key).map(drop))?;
    Ok(some.len() >= DIGESTS_AT_ONCE)
}

/// Keys of documents that were seen within a scope, as many as one commit takes.
fn some_seen(tx: &impl Tx, flow: &FlowId, scope: &PipelineScope) -> Result<Vec<Vec<u8>>> {
    let mut some: Vec<Vec<u8>> = Vec::new();
    let range = KeyRange::prefix(&keys::pipeline_scope(flow, scope));
    tx.scan_keys(PIPELINE_DIGESTS, &range, Order::Ascending, |key| {
        some.push(key.to_vec());
        let is_enough = some.len() >= DIGESTS_AT_ONCE;
        Ok(if is_enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    Ok(some)
}

/// Removes all that is kept of a flow that goes away.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be written.
pub fn remove_flow(tx: &WriteTx, flow: &FlowId) -> Result<()> {
    let all = KeyRange::prefix(flow.bytes());
    tx.remove_range(PIPELINE_RUNS, &all)?;
    tx.remove_range(PIPELINE_DIGESTS, &all).map(drop)
}
