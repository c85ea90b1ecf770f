//! Ratings of answers (manual 3.7).
//!
//! The id of an answer is random and told to its asker alone, so who names it together with its flow and conversation
//! may rate it once: a page of another site has no other proof, because its visitor's cookie stays away. What was
//! rated already is changed by who proves the conversation, may see the flow's conversations, or names the rating's
//! own id, which only the one who rated was told.

use super::messages::Budget;
use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::conversations::conversation::Conversation;
use crate::domain::conversations::feedback::{
    AnswerRating, ConversationFeedback, Feedback, FeedbackChange, check_content,
};
use crate::domain::error::{Error, Result};
use crate::domain::flows::flow::Flow;
use crate::domain::ids::{ChatId, FeedbackId, FlowId};
use crate::domain::predictions::prediction::MessageRole;
use crate::domain::resource::ResourceId as _;
use crate::ops::flows::access::{self, FlowAction};
use crate::store::queries::feedback;
use crate::store::queries::timeline::{self, MessagePosition};
use crate::store::{MessageReader, Order};
use jiff::Timestamp;
use serde::Serialize;
use std::ops::ControlFlow;

/// How far back in its conversation an answer can be rated.
const RATED_MESSAGES_MAX: usize = 1_000;
/// Ratings in one list.
const LISTED_MAX: usize = 10_000;

pub(super) fn in_conversation(
    flow: &FlowId,
    place: &MessagePosition,
    feedback: Feedback,
) -> ConversationFeedback {
    ConversationFeedback { conversation: Conversation { flow: *flow, chat: place.chat }, feedback }
}

/// Rates an answer; there is one rating for each.
///
/// # Errors
/// 404 when the conversation has no such message, 400 for a message that is no answer, 401 for a second rating of
/// somebody who does not own the conversation.
pub(crate) fn rate(app: &App, flow: &Flow, new: &AnswerRating, owns: bool) -> Result<ConversationFeedback> {
    let content = new.content.as_deref().map(check_content).transpose()?;
    let (id, now) = (FeedbackId::random(), app.clock.monotonic_now());
    // Looked for before the write, which others wait for.
    let place = app.store.read_messages(|tx| find_answer(tx, flow, new))?;
    app.store.write(|tx| {
        let stored = timeline::message_at(tx, &flow.workspace, &flow.id, &place)?;
        if stored.is_none_or(|message| message.id != new.message) {
            return Err(answer_not_found());
        }
        let before = feedback::of_message(tx, &flow.workspace, &flow.id, &place)?;
        if before.is_some() && !owns {
            return Err(Error::unauthorized());
        }
        let (id, created, kept) =
            before.map_or((id, now, String::new()), |old| (old.id, old.created, old.content));
        let content = content.clone().unwrap_or(kept);
        let rated = Feedback { id, message: new.message, rating: new.rating, content, created };
        feedback::put(tx, &flow.workspace, &flow.id, &place, &rated)?;
        Ok(in_conversation(&flow.id, &place, rated))
    })
}

/// Where the answer stands that is rated.
fn find_answer(tx: &impl MessageReader, flow: &Flow, new: &AnswerRating) -> Result<MessagePosition> {
    let places = timeline::of_chat(tx, &flow.workspace, &flow.id, &new.chat)?;
    for place in places.into_iter().rev().take(RATED_MESSAGES_MAX) {
        let message = timeline::message_at(tx, &flow.workspace, &flow.id, &place)?;
        match message.filter(|message| message.id == new.message) {
            None => {}
            Some(message) if message.role == MessageRole::Api => return Ok(place),
            Some(_) => return Err(Error::invalid("'messageId' is the id of a question: rate the answer.")),
        }
    }
    Err(answer_not_found())
}

fn answer_not_found() -> Error {
    Error::NotFound("This conversation has no message with this id.".to_owned())
}

/// True when the answer is here and nobody rated it.
///
/// # Errors
/// As [`adopt`].
pub(in crate::ops) fn is_unrated(app: &App, flow: &Flow, chat: ChatId, given: &Feedback) -> Result<bool> {
    let asked = AnswerRating { chat, message: given.message, rating: given.rating, content: None };
    app.store.read_messages(|tx| find_answer(tx, flow, &asked)).and_then(|place| {
        let rated = app.store.read(|tx| feedback::of_message(tx, &flow.workspace, &flow.id, &place))?;
        Ok(rated.is_none())
    })
}

/// Rates an answer as it was rated in another product, unless it is rated here; true when it was not.
///
/// # Errors
/// 404 when the conversation has no such message, 400 for a message that is no answer and for a comment that is too long.
pub(in crate::ops) fn adopt(app: &App, flow: &Flow, chat: ChatId, given: &Feedback) -> Result<bool> {
    check_content(&given.content)?;
    let asked = AnswerRating { chat, message: given.message, rating: given.rating, content: None };
    let place = app.store.read_messages(|tx| find_answer(tx, flow, &asked))?;
    app.store.write(|tx| {
        let stored = timeline::message_at(tx, &flow.workspace, &flow.id, &place)?;
        if stored.is_none_or(|message| message.id != given.message) {
            return Err(answer_not_found());
        }
        if feedback::of_message(tx, &flow.workspace, &flow.id, &place)?.is_some() {
            return Ok(false);
        }
        // Its id leads to it alone: another rating may have it already.
        let is_free = feedback::position_of(tx, &given.id)?.is_none();
        let id = if is_free { given.id } else { FeedbackId::random() };
        feedback::put(tx, &flow.workspace, &flow.id, &place, &Feedback { id, ..given.clone() })?;
        Ok(true)
    })
}

/// The flow in which a rating was given.
///
/// # Errors
/// 404 when there is no such rating.
pub(crate) fn flow_of(app: &App, id: &FeedbackId) -> Result<FlowId> {
    let home = app.store.read(|tx| feedback::position_of(tx, id))?;
    home.map(|(flow, _)| flow).ok_or_else(|| id.not_found())
}

/// Changes a rating: who knows its id gave it.
///
/// # Errors
/// 404 when the flow has no such rating.
pub(crate) fn update(app: &App, flow: &Flow, id: &FeedbackId, change: &FeedbackChange) -> Result<()> {
    let content = change.content.as_deref().map(check_content).transpose()?;
    app.store.write(|tx| {
        let home = feedback::position_of(tx, id)?.filter(|(home, _)| *home == flow.id);
        let (_, place) = home.ok_or_else(|| id.not_found())?;
        let rated = feedback::of_message(tx, &flow.workspace, &flow.id, &place)?;
        let mut rated = rated.ok_or_else(|| id.not_found())?;
        rated.rating = change.rating.unwrap_or(rated.rating);
        rated.content = content.clone().unwrap_or(rated.content);
        feedback::put(tx, &flow.workspace, &flow.id, &place, &rated)
    })
}

/// Which ratings are listed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FeedbackFilter {
    pub chat: Option<ChatId>,
    /// By when they were given.
    pub order: Order,
    /// Not before.
    pub start: Option<Timestamp>,
    /// Not after.
    pub end: Option<Timestamp>,
}

/// The ratings of a flow's answers.
///
/// # Errors
/// 404 or 403.
pub(crate) fn list(
    app: &App,
    caller: &Caller,
    flow: &FlowId,
    filter: FeedbackFilter,
) -> Result<Vec<ConversationFeedback>> {
    let mut found = Vec::new();
    scan(app, caller, flow, filter, |feedback| {
        found.push(feedback);
        Ok(if found.len() < LISTED_MAX { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
    })?;
    Ok(found)
}

/// As [`list`], as the rows of a file, as many as there is room for.
///
/// # Errors
/// 404 or 403.
pub(crate) fn list_within<R: From<ConversationFeedback> + Serialize>(
    app: &App,
    caller: &Caller,
    flow: &FlowId,
    filter: FeedbackFilter,
    budget: &mut Budget,
) -> Result<Vec<R>> {
    let mut rows = Vec::new();
    scan(app, caller, flow, filter, |feedback| {
        let row = R::from(feedback);
        if !budget.try_take(&row)? {
            return Ok(ControlFlow::Break(()));
        }
        rows.push(row);
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(rows)
}

/// Hands over the ratings that fit, in their order, until `each` breaks. One of them is in memory at a time.
fn scan(
    app: &App,
    caller: &Caller,
    flow: &FlowId,
    filter: FeedbackFilter,
    mut each: impl FnMut(ConversationFeedback) -> Result<ControlFlow<()>>,
) -> Result<()> {
    let fits = |rated: &Feedback| {
        filter.start.is_none_or(|start| rated.created >= start)
            && filter.end.is_none_or(|end| rated.created <= end)
    };
    app.store.read(|tx| {
        access::flow(tx, caller, flow, FlowAction::Read)?;
        let mut found = Vec::new();
        feedback::scan_flow(tx, &caller.workspace, flow, filter.chat.as_ref(), |place, rated| {
            if fits(&rated) {
                found.push((rated.created, place));
            }
            Ok(())
        })?;
        found.sort_unstable();
        if filter.order == Order::Descending {
            found.reverse();
        }
        for (_, place) in found {
            let rated = feedback::of_message(tx, &caller.workspace, flow, &place)?;
            if let Some(rated) = rated
                && each(in_conversation(flow, &place, rated))?.is_break()
            {
                break;
            }
        }
        Ok(())
    })
}
