//! Which conversation a question belongs to (manual 3.1, 3.2).

use crate::app::App;
use crate::domain::conversations::conversation::Conversation;
use crate::domain::conversations::conversation_name::ConversationName;
use crate::domain::error::Result;
use crate::domain::flows::flow::Flow;
use crate::domain::ids::ChatId;
use crate::domain::predictions::prediction::{ChatType, ConversationProof, Question};
use crate::limits::MEMORY_MESSAGES_MAX;
use crate::ops::conversations::{chunks, leads, named_sessions};
use crate::store::queries::executions;

/// The key of a conversation's name among the overrides.
pub(super) const SESSION_ID_KEY: &str = "sessionId";

/// What a request says of its conversation.
#[derive(Debug, Clone, Copy)]
pub(in crate::ops) struct ConversationClaim<'a> {
    pub chat: Option<&'a str>,
    pub proofs: &'a [ConversationProof],
    /// It sends files or a lead ahead of a first question, or asks about such files.
    pub goes_ahead: bool,
}

/// The conversation a question belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::ops) enum ConversationRef {
    /// One that may have been begun before.
    Existing(ChatId),
    /// One whose id was made for this question: it has no messages.
    New(ChatId),
}

impl ConversationRef {
    pub(in crate::ops) const fn chat_id(self) -> ChatId {
        match self {
            Self::Existing(chat) | Self::New(chat) => chat,
        }
    }

    pub(super) fn random() -> Self {
        Self::New(ChatId::random())
    }
}

/// The conversation that a caller of this chat type proves, else a new one.
pub(in crate::ops) fn resolve_conversation(
    app: &App,
    flow: &Flow,
    claim: ConversationClaim<'_>,
    chat_type: ChatType,
) -> Result<ConversationRef> {
    match find_proven(app, flow, claim, chat_type)? {
        Some(chat) => Ok(ConversationRef::Existing(chat)),
        None => unproven_conversation(app, flow, claim, chat_type),
    }
}

/// As [`resolve_conversation`], for a question that may name its conversation: the name, when it is that which counts.
pub(super) fn resolve_for_question(
    app: &App,
    flow: &Flow,
    question: &mut Question,
    has_files: bool,
    chat_type: ChatType,
) -> Result<(ConversationRef, Option<ConversationName>)> {
    let (chat, proofs) = (question.chat_id.as_deref(), &question.proofs[..]);
    let claim = ConversationClaim { chat, proofs, goes_ahead: has_files };
    if let Some(chat) = find_proven(app, flow, claim, chat_type)? {
        return Ok((ConversationRef::Existing(chat), None));
    }
    // The gate of the flow let nobody in without this key.
    let key = flow.settings.api_key.filter(|_| flow.settings.api_config.named_conversations);
    if let (Some(key), ChatType::External) = (key, chat_type) {
        let sent = question.overrides.shift_remove(SESSION_ID_KEY).filter(|sent| !sent.is_null());
        if let Some(sent) = sent.or_else(|| question.conversation_name.take()) {
            let name = ConversationName::parse(&sent)?;
            let (chat, is_new) = named_sessions::find_or_create(app, flow, &key, &name)?;
            let belonging = if is_new { ConversationRef::New(chat) } else { ConversationRef::Existing(chat) };
            if question.repeats_history && !is_new {
                question.history.clear();
            }
            return Ok((belonging, Some(name)));
        }
    }
    Ok((unproven_conversation(app, flow, claim, chat_type)?, None))
}

/// Puts a name that does not count back among the settings, of which it is one that nobody may change.
pub(super) fn return_unused_name(question: &mut Question) {
    if let Some(unused) = question.conversation_name.take() {
        question.overrides.entry(SESSION_ID_KEY).or_insert(unused);
    }
}

/// The conversation whose id the request says and proves.
fn find_proven(
    app: &App,
    flow: &Flow,
    claim: ConversationClaim<'_>,
    chat_type: ChatType,
) -> Result<Option<ChatId>> {
    let Some(chat) = claim.chat.and_then(ChatId::parse) else { return Ok(None) };
    let proven = match chat_type {
        ChatType::External | ChatType::Scheduled | ChatType::Webhook | ChatType::Mcp => {
            is_owner(app, flow, &chat, claim.proofs)
        }
        ChatType::Internal => {
            is_test_chat(app, flow, &chat)?
                || (is_owner(app, flow, &chat, claim.proofs) && has_no_messages(app, flow, chat)?)
        }
    };
    Ok(proven.then_some(chat))
}

/// The conversation of a request that proves none.
fn unproven_conversation(
    app: &App,
    flow: &Flow,
    claim: ConversationClaim<'_>,
    chat_type: ChatType,
) -> Result<ConversationRef> {
    let begun = claim.proofs.iter().find_map(|proof| match proof {
        ConversationProof::Cookie(value) => app.secrets.tokens.verify_cookie(&flow.id, value),
        ConversationProof::Token(_) | ConversationProof::Editor => None,
    });
    match begun {
        // A chat page names conversations itself until the first answer tells it better. Where it sent files or a lead
        // before, its browser knows in which conversation they are.
        Some(chat)
            if chat_type == ChatType::External
                && has_no_messages(app, flow, chat)?
                && (claim.goes_ahead || leads::have_begun(app, flow, &chat)?) =>
        {
            Ok(ConversationRef::Existing(chat))
        }
        _ => Ok(ConversationRef::random()),
    }
}

/// True when a conversation has no messages yet.
pub(in crate::ops) fn has_no_messages(app: &App, flow: &Flow, chat: ChatId) -> Result<bool> {
    let of = Conversation { flow: flow.id, chat };
    app.store.read_messages(|tx| chunks::has_no_messages(tx, &flow.workspace, &of))
}

/// True when `proof` proves this conversation of this flow.
pub(in crate::ops) fn verify_proof(app: &App, flow: &Flow, chat: &ChatId, proof: &ConversationProof) -> bool {
    match proof {
        ConversationProof::Token(token) => app.secrets.tokens.verify(&flow.id, chat, token),
        ConversationProof::Cookie(value) => app.secrets.tokens.verify_cookie(&flow.id, value) == Some(*chat),
        ConversationProof::Editor => false,
    }
}

/// A conversation that somebody else began, with its name.
pub(super) type OthersConversation = (ConversationRef, Option<ConversationName>);

/// The conversation of somebody else in which who may change the flow may answer what waits. Those of the test chat are
/// everybody's who may see the flow.
pub(super) fn find_for_editor(
    app: &App,
    flow: &Flow,
    question: &Question,
    chat_type: ChatType,
) -> Result<Option<OthersConversation>> {
    let is_editor = chat_type == ChatType::Internal && question.proofs.contains(&ConversationProof::Editor);
    let chat = question.chat_id.as_deref().and_then(ChatId::parse).filter(|_| is_editor);
    let Some(chat) = chat else { return Ok(None) };
    let said = app.store.conversation(&flow.workspace, &flow.id, &chat, MEMORY_MESSAGES_MAX)?;
    if said.last().is_none_or(|newest| newest.chat_type == ChatType::Internal) {
        return Ok(None);
    }
    let run = said.iter().rev().find_map(|said| said.execution);
    let run = run.map(|run| app.store.read_messages(|tx| executions::find(tx, &flow.workspace, &run)));
    let session = run.transpose()?.flatten().map(|run| run.session);
    let name = session.filter(|session| *session != chat.to_string());
    let name = name.map(|name| ConversationName::parse(&name.into())).transpose()?;
    Ok(Some((ConversationRef::Existing(chat), name)))
}

/// What messages of a conversation are stored as that who answers did not begin: as its newest one.
pub(super) fn chat_type_of(app: &App, flow: &Flow, chat: &ChatId) -> Result<Option<ChatType>> {
    let newest = app.store.conversation(&flow.workspace, &flow.id, chat, 1)?;
    Ok(newest.first().map(|message| message.chat_type))
}

/// True when one of `proofs` proves this conversation of this flow.
#[must_use]
pub fn is_owner(app: &App, flow: &Flow, chat: &ChatId, proofs: &[ConversationProof]) -> bool {
    proofs.iter().any(|proof| verify_proof(app, flow, chat, proof))
}

/// In the canvas test chat the signed-in person and the workspace are the proof (manual 2.11 r3): the
/// conversation must be one that was begun there.
fn is_test_chat(app: &App, flow: &Flow, chat: &ChatId) -> Result<bool> {
    Ok(chat_type_of(app, flow, chat)? == Some(ChatType::Internal))
}
