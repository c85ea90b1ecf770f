//! Conversations: messages in the order they were stored, found by conversation or along a flow's timeline.
//!
//! Each message has a sequence of its own, so a page of a long history costs what the page holds. Every query
//! takes the workspace and finds nothing when the flow does not live there.

use super::answers::{self, StoredReceipt};
use super::consumption;
use super::executions::{self, WholeRun};
use super::feedback;
use super::index_writer::IndexWriter;
use crate::domain::conversations::conversation::Message;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{ChatId, FlowId, WorkspaceId};
use crate::domain::predictions::consumption::ConsumptionRows;
use crate::domain::predictions::prediction::{ChatType, MessageRole};
use crate::store::keys::{self, KeyRange};
use crate::store::tables::{COUNTERS, FLOW_TIMELINE, FLOW_WORKSPACE, MESSAGES};
use crate::store::transaction::{MessageReader, Order, Tx, WriteTx, is_database_error};
use crate::store::wal::memtable::{PendingRecord, RecordKind, unknown_record};
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use std::borrow::Borrow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::ControlFlow;
use std::sync::Arc;
use uuid::Uuid;

const SEQUENCE: &[u8] = b"messages";

/// Which part of a flow's messages is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessagePage {
    /// From which end to count.
    pub order: Order,
    /// How many that fit to leave out first.
    pub skip: usize,
    /// How many to return at most.
    pub limit: usize,
}

pub(in crate::store) fn is_in_workspace(
    tx: &impl Tx,
    workspace: &WorkspaceId,
    flow: &FlowId,
) -> Result<bool> {
    Ok(workspace_of(tx, flow)?.as_ref() == Some(workspace))
}

pub(in crate::store) fn workspace_of(tx: &impl Tx, flow: &FlowId) -> Result<Option<WorkspaceId>> {
    FLOW_WORKSPACE.get(tx, flow)
}

/// Messages that belong together, in the form in which they are stored, and with them the run whose answer they are, where
/// nothing of it is stored yet, and the receipt of the answer.
pub struct MessageBatch {
    workspace: WorkspaceId,
    records: Vec<(FlowId, ChatId, RecordKind, Arc<[u8]>)>,
}

impl MessageBatch {
    /// Writes them down, in this order.
    ///
    /// # Errors
    /// [`Error::Internal`] when a message has no stored form.
    pub fn new(workspace: &WorkspaceId, messages: &[Message]) -> Result<Self> {
        let mut records = Vec::with_capacity(messages.len() + 1);
        for message in messages {
            let record = serde_json::to_vec(message).map_err(Error::internal)?;
            records.push((message.flow, message.chat, RecordKind::Message, record.into()));
            // Right behind its answer, so that nobody has to read a message to know what is counted of it.
            if let Some(receipt) = message.receipt.filter(|_| is_counted(message)) {
                let receipt = StoredReceipt::of(&receipt).bytes();
                records.push((message.flow, message.chat, RecordKind::Receipt, receipt.as_slice().into()));
            }
        }
        Ok(Self { workspace: *workspace, records })
    }

    /// That a run of this change of Live failed, of which nothing else is stored.
    pub fn of_failure(workspace: &WorkspaceId, flow: &FlowId, chat: &ChatId, change: Uuid) -> Self {
        let failed = StoredReceipt::Failed { change }.bytes();
        let records = vec![(*flow, *chat, RecordKind::Receipt, failed.as_slice().into())];
        Self { workspace: *workspace, records }
    }

    /// The run alone.
    pub fn of_run(workspace: &WorkspaceId, run: WholeRun) -> Self {
        Self { workspace: *workspace, records: Vec::new() }.with_run(run)
    }

    /// These, and the run with them: both are stored, or none.
    pub fn with_run(mut self, run: WholeRun) -> Self {
        self.records.insert(0, (run.flow, run.chat, RecordKind::Run, run.into_bytes().into()));
        self
    }

    /// Nothing yet.
    pub const fn empty(workspace: &WorkspaceId) -> Self {
        Self { workspace: *workspace, records: Vec::new() }
    }

    /// These, and behind them what was counted of the question.
    pub fn with_consumption(mut self, flow: &FlowId, chat: &ChatId, rows: &ConsumptionRows) -> Self {
        if !rows.is_empty() {
            let record = consumption::encode(&self.workspace, rows);
            self.records.push((*flow, *chat, RecordKind::Consumption, record.into()));
        }
        self
    }

    /// True when there is nothing to store.
    pub const fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Bytes of the messages.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.records.iter().map(|(.., record)| record.len()).sum()
    }

    fn check_workspace(&self, workspace_of: impl Fn(&FlowId) -> Result<Option<WorkspaceId>>) -> Result<()> {
        let mut checked = None;
        for (flow, ..) in &self.records {
            if checked != Some(flow) && workspace_of(flow)? != Some(self.workspace) {
                return Err(Error::no_flow(flow));
            }
            checked = Some(flow);
        }
        Ok(())
    }
}

/// Says for each batch whether its flow is in its workspace, as `workspace_of` knows it; with the messages of those that
/// are, not numbered yet.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read. A result is 404 when a flow is not (any more) in its workspace.
pub(in crate::store) fn validate_batches(
    batches: &[impl Borrow<MessageBatch>],
    workspace_of: impl Fn(&FlowId) -> Result<Option<WorkspaceId>>,
) -> Result<(Vec<Result<()>>, Vec<PendingRecord>)> {
    let (mut results, mut accepted) = (Vec::with_capacity(batches.len()), Vec::new());
    for batch in batches.iter().map(Borrow::borrow) {
        match batch.check_workspace(&workspace_of) {
            Err(error) if is_database_error(&error) => return Err(error),
            Err(refused) => results.push(Err(refused)),
            Ok(()) => {
                accepted.extend(batch.records.iter().map(|(flow, chat, kind, record)| PendingRecord {
                    sequence: 0,
                    workspace: batch.workspace,
                    flow: *flow,
                    chat: *chat,
                    kind: *kind,
                    record: record.clone(),
                }));
                results.push(Ok(()));
            }
        }
    }
    Ok((results, accepted))
}

/// Stores messages and runs whose flow is in its workspace, and no others, with the numbers they have.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read or written.
pub(in crate::store) fn store(tx: &WriteTx, messages: &[PendingRecord]) -> Result<()> {
    let mut index = IndexWriter::default();
    store_with(tx, messages, &mut index)?;
    index.finish(tx)
}

/// Answers of people's own test chats count for no version.
fn is_counted(message: &Message) -> bool {
    message.role == MessageRole::Api && message.chat_type != ChatType::Internal
}

/// As [`store`]; what is counted is left to the end of `index`.
///
/// # Errors
/// As [`store`].
pub(in crate::store) fn store_with(
    tx: &WriteTx,
    messages: &[PendingRecord],
    index: &mut IndexWriter,
) -> Result<()> {
    let (mut records, mut timeline, mut next) = (Vec::new(), Vec::new(), next_sequence(tx)?);
    let mut runs = Vec::new();
    let mut workspaces = HashMap::new();
    for message in messages {
        let check_workspace = match workspaces.entry((message.workspace, message.flow)) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(unknown) => {
                *unknown.insert(is_in_workspace(tx, &message.workspace, &message.flow)?)
            }
        };
        match message.kind {
            _ if !check_workspace => {}
            RecordKind::Run => runs.push(&*message.record),
            RecordKind::Receipt => {
                let receipt = StoredReceipt::parse(&message.record).ok_or_else(unknown_record)?;
                index.answers.add(&message.flow, &message.chat, message.sequence, receipt);
            }
            RecordKind::Consumption => index.consumption.add(&message.record)?,
            RecordKind::Message => {
                records.push((
                    keys::message(&message.flow, &message.chat, message.sequence),
                    message.record.clone(),
                ));
                timeline.push((keys::timeline(&message.flow, message.sequence), *message.chat.bytes()));
            }
        }
        next = next.max(message.sequence + 1);
    }
    // Neighbours on a page are stored one after the other.
    records.sort_unstable_by_key(|one| one.0);
    timeline.sort_unstable();
    tx.put_all(MESSAGES, records)?;
    tx.put_all(FLOW_TIMELINE, timeline)?;
    if !runs.is_empty() {
        executions::store_whole(tx, &runs, &mut index.runs)?;
    }
    index.answers.store(tx)?;
    tx.put(COUNTERS, SEQUENCE, &next.to_be_bytes())
}

pub(in crate::store) fn next_sequence(tx: &impl MessageReader) -> Result<u64> {
    Ok(tx.get_with(COUNTERS, SEQUENCE, parse_counter)?.unwrap_or(0))
}

fn parse_counter(value: &[u8]) -> Result<u64> {
    Ok(u64::from_be_bytes(value.try_into().map_err(Error::internal)?))
}

/// Sets a counter, unless it is further on.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read or written.
pub(in crate::store) fn raise_counter(tx: &WriteTx, counter: &[u8], value: &[u8]) -> Result<()> {
    let (known, value) = (tx.get_with(COUNTERS, counter, parse_counter)?.unwrap_or(0), parse_counter(value)?);
    if value > known { tx.put(COUNTERS, counter, &value.to_be_bytes()) } else { Ok(()) }
}

/// The newest `newest` messages of a conversation, oldest first.
///
/// # Errors
/// [`Error::Internal`] when the database or a message cannot be read.
pub fn of_chat(
    tx: &impl MessageReader,
    workspace: &WorkspaceId,
    flow: &FlowId,
    chat: &ChatId,
    newest: usize,
) -> Result<Vec<Message>> {
    Ok(of_chat_with_pending(tx, workspace, flow, chat, newest, &[])?.unwrap_or_default())
}

/// As [`of_chat`], with those that the database may not have yet, and of each what `M` has of it; `None` when the flow is not in its workspace.
///
/// # Errors
/// As [`of_chat`].
pub(in crate::store) fn of_chat_with_pending<M: DeserializeOwned>(
    tx: &impl MessageReader,
    workspace: &WorkspaceId,
    flow: &FlowId,
    chat: &ChatId,
    newest: usize,
    pending: &[PendingRecord],
) -> Result<Option<Vec<M>>> {
    if newest == 0 || !is_in_workspace(tx, workspace, flow)? {
        return Ok(None);
    }
    let mut stored: Vec<(Option<u64>, M)> = Vec::new();
    let range = KeyRange::prefix(&keys::conversation(flow, chat));
    tx.scan(MESSAGES, &range, Order::Descending, |key, value| {
        stored.push((keys::sequence(key), parse(value)?));
        Ok(if stored.len() < newest { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
    })?;
    stored.reverse();
    // The database may have got some of them in the meantime, and one behind them that was stored with a change.
    for kept in pending {
        let place = stored.partition_point(|(sequence, _)| *sequence < Some(kept.sequence));
        if stored.get(place).is_none_or(|(sequence, _)| *sequence != Some(kept.sequence)) {
            stored.insert(place, (Some(kept.sequence), parse(&kept.record)?));
        }
    }
    let beyond = stored.len().saturating_sub(newest);
    let messages = stored.into_iter().skip(beyond).map(|(_, message)| message).collect();
    Ok(Some(messages))
}

/// The messages of a flow that `fits` lets through, as far as they are on the page.
///
/// # Errors
/// [`Error::Internal`] when the database or a message cannot be read.
pub fn of_flow(
    tx: &impl MessageReader,
    workspace: &WorkspaceId,
    flow: &FlowId,
    fits: impl Fn(&Message) -> bool,
    page: MessagePage,
) -> Result<Vec<Message>> {
    let mut messages = Vec::new();
    let mut skip = page.skip;
    if page.limit == 0 {
        return Ok(messages);
    }
    scan_timeline(tx, workspace, flow, page.order, |_, message| {
        if !fits(&message) {
            return ControlFlow::Continue(());
        }
        if skip > 0 {
            skip -= 1;
            return ControlFlow::Continue(());
        }
        messages.push(message);
        if messages.len() < page.limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    Ok(messages)
}

/// Hands over the messages of a flow, newest first, until `each` breaks.
///
/// # Errors
/// [`Error::Internal`] when the database or a message cannot be read.
pub fn scan_newest(
    tx: &impl MessageReader,
    workspace: &WorkspaceId,
    flow: &FlowId,
    mut each: impl FnMut(Message) -> ControlFlow<()>,
) -> Result<()> {
    scan_timeline(tx, workspace, flow, Order::Descending, |_, message| each(message))
}

/// When the newest message of a flow was made; `None` when there is none, or it is damaged.
///
/// # Errors
/// [`Error::Internal`] when the database or the message cannot be read.
pub fn newest_date(
    tx: &impl MessageReader,
    workspace: &WorkspaceId,
    flow: &FlowId,
) -> Result<Option<Timestamp>> {
    let mut date = None;
    let result = scan_timeline(tx, workspace, flow, Order::Descending, |_, message| {
        date = Some(message.created);
        ControlFlow::Break(())
    });
    match result {
        Ok(()) | Err(Error::Damaged(_)) => Ok(date),
        Err(error) => Err(error),
    }
}

/// How many messages a flow has; no message is read.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub fn count(tx: &impl MessageReader, workspace: &WorkspaceId, flow: &FlowId) -> Result<usize> {
    let mut count = 0;
    if is_in_workspace(tx, workspace, flow)? {
        tx.scan_keys(FLOW_TIMELINE, &KeyRange::prefix(flow.bytes()), Order::Ascending, |_| {
            count += 1;
            Ok(ControlFlow::Continue(()))
        })?;
    }
    Ok(count)
}

/// Removes every message of a flow, and how they were rated; the number removed. Called while the flow still has its
/// workspace.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read or written.
pub fn remove_flow(tx: &WriteTx, workspace: &WorkspaceId, flow: &FlowId) -> Result<usize> {
    if !is_in_workspace(tx, workspace, flow)? {
        return Ok(0);
    }
    feedback::remove_flow(tx, flow)?;
    answers::remove_flow(tx, flow)?;
    let range = KeyRange::prefix(flow.bytes());
    tx.remove_range(FLOW_TIMELINE, &range)?;
    tx.remove_range(MESSAGES, &range)
}

/// Walks a flow's timeline and hands over each message with its sequence.
fn scan_timeline(
    tx: &impl MessageReader,
    workspace: &WorkspaceId,
    flow: &FlowId,
    order: Order,
    mut each: impl FnMut(u64, Message) -> ControlFlow<()>,
) -> Result<()> {
    if !is_in_workspace(tx, workspace, flow)? {
        return Ok(());
    }
    tx.scan(FLOW_TIMELINE, &KeyRange::prefix(flow.bytes()), order, |key, chat| {
        let sequence = keys::sequence(key).ok_or_else(|| Error::internal("a timeline key is too short"))?;
        let chat = ChatId::from_bytes(chat.try_into().map_err(Error::internal)?);
        let message = tx.get_with(MESSAGES, &keys::message(flow, &chat, sequence), parse::<Message>)?;
        Ok(message.map_or(ControlFlow::Continue(()), |message| each(sequence, message)))
    })
}

pub(in crate::store) fn parse<M: DeserializeOwned>(value: &[u8]) -> Result<M> {
    // The cause is not kept: its text may quote the message.
    serde_json::from_slice(value).map_err(|_| Error::internal("a stored message cannot be read"))
}
