//! One question: admitted, prepared, run, recorded. Everything that can be refused is refused before `run`.

use super::agentflow::EarlierRun;
use super::answer::answer_of;
use super::consumption::{self, BudgetForce};
use super::conversation::{self, ConversationRef};
use super::members::{self, PauseDecision};
use super::nested::CallPath;
use super::resume::{self, BeforeResume};
use super::start;
use super::uploads::loader_files;
use super::uploads::policy::UploadPolicy;
use super::uploads::request_files::{self, StoredUploads};
use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::base::json_size::json_size;
use crate::canvas::Canvas;
use crate::canvas::files::InlineFile;
use crate::cards::kit::StartValues;
use crate::domain::conversations::conversation_name::ConversationName;
use crate::domain::error::{Error, RateLimitExceeded, Result};
use crate::domain::flows::draft::CanvasSide;
use crate::domain::flows::flow::Flow;
use crate::domain::flows::live_version::LiveVersion;
use crate::domain::flows::rate_limit::WindowState;
use crate::domain::ids::{ChatId, ExecutionId, FlowId, KeyId, MessageId};
use crate::domain::predictions::answer::PredictionAnswer;
use crate::domain::predictions::consumption::Asker;
use crate::domain::predictions::execution::RunRequest;
use crate::domain::predictions::prediction::{ChatType, ImageUpload, Question, RunIds, RunOutput, Upload};
use crate::domain::predictions::team::TeamOutput;
use crate::engine::{CardPlace, FlowPlan, Overrides};
use crate::ops::accounts::keys;
use crate::ops::flows::drafts;
use crate::state::consumption::OpenQuestion;
use crate::store::tables::CANVASES;
use jiff::Timestamp;
use serde_json::{Map, Value};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, OnceLock};

/// A question that was admitted.
#[derive(Debug)]
pub struct PredictionRequest {
    pub flow: Arc<Flow>,
    pub question: Question,
    pub chat_type: ChatType,
    /// The draft is asked by the test chat of the canvas.
    pub side: CanvasSide,
    pub asker: Asker,
}

/// A question ready to run: nothing can refuse it any more.
pub struct PredictionRun {
    pub flow: Arc<Flow>,
    /// The question; a recording's words where it was asked aloud.
    pub question: Question,
    /// The question as the flow reads it: the text of documents first.
    pub prompt: String,
    /// Where in it that text ends.
    pub(super) documents_end: usize,
    pub images: Vec<ImageUpload>,
    /// The files of the question, stored.
    pub(super) files: StoredUploads,
    pub chat_type: ChatType,
    /// What its messages are stored as: those of a conversation that somebody else began stay that one's.
    pub(super) stored_as: ChatType,
    /// When it came.
    pub started: Timestamp,
    pub ids: RunIds,
    /// What its caller calls the conversation, where that counts.
    pub(super) session_name: Option<ConversationName>,
    /// The session of its memory, where that is another one, once the memory was read.
    pub(super) memory_session: OnceLock<String>,
    /// Its conversation has no messages before it.
    pub(super) is_first_message: bool,
    pub plan: Arc<FlowPlan>,
    /// What of the request it runs with (manual 7.1).
    pub overrides: Overrides,
    /// The answer can go out token by token.
    pub streams: bool,
    /// The flows that wait for the answer.
    pub(super) call_path: CallPath,
    /// What starts a run that begins with more than a question.
    pub(super) start: StartValues,
    /// The run that goes on with this, or runs again; taken once.
    pub(super) earlier: Mutex<Option<EarlierRun>>,
    /// What the record of a run says that it was asked with.
    pub(super) request: RunRequest,
    /// What of Live runs; none for a draft, and where nobody knows.
    pub version: Option<LiveVersion>,
    /// What its text decides about a run of members that waits.
    pub(super) decided: Option<PauseDecision>,
    /// The record of the run of an agentflow, once somebody named it.
    pub(super) execution: OnceLock<ExecutionId>,
    /// What the specialists did of a team that was stopped.
    pub(super) stopped_team: OnceLock<Box<TeamOutput>>,
    /// What is counted of it.
    pub(super) open: OpenQuestion,
}

/// The flow of this id, whoever asks (manual 2.3).
///
/// # Errors
/// 404 naming the id.
pub fn flow(app: &App, id: &FlowId) -> Result<Arc<Flow>> {
    app.flow_cache.flow(app, id)
}

/// Counts the request against the flow's rate limit. `None` when the flow has none.
///
/// # Errors
/// 429 with the owner's message.
pub fn admit_rate(app: &App, flow: &Flow, address: IpAddr) -> Result<Option<WindowState>> {
    let Some(limit) = &flow.settings.api_config.rate_limit else { return Ok(None) };
    let now = app.clock.now().as_millisecond();
    match app.state.rate_limiter.admit(&flow.id, limit, address, now) {
        Ok(window) => Ok(Some(window)),
        Err(window) => Err(Error::RateLimited(RateLimitExceeded { message: limit.message.clone(), window })),
    }
}

/// Checks the key of a bound flow (manual 2.3). A flow bound to a key that was deleted stays bound.
///
/// # Errors
/// 401.
pub fn admit_key(app: &App, flow: &Flow, bearer: Option<&str>) -> Result<()> {
    judge_key(flow, bearer, |key, bearer| keys::authenticates(app, key, bearer))
}

/// As [`admit_key`], for a question that counts as no use of the key.
///
/// # Errors
/// 401.
pub(super) fn require_key(app: &App, flow: &Flow, bearer: Option<&str>) -> Result<()> {
    judge_key(flow, bearer, |key, bearer| keys::is_value_of(app, key, bearer))
}

fn judge_key(flow: &Flow, bearer: Option<&str>, opens: impl Fn(&KeyId, &str) -> Result<bool>) -> Result<()> {
    let Some(key) = &flow.settings.api_key else { return Ok(()) };
    match bearer {
        Some(bearer) if opens(key, bearer)? => Ok(()),
        _ => Err(Error::unauthorized()),
    }
}

/// Settles everything before the run: plan, uploads, overrides, conversation. Files are stored last, when nothing of the
/// request can be refused any more.
///
/// # Errors
/// 404 when nothing is published (manual 2.2 r3), 403 and 400 for uploads, 500 when the canvas cannot run.
pub fn prepare(app: &App, ask: PredictionRequest, cancel: &CancelToken) -> Result<PredictionRun> {
    prepare_nested(app, ask, None, cancel)
}

/// As [`prepare`]. A run that waits is taken up only after `before` was told of it, so that whatever must outlive the
/// process is stored by then; what `before` fails with leaves the run waiting.
///
/// # Errors
/// As [`prepare`], and as `before`.
pub fn prepare_promised(
    app: &App,
    ask: PredictionRequest,
    cancel: &CancelToken,
    before: &mut BeforeResume<'_>,
) -> Result<PredictionRun> {
    match ask.question.human_input.clone() {
        Some(input) => resume::prepare(app, ask, input, None, before),
        None => prepare_nested(app, ask, None, cancel),
    }
}

/// A question that nobody sent, in a conversation that is known.
pub(super) struct Within {
    pub(super) conversation: ConversationRef,
    pub(super) name: Option<ConversationName>,
    pub(super) path: CallPath,
    pub(super) started_by: StartedBy,
}

/// Who begins a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StartedBy {
    /// Somebody who asks.
    Question,
    /// The schedule of the flow.
    Schedule,
    /// A pause of this run that nobody answered in time.
    PauseEnd(ExecutionId),
}

impl StartedBy {
    /// A pause whose time is up lets an admitted run end; everybody else asks.
    pub(super) const fn budget_force(self) -> BudgetForce {
        match self {
            Self::PauseEnd(_) => BudgetForce::Counting,
            Self::Question | Self::Schedule => BudgetForce::Binding,
        }
    }
}

/// What answers, and the version of Live that it is where no draft answers.
///
/// # Errors
/// 404 where nothing was published and no draft answers; when the canvas cannot be read or become a plan.
pub(super) fn plan_of_side(
    app: &App,
    flow: &mut Arc<Flow>,
    side: CanvasSide,
) -> Result<(Option<LiveVersion>, Arc<FlowPlan>)> {
    let drafted = match side {
        CanvasSide::Draft => drafts::draft_for_run(app, Arc::make_mut(flow))?,
        CanvasSide::Live => None,
    };
    require_cards(flow)?;
    Ok(match drafted {
        Some(canvas) => (None, compile(app, flow, || Ok(canvas))?),
        None => (live_version(app, flow), plan(app, flow)?),
    })
}

/// As [`prepare`]; a question of another flow brings its conversation and its way along.
///
/// # Errors
/// As [`prepare`].
pub(super) fn prepare_nested(
    app: &App,
    ask: PredictionRequest,
    within: Option<Within>,
    cancel: &CancelToken,
) -> Result<PredictionRun> {
    if let Some(input) = ask.question.human_input.clone() {
        return resume::prepare(app, ask, input, within, &mut |_| Ok(()));
    }
    let PredictionRequest { mut flow, mut question, chat_type, side, asker } = ask;
    let (version, plan) = plan_of_side(app, &mut flow, side)?;
    let started_by = within.as_ref().map_or(StartedBy::Question, |within| within.started_by);
    let start = start::admit(&plan, &mut question, started_by)?;
    let open = consumption::begin(app, &flow, asker, BudgetForce::Binding)?;
    let started = app.clock.monotonic_now();
    let offer = UploadPolicy::from_settings(&flow.settings, Some(&plan));
    let sent = std::mem::take(&mut question.uploads);
    let has_files = sent.iter().any(Upload::is_for_store);
    let (loaded, sent) = split_uploads(&plan, &flow, &offer, sent)?;
    let mut carried = request_files::read_uploads(app, &flow, &offer, sent, cancel)?;
    if let Some(spoken) = carried.spoken.take() {
        question.text = spoken;
    }
    let (belonging, session_name, way) = match within {
        Some(Within { conversation, name, path, .. }) => (conversation, name, path),
        None => {
            let (belonging, name) =
                conversation::resolve_for_question(app, &flow, &mut question, has_files, chat_type)?;
            (belonging, name, CallPath::default())
        }
    };
    conversation::return_unused_name(&mut question);
    let overrides = decide_overrides(app, &flow, &plan, &question.overrides, &loaded)?;
    let decided = members::find_decision(app, &flow, &plan, &mut question, (belonging, &way))?;
    let chat = belonging.chat_id();
    let files = carried.store(app, &flow, chat)?;
    let session = session_name.as_ref().map_or_else(|| chat.to_string(), |name| name.as_str().to_owned());
    let start = start::reuse_form(app, &flow, &plan, (chat, &session), start)?;
    let request = run_request(&plan, &question, &overrides, &carried.documents, &files);
    let request =
        RunRequest { asked: started, form: start.form.clone(), webhook: start.webhook.clone(), ..request };
    require_keepable(&request)?;
    let (prompt, documents_end) = carried.prepend_documents(&question.text);
    let streams = plan.streams() && flow.settings.chatbot_config.post_processing.is_none();
    Ok(PredictionRun {
        documents_end,
        prompt,
        start,
        earlier: Mutex::default(),
        request,
        version,
        decided,
        execution: OnceLock::new(),
        stopped_team: OnceLock::new(),
        images: carried.images,
        files,
        started,
        ids: RunIds { flow: flow.id, chat, answer: MessageId::random(), question: MessageId::random() },
        session_name,
        memory_session: OnceLock::new(),
        is_first_message: matches!(belonging, ConversationRef::New(_)),
        streams,
        plan,
        overrides,
        flow,
        question,
        chat_type,
        stored_as: chat_type,
        call_path: way,
        open,
    })
}

/// What a run of Live is told to be. The record of the flow says it, so it costs an answer nothing.
pub(in crate::ops) fn live_version(app: &App, flow: &Flow) -> Option<LiveVersion> {
    flow.live_version.filter(|_| app.history.is_enabled())
}

/// A flow of which nothing was published answers nothing (manual 2.2 r3).
///
/// # Errors
/// 404.
pub(in crate::ops) fn require_cards(flow: &Flow) -> Result<()> {
    if flow.card_count > 0 {
        return Ok(());
    }
    Err(Error::NotFound(format!("Chatflow {} is not published yet: it has no cards to run.", flow.id)))
}

/// What goes to document loaders, and what the chat is asked to take.
fn split_uploads(
    plan: &FlowPlan,
    flow: &Flow,
    offer: &UploadPolicy,
    sent: Vec<Upload>,
) -> Result<(Vec<InlineFile>, Vec<Upload>)> {
    match plan.as_chat() {
        Some(plan) => loader_files::split_loader_files(plan, &flow.settings, offer, sent),
        None => Ok((Vec::new(), sent)),
    }
}

fn decide_overrides(
    app: &App,
    flow: &Flow,
    plan: &FlowPlan,
    sent: &Map<String, Value>,
    loaded: &[InlineFile],
) -> Result<Overrides> {
    let mut overrides = evaluate_overrides(app, flow, &plan.places(), sent)?;
    if let Some(plan) = plan.as_chat() {
        loader_files::pass_to_loaders(&mut overrides, plan, &flow.settings, loaded)?;
    }
    Ok(overrides)
}

/// Bytes of what a question to an agentflow brings along beside its files: all of it is kept with the record of its run
/// (manual 14.4).
const RUN_REQUEST_MAX_BYTES: usize = 48 * 1024 * 1024;
/// Bytes of settings of a question to an agentflow (manual 14.4).
const RUN_OVERRIDES_MAX_BYTES: usize = 1024 * 1024;

/// # Errors
/// 400 when more would have to be kept than a record holds.
fn require_keepable(request: &RunRequest) -> Result<()> {
    if json_size(&request.overrides) > RUN_OVERRIDES_MAX_BYTES {
        return Err(Error::Invalid(format!(
            "'overrideConfig' is too long: an agentflow takes {RUN_OVERRIDES_MAX_BYTES} bytes at most."
        )));
    }
    if json_size(request) > RUN_REQUEST_MAX_BYTES {
        return Err(Error::Invalid(format!(
            "The question is too long with all it brings along: an agentflow takes {RUN_REQUEST_MAX_BYTES} bytes at most."
        )));
    }
    Ok(())
}

/// What the record of a run is to say that it was asked with. Its state is known when it begins.
fn run_request(
    plan: &FlowPlan,
    question: &Question,
    overrides: &Overrides,
    documents: &str,
    files: &StoredUploads,
) -> RunRequest {
    if !plan.is_agentflow() {
        return RunRequest::default();
    }
    RunRequest {
        question: question.text.clone(),
        documents: documents.to_owned(),
        history: question.history.clone(),
        overrides: overrides.keep(&plan.places()),
        files: files.entries(),
        lead_email: question.lead_email.clone(),
        ..RunRequest::default()
    }
}

/// The compiled Live of a flow.
///
/// # Errors
/// 500 when the canvas cannot run.
pub fn plan(app: &App, flow: &Flow) -> Result<Arc<FlowPlan>> {
    compile(app, flow, || {
        let text = app.store.read(|tx| CANVASES.get(tx, &flow.workspace, &flow.id))?;
        text.ok_or_else(|| Error::no_flow(&flow.id))
    })
}

/// The plan of the flow's canvas; `text` is read only when it is not compiled yet.
pub(super) fn compile(
    app: &App,
    flow: &Flow,
    text: impl FnOnce() -> Result<String>,
) -> Result<Arc<FlowPlan>> {
    app.plan_cache.get(flow.digest, || {
        let canvas = Canvas::parse(&text()?).map_err(|fault| Error::RunFailed(fault.to_string()))?;
        FlowPlan::compile(flow.kind, &canvas)
    })
}

/// Decides what of the request's overrides is used, and logs once the names of the rest, never values (manual 7.1).
///
/// # Errors
/// 400 for a value that its setting cannot hold; when the database cannot be read.
pub(in crate::ops) fn evaluate_overrides(
    app: &App,
    flow: &Flow,
    cards: &[CardPlace<'_>],
    sent: &Map<String, Value>,
) -> Result<Overrides> {
    const NAMES_MAX: usize = 50;
    const NAME_MAX_CHARS: usize = 80;
    if sent.is_empty() {
        return Ok(Overrides::default());
    }
    let saved = app.flow_cache.variables(app, &flow.workspace)?;
    let is_saved = |name: &str| saved.contains_key(name);
    let decided = Overrides::evaluate(cards, &flow.settings.api_config.overrides, sent, &is_saved)?;
    if !decided.ignored_names().is_empty() {
        let shown = |name: &String| name.escape_debug().take(NAME_MAX_CHARS).collect::<String>();
        let names: Vec<String> = decided.ignored_names().iter().take(NAMES_MAX).map(shown).collect();
        tracing::warn!(flow = %flow.id, names = names.join(", "), "override settings that are not allowed were ignored");
    }
    Ok(decided)
}

impl PredictionRun {
    /// What callers and memories call the conversation. A session that the owner of the flow fixed goes before a name, and is
    /// known once the memory was read.
    #[must_use]
    pub fn session(&self) -> String {
        let name = self.session_name.as_ref().map(ConversationName::as_str);
        let known = self.memory_session.get().map(String::as_str).or(name);
        known.map_or_else(|| self.ids.chat.to_string(), str::to_owned)
    }

    /// The record that the run of an agentflow has, or will have when it begins.
    #[must_use]
    pub fn execution_id(&self) -> ExecutionId {
        *self.execution.get_or_init(ExecutionId::next)
    }

    /// The token that continues this conversation; empty for who answered in that of somebody else.
    #[must_use]
    pub fn session_token(&self, app: &App) -> String {
        session_token(app, &self.flow.id, self.ids.chat, (self.stored_as, self.chat_type))
    }

    /// The answer that was stopped, without what it said so far: its reader learns which conversation it is.
    #[must_use]
    pub fn stopped_answer(&self) -> PredictionAnswer {
        let team = self.stopped_team.get().cloned();
        answer_of(self, RunOutput { team, ..RunOutput::default() }, String::new())
    }
}

/// The proof of a conversation for who called by `chat_type`; empty where its messages are stored as those of another.
pub(super) fn session_token(
    app: &App,
    flow: &FlowId,
    chat: ChatId,
    (stored_as, chat_type): (ChatType, ChatType),
) -> String {
    if stored_as == chat_type { app.secrets.tokens.mint(flow, &chat) } else { String::new() }
}
