//! Where messages stand: what a list, a count or a removal walks along, so that it reads only the messages it needs.

use super::answers;
use super::feedback;
use super::messages::{is_in_workspace, parse};
use crate::domain::conversations::conversation::Message;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{ChatId, FlowId, WorkspaceId};
use crate::store::keys::{self, KeyRange};
use crate::store::tables::{FLOW_TIMELINE, MESSAGES};
use crate::store::transaction::{MessageReader, Order, WriteTx};
use jiff::Timestamp;
use std::ops::ControlFlow;

/// A message's conversation, and its number among all messages, which orders them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MessagePosition {
    /// Greater than that of every message stored before.
    pub sequence: u64,
    pub chat: ChatId,
}

/// The number the next message gets.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub fn next_sequence(tx: &impl MessageReader) -> Result<u64> {
    super::messages::next_sequence(tx)
}

/// Hands over the positions of a flow's messages from the number `from` on, until `each` breaks. No message is read.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read, else what `each` returns.
pub fn scan_timeline(
    tx: &impl MessageReader,
    workspace: &WorkspaceId,
    flow: &FlowId,
    from: u64,
    order: Order,
    mut each: impl FnMut(MessagePosition) -> Result<ControlFlow<()>>,
) -> Result<()> {
    if !is_in_workspace(tx, workspace, flow)? {
        return Ok(());
    }
    let whole = KeyRange::prefix(flow.bytes());
    let range = KeyRange::new(&keys::timeline(flow, from), whole.end());
    tx.scan(FLOW_TIMELINE, &range, order, |key, chat| {
        let sequence = keys::sequence(key).ok_or_else(|| Error::internal("a timeline key is too short"))?;
        each(MessagePosition {
            sequence,
            chat: ChatId::from_bytes(chat.try_into().map_err(Error::internal)?),
        })
    })
}

/// The newest positions of a flow before the number `below`, at most so many, newest first. No message is read.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub fn newest_below(
    tx: &impl MessageReader,
    workspace: &WorkspaceId,
    flow: &FlowId,
    below: u64,
    most: usize,
) -> Result<Vec<MessagePosition>> {
    let mut found = Vec::new();
    if most == 0 || !is_in_workspace(tx, workspace, flow)? {
        return Ok(found);
    }
    let range = KeyRange::between(flow.bytes(), &keys::timeline(flow, below));
    tx.scan(FLOW_TIMELINE, &range, Order::Descending, |key, chat| {
        let sequence = keys::sequence(key).ok_or_else(|| Error::internal("a timeline key is too short"))?;
        let chat = ChatId::from_bytes(chat.try_into().map_err(Error::internal)?);
        found.push(MessagePosition { sequence, chat });
        Ok(if found.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
    })?;
    Ok(found)
}

/// Where a conversation begins; `None` for one without messages. No message is read.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub fn begin_of_chat(
    tx: &impl MessageReader,
    workspace: &WorkspaceId,
    flow: &FlowId,
    chat: &ChatId,
) -> Result<Option<u64>> {
    let mut first = None;
    if is_in_workspace(tx, workspace, flow)? {
        let range = KeyRange::prefix(&keys::conversation(flow, chat));
        tx.scan_keys(MESSAGES, &range, Order::Ascending, |key| {
            first = keys::sequence(key);
            Ok(ControlFlow::Break(()))
        })?;
    }
    Ok(first)
}

/// The positions of a conversation from the number `from` on, in their order. No message is read.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub fn of_chat_from(
    tx: &impl MessageReader,
    workspace: &WorkspaceId,
    flow: &FlowId,
    chat: &ChatId,
    from: u64,
) -> Result<Vec<MessagePosition>> {
    let mut positions = Vec::new();
    if !is_in_workspace(tx, workspace, flow)? {
        return Ok(positions);
    }
    let range =
        KeyRange::prefix(&keys::conversation(flow, chat)).starting_at(&keys::message(flow, chat, from));
    tx.scan_keys(MESSAGES, &range, Order::Ascending, |key| {
        positions.extend(keys::sequence(key).map(|sequence| MessagePosition { sequence, chat: *chat }));
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(positions)
}

/// The positions of a conversation, in their order. No message is read.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub fn of_chat(
    tx: &impl MessageReader,
    workspace: &WorkspaceId,
    flow: &FlowId,
    chat: &ChatId,
) -> Result<Vec<MessagePosition>> {
    of_chat_from(tx, workspace, flow, chat, 0)
}

/// The message at a position of a flow; `None` when it was removed, or the flow lives elsewhere.
///
/// # Errors
/// [`Error::Internal`] when the database or the message cannot be read.
pub fn message_at(
    tx: &impl MessageReader,
    workspace: &WorkspaceId,
    flow: &FlowId,
    place: &MessagePosition,
) -> Result<Option<Message>> {
    if !is_in_workspace(tx, workspace, flow)? {
        return Ok(None);
    }
    tx.get_with(MESSAGES, &keys::message(flow, &place.chat, place.sequence), parse)
}

/// The newest messages of a conversation from before a time, at most so many, the oldest first. What was said since is passed
/// over however much that is.
///
/// # Errors
/// [`Error::Internal`] when the database or a message cannot be read.
pub fn newest_before(
    tx: &impl MessageReader,
    (workspace, flow, chat): (&WorkspaceId, &FlowId, &ChatId),
    until: Timestamp,
    most: usize,
) -> Result<Vec<Message>> {
    let mut said = Vec::new();
    if most == 0 || !is_in_workspace(tx, workspace, flow)? {
        return Ok(said);
    }
    let range = KeyRange::prefix(&keys::conversation(flow, chat));
    tx.scan(MESSAGES, &range, Order::Descending, |_, value| {
        said.extend(Some(parse(value)?).filter(|message: &Message| message.created < until));
        Ok(if said.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
    })?;
    said.reverse();
    Ok(said)
}

/// The message right before a position in the same conversation.
///
/// # Errors
/// [`Error::Internal`] when the database or the message cannot be read.
pub fn message_before(
    tx: &impl MessageReader,
    workspace: &WorkspaceId,
    flow: &FlowId,
    place: &MessagePosition,
) -> Result<Option<(MessagePosition, Message)>> {
    let mut found = None;
    if !is_in_workspace(tx, workspace, flow)? {
        return Ok(found);
    }
    let end = keys::message(flow, &place.chat, place.sequence);
    let range = KeyRange::between(&keys::conversation(flow, &place.chat), &end);
    tx.scan(MESSAGES, &range, Order::Descending, |key, value| {
        if let Some(sequence) = keys::sequence(key) {
            found = Some((MessagePosition { sequence, chat: place.chat }, parse(value)?));
        }
        Ok(ControlFlow::Break(()))
    })?;
    Ok(found)
}

/// Removes messages with how they were rated; the number that was still there.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be written.
pub fn remove(
    tx: &WriteTx,
    workspace: &WorkspaceId,
    flow: &FlowId,
    positions: &[MessagePosition],
) -> Result<usize> {
    let mut removed = 0;
    if !is_in_workspace(tx, workspace, flow)? {
        return Ok(removed);
    }
    answers::remove(tx, flow, positions)?;
    for place in positions {
        removed += usize::from(tx.remove(MESSAGES, &keys::message(flow, &place.chat, place.sequence))?);
        tx.remove(FLOW_TIMELINE, &keys::timeline(flow, place.sequence))?;
        feedback::remove(tx, flow, place)?;
    }
    Ok(removed)
}
