//! Which answers a change of Live gave, and how they came out (manual 6.11).
//!
//! Each answer of Live has a row under the change that gave it, each run that failed one under its conversation, and all that is
//! told of a version is counted as these rows come and go: how many there are, how they were rated, how long they took, and
//! how many lie in a stretch of the order in which they were stored. So neither a number nor a page of a version reads more
//! than some counts and the rows of the page, whatever there is of it.

mod names;
mod writer;

pub use self::names::{change_of, change_of_prefix, name_of, put_name};
pub(in crate::store) use self::writer::{AnswerWriter, StoredReceipt};

use self::writer::{AnswerRow, Bucket, DIVISION, MS_SHIFTS, ORDER_SHIFTS, find_row, row_key};
use super::counts::parse_count;
use super::messages::is_in_workspace;
use super::timeline::MessagePosition;
use crate::domain::conversations::feedback::{Feedback, Rating};
use crate::domain::conversations::receipt::AnswerTally;
use crate::domain::error::Result;
use crate::domain::ids::{ChatId, FlowId, WorkspaceId};
use crate::store::keys::{self, KeyRange};
use crate::store::tables::{VERSION_ANSWERS, VERSION_COUNTS, VERSION_FAILURES, VERSION_NAMES};
use crate::store::transaction::{MessageReader, Order, Tx as _, WriteTx};
use std::ops::ControlFlow;
use uuid::Uuid;

/// An answer as the index knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnswerPlace {
    pub message: MessagePosition,
    pub ms: u32,
    pub rating: Option<Rating>,
}

/// How the answers of a change came out.
///
/// # Errors
/// When the database cannot be read.
pub fn tally(
    tx: &impl MessageReader,
    workspace: &WorkspaceId,
    flow: &FlowId,
    change: &Uuid,
) -> Result<AnswerTally> {
    if !is_in_workspace(tx, workspace, flow)? {
        return Ok(AnswerTally::default());
    }
    let list = keys::version(flow, change);
    let answers = total(tx, &list, Bucket::Order(0))?;
    let middle = |place: u64| nth_ms(tx, &list, place);
    let median_ms = match answers.checked_sub(1) {
        None => None,
        Some(last) => middle(last / 2)?.zip(middle(answers / 2)?).map(|(low, high)| low.midpoint(high)),
    };
    Ok(AnswerTally {
        answers,
        errors: total(tx, &list, Bucket::Failed)?,
        median_ms,
        up: total(tx, &list, Bucket::Rated(Rating::Up))?,
        down: total(tx, &list, Bucket::Rated(Rating::Down))?,
    })
}

/// The answers of a change, the newest first: `limit` of them after the first `skip`.
///
/// # Errors
/// When the database cannot be read.
pub fn newest(
    tx: &impl MessageReader,
    workspace: &WorkspaceId,
    flow: &FlowId,
    change: &Uuid,
    (mut skip, limit): (u64, usize),
) -> Result<Vec<AnswerPlace>> {
    let mut found = Vec::new();
    if limit == 0 || !is_in_workspace(tx, workspace, flow)? {
        return Ok(found);
    }
    let (list, mut within) = (keys::version(flow, change), None);
    for level in 0..ORDER_SHIFTS.len() {
        let bucket = find_bucket(tx, &list, Bucket::Order(level), within, Order::Descending, &mut skip)?;
        let Some(bucket) = bucket else { return Ok(found) };
        within = Some(bucket);
    }
    let behind = within.map_or(0, |bucket| bucket + 1) << ORDER_SHIFTS[ORDER_SHIFTS.len() - 1];
    let range = KeyRange::between(&list, &row_key(&list, behind));
    tx.scan(VERSION_ANSWERS, &range, Order::Descending, |key, value| {
        if skip > 0 {
            skip -= 1;
            return Ok(ControlFlow::Continue(()));
        }
        if let (Some(sequence), Some(row)) = (keys::sequence(key), AnswerRow::parse(value)) {
            let message = MessagePosition { sequence, chat: row.chat };
            found.push(AnswerPlace { message, ms: row.ms, rating: row.rating });
        }
        Ok(if found.len() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
    })?;
    Ok(found)
}

/// The newest answers of a change before the number `below`, at most so many, newest first.
///
/// # Errors
/// When the database cannot be read.
pub fn newest_below(
    tx: &impl MessageReader,
    workspace: &WorkspaceId,
    flow: &FlowId,
    change: &Uuid,
    (below, most): (u64, usize),
) -> Result<Vec<MessagePosition>> {
    let mut found = Vec::new();
    if most == 0 || !is_in_workspace(tx, workspace, flow)? {
        return Ok(found);
    }
    let list = keys::version(flow, change);
    let range = KeyRange::between(&list, &row_key(&list, below));
    tx.scan(VERSION_ANSWERS, &range, Order::Descending, |key, value| {
        if let (Some(sequence), Some(row)) = (keys::sequence(key), AnswerRow::parse(value)) {
            found.push(MessagePosition { sequence, chat: row.chat });
        }
        Ok(if found.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
    })?;
    Ok(found)
}

/// True when the message with this number is an answer of a change.
///
/// # Errors
/// When the database cannot be read.
pub fn is_answer_of(tx: &impl MessageReader, flow: &FlowId, change: &Uuid, sequence: u64) -> Result<bool> {
    tx.has(VERSION_ANSWERS, &keys::version_answer(flow, change, sequence))
}

/// The runs of a flow that failed, or those of one conversation, each with the change of Live that ran: at most `most`,
/// conversation by conversation.
///
/// # Errors
/// When the database cannot be read.
pub fn failures(
    tx: &impl MessageReader,
    workspace: &WorkspaceId,
    flow: &FlowId,
    chat: Option<&ChatId>,
    most: usize,
) -> Result<Vec<(MessagePosition, Uuid)>> {
    let mut found = Vec::new();
    if most == 0 || !is_in_workspace(tx, workspace, flow)? {
        return Ok(found);
    }
    let range = chat.map_or_else(
        || KeyRange::prefix(flow.bytes()),
        |chat| KeyRange::prefix(&keys::conversation(flow, chat)),
    );
    tx.scan(VERSION_FAILURES, &range, Order::Ascending, |key, change| {
        if let (Some((_, chat, sequence)), Ok(change)) = (keys::parse_message(key), Uuid::from_slice(change))
        {
            found.push((MessagePosition { sequence, chat }, change));
        }
        Ok(if found.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
    })?;
    Ok(found)
}

/// The sum of all buckets of a kind.
fn total(tx: &impl MessageReader, list: &[u8; 32], of: Bucket) -> Result<u64> {
    let mut total = 0;
    tx.scan(VERSION_COUNTS, &buckets(list, of, None), Order::Ascending, |_, value| {
        total += parse_count(value)?;
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(total)
}

/// The buckets of a kind, or those of them that one of the next wider kind is divided into.
fn buckets(list: &[u8; 32], of: Bucket, within: Option<u64>) -> KeyRange {
    let key = |bucket| keys::version_count(list, of.byte(), bucket);
    match within {
        None => KeyRange::prefix(&[list.as_slice(), &[of.byte()]].concat()),
        Some(wider) => KeyRange::between(&key(wider << DIVISION), &key((wider + 1) << DIVISION)),
    }
}

/// The time that stands at this place in the order of times.
fn nth_ms(tx: &impl MessageReader, list: &[u8; 32], mut place: u64) -> Result<Option<u32>> {
    let mut within = None;
    for level in 0..MS_SHIFTS.len() {
        let found = find_bucket(tx, list, Bucket::Ms(level), within, Order::Ascending, &mut place)?;
        let Some(bucket) = found else { return Ok(None) };
        within = Some(bucket);
    }
    Ok(within.and_then(|ms| u32::try_from(ms).ok()))
}

/// The bucket in which the answer lies that comes after the first `skip`; what is left to skip in it. `within` is the bucket of
/// the wider kind that is looked through.
fn find_bucket(
    tx: &impl MessageReader,
    list: &[u8; 32],
    of: Bucket,
    within: Option<u64>,
    order: Order,
    skip: &mut u64,
) -> Result<Option<u64>> {
    let mut found = None;
    tx.scan(VERSION_COUNTS, &buckets(list, of, within), order, |key, value| {
        let count = parse_count(value)?;
        if *skip >= count {
            *skip -= count;
            return Ok(ControlFlow::Continue(()));
        }
        found = keys::sequence(key);
        Ok(ControlFlow::Break(()))
    })?;
    Ok(found)
}

/// Notes how an answer was rated.
///
/// # Errors
/// When the database cannot be written.
pub(in crate::store) fn rate(
    tx: &WriteTx,
    flow: &FlowId,
    place: &MessagePosition,
    feedback: &Feedback,
) -> Result<()> {
    let Some((key, row)) = find_row(tx, flow, place)? else { return Ok(()) };
    let mut writer = AnswerWriter::default();
    writer.put(tx, &key, &AnswerRow { rating: Some(feedback.rating), ..row }.bytes())?;
    writer.finish(tx)
}

/// Takes answers out that go away.
///
/// # Errors
/// When the database cannot be written.
pub(in crate::store) fn remove(tx: &WriteTx, flow: &FlowId, places: &[MessagePosition]) -> Result<()> {
    let mut writer = AnswerWriter::default();
    for place in places {
        if let Some((key, _)) = find_row(tx, flow, place)? {
            writer.remove(tx, &key)?;
        }
    }
    writer.finish(tx)
}

/// Forgets runs of a flow that failed, or those of one conversation: at most `limit`. The number forgotten.
///
/// # Errors
/// When the database cannot be written.
pub fn remove_failures(
    tx: &WriteTx,
    workspace: &WorkspaceId,
    flow: &FlowId,
    chat: Option<&ChatId>,
    limit: usize,
) -> Result<usize> {
    let mut found = Vec::new();
    if limit == 0 || !is_in_workspace(tx, workspace, flow)? {
        return Ok(0);
    }
    let range = chat.map_or_else(
        || KeyRange::prefix(flow.bytes()),
        |chat| KeyRange::prefix(&keys::conversation(flow, chat)),
    );
    tx.scan_keys(VERSION_FAILURES, &range, Order::Ascending, |key| {
        found.push(key.to_vec());
        Ok(if found.len() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
    })?;
    if found.is_empty() {
        return Ok(0);
    }
    let mut writer = AnswerWriter::default();
    found.iter().try_for_each(|key| writer.remove_failure(tx, key))?;
    writer.finish(tx)?;
    Ok(found.len())
}

/// Forgets everything of a flow that goes away.
///
/// # Errors
/// When the database cannot be written.
pub(in crate::store) fn remove_flow(tx: &WriteTx, flow: &FlowId) -> Result<()> {
    let range = KeyRange::prefix(flow.bytes());
    for table in [VERSION_ANSWERS, VERSION_FAILURES, VERSION_COUNTS, VERSION_NAMES] {
        tx.remove_range(table, &range)?;
    }
    Ok(())
}
