//! The steps of a run. A step has a number, by when it began, under which its entry is written once and never again: a run
//! of a thousand steps writes each of them as often as one of ten. Its place in the record is told later, when that is
//! known, by a row of eight bytes.

use crate::base::json_size::json_size;
use crate::domain::error::{Error, Result};
use crate::domain::ids::ExecutionId;
use crate::domain::predictions::execution::{ExecutionEntry, StepStart, StepStatus};
use crate::store::keys::{self, KeyRange};
use crate::store::tables::{EXECUTION_ENTRIES, EXECUTION_ORDER, EXECUTION_STEPS};
use crate::store::transaction::{MessageReader, Order, Tx as _, WriteTx};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Arc;

/// What becomes of a step.
#[derive(Debug, Clone)]
pub enum StepChange {
    /// Most steps end before it would be written, so it is not written down yet.
    Began {
        step: u64,
        start: Arc<StepStart>,
    },
    /// It began before, and more of it is to be kept if it never ends.
    Detailed {
        step: u64,
        start: Arc<StepStart>,
    },
    Ended {
        step: u64,
        entry: Arc<[u8]>,
    },
    /// Its place in the record is known.
    Placed {
        place: u64,
        step: u64,
    },
}

impl StepChange {
    pub fn began(step: u64, start: StepStart) -> Self {
        Self::Began { step, start: Arc::new(start) }
    }

    pub fn detailed(step: u64, start: StepStart) -> Self {
        Self::Detailed { step, start: Arc::new(start) }
    }

    /// The note is what its engine wants back, where another run takes the step over.
    ///
    /// # Errors
    /// [`Error::Internal`] when it has no stored form.
    pub fn ended(step: u64, entry: &ExecutionEntry, note: Option<&impl Serialize>) -> Result<Self> {
        let ExecutionEntry { node_id, node_label, data, previous_node_ids, status } = entry;
        let row = WrittenEntry { node_id, node_label, data, previous_node_ids, status: *status, note };
        Ok(Self::Ended { step, entry: serde_json::to_vec(&row).map_err(Error::internal)?.into() })
    }

    /// Bytes that it holds, about.
    #[must_use]
    pub fn bytes(&self) -> usize {
        const ROW_BYTES: usize = 64;
        match self {
            Self::Began { start, .. } | Self::Detailed { start, .. } => {
                let note = start.note.as_ref().map_or(0, json_size);
                ROW_BYTES + start.node_id.len() + start.node_label.len() + json_size(&start.data) + note
            }
            Self::Ended { entry, .. } => ROW_BYTES + entry.len(),
            Self::Placed { .. } => ROW_BYTES,
        }
    }
}

/// An entry as it is written: an [`ExecutionEntry`] and its note.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WrittenEntry<'a, N> {
    node_id: &'a str,
    node_label: &'a str,
    data: &'a Map<String, Value>,
    previous_node_ids: &'a [String],
    status: StepStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'a N>,
}

/// An entry as it is read: what is flattened would be read twice.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ReadEntry {
    node_id: String,
    node_label: String,
    data: Map<String, Value>,
    previous_node_ids: Vec<String>,
    status: StepStatus,
    #[serde(default)]
    note: Option<Value>,
}

/// An entry of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct PlacedEntry {
    pub step: u64,
    /// Its place in the record; `None` while steps before it have not ended.
    pub place: Option<u64>,
    pub entry: ExecutionEntry,
    /// What its engine wants back; `None` for a step that was in flight when the service stopped.
    pub note: Option<Value>,
}

/// What became of steps of several runs, by table: each is opened once for all of them.
#[derive(Default)]
pub(super) struct StepRows {
    over: Vec<[u8; 24]>,
    began: Vec<([u8; 24], Vec<u8>)>,
    entries: Vec<([u8; 24], Arc<[u8]>)>,
    places: Vec<([u8; 24], [u8; 8])>,
}

impl StepRows {
    /// Notes what became of steps of a run. What began and ended in one stroke leaves no note of its beginning.
    ///
    /// # Errors
    /// [`Error::Internal`] when a step has no stored form.
    pub(super) fn add(&mut self, run: &ExecutionId, changes: &[StepChange]) -> Result<()> {
        let key = |number: u64| keys::execution_part(run, number);
        let step_of = |change: &StepChange| match change {
            StepChange::Ended { step, .. } => Some(*step),
            _ => None,
        };
        let ended: HashSet<u64> = changes.iter().filter_map(step_of).collect();
        let mut fresh = HashSet::new();
        for change in changes {
            match change {
                StepChange::Began { step, .. } if ended.contains(step) => drop(fresh.insert(*step)),
                StepChange::Detailed { step, .. } if ended.contains(step) => {}
                StepChange::Began { step, start } | StepChange::Detailed { step, start } => {
                    self.began.push((key(*step), serde_json::to_vec(start).map_err(Error::internal)?));
                }
                StepChange::Ended { step, entry } => self.entries.push((key(*step), entry.clone())),
                StepChange::Placed { place, step } => self.places.push((key(*place), step.to_be_bytes())),
            }
        }
        self.over.extend(ended.difference(&fresh).map(|step| key(*step)));
        Ok(())
    }

    /// Writes them; nothing is left.
    ///
    /// # Errors
    /// [`Error::Internal`] when the database cannot be written.
    pub(super) fn write(&mut self, tx: &WriteTx) -> Result<()> {
        let Self { over, began, entries, places } = std::mem::take(self);
        if !over.is_empty() {
            tx.remove_all(EXECUTION_STEPS, over)?;
        }
        if !began.is_empty() {
            tx.put_all(EXECUTION_STEPS, began)?;
        }
        if !entries.is_empty() {
            tx.put_all(EXECUTION_ENTRIES, entries)?;
        }
        if !places.is_empty() {
            tx.put_all(EXECUTION_ORDER, places)?;
        }
        Ok(())
    }
}

/// Writes what became of steps of one run, as [`StepRows`].
///
/// # Errors
/// [`Error::Internal`] when the database cannot be written.
pub(crate) fn write_steps(tx: &WriteTx, run: &ExecutionId, changes: &[StepChange]) -> Result<()> {
    let mut rows = StepRows::default();
    rows.add(run, changes)?;
    rows.write(tx)
}

fn of_run(run: &ExecutionId) -> KeyRange {
    KeyRange::prefix(run.bytes())
}

fn parse_number(value: &[u8]) -> Result<u64> {
    Ok(u64::from_be_bytes(value.try_into().map_err(Error::internal)?))
}

fn number_of(key: &[u8]) -> Result<u64> {
    keys::sequence(key).ok_or_else(|| Error::internal("a key of a run is too short"))
}

/// The entries of a run in the order of its record; those whose place is not known yet stand behind, as they began.
///
/// # Errors
/// [`Error::Internal`] when the database or an entry cannot be read.
pub fn entries(tx: &impl MessageReader, run: &ExecutionId) -> Result<Vec<PlacedEntry>> {
    let mut found = Vec::new();
    scan_entries(tx, run, |_, entry| {
        found.push(entry);
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(found)
}

/// Hands over the entries of a run with how many bytes they are stored as, in the order of [`entries`].
///
/// # Errors
/// As [`entries`], else what `each` returns.
pub fn scan_entries(
    tx: &impl MessageReader,
    run: &ExecutionId,
    mut each: impl FnMut(usize, PlacedEntry) -> Result<ControlFlow<()>>,
) -> Result<()> {
    let mut order = Vec::new();
    tx.scan(EXECUTION_ORDER, &of_run(run), Order::Ascending, |key, step| {
        order.push((number_of(key)?, parse_number(step)?));
        Ok(ControlFlow::Continue(()))
    })?;
    let placed: HashSet<u64> = order.iter().map(|(_, step)| *step).collect();
    let mut waiting = Vec::new();
    tx.scan_keys(EXECUTION_ENTRIES, &of_run(run), Order::Ascending, |key| {
        waiting.extend(Some(number_of(key)?).filter(|step| !placed.contains(step)));
        Ok(ControlFlow::Continue(()))
    })?;
    let all = order.into_iter().map(|(place, step)| (Some(place), step));
    for (place, step) in all.chain(waiting.into_iter().map(|step| (None, step))) {
        let read = |value: &[u8]| Ok((value.len(), parse_entry(value)?));
        let found = tx.get_with(EXECUTION_ENTRIES, &keys::execution_part(run, step), read)?;
        // One whose place is known may still be under way.
        let Some((bytes, (entry, note))) = found else { continue };
        if each(bytes, PlacedEntry { step, place, entry, note })?.is_break() {
            break;
        }
    }
    Ok(())
}

fn parse_entry(value: &[u8]) -> Result<(ExecutionEntry, Option<Value>)> {
    // The cause is not kept: its text may quote what was said.
    let read = serde_json::from_slice(value)
        .map_err(|_| Error::internal("a stored step of a run cannot be read"))?;
    let ReadEntry { node_id, node_label, data, previous_node_ids, status, note } = read;
    Ok((ExecutionEntry { node_id, node_label, data, previous_node_ids, status }, note))
}

/// How many steps of a run have ended; none is read.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub fn entry_count(tx: &impl MessageReader, run: &ExecutionId) -> Result<usize> {
    let mut count = 0;
    tx.scan_keys(EXECUTION_ENTRIES, &of_run(run), Order::Ascending, |_| {
        count += 1;
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(count)
}

/// The number of the next step, and the next place in the record.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub fn next_numbers(tx: &impl MessageReader, run: &ExecutionId) -> Result<(u64, u64)> {
    let next = |table| {
        let mut next = 0;
        tx.scan_keys(table, &of_run(run), Order::Descending, |key| {
            next = number_of(key)? + 1;
            Ok(ControlFlow::Break(()))
        })?;
        Ok::<_, Error>(next)
    };
    Ok((next(EXECUTION_ENTRIES)?.max(next(EXECUTION_STEPS)?), next(EXECUTION_ORDER)?))
}

/// Ends the record of a run: steps under way become entries that say so, and what has no place gets one, as it began.
/// True when a step was under way.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be written.
pub fn terminate_steps(tx: &WriteTx, run: &ExecutionId) -> Result<bool> {
    let mut under_way = Vec::new();
    tx.scan(EXECUTION_STEPS, &of_run(run), Order::Ascending, |key, value| {
        let mut start: StepStart = serde_json::from_slice(value)
            .map_err(|_| Error::internal("a stored step of a run cannot be read"))?;
        let note = start.note.take();
        under_way.push(StepChange::ended(number_of(key)?, &start.terminate(), note.as_ref())?);
        Ok(ControlFlow::Continue(()))
    })?;
    write_steps(tx, run, &under_way)?;
    place_all(tx, run)?;
    Ok(!under_way.is_empty())
}

/// Leaves the record of a run that waits, or is complete: what is under way only waits for what is inside of it, and begins
/// anew for the record when it ends. What has no place gets one.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be written.
pub fn rest_steps(tx: &WriteTx, run: &ExecutionId) -> Result<()> {
    tx.remove_range(EXECUTION_STEPS, &of_run(run))?;
    place_all(tx, run)
}

/// Gives what has no place one, as it began.
fn place_all(tx: &WriteTx, run: &ExecutionId) -> Result<()> {
    let (_, next) = next_numbers(tx, run)?;
    let mut placed = HashSet::new();
    tx.scan(EXECUTION_ORDER, &of_run(run), Order::Ascending, |_, step| {
        placed.insert(parse_number(step)?);
        Ok(ControlFlow::Continue(()))
    })?;
    let mut unplaced = Vec::new();
    tx.scan_keys(EXECUTION_ENTRIES, &of_run(run), Order::Ascending, |key| {
        unplaced.extend(Some(number_of(key)?).filter(|step| !placed.contains(step)));
        Ok(ControlFlow::Continue(()))
    })?;
    let places: Vec<StepChange> =
        (next..).zip(unplaced).map(|(place, step)| StepChange::Placed { place, step }).collect();
    write_steps(tx, run, &places)
}

/// Removes the steps of a run.
pub(super) fn remove(tx: &WriteTx, run: &ExecutionId) -> Result<()> {
    for table in [EXECUTION_ENTRIES, EXECUTION_STEPS, EXECUTION_ORDER] {
        tx.remove_range(table, &of_run(run))?;
    }
    Ok(())
}
