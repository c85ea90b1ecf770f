//! The conversations of a flow, one row for each: what a page lists before it shows their messages.

use super::counts::COUNTED_MAX;
use super::filter::{MessageFilter, walk};
use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::conversations::conversation::{ConversationSummary, Message};
use crate::domain::conversations::feedback::Rating;
use crate::domain::conversations::lead::Lead;
use crate::domain::error::Result;
use crate::domain::ids::{ChatId, FlowId, WorkspaceId};
use crate::domain::predictions::prediction::MessageRole;
use crate::ops::flows::access::{self, FlowAction};
use crate::store::queries::{answers, feedback, leads, timeline};
use crate::store::{MessageReader, MessagesTx, Order};
use std::collections::HashSet;
use std::ops::ControlFlow;

/// Most rows of one page.
pub(crate) const PAGE_MAX: usize = 500;
/// Characters of a question that its row shows.
const SHOWN_CHARS: usize = 300;
/// Failed runs of a conversation that are counted.
const FAILURES_MAX: usize = 1_000;
/// How far into a conversation its first question is looked for.
const OPENING_MESSAGES: usize = 5;

/// A page of the conversations with messages that fit, the one that went on last first. What is kept in memory of each is its id;
/// callers bound the size of a page.
///
/// # Errors
/// When the database cannot be read.
pub(super) fn newest(
    tx: &impl MessageReader,
    workspace: &WorkspaceId,
    flow: &FlowId,
    filter: &MessageFilter,
    (page, size): (usize, usize),
) -> Result<Vec<ChatId>> {
    walk_newest(tx, workspace, flow, filter, (page, size), |shown, _| shown < size).map(|(shown, _)| shown)
}

/// As [`newest`]; the walk goes on while `goes_on` says so of the number of rows and of conversations so far. With the number of
/// conversations that were met.
fn walk_newest(
    tx: &impl MessageReader,
    workspace: &WorkspaceId,
    flow: &FlowId,
    filter: &MessageFilter,
    (page, size): (usize, usize),
    goes_on: impl Fn(usize, usize) -> bool,
) -> Result<(Vec<ChatId>, usize)> {
    let skip = page.saturating_sub(1).saturating_mul(size);
    let (mut seen, mut shown) = (HashSet::new(), Vec::new());
    walk(tx, workspace, flow, filter, (0, Order::Descending), |place, _| {
        if seen.insert(place.chat) && seen.len() > skip && shown.len() < size {
            shown.push(place.chat);
        }
        Ok(if goes_on(shown.len(), seen.len()) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
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
        let page = (1, most.saturating_add(1));
        let chats = newest(tx, &caller.workspace, flow, filter, page)?;
        if chats.len() > most {
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
    let counts = app.conversation_counts.before(flow);
    app.store.read_messages(|tx| {
        access::flow(tx, caller, flow, FlowAction::Read)?;
        let (workspace, page) = (&caller.workspace, (page, size.min(PAGE_MAX)));
        let (chats, total) = if *filter == MessageFilter::default() {
            let chats = newest(tx, workspace, flow, filter, page)?;
            (chats, app.conversation_counts.count(tx, workspace, flow, &counts)?)
        } else {
            // Only who looks at every message knows which of them fit.
            walk_newest(tx, workspace, flow, filter, page, |_, met| met < COUNTED_MAX)?
        };
        Ok((summarize_all(tx, &caller.workspace, flow, &chats)?, total))
    })
}

/// These conversations at a glance.
///
/// # Errors
/// When the database cannot be read.
pub(super) fn summarize_all(
    tx: &MessagesTx,
    workspace: &WorkspaceId,
    flow: &FlowId,
    chats: &[ChatId],
) -> Result<Vec<ConversationSummary>> {
    chats.iter().map(|chat| summarize(tx, workspace, flow, chat)).collect()
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
    let left = leads::of_conversation(tx, workspace, flow, chat)?;
    let failed = answers::failures(tx, workspace, flow, Some(chat), FAILURES_MAX)?;
    Ok(ConversationSummary {
        chat: *chat,
        chat_type: first.map(|message| message.chat_type),
        session: first.map(Message::told_session),
        memory_type: first.and_then(|message| message.memory_type.clone()),
        lead_email: opening.iter().find_map(|message| message.lead_email.clone()),
        lead_name: left.into_iter().find_map(Lead::into_shown_name),
        first_question: question.map(|message| message.content.chars().take(SHOWN_CHARS).collect()),
        messages: places.len(),
        failed_runs: failed.len(),
        positive_feedback: up,
        negative_feedback: down,
        created: first.map(|message| message.created),
        updated: last.map(|message| message.created),
    })
}
