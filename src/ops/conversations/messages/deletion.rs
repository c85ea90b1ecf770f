//! What is deleted of conversations: messages that fit, or whole conversations (manual 3.6).
//!
//! Everything goes in bounded steps, each a transaction of its own: others wait for none of them long, and what a crash leaves is
//! conversations that are shorter or gone, never half a message.

use super::filter::{MessageFilter, walk};
use super::remote_memories::delete_remote_memories;
use super::search::{ConversationSearch, find_all, meant_flows};
use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::Result;
use crate::domain::ids::{ChatId, FlowId, WorkspaceId};
use crate::ops::checks::kept;
use crate::ops::conversations::{chunks, named_sessions};
use crate::ops::flows::access::{self, FlowAction};
use crate::store::queries::answers;
use crate::store::queries::timeline::{self, MessagePosition};
use crate::store::{Order, WriteTx};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

/// Messages removed in one transaction: others wait for it.
const REMOVED_AT_ONCE_MAX: usize = 500;

/// Deletes the flow's messages that fit and were there when it began, some in each transaction, with their ratings
/// and the files of conversations of which nothing is left; the number deleted. Memories on servers of the flow's owner
/// forget such a conversation first.
///
/// # Errors
/// 404 or 403, and 500 where such a memory cannot be reached.
pub(crate) fn delete(app: &App, caller: &Caller, flow: &FlowId, filter: &MessageFilter) -> Result<usize> {
    app.store.read(|tx| access::flow(tx, caller, flow, FlowAction::Save).map(drop))?;
    delete_as(app, Some(caller), (&caller.workspace, flow), filter, &CancelToken::new(None))
}

/// Deletes the whole conversations that fit, of every flow that is meant; their number.
///
/// # Errors
/// 404 or 403 for the flow that is named, and 403 when one of another flow fits that the caller may not change: nothing is
/// deleted then. 500 where a memory on another server cannot be reached.
pub(crate) fn delete_conversations(app: &App, caller: &Caller, wanted: &ConversationSearch) -> Result<usize> {
    let found = app.store.read_messages(|tx| {
        let mut found: BTreeMap<FlowId, Vec<ChatId>> = BTreeMap::new();
        // A key may change what it may not read.
        let actions = &[FlowAction::Save, FlowAction::Read];
        let flows = meant_flows(tx, caller, wanted.flow.as_ref(), actions)?;
        for (flow, chat) in find_all(tx, caller, wanted, &flows)? {
            found.entry(flow).or_default().push(chat);
        }
        for flow in found.keys() {
            access::flow(tx, caller, flow, FlowAction::Save)?;
        }
        Ok(found)
    })?;
    let mut count = 0;
    for (flow, chats) in &found {
        let scope = (&caller.workspace, flow);
        for chats in chats.chunks(REMOVED_AT_ONCE_MAX) {
            delete_chats(app, caller, scope, chats)?;
            count += chats.len();
        }
    }
    Ok(count)
}

/// Deletes conversations of a flow with all that they have.
fn delete_chats(
    app: &App,
    caller: &Caller,
    (workspace, flow): (&WorkspaceId, &FlowId),
    chats: &[ChatId],
) -> Result<()> {
    let (mut messages, mut silent) = (Vec::new(), Vec::new());
    app.store.read_messages(|tx| {
        for chat in chats {
            let places = timeline::of_chat(tx, workspace, flow, chat)?;
            if places.is_empty() {
                silent.push(*chat);
            }
            messages.extend(places);
        }
        Ok(())
    })?;
    for batch in messages.chunks(REMOVED_AT_ONCE_MAX) {
        remove_batch(app, Some(caller), (workspace, flow), batch)?;
    }
    // All of their runs failed: what there is of them goes by their names.
    for chat in silent {
        let filter = MessageFilter { chat: Some(chat), ..MessageFilter::default() };
        delete_as(app, Some(caller), (workspace, flow), &filter, &CancelToken::new(None))?;
    }
    Ok(())
}

/// Deletes messages for a caller, whose rights may end meanwhile, or for the service itself, until `cancel` is set.
///
/// # Errors
/// As [`delete`].
pub(crate) fn delete_as(
    app: &App,
    caller: Option<&Caller>,
    (workspace, flow): (&WorkspaceId, &FlowId),
    filter: &MessageFilter,
    cancel: &CancelToken,
) -> Result<usize> {
    let end = app.store.read_messages(timeline::next_sequence)?;
    let (mut from, mut count) = (0, 0);
    while cancel.reason().is_none() {
        let batch = app.store.read_messages(|tx| {
            let mut batch = Vec::new();
            walk(tx, workspace, flow, filter, (from, Order::Ascending), |place, _| {
                if place.sequence >= end || batch.len() == REMOVED_AT_ONCE_MAX {
                    return Ok(ControlFlow::Break(()));
                }
                batch.push(place);
                Ok(ControlFlow::Continue(()))
            })?;
            Ok(batch)
        })?;
        let Some(last) = batch.last() else { break };
        from = last.sequence + 1;
        count += remove_batch(app, caller, (workspace, flow), &batch)?;
    }
    match filter {
        // A conversation may have files before it has messages.
        all if *all == MessageFilter::default() => {
            app.store.write(|tx| {
                kept::forget_conversations(tx, workspace, flow, |_| true)?;
                named_sessions::delete_for_flow(tx, workspace, flow)
            })?;
            forget_failures(app, workspace, flow, None)?;
            app.chat_files.remove_flow(workspace, flow);
            chunks::delete_for_flow(app, workspace, flow);
        }
        MessageFilter { chat: Some(chat), .. }
            if *filter == (MessageFilter { chat: Some(*chat), ..MessageFilter::default() }) =>
        {
            app.store.write(|tx| {
                kept::forget_conversations(tx, workspace, flow, |other| other == chat)?;
                named_sessions::delete_for_conversations(tx, workspace, flow, [chat])
            })?;
            forget_failures(app, workspace, flow, Some(chat))?;
            app.chat_files.remove_chat(workspace, flow, chat);
            chunks::delete_for_conversations(app, workspace, flow, &BTreeSet::from([*chat]));
        }
        _ => {}
    }
    Ok(count)
}

/// Removes messages of a flow, with everything else of the conversations that end with them; the number removed.
fn remove_batch(
    app: &App,
    caller: Option<&Caller>,
    (workspace, flow): (&WorkspaceId, &FlowId),
    batch: &[MessagePosition],
) -> Result<usize> {
    delete_remote_memories(app, workspace, flow, batch)?;
    let (removed, ended) = app.store.write(|tx| {
        if let Some(caller) = caller {
            access::flow(tx, caller, flow, FlowAction::Save)?;
        }
        let removed = timeline::remove(tx, workspace, flow, batch)?;
        // What else holds words of a person goes with the last of their messages, whatever happens after.
        let ended = emptied_conversations(tx, workspace, flow, batch)?;
        kept::forget_conversations(tx, workspace, flow, |chat| ended.contains(chat))?;
        named_sessions::delete_for_conversations(tx, workspace, flow, &ended)?;
        for chat in &ended {
            answers::remove_failures(tx, workspace, flow, Some(chat), usize::MAX)?;
        }
        Ok((removed, ended))
    })?;
    app.conversation_counts.forget(flow);
    ended.iter().for_each(|chat| app.chat_files.remove_chat(workspace, flow, chat));
    if !ended.is_empty() {
        chunks::delete_for_conversations(app, workspace, flow, &ended);
    }
    Ok(removed)
}

/// Forgets runs that failed in a flow, or in one conversation, some in each transaction.
fn forget_failures(app: &App, workspace: &WorkspaceId, flow: &FlowId, chat: Option<&ChatId>) -> Result<()> {
    let forget = |tx: &WriteTx| answers::remove_failures(tx, workspace, flow, chat, REMOVED_AT_ONCE_MAX);
    while app.store.write(forget)? == REMOVED_AT_ONCE_MAX {}
    Ok(())
}

/// The conversations of these messages of which nothing is left.
fn emptied_conversations(
    tx: &WriteTx,
    workspace: &WorkspaceId,
    flow: &FlowId,
    removed: &[MessagePosition],
) -> Result<BTreeSet<ChatId>> {
    let chats: BTreeSet<ChatId> = removed.iter().map(|place| place.chat).collect();
    let mut ended = BTreeSet::new();
    for chat in chats {
        if timeline::of_chat(tx, workspace, flow, &chat)?.is_empty() {
            ended.insert(chat);
        }
    }
    Ok(ended)
}
