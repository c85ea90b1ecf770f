//! Chunks of the files that people send in conversations: how many there may be, and that those in collections of this
//! server go with their conversation (manual 10.8).

use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::domain::conversations::conversation::Conversation;
use crate::domain::conversations::uploads::{ChunkUsage, ConversationUploads, StoragePermit};
use crate::domain::error::{Error, FullQuota, Result};
use crate::domain::ids::{ChatId, CollectionId, FlowId, WorkspaceId};
use crate::domain::knowledge::collection::Collection;
use crate::limits::{
    CHAT_CHUNKS_MAX, CHAT_COLLECTIONS_BYTES_MAX, CHAT_SENT_BYTES_MAX, CHAT_SENT_BYTES_OF_ONE_MAX,
    CHAT_SENT_CHUNKS_MAX,
};
use crate::ops::knowledge::collections::{self, CollectionLock};
use crate::store::queries::collections::heads;
use crate::store::queries::messages;
use crate::store::tables::{CONVERSATION_UPLOADS, FLOWS, WORKSPACES};
use crate::store::{MessageReader, MessagesTx, Tx, WriteTx};
use jiff::Timestamp;
use std::collections::BTreeSet;
use uuid::Uuid;

/// Collections of one workspace (manual 14.8).
const COLLECTIONS_MAX: usize = 1_000;
/// Conversations of one workspace with chunks in stores of this server (manual 14.8).
const CHAT_COLLECTIONS_MAX: usize = 10_000;
/// Hours after which the files of a conversation go in which nothing was said (manual 14.8).
const SILENT_CHAT_HOURS: i64 = 24;
/// Hours for which what such a conversation sent to databases on other servers, which keep it, is counted (manual 14.8).
const SILENT_CHAT_COUNTED_HOURS: i64 = 30 * 24;
/// What goes of one workspace in one look for such conversations (manual 14.8).
const SILENT_CHATS_AT_ONCE: usize = 1_000;

/// Leave to store what a conversation sends; `more` of it goes to databases elsewhere and is counted from now on, whatever
/// becomes of it there.
///
/// # Errors
/// 404 when the flow is gone, 413 and 507 when there is no room.
pub(in crate::ops) fn reserve(
    app: &App,
    workspace: &WorkspaceId,
    of: &Conversation,
    more: ChunkUsage,
) -> Result<StoragePermit> {
    let (id, fresh, changed) = (of.uploads_id(), Uuid::new_v4(), app.clock.now());
    app.store.write(|tx| {
        if !FLOWS.has(tx, workspace, &of.flow)? {
            return Err(Error::no_flow(&of.flow));
        }
        let before = CONVERSATION_UPLOADS.get(tx, workspace, &id)?;
        let (stamp, elsewhere) = match &before {
            Some(before) => (before.stamp, before.elsewhere.plus(more)),
            None => (fresh, more),
        };
        if elsewhere.chunks > CHAT_CHUNKS_MAX || elsewhere.bytes > CHAT_SENT_BYTES_OF_ONE_MAX {
            return Err(Error::QuotaExceeded(FullQuota::Conversation));
        }
        if before.is_none() || more != ChunkUsage::default() {
            let all = CONVERSATION_UPLOADS.list(tx, workspace)?;
            let total = all.iter().fold(more, |sum, one| sum.plus(one.elsewhere));
            let is_full = total.chunks > CHAT_SENT_CHUNKS_MAX || total.bytes > CHAT_SENT_BYTES_MAX;
            if (before.is_none() && all.len() >= CHAT_COLLECTIONS_MAX)
                || (more != ChunkUsage::default() && is_full)
            {
                return Err(Error::QuotaExceeded(FullQuota::Workspace));
            }
        }
        let after = ConversationUploads { conversation: *of, stamp, elsewhere, changed };
        CONVERSATION_UPLOADS.put(tx, workspace, &id, &after)?;
        Ok(StoragePermit { conversation: *of, stamp })
    })
}

/// Refuses what a conversation sent that was deleted since.
///
/// # Errors
/// When it was, or the database cannot be read.
pub(in crate::ops) fn require_valid(
    tx: &impl Tx,
    workspace: &WorkspaceId,
    leave: &StoragePermit,
) -> Result<()> {
    let now = CONVERSATION_UPLOADS.get(tx, workspace, &leave.conversation.uploads_id())?;
    if now.is_some_and(|now| now.stamp == leave.stamp) {
        return Ok(());
    }
    Err(Error::RunFailed("The conversation was deleted while its files were being stored.".to_owned()))
}

/// Refuses a collection for which a workspace, or its conversation, has no room.
///
/// # Errors
/// 413 and 507 for files of a conversation, 500 for what an owner keeps.
pub(in crate::ops) fn check_quota(
    tx: &WriteTx,
    workspace: &WorkspaceId,
    before: Option<&Collection>,
    after: &Collection,
) -> Result<()> {
    let is_chats = after.conversation.is_some();
    if is_chats && after.rows > CHAT_CHUNKS_MAX {
        return Err(Error::QuotaExceeded(FullQuota::Conversation));
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
        return if is_full { Err(Error::QuotaExceeded(FullQuota::Workspace)) } else { Ok(()) };
    }
    if count >= COLLECTIONS_MAX {
        return Err(Error::RunFailed(format!(
            "The workspace has {COLLECTIONS_MAX} collections, which are the most it can have."
        )));
    }
    Ok(())
}

/// True when a conversation has no messages yet, or none any more.
///
/// # Errors
/// When the database cannot be read.
pub(in crate::ops) fn has_no_messages(
    tx: &impl MessageReader,
    workspace: &WorkspaceId,
    of: &Conversation,
) -> Result<bool> {
    Ok(messages::of_chat(tx, workspace, &of.flow, &of.chat, 1)?.is_empty())
}

/// Removes the chunks of conversations that were deleted.
pub(in crate::ops) fn delete_for_conversations(
    app: &App,
    workspace: &WorkspaceId,
    flow: &FlowId,
    chats: &BTreeSet<ChatId>,
) {
    delete_matching(app, workspace, |of| of.flow == *flow && chats.contains(&of.chat));
}

/// Removes the chunks of all conversations of a flow.
pub(in crate::ops) fn delete_for_flow(app: &App, workspace: &WorkspaceId, flow: &FlowId) {
    delete_matching(app, workspace, |of| of.flow == *flow);
}

/// What cannot be removed now goes with a later [`sweep`]: nobody is kept from deleting the rest.
fn delete_matching(app: &App, workspace: &WorkspaceId, goes: impl Fn(&Conversation) -> bool) {
    // First: what is being embedded finds no leave when it is to count, and what counted before is removed below.
    let ended = app.store.read(|tx| CONVERSATION_UPLOADS.entries(tx, workspace)).and_then(|mut known| {
        known.retain(|(_, known)| goes(&known.conversation));
        if known.is_empty() {
            return Ok(());
        }
        app.store.write(|tx| {
            known.iter().try_for_each(|(id, _)| CONVERSATION_UPLOADS.remove(tx, workspace, id).map(drop))
        })
    });
    let removed = delete_collections(app, workspace, || {
        let found = app.store.read(|tx| heads(tx, workspace))?.into_iter();
        let goes = |head: &Collection| head.conversation.as_ref().is_some_and(&goes);
        Ok(found.filter(|(_, head)| goes(head)).map(|(id, _)| id).collect())
    });
    if let Err(error) = ended.and(removed) {
        tracing::warn!(error = error.for_log(), "the chunks of a deleted conversation could not be removed");
    }
}

/// Removes the collections that `find` names. Nobody writes one between the look and the removal; others have their turn
/// before the blocks are gone.
fn delete_collections(
    app: &App,
    workspace: &WorkspaceId,
    find: impl FnOnce() -> Result<Vec<CollectionId>>,
) -> Result<()> {
    let gone = {
        let turn = CollectionLock::acquire(app);
        let gone = find()?;
        turn.unlink(workspace, &gone)?;
        gone
    };
    gone.iter().for_each(|id| collections::release(app, workspace, id));
    Ok(())
}

/// Removes what some people sent and never asked about, in all workspaces: no list of conversations shows it, so nobody
/// else would. What could not be removed with its conversation has none any more and goes alike.
///
/// # Errors
/// When the database fails.
pub fn sweep(app: &App, cancel: &CancelToken) -> Result<()> {
    for workspace in app.store.read(|tx| WORKSPACES.list(tx))? {
        if cancel.reason().is_some() {
            break;
        }
        delete_abandoned(app, &workspace.id)?;
    }
    Ok(())
}

fn delete_abandoned(app: &App, workspace: &WorkspaceId) -> Result<()> {
    let now = app.clock.now().as_second();
    let is_older = |changed: Timestamp, hours: i64| now - changed.as_second() > hours * 3600;
    let abandoned_heads = |tx: &MessagesTx| {
        let mut silent = Vec::new();
        for (id, head) in heads(tx, workspace)? {
            let Some(conversation) = head.conversation else { continue };
            if is_older(head.changed, SILENT_CHAT_HOURS) && has_no_messages(tx, workspace, &conversation)? {
                silent.push(id);
            }
            if silent.len() == SILENT_CHATS_AT_ONCE {
                break;
            }
        }
        Ok(silent)
    };
    delete_collections(app, workspace, || app.store.read_messages(abandoned_heads))?;
    let silent = app.store.read_messages(|tx| {
        let mut silent = Vec::new();
        for (id, known) in CONVERSATION_UPLOADS.entries(tx, workspace)? {
            let is_elsewhere = known.elsewhere != ChunkUsage::default();
            let hours = if is_elsewhere { SILENT_CHAT_COUNTED_HOURS } else { SILENT_CHAT_HOURS };
            if is_older(known.changed, hours) && has_no_messages(tx, workspace, &known.conversation)? {
                silent.push((id, known));
            }
            if silent.len() == SILENT_CHATS_AT_ONCE {
                break;
            }
        }
        Ok(silent)
    })?;
    if silent.is_empty() {
        return Ok(());
    }
    app.store.write(|tx| {
        for (id, known) in &silent {
            // Unless something was sent meanwhile.
            if CONVERSATION_UPLOADS.get(tx, workspace, id)?.as_ref() == Some(known) {
                CONVERSATION_UPLOADS.remove(tx, workspace, id)?;
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn files_of_chats_are_refused_where_their_conversation_or_the_workspace_is_full() {
        let (_folder, app, caller) = App::with_owner();
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
            .write(|tx| check_quota(tx, &here, before, after))
        {
            Ok(()) => None,
            Err(Error::QuotaExceeded(full)) => Some(full),
            Err(other) => panic!("{other}"),
        };
        assert_eq!(admitted(None, &head(CHAT_CHUNKS_MAX, 1, true)), None);
        assert_eq!(admitted(None, &head(CHAT_CHUNKS_MAX + 1, 1, true)), Some(FullQuota::Conversation));
        assert_eq!(admitted(None, &head(CHAT_CHUNKS_MAX + 1, 1, false)), None, "what an owner keeps");
        let (id, kept) = (CollectionId::from_bytes([7; 16]), head(1, CHAT_COLLECTIONS_BYTES_MAX, true));
        let settle = |tx: &WriteTx| crate::store::queries::collections::set_head(tx, &here, &id, None, &kept);
        app.store.write(settle).unwrap();
        assert_eq!(admitted(None, &head(1, 1, true)), Some(FullQuota::Workspace));
        assert_eq!(admitted(Some(&kept), &head(2, CHAT_COLLECTIONS_BYTES_MAX, true)), None, "in place of it");
        assert_eq!(
            admitted(Some(&kept), &head(2, CHAT_COLLECTIONS_BYTES_MAX + 1, true)),
            Some(FullQuota::Workspace)
        );
        assert_eq!(admitted(None, &head(1, 1, false)), None, "what an owner keeps");
    }
}
