//! The canvases that runs which wait began with: what a person approves is what runs. A canvas is kept once, by its digest,
//! however many runs wait with it. Each of them has a row behind it, and the last one that goes takes the canvas along; so
//! nothing is counted, and nothing can be counted wrong.

use crate::domain::error::{Error, Result};
use crate::domain::ids::{ExecutionId, FlowId};
use crate::domain::predictions::execution::Execution;
use crate::store::keys::{self, KeyRange};
use crate::store::tables::{PAUSED_CANVASES, PAUSED_RUNS};
use crate::store::transaction::{MessageReader, Order, Tx as _, WriteTx};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::ops::ControlFlow;

/// What a run that waits needs to go on.
#[derive(Debug, Clone, PartialEq)]
pub struct PausedRun {
    /// The canvas it began with.
    pub canvas: String,
    /// What the engine wants back.
    pub note: Value,
}

/// Keeps the canvas and the note of a run that waits, in place of an earlier note.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be written.
pub fn keep_canvas(tx: &WriteTx, run: &Execution, paused: &PausedRun) -> Result<()> {
    release(tx, run)?;
    let digest: [u8; 32] = Sha256::digest(paused.canvas.as_bytes()).into();
    let canvas = keys::paused_canvas(&run.flow, &digest);
    if !tx.has(PAUSED_CANVASES, &canvas)? {
        tx.put(PAUSED_CANVASES, &canvas, paused.canvas.as_bytes())?;
    }
    let note = serde_json::to_vec(&paused.note).map_err(Error::internal)?;
    tx.put(PAUSED_RUNS, &keys::paused_run(&run.flow, &digest, &run.id), &note)
}

/// What was kept of a run; `None` when it does not wait.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub fn paused_run(tx: &impl MessageReader, run: &Execution) -> Result<Option<PausedRun>> {
    let Some(key) = find_key(tx, &run.flow, &run.id)? else { return Ok(None) };
    let note: Option<Value> = tx.get_with(PAUSED_RUNS, &key, |value| {
        serde_json::from_slice::<Value>(value)
            .map_err(|_| Error::internal("the note of a run cannot be read"))
    })?;
    let canvas = tx.get_with(PAUSED_CANVASES, &key[..48], |value| {
        std::str::from_utf8(value).map(str::to_owned).map_err(Error::internal)
    })?;
    Ok(canvas.zip(note).map(|(canvas, note)| PausedRun { canvas, note }))
}

/// A flow has few canvases with which runs wait, so its canvases are gone through, and never its runs.
fn find_key(tx: &impl MessageReader, flow: &FlowId, run: &ExecutionId) -> Result<Option<[u8; 64]>> {
    let mut canvases: Vec<[u8; 32]> = Vec::new();
    tx.scan_keys(PAUSED_CANVASES, &KeyRange::prefix(flow.bytes()), Order::Ascending, |key| {
        canvases.extend(key.get(16..48).and_then(|digest| <[u8; 32]>::try_from(digest).ok()));
        Ok(ControlFlow::Continue(()))
    })?;
    for digest in canvases {
        let key = keys::paused_run(flow, &digest, run);
        if tx.has(PAUSED_RUNS, &key)? {
            return Ok(Some(key));
        }
    }
    Ok(None)
}

/// Forgets what a run needed to go on.
pub(super) fn release(tx: &WriteTx, run: &Execution) -> Result<()> {
    let Some(key) = find_key(tx, &run.flow, &run.id)? else { return Ok(()) };
    tx.remove(PAUSED_RUNS, &key)?;
    let mut is_used = false;
    tx.scan_keys(PAUSED_RUNS, &KeyRange::prefix(&key[..48]), Order::Ascending, |_| {
        is_used = true;
        Ok(ControlFlow::Break(()))
    })?;
    if !is_used {
        tx.remove(PAUSED_CANVASES, &key[..48])?;
    }
    Ok(())
}

/// Removes what is left of a flow that goes away.
pub(super) fn remove_flow(tx: &WriteTx, flow: &FlowId) -> Result<()> {
    let range = KeyRange::prefix(flow.bytes());
    tx.remove_range(PAUSED_RUNS, &range)?;
    tx.remove_range(PAUSED_CANVASES, &range).map(drop)
}
