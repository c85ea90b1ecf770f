//! Stored conversations, for people and keys that may see the flow (manual 3.5).

mod budget;
pub(crate) mod conversations;
mod filter;
pub(crate) mod remote_memories;
pub(crate) mod stats;

pub(crate) use self::budget::Budget;
pub(crate) use self::filter::MessageFilter;
use self::filter::walk;
use super::{chunks, feedback, named_sessions};
use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::domain::accounts::caller::Caller;
use crate::domain::conversations::conversation::{Message, MessageRating, RatedMessage};
use crate::domain::error::Result;
use crate::domain::ids::{ChatId, FlowId, WorkspaceId};
use crate::domain::predictions::prediction::MessageRole;
use crate::ops::checks::kept;
use crate::ops::flows::access::{self, FlowAction};
pub(crate) use crate::store::Order as MessageOrder;
use crate::store::queries::answers;
use crate::store::queries::executions;
use crate::store::queries::feedback as ratings;
use crate::store::queries::timeline::{self, MessagePosition};
use crate::store::{MessageReader, MessagesTx, WriteTx};
use jiff::Timestamp;
use serde::Serialize;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// Messages in one answer; more are reached page by page.
const LISTED_MAX: usize = 10_000;
/// Messages removed in one transaction: others wait for it.
const REMOVED_AT_ONCE_MAX: usize = 500;

/// How messages are listed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ListOptions {
    /// By the time at which the messages were stored.
    pub order: MessageOrder,
    /// A page of conversations and how many there are on it, from 1; all of them without it.
    pub page: Option<(usize, usize)>,
    /// With how each answer was rated.
    pub feedback: bool,
}

/// The flow's messages that fit. A page is one of conversations, the one that went on last first, with all of their
/// messages that fit (manual 3.5).
///
/// # Errors
/// 404 or 403.
pub(crate) fn list(
    app: &App,
    caller: &Caller,
    flow: &FlowId,
    filter: &MessageFilter,
    telling: ListOptions,
) -> Result<Vec<RatedMessage>> {
    app.store.read_messages(|tx| {
        access::flow(tx, caller, flow, FlowAction::Read)?;
        let workspace = &caller.workspace;
        let mut found = Vec::new();
        match telling.page {
            None => collect_matching(tx, workspace, flow, filter, telling.order, &mut found)?,
            Some((page, size)) => {
                let page = (page, size.min(conversations::PAGE_MAX));
                let (chats, _) = conversations::newest(tx, workspace, flow, filter, page)?;
                for chat in chats {
                    let one = MessageFilter { chat: Some(chat), ..filter.clone() };
                    collect_matching(tx, workspace, flow, &one, telling.order, &mut found)?;
                }
                found.sort_by_key(|(place, _)| *place);
                if telling.order == MessageOrder::Descending {
                    found.reverse();
                }
            }
        }
        let rated = found.into_iter().map(|found| with_rating(tx, workspace, flow, found, telling.feedback));
        rated.collect()
    })
}

/// A message, with how it was rated when `asks_rating` is set.
fn with_rating(
    tx: &impl MessageReader,
    workspace: &WorkspaceId,
    flow: &FlowId,
    (place, mut message): (MessagePosition, Message),
    asks_rating: bool,
) -> Result<RatedMessage> {
    // A chat would show its buttons for good.
    if let Some((run, pause)) = message.pause()
        && !executions::is_open(tx, workspace, &run, &pause)?
    {
        message.action = None;
    }
    // What a member asked waits until something else is said.
    if message.action.is_some() && message.turns.is_some() {
        let newest = timeline::newest_before(tx, (workspace, flow, &message.chat), Timestamp::MAX, 1)?;
        if newest.iter().all(|newest| newest.id != message.id) {
            message.action = None;
        }
    }
    // It may have been recorded since.
    if let Some(receipt) = &mut message.receipt
        && receipt.sha.is_none()
    {
        receipt.sha = answers::name_of(tx, flow, &receipt.change)?.map(|name| name.sha);
    }
    let rating = if asks_rating && message.role == MessageRole::Api {
        let rated = ratings::of_message(tx, workspace, flow, &place)?;
        rated.map_or(MessageRating::Unrated, |rated| {
            MessageRating::Rated(feedback::in_conversation(flow, &place, rated))
        })
    } else {
        MessageRating::Unknown
    };
    Ok(RatedMessage { message, rating })
}

/// The flow's newest messages that fit, as rows of a file, as many as there is room for, oldest first, with how they were rated when
/// `feedback` is set. One message more than these is in memory at most.
///
/// # Errors
/// 404 or 403.
pub(crate) fn newest_within<R: From<RatedMessage> + Serialize>(
    app: &App,
    caller: &Caller,
    flow: &FlowId,
    filter: &MessageFilter,
    feedback: bool,
    budget: &mut Budget,
) -> Result<Vec<R>> {
    app.store.read_messages(|tx| {
        access::flow(tx, caller, flow, FlowAction::Read)?;
        let workspace = &caller.workspace;
        let mut rows = Vec::new();
        walk(tx, workspace, flow, filter, (0, MessageOrder::Descending), |place, message| {
            let message = match message {
                None => timeline::message_at(tx, workspace, flow, &place)?,
                read => read,
            };
            let Some(message) = message else { return Ok(ControlFlow::Continue(())) };
            let row = R::from(with_rating(tx, workspace, flow, (place, message), feedback)?);
            if !budget.try_take(&row)? {
                return Ok(ControlFlow::Break(()));
            }
            rows.push(row);
            Ok(ControlFlow::Continue(()))
        })?;
        rows.reverse();
        Ok(rows)
    })
}

/// How many messages a flow has, counted up to `most`.
///
/// # Errors
/// When the database cannot be read.
pub(crate) fn count_up_to(app: &App, workspace: &WorkspaceId, flow: &FlowId, most: usize) -> Result<usize> {
    app.store.read_messages(|tx| {
        let mut count = 0;
        timeline::scan_timeline(tx, workspace, flow, 0, MessageOrder::Ascending, |_| {
            count += 1;
            Ok(if count < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
        })?;
        Ok(count)
    })
}

fn collect_matching(
    tx: &MessagesTx,
    workspace: &WorkspaceId,
    flow: &FlowId,
    filter: &MessageFilter,
    order: MessageOrder,
    found: &mut Vec<(MessagePosition, Message)>,
) -> Result<()> {
    walk(tx, workspace, flow, filter, (0, order), |place, message| {
        let message = match message {
            None => timeline::message_at(tx, workspace, flow, &place)?,
            read => read,
        };
        found.extend(message.map(|message| (place, message)));
        Ok(if found.len() < LISTED_MAX { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
    })
}

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

/// Deletes messages for a caller, whose rights may end meanwhile, or for the service itself, until `cancel` is set.
///
/// # Errors
/// As [`delete`].
pub(super) fn delete_as(
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
            walk(tx, workspace, flow, filter, (from, MessageOrder::Ascending), |place, _| {
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
        remote_memories::delete_remote_memories(app, workspace, flow, &batch)?;
        let (removed, ended) = app.store.write(|tx| {
            if let Some(caller) = caller {
                access::flow(tx, caller, flow, FlowAction::Save)?;
            }
            let removed = timeline::remove(tx, workspace, flow, &batch)?;
            // What else holds words of a person goes with the last of their messages, whatever happens after.
            let ended = emptied_conversations(tx, workspace, flow, &batch)?;
            kept::forget_conversations(tx, workspace, flow, |chat| ended.contains(chat))?;
            named_sessions::delete_for_conversations(tx, workspace, flow, &ended)?;
            for chat in &ended {
                answers::remove_failures(tx, workspace, flow, Some(chat), usize::MAX)?;
            }
            Ok((removed, ended))
        })?;
        count += removed;
        ended.iter().for_each(|chat| app.chat_files.remove_chat(workspace, flow, chat));
        if !ended.is_empty() {
            chunks::delete_for_conversations(app, workspace, flow, &ended);
        }
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
