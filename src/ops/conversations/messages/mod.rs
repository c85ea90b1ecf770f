//! Stored conversations, for people and keys that may see the flow (manual 3.5).

mod budget;
pub(crate) mod conversations;
pub(crate) mod counts;
mod deletion;
mod filter;
pub(crate) mod remote_memories;
pub(crate) mod search;
pub(crate) mod stats;

pub(crate) use self::budget::Budget;
pub(super) use self::deletion::delete_as;
pub(crate) use self::deletion::{delete, delete_conversations};
pub(crate) use self::filter::MessageFilter;
use self::filter::walk;
use super::feedback;
use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::conversations::conversation::{Message, MessageRating, RatedMessage};
use crate::domain::error::Result;
use crate::domain::ids::{FlowId, WorkspaceId};
use crate::domain::predictions::prediction::MessageRole;
use crate::ops::flows::access::{self, FlowAction};
use crate::ops::predictions::executions::rows_of;
pub(crate) use crate::store::Order as MessageOrder;
use crate::store::queries::answers;
use crate::store::queries::executions;
use crate::store::queries::feedback as ratings;
use crate::store::queries::timeline::{self, MessagePosition};
use crate::store::{MessageReader, MessagesTx};
use jiff::Timestamp;
use serde::Serialize;
use std::ops::ControlFlow;

/// Messages in one answer; more are reached page by page.
const LISTED_MAX: usize = 10_000;

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
                let chats = conversations::newest(tx, workspace, flow, filter, page)?;
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
        let runs = rows_of(tx, caller, found.iter().filter_map(|(_, message)| message.execution))?;
        let rated = found.into_iter().map(|found| {
            let run = found.1.execution.and_then(|id| runs.get(&id).cloned());
            Ok(RatedMessage { run, ..with_rating(tx, workspace, flow, found, telling.feedback)? })
        });
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
    Ok(RatedMessage { message, rating, run: None })
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
