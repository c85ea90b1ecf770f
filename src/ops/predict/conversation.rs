//! Which conversation a question belongs to (manual 3.1, 3.2).

use crate::app::App;
use crate::domain::conversation::Conversation;
use crate::domain::error::Result;
use crate::domain::flow::Flow;
use crate::domain::ids::ChatId;
use crate::domain::named_session::SessionName;
use crate::domain::prediction::{ChatType, Proof, Question};
use crate::ops::{chat_passages, named_sessions};

/// The key of a conversation's name among the overrides.
pub(super) const NAME: &str = "sessionId";

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
    pub(super) fn fresh() -> Self {
        Self::ToNew(ChatId::random())
    }
}

/// The conversation that a caller of this entrance proves, else a new one.
pub(in crate::ops) fn own(
    app: &App,
    flow: &Flow,
    claim: Claim<'_>,
    chat_type: ChatType,
) -> Result<Belonging> {
    match proven(app, flow, claim, chat_type)? {
        Some(chat) => Ok(Belonging::To(chat)),
        None => unproven(app, flow, claim, chat_type),
    }
}

/// As [`own`], for a question that may name its conversation: the name, when it is that which counts.
pub(super) fn of_question(
    app: &App,
    flow: &Flow,
    question: &mut Question,
    has_files: bool,
    chat_type: ChatType,
) -> Result<(Belonging, Option<SessionName>)> {
    let (chat, proofs) = (question.chat_id.as_deref(), &question.proofs[..]);
    let claim = Claim { chat, proofs, has_files };
    if let Some(chat) = proven(app, flow, claim, chat_type)? {
        return Ok((Belonging::To(chat), None));
    }
    // The gate of the flow let nobody in without this key.
    let key = flow.settings.api_key.filter(|_| flow.settings.named_sessions());
    if let (Some(key), ChatType::External) = (key, chat_type) {
        let sent = question.overrides.shift_remove(NAME).filter(|sent| !sent.is_null());
        if let Some(sent) = sent.or_else(|| question.session_name.take()) {
            let name = SessionName::parse(&sent)?;
            let (chat, is_new) = named_sessions::conversation(app, flow, &key, &name)?;
            let belonging = if is_new { Belonging::ToNew(chat) } else { Belonging::To(chat) };
            return Ok((belonging, Some(name)));
        }
    }
    Ok((unproven(app, flow, claim, chat_type)?, None))
}

/// The conversation whose id the request says and proves.
fn proven(app: &App, flow: &Flow, claim: Claim<'_>, chat_type: ChatType) -> Result<Option<ChatId>> {
    let Some(chat) = claim.chat.and_then(ChatId::parse) else { return Ok(None) };
    let proven = match chat_type {
        ChatType::External => owns(app, flow, &chat, claim.proofs),
        ChatType::Internal => {
            is_test_chat(app, flow, &chat)?
                || (owns(app, flow, &chat, claim.proofs) && is_silent(app, flow, chat)?)
        }
    };
    Ok(proven.then_some(chat))
}

/// The conversation of a request that proves none.
fn unproven(app: &App, flow: &Flow, claim: Claim<'_>, chat_type: ChatType) -> Result<Belonging> {
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
        _ => Ok(Belonging::fresh()),
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

/// In the canvas test chat the signed-in person and the workspace are the proof (manual 2.11 r3): the
/// conversation must be one that was begun there.
fn is_test_chat(app: &App, flow: &Flow, chat: &ChatId) -> Result<bool> {
    let newest = app.store.conversation(&flow.workspace, &flow.id, chat, 1)?;
    Ok(newest.first().is_some_and(|message| message.chat_type == ChatType::Internal))
}
