//! Which conversation a question belongs to (spec 5.6, contract 5).

use crate::app::App;
use crate::domain::error::Result;
use crate::domain::flow::Flow;
use crate::domain::ids::ChatId;
use crate::domain::prediction::{ChatType, Proof, Question};

/// How a caller of this entrance proves a conversation.
pub(super) fn own(app: &App, flow: &Flow, question: &Question, chat_type: ChatType) -> Result<ChatId> {
    let claimed = question.chat_id.as_deref().and_then(ChatId::parse);
    let Some(chat) = claimed else { return Ok(ChatId::random()) };
    let proven = match chat_type {
        ChatType::External => question.proofs.iter().any(|proof| proves(app, flow, &chat, proof)),
        ChatType::Internal => is_test_chat(app, flow, &chat)?,
    };
    Ok(if proven { chat } else { ChatId::random() })
}

/// True when `proof` proves this conversation of this flow.
pub(in crate::ops) fn proves(app: &App, flow: &Flow, chat: &ChatId, proof: &Proof) -> bool {
    match proof {
        Proof::Token(token) => app.secrets.tokens.prove(&flow.id, chat, token),
        Proof::Cookie(value) => app.secrets.tokens.prove_cookie(&flow.id, value) == Some(*chat),
    }
}

/// True when one of `proofs` proves this conversation of this flow.
#[must_use]
pub fn owns(app: &App, flow: &Flow, chat: &ChatId, proofs: &[Proof]) -> bool {
    proofs.iter().any(|proof| proves(app, flow, chat, proof))
}

/// In the canvas test chat the signed-in person and the workspace are the proof (reference 8): the
/// conversation must be one that was begun there.
fn is_test_chat(app: &App, flow: &Flow, chat: &ChatId) -> Result<bool> {
    let newest = app.store.conversation(&flow.workspace, &flow.id, chat, 1)?;
    Ok(newest.first().is_some_and(|message| message.chat_type == ChatType::Internal))
}
