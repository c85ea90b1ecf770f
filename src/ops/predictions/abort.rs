//! Stopping an answer that is under way (manual 2.9 r2).

use super::conversation::is_owner;
use crate::app::App;
use crate::domain::error::Result;
use crate::domain::flows::flow::Flow;
use crate::domain::ids::ChatId;
use crate::domain::predictions::prediction::ConversationProof;

/// Ends what runs in the conversation, for who proves it or may see all of the flow's. A widget that asked its first
/// question knows only an id of its own making: then the conversation its cookie proves is meant. What was answered
/// is kept as a stopped message by the run itself.
///
/// # Errors
/// When the database cannot be read.
pub fn abort(
    app: &App,
    flow: &Flow,
    named: Option<ChatId>,
    proofs: &[ConversationProof],
    sees_all: bool,
) -> Result<()> {
    let mine = named.filter(|chat| sees_all || is_owner(app, flow, chat, proofs));
    let chat = match (mine, named) {
        (Some(chat), _) => Some(chat),
        (None, Some(other)) if has_messages(app, flow, &other)? => None,
        _ => conversation_of_cookie(app, flow, proofs),
    };
    if let Some(chat) = chat {
        let stopped = app.state.active_runs.abort(flow.id, chat);
        tracing::debug!(flow = %flow.id, stopped, "a conversation was stopped");
    }
    Ok(())
}

fn has_messages(app: &App, flow: &Flow, chat: &ChatId) -> Result<bool> {
    let newest = app.store.conversation(&flow.workspace, &flow.id, chat, 1)?;
    Ok(!newest.is_empty())
}

fn conversation_of_cookie(app: &App, flow: &Flow, proofs: &[ConversationProof]) -> Option<ChatId> {
    proofs.iter().find_map(|proof| match proof {
        ConversationProof::Cookie(value) => app.secrets.tokens.verify_cookie(&flow.id, value),
        ConversationProof::Token(_) | ConversationProof::Editor => None,
    })
}
