//! Questions that are kept for the checks of a flow (manual 18.6).

use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::checks::check::CHECK_QUESTION_CHARS_MAX;
use crate::domain::checks::kept::{
    KEPT_QUESTIONS_MAX, KeptQuestion, QuestionOrigin, SentQuestion, read_expectations,
};
use crate::domain::checks::questions::require_question;
use crate::domain::error::{Error, Result};
use crate::domain::flows::flow::Flow;
use crate::domain::ids::{ChatId, FlowId, KeptQuestionId, WorkspaceId};
use crate::domain::predictions::prediction::MessageRole;
use crate::ops::flows::access::{self, FlowAction};
use crate::ops::flows::drafts;
use crate::store::queries::{messages, timeline};
use crate::store::tables::KEPT_QUESTIONS;
use crate::store::{Tx, WriteTx};
use jiff::Timestamp;
use std::collections::HashMap;
use std::ops::ControlFlow;

/// Messages that are looked through for the conversation of a question (manual 14.4).
const MESSAGES_READ_MAX: usize = 20_000;

/// The kept questions of a flow, in their order.
///
/// # Errors
/// 404, 403.
pub(crate) fn list(app: &App, caller: &Caller, id: &FlowId) -> Result<Vec<KeptQuestion>> {
    app.store.read(|tx| {
        let flow = access::flow(tx, caller, id, FlowAction::View)?;
        in_transaction(tx, &flow)
    })
}

/// Those of a flow that is known.
///
/// # Errors
/// When the database cannot be read.
pub(super) fn of_flow(app: &App, flow: &Flow) -> Result<Vec<KeptQuestion>> {
    app.store.read(|tx| in_transaction(tx, flow))
}

pub(super) fn in_transaction(tx: &impl Tx, flow: &Flow) -> Result<Vec<KeptQuestion>> {
    Ok(KEPT_QUESTIONS.get(tx, &flow.workspace, &flow.id)?.unwrap_or_default())
}

/// Puts these questions in place of those that were kept.
///
/// # Errors
/// 400 naming the row at fault; 404, 403; 409 while drafts are off.
pub(crate) fn replace(
    app: &App,
    caller: &Caller,
    id: &FlowId,
    sent: Vec<SentQuestion>,
) -> Result<Vec<KeptQuestion>> {
    let flow = app.store.read(|tx| access::flow(tx, caller, id, FlowAction::Update))?;
    drafts::require_drafts(app)?;
    judge(&sent)?;
    let known = of_flow(app, &flow)?;
    let conversations = find_conversations(app, &flow, &sent, &known)?;
    let now = app.clock.now();
    app.store.write(|tx| {
        let flow = access::flow(tx, caller, id, FlowAction::Update)?;
        let before = in_transaction(tx, &flow)?;
        // A conversation may have been deleted since it was found.
        let mut lasting = HashMap::new();
        for (text, chat) in &conversations {
            if !timeline::of_chat(tx, &flow.workspace, &flow.id, chat)?.is_empty() {
                lasting.insert(text.clone(), *chat);
            }
        }
        let rows: Vec<KeptQuestion> = sent.iter().map(|one| keep(one, &before, &lasting, now)).collect();
        put(tx, &flow, &rows)?;
        Ok(rows)
    })
}

pub(super) fn put(tx: &WriteTx, flow: &Flow, rows: &[KeptQuestion]) -> Result<()> {
    if rows.is_empty() {
        return KEPT_QUESTIONS.remove(tx, &flow.workspace, &flow.id).map(drop);
    }
    KEPT_QUESTIONS.put(tx, &flow.workspace, &flow.id, &rows.to_vec())
}

fn judge(sent: &[SentQuestion]) -> Result<()> {
    require_count(sent.len())?;
    for (at, one) in sent.iter().enumerate() {
        judge_row(one, at)?;
        if let Some(id) = one.id
            && sent[..at].iter().any(|other| other.id == Some(id))
        {
            return Err(Error::Invalid(format!("Invalid questions[{at}]: another question has this id.")));
        }
    }
    Ok(())
}

pub(super) fn require_count(count: usize) -> Result<()> {
    if count > KEPT_QUESTIONS_MAX {
        return Err(Error::Invalid(format!(
            "Invalid questions: a flow keeps {KEPT_QUESTIONS_MAX} questions at most."
        )));
    }
    Ok(())
}

/// Judges a question by itself; `at` is its place in the list.
///
/// # Errors
/// 400 naming the row at fault.
pub(crate) fn judge_row(sent: &SentQuestion, at: usize) -> Result<()> {
    let place = format!("questions[{at}]");
    require_question(&sent.text, &place)?;
    read_expectations(&sent.expect, at + 1)?;
    Ok(())
}

/// A row that was kept before stays what it was, but for its text and what is expected.
pub(super) fn keep(
    sent: &SentQuestion,
    before: &[KeptQuestion],
    conversations: &HashMap<String, ChatId>,
    now: Timestamp,
) -> KeptQuestion {
    let known = sent.id.and_then(|id| before.iter().find(|kept| kept.id == id));
    let is_same = known.is_some_and(|kept| kept.text == sent.text && kept.from == sent.from);
    let conversation = match known {
        Some(kept) if is_same => kept.conversation,
        _ if sent.from == QuestionOrigin::Person => conversations.get(sent.text.trim()).copied(),
        _ => None,
    };
    let is_persons = sent.from != QuestionOrigin::Person || conversation.is_some();
    KeptQuestion {
        id: sent.id.unwrap_or_else(KeptQuestionId::random),
        text: sent.text.clone(),
        expect: sent.expect.clone(),
        from: if is_persons { sent.from } else { QuestionOrigin::Written },
        kept: known.map(|kept| kept.kept).or(sent.kept).unwrap_or(now),
        conversation,
    }
}

/// The conversation of the newest message with the text of each question that a person asked and that is new.
pub(super) fn find_conversations(
    app: &App,
    flow: &Flow,
    sent: &[SentQuestion],
    known: &[KeptQuestion],
) -> Result<HashMap<String, ChatId>> {
    let is_known =
        |one: &SentQuestion| known.iter().any(|kept| Some(kept.id) == one.id && kept.text == one.text);
    let mut wanted: Vec<&str> = sent
        .iter()
        .filter(|one| one.from == QuestionOrigin::Person && !is_known(one))
        .map(|one| one.text.trim())
        .collect();
    let mut found = HashMap::new();
    if wanted.is_empty() {
        return Ok(found);
    }
    let mut left = MESSAGES_READ_MAX;
    app.store.read_messages(|tx| {
        messages::scan_newest(tx, &flow.workspace, &flow.id, |message| {
            if message.role == MessageRole::User && message.content.len() <= 4 * CHECK_QUESTION_CHARS_MAX {
                let text = message.content.trim();
                if wanted.contains(&text) {
                    wanted.retain(|other| *other != text);
                    found.insert(text.to_owned(), message.chat);
                }
            }
            left -= 1;
            if left == 0 || wanted.is_empty() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
    })?;
    Ok(found)
}

/// Forgets what people asked in conversations that are deleted.
///
/// # Errors
/// When the database cannot be written.
pub(crate) fn forget_conversations(
    tx: &WriteTx,
    workspace: &WorkspaceId,
    flow: &FlowId,
    is_gone: impl Fn(&ChatId) -> bool,
) -> Result<()> {
    let Some(mut rows) = KEPT_QUESTIONS.get(tx, workspace, flow)? else { return Ok(()) };
    let before = rows.len();
    rows.retain(|kept| !kept.conversation.as_ref().is_some_and(&is_gone));
    if rows.is_empty() {
        KEPT_QUESTIONS.remove(tx, workspace, flow)?;
    } else if rows.len() < before {
        KEPT_QUESTIONS.put(tx, workspace, flow, &rows)?;
    }
    Ok(())
}

/// Forgets all that a flow kept.
///
/// # Errors
/// When the database cannot be written.
pub(crate) fn delete_for_flow(tx: &WriteTx, workspace: &WorkspaceId, flow: &FlowId) -> Result<()> {
    KEPT_QUESTIONS.remove(tx, workspace, flow).map(drop)
}
