//! Which messages a request means, and walking along them.

use crate::domain::conversations::conversation::Message;
use crate::domain::conversations::feedback::Rating;
use crate::domain::error::Result;
use crate::domain::ids::{ChatId, FlowId, MessageId, WorkspaceId};
use crate::domain::predictions::prediction::{ChatType, MessageRole};
use crate::store::queries::feedback;
use crate::store::queries::timeline::{self, MessagePosition};
use crate::store::{MessageReader, Order};
use jiff::Timestamp;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// Which messages are meant; an empty filter means all of the flow (manual 3.5).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct MessageFilter {
    /// Of these chat types, which may be none; absent is all.
    pub chat_types: Option<Vec<ChatType>>,
    pub chat: Option<ChatId>,
    pub session: Option<String>,
    pub memory_type: Option<String>,
    pub message: Option<MessageId>,
    /// Not before.
    pub start: Option<Timestamp>,
    /// Not after.
    pub end: Option<Timestamp>,
    /// Answers rated like this, and the question before each; empty is all.
    pub ratings: Vec<Rating>,
    /// Texts that all stand in the message, in whatever case; in lower case here.
    pub words: Vec<String>,
    /// Only answers that ended before they were whole: they were stopped, or their reader left.
    pub is_stopped: bool,
}

impl MessageFilter {
    /// False when the place of a message says all that the filter asks.
    pub(super) fn needs_messages(&self) -> bool {
        let bare = Self { chat: None, ratings: Vec::new(), ..self.clone() };
        bare != Self::default()
    }

    fn matches(&self, message: &Message) -> bool {
        let same = |wanted: &Option<String>, is: &Option<String>| wanted.is_none() || wanted == is;
        self.chat_types.as_ref().is_none_or(|wanted| wanted.contains(&message.chat_type))
            && self.chat.is_none_or(|chat| chat == message.chat)
            && self.session.as_ref().is_none_or(|wanted| *wanted == message.told_session())
            && same(&self.memory_type, &message.memory_type)
            && self.message.is_none_or(|id| id == message.id)
            && self.start.is_none_or(|start| message.created >= start)
            && self.end.is_none_or(|end| message.created <= end)
            && (!self.is_stopped || message.stopped)
            && self.has_words(&message.content)
    }

    fn has_words(&self, content: &str) -> bool {
        if self.words.is_empty() {
            return true;
        }
        let content = content.to_lowercase();
        self.words.iter().all(|word| content.contains(word.as_str()))
    }
}

/// True when the message at this place fits.
///
/// # Errors
/// When the database cannot be read.
pub(super) fn fits(
    tx: &impl MessageReader,
    workspace: &WorkspaceId,
    flow: &FlowId,
    filter: &MessageFilter,
    place: &MessagePosition,
) -> Result<bool> {
    let message = timeline::message_at(tx, workspace, flow, place)?;
    Ok(message.is_some_and(|message| filter.matches(&message)))
}

/// Hands over the messages that fit, from the number `from` on, until `each` breaks. A message comes along when the
/// filter had to read it; one at a time is in memory.
///
/// # Errors
/// When the database cannot be read, and what `each` returns.
pub(super) fn walk(
    tx: &impl MessageReader,
    workspace: &WorkspaceId,
    flow: &FlowId,
    filter: &MessageFilter,
    (from, order): (u64, Order),
    mut each: impl FnMut(MessagePosition, Option<Message>) -> Result<ControlFlow<()>>,
) -> Result<()> {
    let judges = filter.needs_messages();
    let mut judge = |place: MessagePosition| {
        if !judges {
            return each(place, None);
        }
        match timeline::message_at(tx, workspace, flow, &place)? {
            Some(message) if filter.matches(&message) => each(place, Some(message)),
            _ => Ok(ControlFlow::Continue(())),
        }
    };
    let Some(mut known) = indexed_positions(tx, workspace, flow, filter)? else {
        return timeline::scan_timeline(tx, workspace, flow, from, order, judge);
    };
    known.retain(|place| place.sequence >= from);
    if order == Order::Descending {
        known.reverse();
    }
    for place in known {
        if judge(place)?.is_break() {
            break;
        }
    }
    Ok(())
}

/// The places a filter names by itself, in their order: those of one conversation, or of what was rated.
pub(super) fn indexed_positions(
    tx: &impl MessageReader,
    workspace: &WorkspaceId,
    flow: &FlowId,
    filter: &MessageFilter,
) -> Result<Option<Vec<MessagePosition>>> {
    if filter.ratings.is_empty() {
        let Some(chat) = &filter.chat else { return Ok(None) };
        return timeline::of_chat(tx, workspace, flow, chat).map(Some);
    }
    let mut found = BTreeSet::new();
    feedback::scan_flow(tx, workspace, flow, filter.chat.as_ref(), |place, rated| {
        if filter.ratings.contains(&rated.rating) {
            let asked = timeline::message_before(tx, workspace, flow, &place)?;
            found.extend(
                asked.filter(|(_, message)| message.role == MessageRole::User).map(|(place, _)| place),
            );
            found.insert(place);
        }
        Ok(())
    })?;
    Ok(Some(found.into_iter().collect()))
}
