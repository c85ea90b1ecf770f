//! Lists of runs: which there are, how many, and the page of them that somebody looks at, newest first.
//!
//! A list is a *scope*: all runs of a workspace, those of a flow, in a state, of a flow in a state, of a session. Each run
//! has a row in each scope it belongs to, under the time it changed last. How many rows a scope has is counted as they come
//! and go, in buckets of three sizes, so that neither a total nor a far page walks along the rows: both read some buckets of
//! each size and at most the rows of one small one at each end, whether there are ten runs or a million.
//!
//! A busy service has thousands of runs in the smallest of these, so a page counts on in slices of it, which all scopes but
//! those of sessions have. What was stored before there were slices has none: they count only where they add up to their
//! bucket. A slice never says more than there is, so slices that add up are right one by one.

use crate::domain::error::{Error, Result};
use crate::domain::ids::{ExecutionId, FlowId, WorkspaceId};
use crate::domain::predictions::execution::{Execution, ExecutionState};
use crate::store::keys::{self, ExecutionScopeBytes, KeyRange};
use crate::store::queries::counts::{Damages, parse_count, write_counts};
use crate::store::tables::{EXECUTION_COUNTS, EXECUTION_INDEX};
use crate::store::transaction::{MessageReader, Order, WriteTx};
use jiff::Timestamp;
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, VecDeque};
use std::ops::ControlFlow;

/// Widths of buckets, as powers of two of a millisecond: two years, most of a day, a minute. Each holds 1,024 of the next.
const LEVELS: [u32; 3] = [36, 26, 16];
/// Width of a slice, of which the smallest bucket holds 1,024.
const SLICE: u32 = 6;
/// The number of slices among levels.
const SLICE_LEVEL: u8 = 3;
/// Rows of a bucket that are walked along sooner than its slices.
const WALKED_MAX: u64 = 256;
/// Behind every time: a multiple of every width.
const TIME_END: u64 = 1 << 48;
/// What a scope of a session begins with, and where scopes begin in a key of the index.
const SESSION_KIND: u8 = 4;
const SCOPE_KIND: usize = 16;
/// Rows that are read at a time.
const ROWS_PER_READ: usize = 64;

pub(super) type IndexKey = [u8; 58];

/// A list of runs of a workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExecutionScope<'a> {
    All,
    Flow(FlowId),
    State(ExecutionState),
    FlowState(FlowId, ExecutionState),
    Session(&'a str),
}

/// A row of the index, from which lists are filtered without reading the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExecutionKey {
    time: u64,
    pub id: ExecutionId,
    pub flow: FlowId,
    pub state: ExecutionState,
}

/// From one time on, and before another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeSpan {
    from: u64,
    below: u64,
}

impl TimeSpan {
    pub const ALWAYS: Self = Self { from: 0, below: TIME_END };

    /// From the first to the second, both included; without one it has no end there.
    #[must_use]
    pub fn between(from: Option<Timestamp>, until: Option<Timestamp>) -> Self {
        let until =
            until.map(|until| if until < Timestamp::UNIX_EPOCH { 0 } else { milliseconds(until) + 1 });
        Self { from: from.map_or(0, milliseconds), below: until.unwrap_or(TIME_END) }
    }

    #[must_use]
    pub fn contains(&self, time: Timestamp) -> bool {
        (self.from..self.below).contains(&milliseconds(time))
    }
}

fn milliseconds(time: Timestamp) -> u64 {
    u64::try_from(time.as_millisecond()).unwrap_or(0).min(TIME_END - 1)
}

/// A byte for each state, which never changes.
const fn state_byte(state: ExecutionState) -> u8 {
    match state {
        ExecutionState::InProgress => 1,
        ExecutionState::Finished => 2,
        ExecutionState::Error => 3,
        ExecutionState::Terminated => 4,
        ExecutionState::Timeout => 5,
        ExecutionState::Stopped => 6,
    }
}

impl ExecutionScope<'_> {
    pub(super) fn bytes(&self) -> ExecutionScopeBytes {
        let (kind, middle, state) = match self {
            Self::All => (0, [0; 16], 0),
            Self::Flow(flow) => (1, *flow.bytes(), 0),
            Self::State(state) => (2, [0; 16], state_byte(*state)),
            Self::FlowState(flow, state) => (3, *flow.bytes(), state_byte(*state)),
            Self::Session(session) => {
                let (mut half, whole) = ([0; 16], Sha256::digest(session.as_bytes()));
                half.copy_from_slice(&whole[..16]);
                (SESSION_KIND, half, 0)
            }
        };
        let mut bytes = [kind; 18];
        bytes[1..17].copy_from_slice(&middle);
        bytes[17] = state;
        bytes
    }

    /// Every list that a run stands in.
    fn of(run: &Execution) -> [ExecutionScopeBytes; 5] {
        let state = run.state();
        let all = [
            ExecutionScope::All,
            ExecutionScope::Flow(run.flow),
            ExecutionScope::State(state),
            ExecutionScope::FlowState(run.flow, state),
            ExecutionScope::Session(&run.session),
        ];
        all.map(|scope| scope.bytes())
    }
}

/// What lists are to say of runs. It is gathered, because several runs move the same counts, and each is written once.
#[derive(Default)]
pub(super) struct IndexChanges {
    /// `None`: the run does not stand there any more.
    rows: BTreeMap<IndexKey, Option<[u8; 17]>>,
    counts: BTreeMap<[u8; 43], i64>,
}

impl IndexChanges {
    /// Notes what became of a run.
    pub(super) fn replace(&mut self, before: Option<&Execution>, after: Option<&Execution>) {
        for (run, change) in before.iter().map(|run| (run, -1)).chain(after.iter().map(|run| (run, 1))) {
            let time = milliseconds(run.updated);
            let mut row = [state_byte(run.state()); 17];
            row[1..].copy_from_slice(run.flow.bytes());
            for scope in ExecutionScope::of(run) {
                let key = keys::execution_index(&run.workspace, &scope, time, run.id.bytes());
                self.rows.insert(key, (change > 0).then_some(row));
                count_keys(&key, |count| *self.counts.entry(count).or_default() += change);
            }
        }
    }

    /// Writes them. Counts that stay as they were are not written, so a run that ends soon after it began moves only those of
    /// its state.
    ///
    /// # Errors
    /// [`Error::Internal`] when the database cannot be written.
    pub(super) fn write(self, tx: &WriteTx) -> Result<()> {
        let removed: Vec<&IndexKey> =
            self.rows.iter().filter(|(_, row)| row.is_none()).map(|(key, _)| key).collect();
        if !removed.is_empty() {
            tx.remove_all(EXECUTION_INDEX, removed)?;
        }
        if self.rows.values().any(Option::is_some) {
            tx.put_all(EXECUTION_INDEX, self.new_rows())?;
        }
        write_counts(tx, EXECUTION_COUNTS, self.counts, Damages::Refuse)
    }

    /// The rows that runs stand in now.
    pub(super) fn new_rows(&self) -> impl Iterator<Item = (&IndexKey, &[u8; 17])> {
        self.rows.iter().filter_map(|(key, row)| Some((key, row.as_ref()?)))
    }

    pub(super) fn into_counts(self) -> BTreeMap<[u8; 43], i64> {
        self.counts
    }
}

/// Every count that a row of the index is part of.
pub(super) fn count_keys(row: &IndexKey, mut each: impl FnMut([u8; 43])) {
    let Some((time, _)) = keys::parse_execution_index(row) else { return };
    for (level, width) in (0..).zip(LEVELS) {
        each(keys::execution_count_of(row, level, time >> width));
    }
    if row[SCOPE_KIND] != SESSION_KIND {
        each(keys::execution_count_of(row, SLICE_LEVEL, time >> SLICE));
    }
}

fn parse_row(key: &[u8], value: &[u8]) -> Result<ExecutionKey> {
    let unread = || Error::internal("a row of the index of runs cannot be read");
    let (time, id) = keys::parse_execution_index(key).ok_or_else(unread)?;
    let (state, flow) = value.split_first().ok_or_else(unread)?;
    let state = ExecutionState::ALL.into_iter().find(|known| state_byte(*known) == *state);
    Ok(ExecutionKey {
        time,
        id,
        flow: FlowId::from_bytes(flow.try_into().map_err(Error::internal)?),
        state: state.ok_or_else(unread)?,
    })
}

/// How many runs of a list changed last in this time.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub fn count(
    tx: &impl MessageReader,
    workspace: &WorkspaceId,
    scope: ExecutionScope<'_>,
    span: TimeSpan,
) -> Result<u64> {
    count_from(tx, (workspace, &scope.bytes()), 0, span)
}

/// The whole buckets of this size inside the span, and what lies beside them in smaller ones.
fn count_from(
    tx: &impl MessageReader,
    list: (&WorkspaceId, &ExecutionScopeBytes),
    level: u8,
    span: TimeSpan,
) -> Result<u64> {
    let TimeSpan { from, below } = span;
    if from >= below {
        return Ok(0);
    }
    let Some(width) = LEVELS.get(usize::from(level)) else { return count_rows(tx, list, span) };
    let (first, end) = (from.div_ceil(1 << width), below >> width);
    if first >= end {
        return count_from(tx, list, level + 1, span);
    }
    let mut total = 0;
    let bucket = |number| keys::execution_count(list.0, list.1, level, number);
    tx.scan(
        EXECUTION_COUNTS,
        &KeyRange::between(&bucket(first), &bucket(end)),
        Order::Ascending,
        |_, value| {
            total += parse_count(value)?;
            Ok(ControlFlow::Continue(()))
        },
    )?;
    total += count_from(tx, list, level + 1, TimeSpan { from, below: first << width })?;
    total += count_from(tx, list, level + 1, TimeSpan { from: end << width, below })?;
    Ok(total)
}

fn rows((workspace, scope): (&WorkspaceId, &ExecutionScopeBytes), span: TimeSpan) -> KeyRange {
    let edge = |time| keys::execution_index(workspace, scope, time, &[0; 16]);
    KeyRange::between(&edge(span.from), &edge(span.below))
}

fn count_rows(
    tx: &impl MessageReader,
    list: (&WorkspaceId, &ExecutionScopeBytes),
    span: TimeSpan,
) -> Result<u64> {
    let mut total = 0;
    tx.scan_keys(EXECUTION_INDEX, &rows(list, span), Order::Ascending, |_| {
        total += 1;
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(total)
}

/// Hands over the rows of a list, the newest first, or the oldest.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read, else what `each` returns.
pub fn walk(
    tx: &impl MessageReader,
    workspace: &WorkspaceId,
    scope: ExecutionScope<'_>,
    span: TimeSpan,
    order: Order,
    mut each: impl FnMut(ExecutionKey) -> Result<ControlFlow<()>>,
) -> Result<()> {
    if span.from >= span.below {
        return Ok(());
    }
    let range = rows((workspace, &scope.bytes()), span);
    tx.scan(EXECUTION_INDEX, &range, order, |key, value| each(parse_row(key, value)?))
}

/// The runs of several lists that have none in common, the newest first: `limit` of them after the first `skip`.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub fn newest(
    tx: &impl MessageReader,
    workspace: &WorkspaceId,
    scopes: &[ExecutionScope<'_>],
    span: TimeSpan,
    (mut skip, limit): (u64, usize),
) -> Result<Vec<ExecutionKey>> {
    let mut cursors: Vec<Cursor> =
        scopes.iter().map(|scope| Cursor::new(*workspace, scope.bytes(), span)).collect();
    if let [only] = &mut *cursors {
        skip = only.jump(tx, skip)?;
    }
    let mut found = Vec::new();
    while found.len() < limit {
        let mut next: Option<((u64, ExecutionId), usize)> = None;
        for (place, cursor) in cursors.iter_mut().enumerate() {
            next = next.max(cursor.peek(tx)?.map(|row| ((row.time, row.id), place)));
        }
        let Some(row) = next.and_then(|(_, place)| cursors[place].rows.pop_front()) else { break };
        if skip > 0 {
            skip -= 1;
        } else {
            found.push(row);
        }
    }
    Ok(found)
}

/// When a run of the workspace changed last; `None` when there is none, or its row is damaged.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub fn newest_date(tx: &impl MessageReader, workspace: &WorkspaceId) -> Result<Option<Timestamp>> {
    let mut newest = None;
    let range = rows((workspace, &ExecutionScope::All.bytes()), TimeSpan::ALWAYS);
    tx.scan_keys(EXECUTION_INDEX, &range, Order::Descending, |key| {
        let time = keys::parse_execution_index(key).and_then(|(time, _)| i64::try_from(time).ok());
        newest = time.and_then(|time| Timestamp::from_millisecond(time).ok());
        Ok(ControlFlow::Break(()))
    })?;
    Ok(newest)
}

/// The slices of one of the smallest buckets, the newest first, with how many rows each has; none where they are not those of
/// all of its rows.
fn slices(
    tx: &impl MessageReader,
    (workspace, scope): (&WorkspaceId, &ExecutionScopeBytes),
    (bucket, count): (u64, u64),
) -> Result<Vec<(u64, u64)>> {
    let edge =
        |bucket: u64| keys::execution_count(workspace, scope, SLICE_LEVEL, bucket << (LEVELS[2] - SLICE));
    let mut found = Vec::new();
    let range = KeyRange::between(&edge(bucket), &edge(bucket + 1));
    tx.scan(EXECUTION_COUNTS, &range, Order::Descending, |key, value| {
        found.extend(keys::sequence(key).zip(Some(parse_count(value)?)));
        Ok(ControlFlow::Continue(()))
    })?;
    let total: u64 = found.iter().map(|(_, count)| count).sum();
    Ok(if total == count { found } else { Vec::new() })
}

/// A way down one list.
struct Cursor {
    workspace: WorkspaceId,
    scope: ExecutionScopeBytes,
    rows: VecDeque<ExecutionKey>,
    from: u64,
    /// What was read already begins with this key; `None` at the end.
    read_from: Option<[u8; 58]>,
}

impl Cursor {
    fn new(workspace: WorkspaceId, scope: ExecutionScopeBytes, span: TimeSpan) -> Self {
        let end = keys::execution_index(&workspace, &scope, span.below, &[0; 16]);
        let read_from = (span.from < span.below).then_some(end);
        Self { workspace, scope, rows: VecDeque::new(), from: span.from, read_from }
    }

    /// Leaves out the newest `skip` rows as far as whole buckets hold them; how many are still to be left out.
    fn jump(&mut self, tx: &impl MessageReader, skip: u64) -> Result<u64> {
        let Some((below, _)) = self.read_from.as_ref().and_then(|key| keys::parse_execution_index(key))
        else {
            return Ok(skip);
        };
        let list = (&self.workspace, &self.scope);
        // Counted from the very end, where buckets of every size begin.
        let mut left = skip + count_from(tx, list, 0, TimeSpan { from: below, below: TIME_END })?;
        let (mut end, mut full) = (TIME_END, None);
        for (level, width) in (0..).zip(LEVELS) {
            full = None;
            let bucket = |number| keys::execution_count(list.0, list.1, level, number);
            let range = KeyRange::between(&bucket(0), &bucket(end >> width));
            tx.scan(EXECUTION_COUNTS, &range, Order::Descending, |key, value| {
                let count = parse_count(value)?;
                if count > left {
                    full = keys::sequence(key).map(|number| (number, count));
                    return Ok(ControlFlow::Break(()));
                }
                left -= count;
                end = keys::sequence(key).map_or(end, |number| number << width);
                Ok(ControlFlow::Continue(()))
            })?;
        }
        if let Some(bucket) = full.filter(|(_, count)| left > WALKED_MAX && *count > WALKED_MAX) {
            for (slice, count) in slices(tx, list, bucket)? {
                if count > left {
                    break;
                }
                left -= count;
                end = slice << SLICE;
            }
        }
        let reached = keys::execution_index(&self.workspace, &self.scope, end.max(self.from), &[0; 16]);
        self.read_from = (end > self.from).then_some(reached);
        Ok(left)
    }

    /// The next row; `None` at the end.
    fn peek(&mut self, tx: &impl MessageReader) -> Result<Option<&ExecutionKey>> {
        if let Some(end) = self.read_from.filter(|_| self.rows.is_empty()) {
            let start = keys::execution_index(&self.workspace, &self.scope, self.from, &[0; 16]);
            let mut last = None;
            tx.scan(EXECUTION_INDEX, &KeyRange::between(&start, &end), Order::Descending, |key, value| {
                self.rows.push_back(parse_row(key, value)?);
                last = key.try_into().ok();
                Ok(if self.rows.len() < ROWS_PER_READ {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                })
            })?;
            self.read_from = last;
        }
        Ok(self.rows.front())
    }
}
