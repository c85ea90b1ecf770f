//! The conversations that callers with a flow's key name themselves (manual 3.3): found, made, and forgotten with the
//! conversation, the key or the flow.

use crate::app::App;
use crate::domain::conversations::conversation::Conversation;
use crate::domain::conversations::conversation_name::{ConversationName, NamedConversation};
use crate::domain::error::{Error, Result};
use crate::domain::flows::flow::Flow;
use crate::domain::ids::{ChatId, FlowId, KeyId, WorkspaceId};
use crate::store::WriteTx;
use crate::store::tables::{API_KEYS, FLOWS, NAME_OF_CONVERSATION, NAMED_SESSIONS};

/// The conversation that `name` stands for, and whether it was made for this question. Two first uses at once make one.
///
/// # Errors
/// 404 when the flow is gone, 401 when its key is.
pub(crate) fn find_or_create(
    app: &App,
    flow: &Flow,
    key: &KeyId,
    name: &ConversationName,
) -> Result<(ChatId, bool)> {
    let (workspace, place) = (&flow.workspace, name.id(&flow.id, key));
    if let Some(known) = app.store.read(|tx| NAMED_SESSIONS.get(tx, workspace, &place))? {
        return Ok((known.conversation.chat, false));
    }
    let fresh = Conversation { flow: flow.id, chat: ChatId::random() };
    app.store.write(|tx| {
        if let Some(known) = NAMED_SESSIONS.get(tx, workspace, &place)? {
            return Ok((known.conversation.chat, false));
        }
        if !FLOWS.has(tx, workspace, &flow.id)? {
            return Err(Error::no_flow(&flow.id));
        }
        if !API_KEYS.has(tx, workspace, key)? {
            return Err(Error::unauthorized());
        }
        NAMED_SESSIONS.put(tx, workspace, &place, &NamedConversation { conversation: fresh, key: *key })?;
        NAME_OF_CONVERSATION.put(tx, workspace, &fresh.uploads_id(), &place)?;
        Ok((fresh.chat, true))
    })
}

/// Forgets the names of conversations.
///
/// # Errors
/// When the database cannot be written.
pub(crate) fn delete_for_conversations<'c>(
    tx: &WriteTx,
    workspace: &WorkspaceId,
    flow: &FlowId,
    chats: impl IntoIterator<Item = &'c ChatId>,
) -> Result<()> {
    for chat in chats {
        let place = Conversation { flow: *flow, chat: *chat }.uploads_id();
        if let Some(name) = NAME_OF_CONVERSATION.get(tx, workspace, &place)? {
            NAMED_SESSIONS.remove(tx, workspace, &name)?;
            NAME_OF_CONVERSATION.remove(tx, workspace, &place)?;
        }
    }
    Ok(())
}

/// Forgets all names of a flow.
///
/// # Errors
/// When the database cannot be written.
pub(crate) fn delete_for_flow(tx: &WriteTx, workspace: &WorkspaceId, flow: &FlowId) -> Result<()> {
    delete_matching(tx, workspace, |named| named.conversation.flow == *flow)
}

/// Forgets all names that holders of a key gave.
///
/// # Errors
/// When the database cannot be written.
pub(crate) fn delete_for_key(tx: &WriteTx, workspace: &WorkspaceId, key: &KeyId) -> Result<()> {
    delete_matching(tx, workspace, |named| named.key == *key)
}

fn delete_matching(
    tx: &WriteTx,
    workspace: &WorkspaceId,
    is_gone: impl Fn(&NamedConversation) -> bool,
) -> Result<()> {
    for (place, named) in NAMED_SESSIONS.entries(tx, workspace)? {
        if is_gone(&named) {
            NAMED_SESSIONS.remove(tx, workspace, &place)?;
            NAME_OF_CONVERSATION.remove(tx, workspace, &named.conversation.uploads_id())?;
        }
    }
    Ok(())
}
