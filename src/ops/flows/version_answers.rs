//! What a version answered (manual 6.11).

use super::access::{self, FlowAction};
use super::versions;
use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::conversations::receipt::{AnswerTally, VersionAnswer, VersionAnswers};
use crate::domain::error::Result;
use crate::domain::ids::{FlowId, WorkspaceId};
use crate::domain::predictions::prediction::MessageRole;
use crate::store::MessagesTx;
use crate::store::queries::answers::{self, AnswerPlace};
use crate::store::queries::timeline::{self, MessagePosition};

/// Answers on one page (manual 6.11).
const VERSION_ANSWERS_PAGE: usize = 20;

/// A page of the answers of a version, from 1, and how all of them came out. A version that changed settings alone answered
/// nothing of its own.
///
/// # Errors
/// 400 for a bad sha, 404, 403.
pub(crate) fn list(
    app: &App,
    caller: &Caller,
    id: &FlowId,
    sha: &str,
    page: usize,
) -> Result<VersionAnswers> {
    let flow = app.store.read(|tx| access::flow(tx, caller, id, FlowAction::View))?;
    let version = versions::find(app, id, sha)?;
    if let Some(kind) = version.flow_kind {
        versions::check_kind_permission(caller, &flow, kind, FlowAction::View)?;
    }
    let page = page.max(1) as u64;
    let size = VERSION_ANSWERS_PAGE as u64;
    app.store.read_messages(|tx| {
        let mut found = VersionAnswers {
            sha: version.sha,
            tally: AnswerTally::default(),
            page,
            pages: 0,
            messages: Vec::new(),
        };
        let Some(change) = answers::change_of(tx, id, &version.sha)? else { return Ok(found) };
        let workspace = &flow.workspace;
        found.tally = answers::tally(tx, workspace, id, &change)?;
        found.pages = found.tally.answers.div_ceil(size);
        let skip = (page - 1).saturating_mul(size);
        for place in answers::newest(tx, workspace, id, &change, (skip, VERSION_ANSWERS_PAGE))? {
            found.messages.extend(read_answer(tx, workspace, id, &place)?);
        }
        Ok(found)
    })
}

/// An answer with its question, which was stored right before it.
fn read_answer(
    tx: &MessagesTx,
    workspace: &WorkspaceId,
    flow: &FlowId,
    place: &AnswerPlace,
) -> Result<Option<VersionAnswer>> {
    let AnswerPlace { message: at, ms, rating } = *place;
    let Some(answer) = timeline::message_at(tx, workspace, flow, &at)? else { return Ok(None) };
    let asked = MessagePosition { sequence: at.sequence.saturating_sub(1), ..at };
    let question = timeline::message_at(tx, workspace, flow, &asked)?;
    let question = question.filter(|said| said.role == MessageRole::User);
    Ok(Some(VersionAnswer {
        id: answer.id,
        chat: answer.chat,
        question: question.map(|said| said.content).unwrap_or_default(),
        text: answer.content,
        date: answer.created,
        rating,
        ms,
    }))
}
