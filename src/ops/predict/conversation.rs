//! Which conversation a question belongs to (spec 5.6, contract 5).

use crate::app::App;
use crate::domain::conversation::Conversation;
use crate::domain::error::Result;
use crate::domain::flow::Flow;
use crate::domain::ids::ChatId;
use crate::domain::prediction::{ChatType, Proof};
use crate::ops::chat_passages;

/// What a request says of its conversation.
#[derive(Debug, Clone, Copy)]
pub(in crate::ops) struct Claim<'a> {
    /// The conversation that it names.
    pub chat: Option<&'a str>,
    /// Its proofs.
    pub proofs: &'a [Proof],
    /// It sends files ahead of a first question, or asks about such files.
    pub has_files: bool,
}

/// The conversation a question belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::ops) enum Belonging {
    /// One that may have been begun before.
    To(ChatId),
    /// One whose id was made for this question: nothing was said in it.
    ToNew(ChatId),
}

impl Belonging {
    /// Its id.
    pub(in crate::ops) const fn chat(self) -> ChatId {
        match self {
            Self::To(chat) | Self::ToNew(chat) => chat,
        }
    }

    /// A conversation nobody knows.
    pub(super) fn fresh(app: &App) -> Self {
        Self::ToNew(ChatId::beginning(app.clock.now()))
    }
}

/// The conversation that a caller of this entrance proves, else a new one.
pub(in crate::ops) fn own(
    app: &App,
    flow: &Flow,
    claim: Claim<'_>,
    chat_type: ChatType,
) -> Result<Belonging> {
    if let Some(chat) = claim.chat.and_then(ChatId::parse) {
        let proven = match chat_type {
            ChatType::External => owns(app, flow, &chat, claim.proofs),
            ChatType::Internal => {
                is_test_chat(app, flow, &chat)?
                    || (owns(app, flow, &chat, claim.proofs) && is_silent(app, flow, chat)?)
            }
        };
        if proven {
            return Ok(Belonging::To(chat));
        }
    }
    let begun = claim.proofs.iter().filter(|_| claim.has_files).find_map(|proof| match proof {
        Proof::Cookie(value) => app.secrets.tokens.prove_cookie(&flow.id, value),
        Proof::Token(_) => None,
    });
    match begun {
        // A chat page names conversations itself until the first answer tells it better. Where it sent files before, its
        // browser knows in which conversation they are.
        Some(chat) if chat_type == ChatType::External && is_silent(app, flow, chat)? => {
            Ok(Belonging::To(chat))
        }
        _ => Ok(Belonging::fresh(app)),
    }
}

/// True when nothing was said in a conversation yet.
fn is_silent(app: &App, flow: &Flow, chat: ChatId) -> Result<bool> {
    let of = Conversation { flow: flow.id, chat };
    app.store.read(|tx| chat_passages::is_silent(tx, &flow.workspace, &of))
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
