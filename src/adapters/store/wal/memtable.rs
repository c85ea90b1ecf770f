//! The newest messages: durable in the log, and not in the database yet.
//!
//! Every answer stores its messages, and what the database does for a change costs more than running a small flow. So
//! messages are only appended to the log and kept here; the database gets them many at a time, sorted, before
//! anything else is written and before anything that may look at messages is read. A checkpoint need not be waited for:
//! while it goes on, messages go into the other segment of the log.
//!
//! The record of a run that came to its end before anything of it was written goes the same way, as one record beside the
//! messages of its answer: it is new as they are, so nothing in the database has to be looked at to write it down.
//!
//! **Their order among other changes** is the one in which the database gets them. So the record of a change says which
//! messages the database had before it, and those that had been appended and were not there yet are made after it again.
//! Whether their flow still lives where it did is asked then, once more.

use crate::domain::error::{Error, Result};
use crate::domain::ids::{ChatId, FlowId, WorkspaceId};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

/// A message, the record of a run or a receipt, with its number among all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::store) struct PendingRecord {
    pub(in crate::store) sequence: u64,
    pub(in crate::store) workspace: WorkspaceId,
    pub(in crate::store) flow: FlowId,
    pub(in crate::store) chat: ChatId,
    pub(in crate::store) kind: RecordKind,
    pub(in crate::store) record: Arc<[u8]>,
}

/// What a record of a conversation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum RecordKind {
    Message,
    /// A whole run of an agentflow (`queries/executions/whole.rs`).
    Run,
    /// What the index of answers gets of an answer, or of a run that failed (`queries/answers/`).
    Receipt,
    /// What was counted of a question and its models (`queries/consumption.rs`).
    Consumption,
}

impl RecordKind {
    const fn byte(self) -> u8 {
        match self {
            Self::Message => 0,
            Self::Run => 1,
            Self::Receipt => 2,
            Self::Consumption => 3,
        }
    }

    const fn parse(byte: u8) -> Option<Self> {
        match byte {
            0 => Some(Self::Message),
            1 => Some(Self::Run),
            2 => Some(Self::Receipt),
            3 => Some(Self::Consumption),
            _ => None,
        }
    }
}

/// Which messages the database has: all whose number is below.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::store) struct Watermark(u64);

impl Watermark {
    /// The watermark behind all of these, which are in their order.
    fn after(messages: &[PendingRecord]) -> Option<Self> {
        messages.last().map(|last| Self(last.sequence + 1))
    }
}

/// What the database does not have yet.
#[derive(Default)]
pub(in crate::store) struct Memtable {
    pending: RwLock<VecDeque<PendingRecord>>,
    /// With `messages`: there are some. Read by every reader of the database.
    has_pending: AtomicBool,
    next_sequence: AtomicU64,
    applied: AtomicU64,
}

impl Memtable {
    /// Begins anew: the database has everything, and the next message gets this number.
    pub(in crate::store) fn reset(&self, next: u64) {
        let mut pending = self.pending.write().unwrap_or_else(PoisonError::into_inner);
        pending.clear();
        self.next_sequence.store(next, Ordering::SeqCst);
        self.applied.store(next, Ordering::SeqCst);
        self.has_pending.store(false, Ordering::SeqCst);
    }

    /// Numbers messages in their order, each greater than all before.
    pub(in crate::store) fn assign_sequences(&self, messages: &mut [PendingRecord]) {
        let first = self.next_sequence.fetch_add(messages.len() as u64, Ordering::SeqCst);
        messages.iter_mut().zip(first..).for_each(|(kept, number)| kept.sequence = number);
    }

    /// Adds messages that are on disk, in the order of their numbers.
    pub(in crate::store) fn push(&self, messages: Vec<PendingRecord>) {
        let mut pending = self.pending.write().unwrap_or_else(PoisonError::into_inner);
        pending.extend(messages);
        self.has_pending.store(!pending.is_empty(), Ordering::SeqCst);
    }

    /// What the database does not have, in its order.
    pub(in crate::store) fn pending(&self) -> Vec<PendingRecord> {
        if !self.has_pending.load(Ordering::SeqCst) {
            return Vec::new();
        }
        self.pending.read().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// The watermark behind everything that was added so far; `None` when the database has all of it.
    pub(in crate::store) fn latest(&self) -> Option<Watermark> {
        self.latest_of(1)
    }

    /// As [`Self::latest`]; `None` also when fewer than `count` are there.
    pub(in crate::store) fn latest_of(&self, count: usize) -> Option<Watermark> {
        if !self.has_pending.load(Ordering::SeqCst) {
            return None;
        }
        let pending = self.pending.read().unwrap_or_else(PoisonError::into_inner);
        let last = pending.back().filter(|_| pending.len() >= count)?;
        Some(Watermark(last.sequence + 1))
    }

    /// True while the database lacks a message below the watermark.
    pub(in crate::store) fn is_behind(&self, watermark: Watermark) -> bool {
        let pending = self.pending.read().unwrap_or_else(PoisonError::into_inner);
        pending.front().is_some_and(|first| first.sequence < watermark.0)
    }

    pub(in crate::store) fn applied(&self) -> Watermark {
        Watermark(self.applied.load(Ordering::SeqCst))
    }

    /// The database has these, which were [`Self::pending`].
    pub(in crate::store) fn mark_applied(&self, messages: &[PendingRecord]) {
        let Some(watermark) = Watermark::after(messages) else { return };
        let mut pending = self.pending.write().unwrap_or_else(PoisonError::into_inner);
        while pending.front().is_some_and(|first| first.sequence < watermark.0) {
            pending.pop_front();
        }
        self.applied.fetch_max(watermark.0, Ordering::SeqCst);
        self.has_pending.store(!pending.is_empty(), Ordering::SeqCst);
    }

    /// The newest messages of a conversation that the database may not have, oldest first.
    pub(in crate::store) fn of_chat(
        &self,
        workspace: &WorkspaceId,
        flow: &FlowId,
        chat: &ChatId,
        newest: usize,
    ) -> Vec<PendingRecord> {
        if !self.has_pending.load(Ordering::SeqCst) {
            return Vec::new();
        }
        let pending = self.pending.read().unwrap_or_else(PoisonError::into_inner);
        let is_of_it = |kept: &&PendingRecord| {
            kept.kind == RecordKind::Message
                && kept.chat == *chat
                && kept.flow == *flow
                && kept.workspace == *workspace
        };
        let mut found: Vec<PendingRecord> =
            pending.iter().rev().filter(is_of_it).take(newest).cloned().collect();
        found.reverse();
        found
    }
}

pub(in crate::store) enum LogRecord<'a> {
    Messages(Vec<PendingRecord>),
    /// Rows that were changed when the database had all messages below the watermark.
    Rows(Watermark, &'a [u8]),
}

/// Messages alone.
const MESSAGES: u8 = 4;
const ROWS: u8 = 5;
/// Messages, runs and receipts: each says which it is. What the log writes for itself has the numbers between.
const RECORDS: u8 = 8;
/// Bytes of [`rows_head`].
pub(in crate::store) const ROWS_HEAD_BYTES: usize = 1 + 8;

/// A record of the log that this program cannot apply. It was written by another one.
#[derive(Debug, thiserror::Error)]
#[error("the journal holds changes that this program does not know")]
struct UnknownRecordError;

/// The error for a record of another program.
pub(in crate::store) fn unknown_record() -> Error {
    Error::internal(UnknownRecordError)
}

/// What stands before the rows of a record.
pub(in crate::store) fn rows_head(watermark: Watermark) -> [u8; ROWS_HEAD_BYTES] {
    let mut head = [ROWS; ROWS_HEAD_BYTES];
    head[1..].copy_from_slice(&watermark.0.to_le_bytes());
    head
}

/// Bytes of [`encode_messages`], at the most.
pub(in crate::store) fn messages_bytes(messages: &[PendingRecord]) -> usize {
    const HEAD_BYTES: usize = 16 + 16 + 16 + 8 + 4 + 1;
    1 + messages.iter().map(|kept| HEAD_BYTES + kept.record.len()).sum::<usize>()
}

pub(in crate::store) fn encode_messages(messages: &[PendingRecord]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(messages_bytes(messages));
    let is_mixed = messages.iter().any(|kept| kept.kind != RecordKind::Message);
    bytes.push(if is_mixed { RECORDS } else { MESSAGES });
    for kept in messages {
        if is_mixed {
            bytes.push(kept.kind.byte());
        }
        bytes.extend(kept.workspace.bytes());
        bytes.extend(kept.flow.bytes());
        bytes.extend(kept.chat.bytes());
        bytes.extend(kept.sequence.to_le_bytes());
        // It is shorter than a segment, else nobody appends it.
        bytes.extend(u32::try_from(kept.record.len()).unwrap_or(u32::MAX).to_le_bytes());
        bytes.extend(&*kept.record);
    }
    bytes
}

/// Reads a record.
///
/// # Errors
/// [`Error::Internal`] when it was written by another program.
pub(in crate::store) fn decode(record: &[u8]) -> Result<LogRecord<'_>> {
    let decoded = match record {
        [MESSAGES, messages @ ..] => {
            decode_messages(messages, |rest| Some((RecordKind::Message, rest))).map(LogRecord::Messages)
        }
        [RECORDS, records @ ..] => decode_messages(records, |rest| {
            let (kind, rest) = rest.split_first()?;
            Some((RecordKind::parse(*kind)?, rest))
        })
        .map(LogRecord::Messages),
        [ROWS, rest @ ..] => rest
            .split_first_chunk::<8>()
            .map(|(watermark, rows)| LogRecord::Rows(Watermark(u64::from_le_bytes(*watermark)), rows)),
        // As they were written before there were records of messages.
        rows => Some(LogRecord::Rows(Watermark(0), rows)),
    };
    decoded.ok_or_else(unknown_record)
}

fn decode_messages(
    mut bytes: &[u8],
    kind_of: impl Fn(&[u8]) -> Option<(RecordKind, &[u8])>,
) -> Option<Vec<PendingRecord>> {
    let mut messages = Vec::new();
    while !bytes.is_empty() {
        let (kind, rest) = kind_of(bytes)?;
        let (workspace, rest) = rest.split_first_chunk()?;
        let (flow, rest) = rest.split_first_chunk()?;
        let (chat, rest) = rest.split_first_chunk()?;
        let (sequence, rest) = rest.split_first_chunk()?;
        let (length, rest) = rest.split_first_chunk()?;
        let (record, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        messages.push(PendingRecord {
            sequence: u64::from_le_bytes(*sequence),
            workspace: WorkspaceId::from_bytes(*workspace),
            flow: FlowId::from_bytes(*flow),
            chat: ChatId::from_bytes(*chat),
            kind,
            record: record.into(),
        });
        bytes = rest;
    }
    Some(messages)
}

/// Those of `pending` that are below the watermark, taken out of it.
pub(in crate::store) fn split_at_watermark(
    pending: &mut Vec<PendingRecord>,
    watermark: Watermark,
) -> Vec<PendingRecord> {
    let count = pending.iter().take_while(|kept| kept.sequence < watermark.0).count();
    pending.drain(..count).collect()
}
