//! A run that came to its end before anything of it was stored: one record in the log and in the memtable, which becomes rows
//! of many tables when the database gets it, with many others. All of its rows are new, and their keys lie behind those of the
//! runs before it, so that runs which are stored together share the pages that they change.

use super::entries::StepChange;
use super::list_writer::ListWriter;
use super::{Execution, StoredRequest};
use crate::domain::error::{Error, Result};
use crate::domain::ids::{ChatId, FlowId};
use crate::store::keys;
use crate::store::tables::{
    EXECUTION_ENTRIES, EXECUTION_ORDER, EXECUTION_REQUESTS_TABLE, EXECUTION_WORKSPACE, EXECUTIONS_TABLE,
};
use crate::store::transaction::WriteTx;
use crate::store::wal::memtable::unknown_record;

/// A run in the form in which it is stored.
pub struct WholeRun {
    pub(in crate::store) flow: FlowId,
    pub(in crate::store) chat: ChatId,
    bytes: Vec<u8>,
}

impl WholeRun {
    /// Writes down a run that ended, whose steps all ended and have their places.
    ///
    /// # Errors
    /// [`Error::Internal`] when it has no stored form.
    pub fn new<'a>(
        run: &Execution,
        request: &StoredRequest,
        steps: impl Iterator<Item = &'a StepChange> + Clone,
    ) -> Result<Self> {
        let mut bytes = Vec::with_capacity(1_024);
        push_part(&mut bytes, &serde_json::to_vec(run).map_err(Error::internal)?)?;
        push_part(&mut bytes, &request.0)?;
        let ended = steps.clone().filter(|step| matches!(step, StepChange::Ended { .. })).count();
        bytes.extend(u32::try_from(ended).map_err(Error::internal)?.to_le_bytes());
        for change in steps.clone() {
            if let StepChange::Ended { step, entry } = change {
                bytes.extend(step.to_le_bytes());
                push_part(&mut bytes, entry)?;
            }
        }
        for change in steps {
            if let StepChange::Placed { place, step } = change {
                bytes.extend(place.to_le_bytes());
                bytes.extend(step.to_le_bytes());
            }
        }
        Ok(Self { flow: run.flow, chat: run.chat, bytes })
    }

    pub(in crate::store) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

fn push_part(bytes: &mut Vec<u8>, part: &[u8]) -> Result<()> {
    bytes.extend(u32::try_from(part.len()).map_err(Error::internal)?.to_le_bytes());
    bytes.extend(part);
    Ok(())
}

/// What [`WholeRun`] wrote down.
struct StoredRun<'a> {
    run: Execution,
    row: &'a [u8],
    request: &'a [u8],
    /// By when they began.
    entries: Vec<(u64, &'a [u8])>,
    /// Place and step.
    places: Vec<(u64, u64)>,
}

impl<'a> StoredRun<'a> {
    fn parse(bytes: &'a [u8]) -> Option<Self> {
        let (row, rest) = split_part(bytes)?;
        let (request, rest) = split_part(rest)?;
        let (count, mut rest) = rest.split_first_chunk()?;
        let mut entries = Vec::new();
        for _ in 0..u32::from_le_bytes(*count) {
            let (step, after) = split_number(rest)?;
            let (entry, after) = split_part(after)?;
            entries.push((step, entry));
            rest = after;
        }
        let mut places = Vec::new();
        while !rest.is_empty() {
            let (place, after) = split_number(rest)?;
            let (step, after) = split_number(after)?;
            places.push((place, step));
            rest = after;
        }
        Some(Self { run: serde_json::from_slice(row).ok()?, row, request, entries, places })
    }
}

fn split_part(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    rest.split_at_checked(usize::try_from(u32::from_le_bytes(*length)).ok()?)
}

fn split_number(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let (number, rest) = bytes.split_first_chunk()?;
    Some((u64::from_le_bytes(*number), rest))
}

/// Stores whole runs, whose flows are in their workspaces, and puts them into their lists.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be written, or a run was written down by another program.
pub(in crate::store) fn store(tx: &WriteTx, runs: &[&[u8]], lists: &mut ListWriter) -> Result<()> {
    let mut all = Vec::with_capacity(runs.len());
    for run in runs {
        all.push(StoredRun::parse(run).ok_or_else(unknown_record)?);
    }
    // Neighbours on a page are stored one after the other.
    all.sort_unstable_by_key(|stored| *stored.run.id.bytes());
    let (mut entries, mut places) = (Vec::new(), Vec::new());
    for StoredRun { run, entries: steps, places: order, .. } in &all {
        let part = |number: u64| keys::execution_part(&run.id, number);
        entries.extend(steps.iter().map(|(step, entry)| (part(*step), *entry)));
        places.extend(order.iter().map(|(place, step)| (part(*place), step.to_be_bytes())));
    }
    EXECUTION_WORKSPACE.put_all(tx, all.iter().map(|stored| (&stored.run.id, &stored.run.workspace)))?;
    let row = |stored: &StoredRun<'_>| keys::in_workspace(&stored.run.workspace, &stored.run.id);
    tx.put_all(EXECUTIONS_TABLE, all.iter().map(|stored| (row(stored), stored.row)))?;
    tx.put_all(EXECUTION_REQUESTS_TABLE, all.iter().map(|stored| (stored.run.id.bytes(), stored.request)))?;
    tx.put_all(EXECUTION_ENTRIES, entries)?;
    tx.put_all(EXECUTION_ORDER, places)?;
    lists.add(tx, all.iter().map(|stored| &stored.run))
}
