//! Passages of the files that people send in conversations, in collections of this server: how many there may be, and that
//! they go with their conversation (spec 4.1, security rules 8).

use super::collections;
use crate::app::App;
use crate::domain::collection::Collection;
use crate::domain::conversation::Conversation;
use crate::domain::error::{Error, Full, Result};
use crate::domain::ids::{ChatId, CollectionId, FlowId, WorkspaceId};
use crate::limits::{
    CHAT_COLLECTIONS_BYTES_MAX, CHAT_COLLECTIONS_MAX, CHAT_PASSAGES_MAX, COLLECTIONS_MAX, SILENT_CHAT_HOURS,
};
use crate::store::collections::heads;
use crate::store::{ReadTx, Tx, WriteTx, messages};
use std::collections::BTreeSet;
use std::sync::PoisonError;

/// Conversations looked at for one file: what is sent pays for what was left.
const SWEPT_AT_ONCE: usize = 16;

/// Refuses a collection for which a workspace, or its conversation, has no room.
///
/// # Errors
/// 413 and 507 for files of a conversation, 500 for what an owner keeps.
pub(super) fn admit(
    tx: &WriteTx,
    workspace: &WorkspaceId,
    before: Option<&Collection>,
    after: &Collection,
) -> Result<()> {
    let is_chats = after.conversation.is_some();
    if is_chats && after.rows > CHAT_PASSAGES_MAX {
        return Err(Error::Full(Full::Conversation));
    }
    if before.is_some() && !is_chats {
        return Ok(());
    }
    let (mut count, mut bytes) = (0, 0);
    for (_, head) in heads(tx, workspace)?.iter().filter(|(_, head)| head.conversation.is_some() == is_chats)
    {
        count += 1;
        bytes += head.bytes;
    }
    let replaced = before.map_or(0, |head| head.bytes);
    let is_new = before.is_none();
    if is_chats {
        let is_full = (is_new && count >= CHAT_COLLECTIONS_MAX)
            || bytes - replaced + after.bytes > CHAT_COLLECTIONS_BYTES_MAX;
        return if is_full { Err(Error::Full(Full::Workspace)) } else { Ok(()) };
    }
    if count >= COLLECTIONS_MAX {
        return Err(Error::Failed(format!(
            "The workspace has {COLLECTIONS_MAX} collections, which are the most it can have."
        )));
    }
    Ok(())
}

/// Removes what some people sent and never asked about: no list of conversations shows it, so nobody else would.
///
/// # Errors
/// When the database fails.
pub(super) fn forget_silent(app: &App, workspace: &WorkspaceId) -> Result<()> {
    let now = app.clock.now().as_second();
    remove(app, workspace, |tx| {
        let mut silent = Vec::new();
        for (id, head) in heads(tx, workspace)? {
            let Some(conversation) = head.conversation else { continue };
            let is_old = now - head.changed.as_second() > SILENT_CHAT_HOURS * 3600;
            if is_old && is_silent(tx, workspace, &conversation)? {
                silent.push(id);
            }
            if silent.len() == SWEPT_AT_ONCE {
                break;
            }
        }
        Ok(silent)
    })
}

/// True when nothing was said in a conversation yet, or nothing is left.
///
/// # Errors
/// When the database cannot be read.
pub(super) fn is_silent(tx: &impl Tx, workspace: &WorkspaceId, of: &Conversation) -> Result<bool> {
    Ok(messages::of_chat(tx, workspace, &of.flow, &of.chat, 1)?.is_empty())
}

/// Removes the passages of conversations that were deleted.
pub(super) fn forget_chats(app: &App, workspace: &WorkspaceId, flow: &FlowId, chats: &BTreeSet<ChatId>) {
    forget(app, workspace, |of| of.flow == *flow && chats.contains(&of.chat));
}

/// Removes the passages of all conversations of a flow.
pub(super) fn forget_flow(app: &App, workspace: &WorkspaceId, flow: &FlowId) {
    forget(app, workspace, |of| of.flow == *flow);
}

/// What cannot be removed now goes later, as what a silent conversation left: nobody is kept from deleting the rest.
fn forget(app: &App, workspace: &WorkspaceId, goes: impl Fn(&Conversation) -> bool) {
    let removed = remove(app, workspace, |tx| {
        let found = heads(tx, workspace)?.into_iter();
        let goes = |head: &Collection| head.conversation.as_ref().is_some_and(&goes);
        Ok(found.filter(|(_, head)| goes(head)).map(|(id, _)| id).collect::<Vec<_>>())
    });
    if let Err(error) = removed {
        tracing::warn!(%error, "the passages of a deleted conversation could not be removed");
    }
}

/// Removes the collections that `find` names. Nobody writes one between the look and the removal; others have their turn
/// before the blocks are gone.
fn remove(
    app: &App,
    workspace: &WorkspaceId,
    find: impl FnOnce(&ReadTx) -> Result<Vec<CollectionId>>,
) -> Result<()> {
    let gone = {
        let _turn = app.boards.collection_writes.lock().unwrap_or_else(PoisonError::into_inner);
        let gone = app.store.read(find)?;
        for some in gone.chunks(SWEPT_AT_ONCE) {
            app.store.write(|tx| some.iter().try_for_each(|id| collections::remove(tx, workspace, id)))?;
        }
        gone
    };
    gone.iter().for_each(|id| collections::forget(app, workspace, id));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn files_of_chats_are_refused_where_their_conversation_or_the_workspace_is_full() {
        let (_folder, app, caller) = App::owned();
        let here = caller.workspace;
        let head = |rows: usize, bytes: usize, is_chats: bool| Collection {
            name: "handbook".to_owned(),
            space: [0; 32],
            dimensions: 2,
            rows,
            bytes,
            blocks: Vec::new(),
            next: 0,
            stamp: Uuid::new_v4(),
            changed: app.clock.now(),
            conversation: is_chats.then(|| Conversation { flow: FlowId::random(), chat: ChatId::random() }),
        };
        let admitted = |before: Option<&Collection>, after: &Collection| match app
            .store
            .write(|tx| admit(tx, &here, before, after))
        {
            Ok(()) => None,
            Err(Error::Full(full)) => Some(full),
            Err(other) => panic!("{other}"),
        };
        assert_eq!(admitted(None, &head(CHAT_PASSAGES_MAX, 1, true)), None);
        assert_eq!(admitted(None, &head(CHAT_PASSAGES_MAX + 1, 1, true)), Some(Full::Conversation));
        assert_eq!(admitted(None, &head(CHAT_PASSAGES_MAX + 1, 1, false)), None, "what an owner keeps");
        let (id, kept) = (CollectionId::from_bytes([7; 16]), head(1, CHAT_COLLECTIONS_BYTES_MAX, true));
        let settle = |tx: &WriteTx| crate::store::collections::settle(tx, &here, &id, None, &kept);
        app.store.write(settle).unwrap();
        assert_eq!(admitted(None, &head(1, 1, true)), Some(Full::Workspace));
        assert_eq!(admitted(Some(&kept), &head(2, CHAT_COLLECTIONS_BYTES_MAX, true)), None, "in place of it");
        assert_eq!(
            admitted(Some(&kept), &head(2, CHAT_COLLECTIONS_BYTES_MAX + 1, true)),
            Some(Full::Workspace)
        );
        assert_eq!(admitted(None, &head(1, 1, false)), None, "what an owner keeps");
    }
}
