//! The answer to a run that waits. It goes on with the canvas it began with and with all that it was asked with; Live is
//! not asked, so a Live that cannot run holds nobody up.

use super::agentflow::{AgentResume, EarlierRun};
use super::ask::{PredictionRequest, PredictionRun, StartedBy, Within, evaluate_overrides, session_token};
use super::consumption;
use super::conversation;
use super::executions::{self, ExecutionRecorder, WaitingRun};
use super::nested::CallPath;
use super::uploads::kept_files::load_images;
use super::uploads::request_files::StoredUploads;
use crate::app::App;
use crate::canvas::Canvas;
use crate::domain::conversations::conversation::Message;
use crate::domain::error::{Conflict, Error, Result};
use crate::domain::flows::flow::{CanvasDigest, Flow, FlowKind};
use crate::domain::flows::live_version::LiveVersion;
use crate::domain::ids::{ChatId, ExecutionId, FlowId, MessageId, PauseId, WorkspaceId};
use crate::domain::predictions::execution::{Execution, ExecutionState, RunRequest};
use crate::domain::predictions::human_input::{Decision, HumanInput};
use crate::domain::predictions::prediction::{ImageUpload, MessageRole, RunIds};
use crate::engine::agentflow::RunSnapshot;
use crate::engine::{FlowPlan, Overrides};
use crate::limits::MEMORY_MESSAGES_MAX;
use crate::store::queries::{answers, executions as rows};
use jiff::Timestamp;
use serde::Deserialize as _;
use std::sync::{Arc, Mutex, OnceLock};

/// A run that waits, before it is taken up.
pub struct ResumedRun {
    pub workspace: WorkspaceId,
    pub flow: FlowId,
    pub execution: ExecutionId,
    /// The pause that is answered.
    pub pause: PauseId,
    pub chat: ChatId,
    /// The proof of its conversation; empty for who gets none.
    pub session_token: String,
}

/// What is done before a run that waits is taken up. It may come more than once, for the newest that waits then.
pub(super) type BeforeResume<'a> = dyn FnMut(ResumedRun) -> Result<()> + 'a;

/// Settles everything before a run goes on. The conversation shows what was decided.
///
/// # Errors
/// 400 for files that are sent along; 409 when nothing waits for this answer; as `before`.
pub(super) fn prepare(
    app: &App,
    asked: PredictionRequest,
    input: HumanInput,
    within: Option<Within>,
    before: &mut BeforeResume<'_>,
) -> Result<PredictionRun> {
    let PredictionRequest { flow, mut question, chat_type, asker, .. } = asked;
    if !question.uploads.is_empty() {
        return Err(Error::invalid("Files cannot be sent with an answer to a step that waits."));
    }
    let started = app.clock.monotonic_now();
    let (belonging, session_name, call_path, started_by, is_others) = match within {
        Some(Within { conversation, name, path, started_by }) => (conversation, name, path, started_by, true),
        None => match conversation::find_for_editor(app, &flow, &question, chat_type)? {
            Some((conversation, name)) => {
                (conversation, name, CallPath::default(), StartedBy::Question, true)
            }
            None => {
                let (belonging, name) =
                    conversation::resolve_for_question(app, &flow, &mut question, false, chat_type)?;
                (belonging, name, CallPath::default(), StartedBy::Question, false)
            }
        },
    };
    conversation::return_unused_name(&mut question);
    let open = consumption::begin(app, &flow, asker, started_by.budget_force())?;
    // What Live's list says of Live's cards is not said of those that run.
    let sent = evaluate_overrides(app, &flow, &[], &question.overrides)?;
    let chat = belonging.chat_id();
    let own_type = if is_others { conversation::chat_type_of(app, &flow, &chat)? } else { None };
    let session = session_name.as_ref().map_or_else(|| chat.to_string(), |name| name.as_str().to_owned());
    let find = || match started_by {
        StartedBy::PauseEnd(id) => find_pause_of(app, &flow, id, &input),
        StartedBy::Question | StartedBy::Schedule => find_pause(app, &flow, (chat, &session), &input),
    };
    let stored_as = own_type.unwrap_or(chat_type);
    let promise = |(execution, pause)| {
        let session_token = session_token(app, &flow.id, chat, (stored_as, chat_type));
        before(ResumedRun { workspace: flow.workspace, flow: flow.id, execution, pause, chat, session_token })
    };
    let TakenUp { id, pause, recorder, ready } = take_up(app, (&flow, chat), find, promise)?;
    let KeptRun { waiting, snapshot, began, plan, images } = ready;
    let request = waiting.request;
    if question.text.trim().is_empty() {
        question.text = answer_text(&input);
    }
    question.history.clone_from(&request.history);
    let (prompt, start) = (snapshot.question.clone(), snapshot.start.clone());
    let input = HumanInput { action: Some(pause.to_string()), node: None, ..input };
    let resume = AgentResume { recorder, snapshot, began, input, past: request.past };
    Ok(PredictionRun {
        documents_end: if prompt.starts_with(&request.documents) { request.documents.len() } else { 0 },
        prompt,
        images,
        files: StoredUploads::new(app, &flow, chat),
        started,
        ids: RunIds { flow: flow.id, chat, answer: MessageId::random(), question: MessageId::random() },
        session_name,
        memory_session: OnceLock::new(),
        is_first_message: false,
        streams: plan.streams() && flow.settings.chatbot_config.post_processing.is_none(),
        overrides: Overrides::restore(&request.overrides, &plan.places()).with_variables_of(sent),
        start,
        earlier: Mutex::new(Some(EarlierRun::Waiting(Box::new(resume)))),
        request: RunRequest { files: request.files, ..RunRequest::default() },
        // What runs is what it began with, whatever Live is by now.
        version: version_of(app, &flow, &waiting.execution)?,
        decided: None,
        execution: OnceLock::from(id),
        stopped_team: OnceLock::new(),
        plan,
        flow,
        question,
        chat_type,
        stored_as,
        call_path,
        open,
    })
}

/// What of Live a run began with.
fn version_of(app: &App, flow: &Flow, run: &Execution) -> Result<Option<LiveVersion>> {
    let Some(change) = run.change.filter(|_| app.history.is_enabled()) else { return Ok(None) };
    let name = app.store.read(|tx| answers::name_of(tx, &flow.id, &change))?;
    Ok(Some(LiveVersion { change, name }))
}

/// What the conversation shows of an answer.
fn answer_text(input: &HumanInput) -> String {
    let decided = match input.decision {
        Decision::Proceed => "Proceed",
        Decision::Reject => "Reject",
    };
    input.feedback.clone().unwrap_or_else(|| decided.to_owned())
}

/// A run that waits, with all that it goes on with.
struct KeptRun {
    waiting: WaitingRun,
    snapshot: RunSnapshot,
    began: Timestamp,
    /// Of the canvas that it began with.
    plan: Arc<FlowPlan>,
    images: Vec<ImageUpload>,
}

impl KeptRun {
    fn read(app: &App, (flow, chat): (&Flow, ChatId), id: &ExecutionId) -> Result<Self> {
        let waiting = executions::find_waiting(app, &flow.workspace, id)?;
        let plan = compile_kept(app, &waiting.paused.canvas)?;
        let snapshot = RunSnapshot::deserialize(&waiting.paused.note).map_err(Error::internal)?;
        let began = match snapshot.began {
            Some(began) => began,
            None => find_beginning(app, flow, &waiting.execution)?,
        };
        let images = load_images(app, flow, chat, &waiting.request.files)?;
        Ok(Self { waiting, snapshot, began, plan, images })
    }
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

/// The newest run of the conversation that waits for this answer, and its pause that is meant.
///
/// # Errors
/// 409 when none waits for it.
fn find_pause(
    app: &App,
    flow: &Flow,
    conversation: (ChatId, &str),
    input: &HumanInput,
) -> Result<(ExecutionId, PauseId)> {
    let waiting =
        executions::find_newest(app, flow, conversation, |run| Some((run.id, open_pause(run, input)?)))?;
    waiting.ok_or(Error::Conflict(Conflict::NothingToAnswer))
}

/// As [`find_pause`], of a run that is known.
///
/// # Errors
/// As there.
fn find_pause_of(
    app: &App,
    flow: &Flow,
    id: ExecutionId,
    input: &HumanInput,
) -> Result<(ExecutionId, PauseId)> {
    let run = app.store.read_messages(|tx| rows::find(tx, &flow.workspace, &id))?;
    let pause = run.and_then(|run| open_pause(&run, input));
    Ok((id, pause.ok_or(Error::Conflict(Conflict::NothingToAnswer))?))
}

fn open_pause(run: &Execution, input: &HumanInput) -> Option<PauseId> {
    let waits = run.state() == ExecutionState::Stopped;
    run.pauses().filter(|_| waits).find(|pause| input.means(pause)).map(|pause| pause.id)
}

/// A run that is under way again.
struct TakenUp {
    id: ExecutionId,
    pause: PauseId,
    recorder: ExecutionRecorder,
    ready: KeptRun,
}

/// Takes the run up that `find` says, of which everything was read that can fail: whoever takes it up has to go on with it.
///
/// # Errors
/// 409 when it waits no more.
fn take_up(
    app: &App,
    (flow, chat): (&Flow, ChatId),
    find: impl Fn() -> Result<(ExecutionId, PauseId)>,
    mut before: impl FnMut((ExecutionId, PauseId)) -> Result<()>,
) -> Result<TakenUp> {
    loop {
        let (id, pause) = find()?;
        let ready = KeptRun::read(app, (flow, chat), &id)?;
        before((id, pause))?;
        if let Some(recorder) = executions::resume(app, &ready.waiting, pause)? {
            return Ok(TakenUp { id, pause, recorder, ready });
        }
    }
}
