//! The conversations that callers with a flow's key name themselves (manual 3.3): found, made, and forgotten with the
//! conversation, the key or the flow.

use crate::app::App;
use crate::domain::conversation::Conversation;
use crate::domain::error::{Error, Result};
use crate::domain::flow::Flow;
use crate::domain::ids::{ChatId, FlowId, KeyId, WorkspaceId};
use crate::domain::named_session::{NamedSession, SessionName};
use crate::store::WriteTx;
use crate::store::tables::{API_KEYS, FLOWS, NAME_OF_CONVERSATION, NAMED_SESSIONS};

/// The conversation that `name` stands for, and whether it was made for this question. Two first uses at once make one.
///
/// # Errors
/// 404 when the flow is gone, 401 when its key is.
pub fn conversation(app: &App, flow: &Flow, key: &KeyId, name: &SessionName) -> Result<(ChatId, bool)> {
    let (workspace, place) = (&flow.workspace, name.place(&flow.id, key));
    if let Some(known) = app.store.read_but_messages(|tx| NAMED_SESSIONS.get(tx, workspace, &place))? {
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
        NAMED_SESSIONS.put(tx, workspace, &place, &NamedSession { conversation: fresh, key: *key })?;
        NAME_OF_CONVERSATION.put(tx, workspace, &fresh.knowledge(), &place)?;
        Ok((fresh.chat, true))
    })
}

/// Forgets the names of conversations.
///
/// # Errors
/// When the database cannot be written.
pub fn forget_chats<'c>(
    tx: &WriteTx,
    workspace: &WorkspaceId,
    flow: &FlowId,
    chats: impl IntoIterator<Item = &'c ChatId>,
) -> Result<()> {
    for chat in chats {
        let place = Conversation { flow: *flow, chat: *chat }.knowledge();
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
pub fn forget_flow(tx: &WriteTx, workspace: &WorkspaceId, flow: &FlowId) -> Result<()> {
    forget(tx, workspace, |named| named.conversation.flow == *flow)
}

/// Forgets all names that holders of a key gave.
///
/// # Errors
/// When the database cannot be written.
pub fn forget_key(tx: &WriteTx, workspace: &WorkspaceId, key: &KeyId) -> Result<()> {
    forget(tx, workspace, |named| named.key == *key)
}

fn forget(tx: &WriteTx, workspace: &WorkspaceId, is_gone: impl Fn(&NamedSession) -> bool) -> Result<()> {
    for (place, named) in NAMED_SESSIONS.entries(tx, workspace)? {
        if is_gone(&named) {
            NAMED_SESSIONS.remove(tx, workspace, &place)?;
            NAME_OF_CONVERSATION.remove(tx, workspace, &named.conversation.knowledge())?;
        }
    }
    Ok(())
}
