//! The newest messages: durable in the journal, and not in the database yet.
//!
//! Every answer stores its messages, and what the database does for a change costs more than running a small flow. So
//! messages are only appended to the journal and kept here; the database gets them many at a time, sorted, before
//! anything else is written and before anything that may look at messages is read. A flush need not be waited for: while it
//! goes on, messages go into the other file of the journal.
//!
//! **Their order among other changes** is the one in which the database gets them. So the record of a change says which
//! messages the database had before it, and those that had been appended and were not there yet are made after it again.
//! Whether their flow still lives where it did is asked then, once more.

use crate::domain::error::{Error, Result};
use crate::domain::ids::{ChatId, FlowId, WorkspaceId};
use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

/// A message with its number among all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Kept {
    pub(super) sequence: u64,
    pub(super) workspace: WorkspaceId,
    pub(super) flow: FlowId,
    pub(super) chat: ChatId,
    pub(super) record: Arc<[u8]>,
}

/// Which kept messages the database has: all whose number is below.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Bound(u64);

impl Bound {
    /// All of these, in their order.
    fn behind(kept: &[Kept]) -> Option<Self> {
        kept.last().map(|last| Self(last.sequence + 1))
    }
}

/// What the database does not have yet.
#[derive(Default)]
pub(super) struct Tail {
    kept: RwLock<VecDeque<Kept>>,
    /// With `kept`: there are some. Read by every reader of the database.
    is_waiting: AtomicBool,
    /// The next message's number.
    next: AtomicU64,
    /// What the database has.
    bound: AtomicU64,
}

impl Tail {
    /// Begins anew: the database has everything, and the next message gets this number.
    pub(super) fn start(&self, next: u64) {
        let mut kept = self.kept.write().unwrap_or_else(PoisonError::into_inner);
        kept.clear();
        self.next.store(next, Ordering::SeqCst);
        self.bound.store(next, Ordering::SeqCst);
        self.is_waiting.store(false, Ordering::SeqCst);
    }

    /// Numbers messages in their order, each greater than all before.
    pub(super) fn number(&self, all: &mut [Kept]) {
        let first = self.next.fetch_add(all.len() as u64, Ordering::SeqCst);
        all.iter_mut().zip(first..).for_each(|(kept, number)| kept.sequence = number);
    }

    /// Keeps messages that are on disk, in the order of their numbers.
    pub(super) fn keep(&self, said: Vec<Kept>) {
        let mut kept = self.kept.write().unwrap_or_else(PoisonError::into_inner);
        kept.extend(said);
        self.is_waiting.store(!kept.is_empty(), Ordering::SeqCst);
    }

    /// What the database does not have, in its order.
    pub(super) fn waiting(&self) -> Vec<Kept> {
        if !self.is_waiting.load(Ordering::SeqCst) {
            return Vec::new();
        }
        self.kept.read().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// The bound behind everything that was kept so far; `None` when the database has all of it.
    pub(super) fn ahead(&self) -> Option<Bound> {
        if !self.is_waiting.load(Ordering::SeqCst) {
            return None;
        }
        let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner);
        kept.back().map(|last| Bound(last.sequence + 1))
    }

    /// True while the database lacks a message below the bound.
    pub(super) fn is_below(&self, bound: Bound) -> bool {
        let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner);
        kept.front().is_some_and(|first| first.sequence < bound.0)
    }

    /// What the database has.
    pub(super) fn bound(&self) -> Bound {
        Bound(self.bound.load(Ordering::SeqCst))
    }

    /// The database has these, which were [`Self::waiting`].
    pub(super) fn are_stored(&self, stored: &[Kept]) {
        let Some(bound) = Bound::behind(stored) else { return };
        let mut kept = self.kept.write().unwrap_or_else(PoisonError::into_inner);
        while kept.front().is_some_and(|first| first.sequence < bound.0) {
            kept.pop_front();
        }
        self.bound.fetch_max(bound.0, Ordering::SeqCst);
        self.is_waiting.store(!kept.is_empty(), Ordering::SeqCst);
    }

    /// The newest messages of a conversation that the database may not have, oldest first.
    pub(super) fn of_chat(
        &self,
        workspace: &WorkspaceId,
        flow: &FlowId,
        chat: &ChatId,
        newest: usize,
    ) -> Vec<Kept> {
        if !self.is_waiting.load(Ordering::SeqCst) {
            return Vec::new();
        }
        let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner);
        let is_of_it =
            |kept: &&Kept| kept.chat == *chat && kept.flow == *flow && kept.workspace == *workspace;
        let mut found: Vec<Kept> = kept.iter().rev().filter(is_of_it).take(newest).cloned().collect();
        found.reverse();
        found
    }
}

/// A record of the journal.
pub(super) enum Record<'a> {
    /// Messages that were appended.
    Said(Vec<Kept>),
    /// Rows that were changed when the database had all messages below the bound.
    Rows(Bound, &'a [u8]),
}

const SAID: u8 = 4;
const BOUND: u8 = 5;
/// Bytes of [`rows_head`].
pub(super) const ROWS_HEAD_BYTES: usize = 1 + 8;

/// A record of the journal that this program cannot apply. It was written by another one.
#[derive(Debug)]
struct Unknown;

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the journal holds changes that this program does not know")
    }
}

impl std::error::Error for Unknown {}

/// The error for a record of another program.
pub(super) fn unknown() -> Error {
    Error::internal(Unknown)
}

/// What stands before the rows of a record.
pub(super) fn rows_head(bound: Bound) -> [u8; ROWS_HEAD_BYTES] {
    let mut head = [BOUND; ROWS_HEAD_BYTES];
    head[1..].copy_from_slice(&bound.0.to_le_bytes());
    head
}

/// Bytes of [`said_record`].
pub(super) fn said_bytes(said: &[Kept]) -> usize {
    const HEAD_BYTES: usize = 16 + 16 + 16 + 8 + 4;
    1 + said.iter().map(|kept| HEAD_BYTES + kept.record.len()).sum::<usize>()
}

/// Messages as a record.
pub(super) fn said_record(said: &[Kept]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(said_bytes(said));
    bytes.push(SAID);
    for kept in said {
        bytes.extend(kept.workspace.bytes());
        bytes.extend(kept.flow.bytes());
        bytes.extend(kept.chat.bytes());
        bytes.extend(kept.sequence.to_le_bytes());
        // It is shorter than a journal, else nobody appends it.
        bytes.extend(u32::try_from(kept.record.len()).unwrap_or(u32::MAX).to_le_bytes());
        bytes.extend(&*kept.record);
    }
    bytes
}

/// Reads a record.
///
/// # Errors
/// [`Error::Internal`] when it was written by another program.
pub(super) fn read(record: &[u8]) -> Result<Record<'_>> {
    let read = match record {
        [SAID, said @ ..] => all_said(said).map(Record::Said),
        [BOUND, rest @ ..] => rest
            .split_first_chunk::<8>()
            .map(|(bound, rows)| Record::Rows(Bound(u64::from_le_bytes(*bound)), rows)),
        // As they were written before messages were kept.
        rows => Some(Record::Rows(Bound(0), rows)),
    };
    read.ok_or_else(unknown)
}

fn all_said(mut bytes: &[u8]) -> Option<Vec<Kept>> {
    let mut said = Vec::new();
    while !bytes.is_empty() {
        let (workspace, rest) = bytes.split_first_chunk()?;
        let (flow, rest) = rest.split_first_chunk()?;
        let (chat, rest) = rest.split_first_chunk()?;
        let (sequence, rest) = rest.split_first_chunk()?;
        let (length, rest) = rest.split_first_chunk()?;
        let (record, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        said.push(Kept {
            sequence: u64::from_le_bytes(*sequence),
            workspace: WorkspaceId::from_bytes(*workspace),
            flow: FlowId::from_bytes(*flow),
            chat: ChatId::from_bytes(*chat),
            record: record.into(),
        });
        bytes = rest;
    }
    Some(said)
}

/// Those of `waiting` that are below the bound, taken out of it.
pub(super) fn take_below(waiting: &mut Vec<Kept>, bound: Bound) -> Vec<Kept> {
    let count = waiting.iter().take_while(|kept| kept.sequence < bound.0).count();
    waiting.drain(..count).collect()
}
