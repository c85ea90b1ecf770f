//! Stored conversations, for people and keys that may see the flow (reference 1.2).

use super::access::{self, Action};
use crate::app::App;
use crate::clock::iso;
use crate::domain::caller::Caller;
use crate::domain::conversation::Message;
use crate::domain::error::Result;
use crate::domain::ids::{ChatId, FlowId, MessageId};
use crate::domain::prediction::{ChatType, Usage};
use crate::store::messages;
use jiff::Timestamp;
use serde_json::{Value, json};
use std::collections::BTreeSet;

pub use crate::store::Order as MessageOrder;
pub use crate::store::messages::Page as MessagePage;

/// Which messages are meant; an empty filter means all of the flow.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MessageFilter {
    /// From these doors; empty is all.
    pub chat_types: Vec<ChatType>,
    /// Of this conversation.
    pub chat: Option<ChatId>,
    /// Of this memory session.
    pub session: Option<String>,
    /// With this memory card.
    pub memory_type: Option<String>,
    /// This one.
    pub message: Option<MessageId>,
    /// Not before.
    pub start: Option<Timestamp>,
    /// Not after.
    pub end: Option<Timestamp>,
}

impl MessageFilter {
    fn fits(&self, message: &Message) -> bool {
        let same = |wanted: &Option<String>, is: &Option<String>| wanted.is_none() || wanted == is;
        (self.chat_types.is_empty() || self.chat_types.contains(&message.chat_type))
            && self.chat.is_none_or(|chat| chat == message.chat)
            && same(&self.session, &message.session)
            && same(&self.memory_type, &message.memory_type)
            && self.message.is_none_or(|id| id == message.id)
            && self.start.is_none_or(|start| message.created >= start)
            && self.end.is_none_or(|end| message.created <= end)
    }

    /// Only the conversation is named, so its messages can be found by their key.
    fn is_one_chat(&self) -> Option<ChatId> {
        let bare = Self { chat: None, ..self.clone() };
        let only = bare.chat_types.is_empty()
            && bare.session.is_none()
            && bare.memory_type.is_none()
            && bare.message.is_none()
            && bare.start.is_none()
            && bare.end.is_none();
        self.chat.filter(|_| only)
    }
}

/// A message on the wire, its JSON fields as objects (reference 3.8, 8.4).
fn wire(message: &Message) -> Value {
    let list = |items: Value| if items.as_array().is_some_and(Vec::is_empty) { Value::Null } else { items };
    json!({
        "id": message.id,
        "role": message.role,
        "chatflowid": message.flow,
        "content": message.content,
        "chatType": message.chat_type,
        "chatId": message.chat,
        "sessionId": message.session,
        "memoryType": message.memory_type,
        "createdDate": iso(message.created),
        "leadEmail": message.lead_email,
        "sourceDocuments": list(json!(message.source_documents)),
        "usedTools": list(json!(message.used_tools)),
        "fileUploads": list(json!(message.file_uploads)),
        "followUpPrompts": follow_ups(message),
        "usageMetadata": message.usage.as_ref().map(Usage::wire),
        "stopped": message.stopped,
        "execution": null,
    })
}

/// JSON text, as clients read it (contract 6.6).
fn follow_ups(message: &Message) -> Option<String> {
    let prompts = &message.follow_up_prompts;
    (!prompts.is_empty()).then(|| json!(prompts).to_string())
}

/// The flow's messages that fit, as far as they are on the page.
///
/// # Errors
/// 404 or 403.
pub fn list(
    app: &App,
    caller: &Caller,
    flow: &FlowId,
    filter: &MessageFilter,
    page: MessagePage,
) -> Result<Vec<Value>> {
    app.store.read(|tx| {
        access::flow(tx, caller, flow, Action::Read)?;
        let found = match filter.is_one_chat() {
            Some(chat) => one_chat(messages::of_chat(tx, &caller.workspace, flow, &chat, usize::MAX)?, page),
            None => messages::of_flow(tx, &caller.workspace, flow, |message| filter.fits(message), page)?,
        };
        Ok(found.iter().map(wire).collect())
    })
}

fn one_chat(mut found: Vec<Message>, page: MessagePage) -> Vec<Message> {
    if page.order == MessageOrder::Descending {
        found.reverse();
    }
    found.into_iter().skip(page.skip).take(page.limit).collect()
}

/// Deletes the flow's messages that fit, and the files of conversations of which nothing is left; the number deleted.
///
/// # Errors
/// 404 or 403.
pub fn delete(app: &App, caller: &Caller, flow: &FlowId, filter: &MessageFilter) -> Result<usize> {
    let workspace = &caller.workspace;
    let (count, ended) = app.store.write(|tx| {
        access::flow(tx, caller, flow, Action::Save)?;
        if let Some(chat) = filter.is_one_chat() {
            return Ok((messages::remove_chat(tx, workspace, flow, &chat)?, BTreeSet::from([chat])));
        }
        let removed = messages::remove_that(tx, workspace, flow, |message| filter.fits(message))?;
        let mut ended = BTreeSet::new();
        for chat in removed.iter().copied().collect::<BTreeSet<_>>() {
            if messages::of_chat(tx, workspace, flow, &chat, 1)?.is_empty() {
                ended.insert(chat);
            }
        }
        Ok((removed.len(), ended))
    })?;
    if *filter == MessageFilter::default() {
        // A conversation may have files before it has messages.
        app.chat_files.remove_flow(workspace, flow);
    }
    ended.iter().for_each(|chat| app.chat_files.remove_chat(workspace, flow, chat));
    Ok(count)
}
