//! The conversations of a flow, one row for each: what a page lists before it shows their messages.

use super::filter::{MessageFilter, walk};
use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::conversations::conversation::ConversationSummary;
use crate::domain::conversations::feedback::Rating;
use crate::domain::error::Result;
use crate::domain::ids::{ChatId, FlowId, WorkspaceId};
use crate::domain::predictions::prediction::MessageRole;
use crate::ops::flows::access::{self, FlowAction};
use crate::store::queries::{feedback, leads, timeline};
use crate::store::{MessageReader, MessagesTx, Order};
use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

/// Conversations that are told apart to count them: about 8 MB at most. A flow with more is said to have this many.
const COUNTED_MAX: usize = 200_000;
/// Most rows of one page.
pub(crate) const PAGE_MAX: usize = 500;
/// Characters of a question that its row shows.
const SHOWN_CHARS: usize = 300;
/// How far into a conversation its first question is looked for.
const OPENING_MESSAGES: usize = 5;

/// The conversations with messages that fit, the one that went on last first: those of the page, and how many there
/// are in all. What is kept in memory of each is its id; callers bound the size of a page.
///
/// # Errors
/// When the database cannot be read.
pub(super) fn newest(
    tx: &impl MessageReader,
    workspace: &WorkspaceId,
    flow: &FlowId,
    filter: &MessageFilter,
    (page, size): (usize, usize),
) -> Result<(Vec<ChatId>, usize)> {
    let skip = page.saturating_sub(1).saturating_mul(size);
    let (mut seen, mut shown) = (HashSet::new(), Vec::new());
    walk(tx, workspace, flow, filter, (0, Order::Descending), |place, _| {
        if seen.insert(place.chat) && seen.len() > skip && shown.len() < size {
            shown.push(place.chat);
        }
        Ok(if seen.len() < COUNTED_MAX { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
    })?;
    Ok((shown, seen.len()))
}

/// The conversations with messages that fit; `None` when there are more than `most`.
///
/// # Errors
/// 404 or 403.
pub(crate) fn all_up_to(
    app: &App,
    caller: &Caller,
    flow: &FlowId,
    filter: &MessageFilter,
    most: usize,
) -> Result<Option<Vec<ConversationSummary>>> {
    app.store.read_messages(|tx| {
        access::flow(tx, caller, flow, FlowAction::Read)?;
        let (chats, total) = newest(tx, &caller.workspace, flow, filter, (1, most))?;
        if total > most {
            return Ok(None);
        }
        summarize_all(tx, &caller.workspace, flow, &chats).map(Some)
    })
}

/// A page of conversations with messages that fit, and how many there are in all.
///
/// # Errors
/// 404 or 403.
pub(crate) fn list(
    app: &App,
    caller: &Caller,
    flow: &FlowId,
    filter: &MessageFilter,
    (page, size): (usize, usize),
) -> Result<(Vec<ConversationSummary>, usize)> {
    app.store.read_messages(|tx| {
        access::flow(tx, caller, flow, FlowAction::Read)?;
        let page = (page, size.min(PAGE_MAX));
        let (chats, total) = newest(tx, &caller.workspace, flow, filter, page)?;
        Ok((summarize_all(tx, &caller.workspace, flow, &chats)?, total))
    })
}

fn summarize_all(
    tx: &MessagesTx,
    workspace: &WorkspaceId,
    flow: &FlowId,
    chats: &[ChatId],
) -> Result<Vec<ConversationSummary>> {
    let wanted: HashSet<&ChatId> = chats.iter().collect();
    let mut names: HashMap<ChatId, String> = HashMap::new();
    leads::scan(tx, workspace, flow, |lead| {
        let chat = lead.chat;
        if wanted.contains(&chat)
            && let Some(name) = lead.into_shown_name()
        {
            // The newest of a conversation came first.
            names.entry(chat).or_insert(name);
        }
        if names.len() < wanted.len() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    let rows = chats.iter().map(|chat| {
        let lead_name = names.remove(chat);
        Ok(ConversationSummary { lead_name, ..summarize(tx, workspace, flow, chat)? })
    });
    rows.collect()
}

fn summarize(
    tx: &MessagesTx,
    workspace: &WorkspaceId,
    flow: &FlowId,
    chat: &ChatId,
) -> Result<ConversationSummary> {
    let places = timeline::of_chat(tx, workspace, flow, chat)?;
    let mut opening = Vec::new();
    for place in places.iter().take(OPENING_MESSAGES) {
        opening.extend(timeline::message_at(tx, workspace, flow, place)?);
    }
    let first = opening.first();
    let question = opening.iter().find(|message| message.role == MessageRole::User).or(first);
    let last = match places.last() {
        Some(place) => timeline::message_at(tx, workspace, flow, place)?,
        None => None,
    };
    let (mut up, mut down) = (0_usize, 0_usize);
    feedback::scan_flow(tx, workspace, flow, Some(chat), |_, rated| {
        *(if rated.rating == Rating::Up { &mut up } else { &mut down }) += 1;
        Ok(())
    })?;
    Ok(ConversationSummary {
        chat: *chat,
        chat_type: first.map(|message| message.chat_type),
        session: first.and_then(|message| message.session.clone()),
        memory_type: first.and_then(|message| message.memory_type.clone()),
        lead_email: opening.iter().find_map(|message| message.lead_email.clone()),
        lead_name: None,
        first_question: question.map(|message| message.content.chars().take(SHOWN_CHARS).collect()),
        messages: places.len(),
        positive_feedback: up,
        negative_feedback: down,
        created: first.map(|message| message.created),
        updated: last.map(|message| message.created),
    })
}
