//! Stopping an answer that is under way (manual 2.9 r2).

use super::conversation::owns;
use crate::app::App;
use crate::domain::error::Result;
use crate::domain::flow::Flow;
use crate::domain::ids::ChatId;
use crate::domain::prediction::Proof;

/// Ends what runs in the conversation, for who proves it or may see all of the flow's. A widget that asked its first
/// question knows only an id of its own making: then the conversation its cookie proves is meant. What was answered
/// is kept as a stopped message by the run itself.
///
/// # Errors
/// When the database cannot be read.
pub fn abort(app: &App, flow: &Flow, named: Option<ChatId>, proofs: &[Proof], sees_all: bool) -> Result<()> {
    let mine = named.filter(|chat| sees_all || owns(app, flow, chat, proofs));
    let chat = match (mine, named) {
        (Some(chat), _) => Some(chat),
        (None, Some(other)) if is_known(app, flow, &other)? => None,
        _ => of_cookie(app, flow, proofs),
    };
    if let Some(chat) = chat {
        let stopped = app.boards.runs.abort(flow.id, chat);
        tracing::debug!(flow = %flow.id, stopped, "a conversation was stopped");
    }
    Ok(())
}

fn is_known(app: &App, flow: &Flow, chat: &ChatId) -> Result<bool> {
    let newest = app.store.conversation(&flow.workspace, &flow.id, chat, 1)?;
    Ok(!newest.is_empty())
}

fn of_cookie(app: &App, flow: &Flow, proofs: &[Proof]) -> Option<ChatId> {
    proofs.iter().find_map(|proof| match proof {
        Proof::Cookie(value) => app.secrets.tokens.prove_cookie(&flow.id, value),
        Proof::Token(_) => None,
    })
}
