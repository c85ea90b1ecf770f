//! How answers were rated: one row beside each rated message, found along the messages of a flow or by its id.

use super::answers;
use super::messages::is_in_workspace;
use super::timeline::MessagePosition;
use crate::domain::conversations::feedback::Feedback;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{ChatId, FeedbackId, FlowId, WorkspaceId};
use crate::store::keys::{self, KeyRange};
use crate::store::tables::{FEEDBACK, FEEDBACK_KEYS};
use crate::store::transaction::{Order, Tx, WriteTx};
use std::ops::ControlFlow;

fn parse(value: &[u8]) -> Result<Feedback> {
    // The cause is not kept: its text may quote a comment.
    serde_json::from_slice(value).map_err(|_| Error::internal("a stored rating cannot be read"))
}

/// How the message at this position was rated.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub fn of_message(
    tx: &impl Tx,
    workspace: &WorkspaceId,
    flow: &FlowId,
    place: &MessagePosition,
) -> Result<Option<Feedback>> {
    if !is_in_workspace(tx, workspace, flow)? {
        return Ok(None);
    }
    tx.get_with(FEEDBACK, &keys::message(flow, &place.chat, place.sequence), parse)
}

/// Hands over the ratings of a flow, or of one conversation of it, one at a time, conversation by conversation.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read, else what `each` returns.
pub fn scan_flow(
    tx: &impl Tx,
    workspace: &WorkspaceId,
    flow: &FlowId,
    chat: Option<&ChatId>,
    mut each: impl FnMut(MessagePosition, Feedback) -> Result<()>,
) -> Result<()> {
    if !is_in_workspace(tx, workspace, flow)? {
        return Ok(());
    }
    let range = chat.map_or_else(
        || KeyRange::prefix(flow.bytes()),
        |chat| KeyRange::prefix(&keys::conversation(flow, chat)),
    );
    tx.scan(FEEDBACK, &range, Order::Ascending, |key, value| {
        if let Some((_, chat, sequence)) = keys::parse_message(key) {
            each(MessagePosition { sequence, chat }, parse(value)?)?;
        }
        Ok(ControlFlow::Continue(()))
    })
}

/// Where the rating of this id is: it names no workspace, because whoever gave it has none.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub fn position_of(tx: &impl Tx, id: &FeedbackId) -> Result<Option<(FlowId, MessagePosition)>> {
    let position = tx.get_with(FEEDBACK_KEYS, id.bytes(), |key| {
        keys::parse_message(key).ok_or_else(|| Error::internal("the place of a rating cannot be read"))
    })?;
    Ok(position.map(|(flow, chat, sequence)| (flow, MessagePosition { sequence, chat })))
}

/// Stores the rating of the message at this position, instead of an earlier one.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be written.
pub fn put(
    tx: &WriteTx,
    workspace: &WorkspaceId,
    flow: &FlowId,
    place: &MessagePosition,
    feedback: &Feedback,
) -> Result<()> {
    if !is_in_workspace(tx, workspace, flow)? {
        return Err(Error::no_flow(flow));
    }
    let key = keys::message(flow, &place.chat, place.sequence);
    tx.put(FEEDBACK_KEYS, feedback.id.bytes(), &key)?;
    tx.put(FEEDBACK, &key, &serde_json::to_vec(feedback).map_err(Error::internal)?)?;
    answers::rate(tx, flow, place, feedback)
}

/// Removes the rating of a message that goes away.
pub(in crate::store) fn remove(tx: &WriteTx, flow: &FlowId, place: &MessagePosition) -> Result<()> {
    let key = keys::message(flow, &place.chat, place.sequence);
    match tx.get_with(FEEDBACK, &key, parse) {
        Ok(Some(feedback)) => tx.remove(FEEDBACK_KEYS, feedback.id.bytes())?,
        Ok(None) => return Ok(()),
        // Its id is lost, and with it the way to its key, which then leads to nothing.
        Err(Error::Damaged(_)) => false,
        Err(error) => return Err(error),
    };
    tx.remove(FEEDBACK, &key).map(drop)
}

/// Removes the ratings of a flow that goes away.
pub(in crate::store) fn remove_flow(tx: &WriteTx, flow: &FlowId) -> Result<()> {
    let range = KeyRange::prefix(flow.bytes());
    let mut positions = Vec::new();
    tx.scan_keys(FEEDBACK, &range, Order::Ascending, |key| {
        positions
            .extend(keys::parse_message(key).map(|(_, chat, sequence)| MessagePosition { sequence, chat }));
        Ok(ControlFlow::Continue(()))
    })?;
    positions.iter().try_for_each(|place| remove(tx, flow, place))?;
    tx.remove_range(FEEDBACK, &range)?;
    Ok(())
}
