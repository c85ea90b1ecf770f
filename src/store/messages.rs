//! Conversations: messages in the order they were stored, found by conversation or along a flow's timeline.
//!
//! Each message has a sequence of its own, so a page of a long history costs what the page holds. Every query
//! takes the workspace and finds nothing when the flow does not live there.

use super::feedback;
use super::keys::{self, KeyRange};
use super::tables::{COUNTERS, FLOW_HOME, FLOW_TIMELINE, MESSAGES};
use super::tail::Kept;
use super::tx::{Order, Tx, WriteTx, is_broken};
use crate::domain::conversation::Message;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{ChatId, FlowId, WorkspaceId};
use jiff::Timestamp;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::ControlFlow;
use std::sync::Arc;

const SEQUENCE: &[u8] = b"messages";

/// Which part of a flow's messages is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// From which end to count.
    pub order: Order,
    /// How many that fit to leave out first.
    pub skip: usize,
    /// How many to return at most.
    pub limit: usize,
}

pub(super) fn lives_in(tx: &impl Tx, workspace: &WorkspaceId, flow: &FlowId) -> Result<bool> {
    Ok(home(tx, flow)?.as_ref() == Some(workspace))
}

/// Where a flow lives.
pub(super) fn home(tx: &impl Tx, flow: &FlowId) -> Result<Option<WorkspaceId>> {
    FLOW_HOME.get(tx, flow)
}

/// Messages that belong together, in the form in which they are stored.
pub struct Said {
    workspace: WorkspaceId,
    messages: Vec<(FlowId, ChatId, Arc<[u8]>)>,
}

impl Said {
    /// Writes them down, in this order.
    ///
    /// # Errors
    /// [`Error::Internal`] when a message has no stored form.
    pub fn new(workspace: &WorkspaceId, messages: &[Message]) -> Result<Self> {
        let stored = |message: &Message| {
            let record = serde_json::to_vec(message).map_err(Error::internal)?;
            Ok((message.flow, message.chat, record.into()))
        };
        Ok(Self { workspace: *workspace, messages: messages.iter().map(stored).collect::<Result<_>>()? })
    }

    fn is_at_home(&self, home: impl Fn(&FlowId) -> Result<Option<WorkspaceId>>) -> Result<()> {
        let mut at_home = None;
        for (flow, ..) in &self.messages {
            if at_home != Some(flow) && home(flow)? != Some(self.workspace) {
                return Err(Error::no_flow(flow));
            }
            at_home = Some(flow);
        }
        Ok(())
    }
}

/// Judges for each whether its flow is in its workspace, as `home` knows it; with the messages of those that are, not
/// numbered yet.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read. A result is 404 when a flow is not (any more) in its workspace.
pub(super) fn judge(
    all: &[Said],
    home: impl Fn(&FlowId) -> Result<Option<WorkspaceId>>,
) -> Result<(Vec<Result<()>>, Vec<Kept>)> {
    let (mut results, mut fit) = (Vec::with_capacity(all.len()), Vec::new());
    for said in all {
        match said.is_at_home(&home) {
            Err(error) if is_broken(&error) => return Err(error),
            Err(refused) => results.push(Err(refused)),
            Ok(()) => {
                fit.extend(said.messages.iter().map(|(flow, chat, record)| Kept {
                    sequence: 0,
                    workspace: said.workspace,
                    flow: *flow,
                    chat: *chat,
                    record: record.clone(),
                }));
                results.push(Ok(()));
            }
        }
    }
    Ok((results, fit))
}

/// Stores messages whose flow is in its workspace, and no others, with the numbers they have.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read or written.
pub(super) fn put(tx: &WriteTx, all: &[Kept]) -> Result<()> {
    let (mut records, mut timeline, mut next) = (Vec::new(), Vec::new(), next_sequence(tx)?);
    let mut homes = HashMap::new();
    for kept in all {
        let is_at_home = match homes.entry((kept.workspace, kept.flow)) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(unknown) => *unknown.insert(lives_in(tx, &kept.workspace, &kept.flow)?),
        };
        if is_at_home {
            records.push((keys::message(&kept.flow, &kept.chat, kept.sequence), kept.record.clone()));
            timeline.push((keys::timeline(&kept.flow, kept.sequence), *kept.chat.bytes()));
        }
        next = next.max(kept.sequence + 1);
    }
    // Neighbours on a page are stored one after the other.
    records.sort_unstable_by_key(|one| one.0);
    timeline.sort_unstable();
    tx.put_all(MESSAGES, records)?;
    tx.put_all(FLOW_TIMELINE, timeline)?;
    tx.put(COUNTERS, SEQUENCE, &next.to_be_bytes())
}

pub(super) fn next_sequence(tx: &impl Tx) -> Result<u64> {
    Ok(tx.look(COUNTERS, SEQUENCE, counted)?.unwrap_or(0))
}

fn counted(value: &[u8]) -> Result<u64> {
    Ok(u64::from_be_bytes(value.try_into().map_err(Error::internal)?))
}

/// Sets a counter, unless it is further on.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read or written.
pub(super) fn raise(tx: &WriteTx, counter: &[u8], value: &[u8]) -> Result<()> {
    let (known, value) = (tx.look(COUNTERS, counter, counted)?.unwrap_or(0), counted(value)?);
    if value > known { tx.put(COUNTERS, counter, &value.to_be_bytes()) } else { Ok(()) }
}

/// The newest `newest` messages of a conversation, oldest first.
///
/// # Errors
/// [`Error::Internal`] when the database or a message cannot be read.
pub fn of_chat(
    tx: &impl Tx,
    workspace: &WorkspaceId,
    flow: &FlowId,
    chat: &ChatId,
    newest: usize,
) -> Result<Vec<Message>> {
    Ok(of_chat_with(tx, workspace, flow, chat, newest, &[])?.unwrap_or_default())
}

/// As [`of_chat`], with those that the database may not have yet; `None` when the flow is not in its workspace.
///
/// # Errors
/// As [`of_chat`].
pub(super) fn of_chat_with(
    tx: &impl Tx,
    workspace: &WorkspaceId,
    flow: &FlowId,
    chat: &ChatId,
    newest: usize,
    waiting: &[Kept],
) -> Result<Option<Vec<Message>>> {
    if newest == 0 || !lives_in(tx, workspace, flow)? {
        return Ok(None);
    }
    let mut messages = Vec::new();
    let mut last_stored = None;
    let range = KeyRange::prefix(&keys::conversation(flow, chat));
    tx.scan(MESSAGES, &range, Order::Descending, |key, value| {
        last_stored = last_stored.or_else(|| keys::sequence(key));
        messages.push(parse(value)?);
        Ok(if messages.len() < newest { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
    })?;
    messages.reverse();
    // The database may have got some of them in the meantime.
    for kept in waiting.iter().filter(|kept| last_stored.is_none_or(|last| kept.sequence > last)) {
        messages.push(parse(&kept.record)?);
    }
    let beyond = messages.len().saturating_sub(newest);
    messages.drain(..beyond);
    Ok(Some(messages))
}

/// The messages of a flow that `fits` lets through, as far as they are on the page.
///
/// # Errors
/// [`Error::Internal`] when the database or a message cannot be read.
pub fn of_flow(
    tx: &impl Tx,
    workspace: &WorkspaceId,
    flow: &FlowId,
    fits: impl Fn(&Message) -> bool,
    page: Page,
) -> Result<Vec<Message>> {
    let mut messages = Vec::new();
    let mut skip = page.skip;
    if page.limit == 0 {
        return Ok(messages);
    }
    along(tx, workspace, flow, page.order, |_, message| {
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

/// When the newest message of a flow was made; `None` when there is none, or it is damaged.
///
/// # Errors
/// [`Error::Internal`] when the database or the message cannot be read.
pub fn newest_date(tx: &impl Tx, workspace: &WorkspaceId, flow: &FlowId) -> Result<Option<Timestamp>> {
    let mut date = None;
    let noted = along(tx, workspace, flow, Order::Descending, |_, message| {
        date = Some(message.created);
        ControlFlow::Break(())
    });
    match noted {
        Ok(()) | Err(Error::Damaged(_)) => Ok(date),
        Err(error) => Err(error),
    }
}

/// How many messages a flow has; no message is read.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub fn count(tx: &impl Tx, workspace: &WorkspaceId, flow: &FlowId) -> Result<usize> {
    let mut count = 0;
    if lives_in(tx, workspace, flow)? {
        tx.scan_keys(FLOW_TIMELINE, &KeyRange::prefix(flow.bytes()), Order::Ascending, |_| {
            count += 1;
            Ok(ControlFlow::Continue(()))
        })?;
    }
    Ok(count)
}

/// Removes every message of a flow, and how they were rated; the number removed. Called while the flow still has its
/// home.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read or written.
pub fn remove_flow(tx: &WriteTx, workspace: &WorkspaceId, flow: &FlowId) -> Result<usize> {
    if !lives_in(tx, workspace, flow)? {
        return Ok(0);
    }
    feedback::remove_flow(tx, flow)?;
    let range = KeyRange::prefix(flow.bytes());
    tx.remove_range(FLOW_TIMELINE, &range)?;
    tx.remove_range(MESSAGES, &range)
}

/// Walks a flow's timeline and hands over each message with its sequence.
fn along(
    tx: &impl Tx,
    workspace: &WorkspaceId,
    flow: &FlowId,
    order: Order,
    mut each: impl FnMut(u64, Message) -> ControlFlow<()>,
) -> Result<()> {
    if !lives_in(tx, workspace, flow)? {
        return Ok(());
    }
    tx.scan(FLOW_TIMELINE, &KeyRange::prefix(flow.bytes()), order, |key, chat| {
        let sequence = keys::sequence(key).ok_or_else(|| Error::internal("a timeline key is too short"))?;
        let chat = ChatId::from_bytes(chat.try_into().map_err(Error::internal)?);
        let message = tx.look(MESSAGES, &keys::message(flow, &chat, sequence), parse)?;
        Ok(message.map_or(ControlFlow::Continue(()), |message| each(sequence, message)))
    })
}

pub(super) fn parse(value: &[u8]) -> Result<Message> {
    // The cause is not kept: its text may quote what was said.
    serde_json::from_slice(value).map_err(|_| Error::internal("a stored message cannot be read"))
}
