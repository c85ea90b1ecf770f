//! Running a flow again from a step of an earlier run: in a new conversation of the test chat, with what the person asked
//! then, and with what was remembered then. Nothing is written where that run was.

use super::agentflow::{AgentRerun, EarlierRun};
use super::ask::{PredictionRun, plan_of_side};
use super::consumption::{self, BudgetForce};
use super::nested::CallPath;
use super::uploads::kept_files::copy_files;
use crate::app::App;
use crate::cards::kit::StartValues;
use crate::domain::error::{Conflict, Error, Result};
use crate::domain::flows::draft::CanvasSide;
use crate::domain::flows::flow::Flow;
use crate::domain::ids::{ChatId, ExecutionId, MessageId};
use crate::domain::predictions::consumption::Asker;
use crate::domain::predictions::execution::{Execution, ExecutionState, PastConversation, RunRequest};
use crate::domain::predictions::prediction::{ChatType, Question, RunIds, behind_documents};
use crate::domain::resource::ResourceId as _;
use crate::engine::agentflow::{AgentPlan, EarlierSteps, FromStep, StepNote, TakenSteps};
use crate::engine::{FlowPlan, Overrides};
use crate::store::queries::executions as rows;
use serde::Deserialize as _;
use std::sync::{Arc, Mutex, OnceLock};

/// From where a run goes again.
#[derive(Debug, Clone)]
pub struct RerunQuestion {
    pub execution: ExecutionId,
    pub node: String,
    /// The item of the iteration around the step; without one the newest counts.
    pub item: Option<u32>,
    pub streaming: bool,
}

/// An earlier run, as it is kept.
struct KeptRun {
    execution: Execution,
    request: RunRequest,
    steps: EarlierSteps,
}

/// Settles everything before a run goes again.
///
/// # Errors
/// 404 for a run that is none of this flow; 400 for a step that the canvas has not, or that the run did not reach; 409 while
/// the run is under way, and when what is to stay does not fit the canvas or is not kept.
pub fn prepare_rerun(
    app: &App,
    mut flow: Arc<Flow>,
    side: CanvasSide,
    asked: &RerunQuestion,
) -> Result<PredictionRun> {
    let kept = find(app, &flow, asked.execution)?;
    let (version, plan) = plan_of_side(app, &mut flow, side)?;
    let open = consumption::begin(app, &flow, Asker::TEST, BudgetForce::Counting)?;
    let taken = take_over(&plan, &kept.steps, asked)?;
    let started = app.clock.monotonic_now();
    let KeptRun { execution, request, .. } = kept;
    let chat = ChatId::random();
    let (files, images) = copy_files(app, &flow, (execution.chat, chat), &request.files)?;
    let overrides = Overrides::restore(&request.overrides, &plan.places());
    let usual = PastConversation { chat: execution.chat, until: request.asked };
    let past = Some(request.past.unwrap_or(usual));
    let question = Question {
        text: request.question.clone(),
        history: request.history.clone(),
        lead_email: request.lead_email.clone(),
        streaming: asked.streaming,
        ..Question::default()
    };
    let prompt = behind_documents(request.documents.clone(), &request.question);
    Ok(PredictionRun {
        documents_end: request.documents.len(),
        prompt,
        images,
        ids: RunIds { flow: flow.id, chat, answer: MessageId::random(), question: MessageId::random() },
        session_name: None,
        memory_session: OnceLock::new(),
        is_first_message: true,
        streams: plan.streams() && flow.settings.chatbot_config.post_processing.is_none(),
        overrides,
        start: StartValues { form: request.form.clone(), webhook: request.webhook.clone() },
        earlier: Mutex::new(Some(EarlierRun::Again(Box::new(AgentRerun { of: execution.id, taken })))),
        request: RunRequest { asked: started, files: files.entries(), past, ..request },
        files,
        version,
        decided: None,
        execution: OnceLock::new(),
        stopped_team: OnceLock::new(),
        started,
        plan,
        flow,
        question,
        chat_type: ChatType::Internal,
        stored_as: ChatType::Internal,
        call_path: CallPath::default(),
        open,
    })
}

fn find(app: &App, flow: &Flow, id: ExecutionId) -> Result<KeptRun> {
    let (execution, request, entries) = app.store.read_messages(|tx| {
        let execution = rows::find(tx, &flow.workspace, &id)?.filter(|run| run.flow == flow.id);
        let execution = execution.ok_or_else(|| id.not_found())?;
        Ok((execution, rows::request(tx, &id)?, rows::entries(tx, &id)?))
    })?;
    if execution.state() == ExecutionState::InProgress {
        return Err(Conflict::RunUnderWay.into());
    }
    let request = request.ok_or(Error::Conflict(Conflict::QuestionNotKept))?;
    let note = |note: &serde_json::Value| StepNote::deserialize(note).ok();
    let steps = entries.into_iter().map(|placed| (placed.entry, placed.note.as_ref().and_then(note)));
    Ok(KeptRun { execution, request, steps: steps.collect() })
}

fn take_over(plan: &FlowPlan, steps: &EarlierSteps, asked: &RerunQuestion) -> Result<TakenSteps> {
    let FlowPlan::Agent(plan) = plan else {
        return Err(Error::invalid("Only an agentflow can run again from one of its steps."));
    };
    let item = asked.item.and_then(|item| usize::try_from(item).ok());
    AgentPlan::take_over(plan, steps, &FromStep { node: &asked.node, item })
}
