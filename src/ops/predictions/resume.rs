//! The answer to a run that waits. It goes on with the canvas it began with and with all that it was asked with; Live is
//! not asked, so a Live that cannot run holds nobody up.

use super::agentflow::{AgentResume, EarlierRun};
use super::ask::{PredictionRequest, PredictionRun, Within, evaluate_overrides};
use super::conversation;
use super::executions;
use super::nested::CallPath;
use super::uploads::kept_files::load_images;
use super::uploads::request_files::StoredUploads;
use crate::app::App;
use crate::canvas::Canvas;
use crate::domain::conversations::conversation::Message;
use crate::domain::error::{Conflict, Error, Result};
use crate::domain::flows::flow::{CanvasDigest, Flow, FlowKind};
use crate::domain::ids::{ChatId, MessageId};
use crate::domain::predictions::execution::{Execution, ExecutionState, RunRequest};
use crate::domain::predictions::human_input::HumanInput;
use crate::domain::predictions::prediction::{MessageRole, RunIds};
use crate::engine::agentflow::RunSnapshot;
use crate::engine::{FlowPlan, Overrides};
use crate::limits::MEMORY_MESSAGES_MAX;
use jiff::Timestamp;
use std::sync::{Arc, Mutex, OnceLock};

/// Settles everything before a run goes on. The conversation shows what was decided.
///
/// # Errors
/// 400 for files that are sent along; 409 when nothing waits for this answer.
pub(super) fn prepare(
    app: &App,
    asked: PredictionRequest,
    input: HumanInput,
    within: Option<Within>,
) -> Result<PredictionRun> {
    let PredictionRequest { flow, mut question, chat_type, .. } = asked;
    if !question.uploads.is_empty() {
        return Err(Error::invalid("Files cannot be sent with an answer to a step that waits."));
    }
    let started = app.clock.monotonic_now();
    let (belonging, session_name, call_path, is_others) = match within {
        Some(Within { conversation, name, path, .. }) => (conversation, name, path, true),
        None => match conversation::find_for_editor(app, &flow, &question, chat_type)? {
            Some((conversation, name)) => (conversation, name, CallPath::default(), true),
            None => {
                let (belonging, name) =
                    conversation::resolve_for_question(app, &flow, &mut question, false, chat_type)?;
                (belonging, name, CallPath::default(), false)
            }
        },
    };
    conversation::return_unused_name(&mut question);
    // What Live's list says of Live's cards is not said of those that run.
    let sent = evaluate_overrides(app, &flow, &[], &question.overrides)?;
    let chat = belonging.chat_id();
    let own_type = if is_others { conversation::chat_type_of(app, &flow, &chat)? } else { None };
    let session = session_name.as_ref().map_or_else(|| chat.to_string(), |name| name.as_str().to_owned());
    // Last, because nobody else can answer the pause from here on.
    let resume = take_up(app, &flow, chat, &session, input)?;
    if question.text.trim().is_empty() {
        question.text = resume.answer_text();
    }
    let plan = compile_kept(app, resume.canvas())?;
    let request = resume.request().clone();
    let prompt = resume.question().to_owned();
    question.history.clone_from(&request.history);
    Ok(PredictionRun {
        documents_end: if prompt.starts_with(&request.documents) { request.documents.len() } else { 0 },
        prompt,
        images: load_images(app, &flow, chat, &request.files)?,
        files: StoredUploads::new(app, &flow, chat),
        started,
        ids: RunIds { flow: flow.id, chat, answer: MessageId::random(), question: MessageId::random() },
        session_name,
        is_first_message: false,
        streams: plan.streams() && flow.settings.chatbot_config.post_processing.is_none(),
        overrides: Overrides::restore(&request.overrides, &plan.places()).with_variables_of(sent),
        start: resume.start().clone(),
        earlier: Mutex::new(Some(EarlierRun::Waiting(Box::new(resume)))),
        request: RunRequest::default(),
        runs_live: false,
        execution: OnceLock::new(),
        plan,
        flow,
        question,
        chat_type,
        stored_as: own_type.unwrap_or(chat_type),
        call_path,
    })
}

/// When a run began whose pause does not say so: with its question, which is the newest one that is older than its record.
fn find_beginning(app: &App, flow: &Flow, run: &Execution) -> Result<Timestamp> {
    let said = app.store.conversation(&flow.workspace, &flow.id, &run.chat, MEMORY_MESSAGES_MAX)?;
    let is_question = |said: &&Message| said.role == MessageRole::User && said.created <= run.created;
    Ok(said.iter().filter(is_question).map(|said| said.created).max().unwrap_or(run.created))
}

/// The plan of the canvas that a run which waits began with.
fn compile_kept(app: &App, canvas: &str) -> Result<Arc<FlowPlan>> {
    app.plan_cache.get(CanvasDigest::compute(FlowKind::Agentflow, canvas), || {
        let canvas = Canvas::parse(canvas).map_err(|fault| Error::RunFailed(fault.to_string()))?;
        FlowPlan::compile(FlowKind::Agentflow, &canvas)
    })
}

/// Takes the newest run of the conversation up that waits for this answer. Of two answers to one pause the first wins.
///
/// # Errors
/// 409 when none waits for it.
pub(super) fn take_up(
    app: &App,
    flow: &Flow,
    chat: ChatId,
    session: &str,
    input: HumanInput,
) -> Result<AgentResume> {
    let waiting = executions::find_newest(app, flow, (chat, session), |run| {
        let waits = run.state() == ExecutionState::Stopped;
        let pause = run.pauses().filter(|_| waits).find(|pause| input.means(pause))?;
        Some((run.id, pause.id))
    })?;
    let (id, pause) = waiting.ok_or(Error::Conflict(Conflict::NothingToAnswer))?;
    let run = executions::resume(app, &flow.workspace, &id, Some(pause))?;
    let snapshot: RunSnapshot = serde_json::from_value(run.paused.note.clone()).map_err(Error::internal)?;
    let began = match snapshot.began {
        Some(began) => began,
        None => find_beginning(app, flow, &run.execution)?,
    };
    Ok(AgentResume {
        run,
        snapshot,
        began,
        input: HumanInput { action: Some(pause.to_string()), node: None, ..input },
    })
}
