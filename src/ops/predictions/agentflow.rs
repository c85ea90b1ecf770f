//! A question to an agentflow: its run, the record of it, and what is answered.

use super::ask::PredictionRun;
use super::executions::{self, ExecutionRecorder, PausedRun, RecordEnd, StepNumber};
use super::host::run_host::RunHost;
use super::pause_ends::start_timers;
use super::run::{run_context, run_error};
use super::uploads::kept_files::read_at_most;
use crate::app::App;
use crate::base::cancel::{CancelReason, CancelToken};
use crate::cards::kit::{ConversationPast, Conversations as _, StreamClosed, TokenSink};
use crate::domain::conversations::conversation::{MessageFile, Utterance};
use crate::domain::error::{Error, Result};
use crate::domain::flows::flow::Flow;
use crate::domain::ids::{ChatId, ExecutionId};
use crate::domain::predictions::execution::{
    ExecutionEntry, ExecutionState, NewExecution, PastConversation, RunEnd, StepStart,
};
use crate::domain::predictions::human_input::HumanInput;
use crate::domain::predictions::prediction::{ChatType, ExecutionOutput, HistoryMessage, RunOutput};
use crate::domain::predictions::run_event::RunEvent;
use crate::engine::agentflow::{
    self, AgentOutcome, AgentPlan, AgentRun, RunJournal, RunSink, RunSnapshot, StepNote, TakenSteps,
};
use crate::limits::MEMORY_MESSAGES_MAX;
use crate::llm::{Delta, ReplyStream, StreamEnd};
use crate::state::live_runs::LiveRun;
use crate::store::queries::timeline;
use jiff::Timestamp;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// A run that there is a record of already.
pub(super) enum EarlierRun {
    /// It goes on.
    Waiting(Box<AgentResume>),
    /// Another one begins with what it did.
    Again(Box<AgentRerun>),
}

/// A run that runs again from a step, in a record of its own.
pub(super) struct AgentRerun {
    pub(super) of: ExecutionId,
    pub(super) taken: TakenSteps,
}

/// A run that waited, taken up to go on.
pub(super) struct AgentResume {
    pub(super) recorder: ExecutionRecorder,
    pub(super) snapshot: RunSnapshot,
    /// When it began.
    pub(super) began: Timestamp,
    pub(super) input: HumanInput,
    /// The conversation that it belongs to, where that is another one.
    pub(super) past: Option<PastConversation>,
}

/// Runs an agentflow, or goes on with a run that waits, and writes its record. The end of it is left to whoever stores a whole
/// answer, where nothing waits.
///
/// # Errors
/// What the run failed with.
pub(super) fn run(
    app: &App,
    entry: &PredictionRun,
    plan: &AgentPlan,
    host: &RunHost<'_>,
    cancel: &CancelToken,
    sink: &mut dyn RunSink,
) -> Result<(RunOutput, Option<RecordEnd>)> {
    let earlier = entry.earlier.lock().unwrap_or_else(PoisonError::into_inner).take();
    let begun = Beginning::new(app, entry, plan, earlier)?;
    let turn = run_context(entry, host);
    let Beginning { mut recorder, story, state, past, resumed } = begun;
    recorder.stop_with(cancel);
    let as_it_began = |until| PastConversation { chat: entry.ids.chat, until };
    let past = past.or(resumed.map(as_it_began));
    let past = StoredPast { app, host, chat: entry.ids.chat, past, forgets: plan.start.forgets };
    let journal = Journal::new(&recorder);
    let agent = AgentRun {
        plan,
        overrides: &entry.overrides,
        turn: &turn,
        pictures: entry.request.files.iter().filter(|file| file.is_picture()).cloned().collect(),
        start: &entry.start,
        credentials: host,
        conversation: &past,
        state,
        began: resumed.unwrap_or(entry.started),
        branches_max: usize::try_from(app.settings.branches_max).unwrap_or(1),
        depth: entry.call_path.depth(),
        journal: &journal,
    };
    let mut sink = WatchedSink { sink, live: recorder.live() };
    let sink: &mut dyn RunSink = &mut sink;
    let began = sink.event(&RunEvent::State(ExecutionState::InProgress)).map_err(|_| Error::Cancelled);
    let ended = began.and_then(|()| match story {
        Story::New => agentflow::run(&agent, sink),
        Story::Resumed(kept, input) => agentflow::resume(&agent, &kept, &input, sink),
        Story::Again(taken) => agentflow::rerun(&agent, taken, sink),
    });
    match ended.and_then(|outcome| entry.call_path.require_answer(&entry.flow, outcome)) {
        Ok(outcome) => conclude(app, (entry, plan), recorder, outcome, sink),
        Err(fault) => {
            let fault = run_error(fault, cancel);
            let end = run_end(&fault, cancel);
            // What ended the run is the answer; a record that cannot be written is in the log.
            match recorder.finish(end) {
                Ok(row) => {
                    let _ = sink.event(&RunEvent::State(row.state()));
                }
                Err(unwritten) => {
                    tracing::warn!(error = unwritten.for_log(), "the end of a run could not be recorded");
                }
            }
            Err(fault)
        }
    }
}

/// How the record says that a run ended.
fn run_end(fault: &Error, cancel: &CancelToken) -> RunEnd {
    match cancel.reason() {
        Some(CancelReason::TimedOut) => RunEnd::TimedOut(fault.to_string()),
        Some(_) => RunEnd::Terminated,
        None => RunEnd::Failed(fault.to_string()),
    }
}

/// The record of a run that came to its end or to a pause, and what is answered.
fn conclude(
    app: &App,
    (entry, plan): (&PredictionRun, &AgentPlan),
    recorder: ExecutionRecorder,
    outcome: AgentOutcome,
    sink: &mut dyn RunSink,
) -> Result<(RunOutput, Option<RecordEnd>)> {
    let AgentOutcome { mut output, entries, pauses, snapshot, state } = outcome;
    let id = recorder.id();
    // Whoever is told of the end may look at the record then, and answer what waits.
    let is_told_at_once = sink.tells_end() || !pauses.is_empty();
    if let Some(snapshot) = snapshot {
        let note = serde_json::to_value(&*snapshot).map_err(Error::internal)?;
        let paused = Arc::new(PausedRun { canvas: plan.canvas()?, note });
        // What takes to go on changed for pauses of earlier requests too.
        pauses.into_iter().for_each(|pause| recorder.pause(pause, paused.clone()));
    }
    if plan.start.persists_state {
        recorder.keep_values(state);
    }
    if !is_told_at_once {
        output.execution = Some(Box::new(ExecutionOutput { id, entries, action: None }));
        return Ok((output, Some(RecordEnd::new(recorder))));
    }
    let row = recorder.finish(RunEnd::AtRest)?;
    start_timers(app, &row);
    let action = row.pauses().next().map(|pause| pause.action.clone());
    if let Some(action) = &action {
        // What goes on later needs the files of this request, whatever becomes of its answer.
        entry.files.keep_files();
        // A caller who left finds in the conversation what is to be decided.
        let _ = sink.event(&RunEvent::Action(action));
    }
    let told = sink.event(&RunEvent::State(row.state()));
    if action.is_none() {
        told.map_err(|_| Error::Cancelled)?;
    }
    output.execution = Some(Box::new(ExecutionOutput { id, entries, action }));
    Ok((output, None))
}

/// The values that the newest run of the conversation left, where the flow keeps them.
fn earlier_values(app: &App, entry: &PredictionRun, plan: &AgentPlan) -> Result<Map<String, Value>> {
    if !plan.start.persists_state {
        return Ok(Map::new());
    }
    let session = entry.session();
    let found =
        executions::find_newest(app, &entry.flow, (entry.ids.chat, &session), |run| run.values.clone())?;
    Ok(found.unwrap_or_default())
}

/// What a run begins with.
struct Beginning {
    recorder: ExecutionRecorder,
    story: Story,
    /// The values that the run began with.
    state: Map<String, Value>,
    past: Option<PastConversation>,
    /// When a run began that goes on.
    resumed: Option<Timestamp>,
}

/// What there is of a run when it begins.
enum Story {
    New,
    Resumed(Box<RunSnapshot>, HumanInput),
    Again(TakenSteps),
}

impl Beginning {
    fn new(app: &App, entry: &PredictionRun, plan: &AgentPlan, earlier: Option<EarlierRun>) -> Result<Self> {
        let mut request = entry.request.clone();
        let (story, of) = match earlier {
            Some(EarlierRun::Waiting(resume)) => {
                let AgentResume { recorder, snapshot, began, input, past } = *resume;
                let state = snapshot.state.clone();
                let story = Story::Resumed(Box::new(snapshot), input);
                return Ok(Self { recorder, state, story, past, resumed: Some(began) });
            }
            Some(EarlierRun::Again(again)) => {
                if again.taken.is_empty() {
                    request.state = plan.start_state(request.left.clone(), &entry.overrides);
                }
                (Story::Again(again.taken), Some(again.of))
            }
            None => {
                request.left = earlier_values(app, entry, plan)?;
                request.state = plan.start_state(request.left.clone(), &entry.overrides);
                (Story::New, None)
            }
        };
        let (state, past) = (request.state.clone(), request.past);
        let new = NewExecution {
            id: entry.execution_id(),
            flow: entry.flow.id,
            workspace: entry.flow.workspace,
            chat: entry.ids.chat,
            session: entry.session(),
            is_test: entry.chat_type == ChatType::Internal,
            from_execution: of,
            version: entry.version,
            request,
        };
        // The record names them from here on, also when the run fails; strangers leave nothing behind by failing.
        if entry.chat_type == ChatType::Internal {
            entry.files.keep_files();
        }
        Ok(Self { recorder: executions::begin(app, new)?, story, state, past, resumed: None })
    }
}

/// What was said in the conversation before the run.
pub(super) struct StoredPast<'a> {
    app: &'a App,
    host: &'a RunHost<'a>,
    /// The conversation of the run.
    chat: ChatId,
    /// A conversation as it stood at a time, where it is not this one as it stands: the run belongs to another, or goes on, and
    /// what it said since is in its record and not heard twice.
    past: Option<PastConversation>,
    forgets: bool,
}

impl<'a> StoredPast<'a> {
    /// Of a run that is no agentflow's.
    pub(super) const fn of(app: &'a App, host: &'a RunHost<'a>, chat: ChatId) -> Self {
        Self { app, host, chat, past: None, forgets: false }
    }

    /// What is remembered, and its conversation; `None` for this conversation as it stands.
    fn earlier(&self) -> Result<Option<(ChatId, Vec<Utterance>)>> {
        if self.forgets {
            return Ok(Some((self.chat, Vec::new())));
        }
        let Some(PastConversation { chat, until }) = self.past else { return Ok(None) };
        let Flow { id, workspace, .. } = self.host.flow();
        let said = self.app.store.read_messages(|tx| {
            timeline::newest_before(tx, (workspace, id, &chat), until, MEMORY_MESSAGES_MAX)
        })?;
        Ok(Some((chat, said.into_iter().map(Utterance::from).collect())))
    }
}

impl ConversationPast for StoredPast<'_> {
    fn messages(&self) -> Result<Vec<HistoryMessage>> {
        match self.earlier()? {
            None => self.host.history(None, MEMORY_MESSAGES_MAX),
            Some((_, said)) => Ok(said.into_iter().map(HistoryMessage::from).collect()),
        }
    }

    fn told_messages(&self) -> Result<Vec<HistoryMessage>> {
        match self.earlier()? {
            None => self.host.told_history(None, MEMORY_MESSAGES_MAX),
            Some((chat, said)) => self.host.tell(chat, said),
        }
    }

    /// Files are read of the conversation of the run, and of the one that it remembers.
    fn picture(&self, file: &MessageFile, bytes_max: usize) -> Result<Option<Vec<u8>>> {
        let remembered = self.past.map(|past| past.chat).filter(|chat| *chat != self.chat);
        for chat in [Some(self.chat), remembered].into_iter().flatten() {
            if let Some(found) = read_at_most(self.app, self.host.flow(), chat, file, bytes_max)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }
}

/// Where the answer goes, and what those see who watch the run.
struct WatchedSink<'a> {
    sink: &'a mut dyn RunSink,
    live: Arc<LiveRun>,
}

impl RunSink for WatchedSink<'_> {
    fn event(&mut self, event: &RunEvent<'_>) -> Result<(), StreamClosed> {
        self.live.tell(event);
        self.sink.event(event)
    }

    fn tells_end(&self) -> bool {
        self.sink.tells_end()
    }
}

impl TokenSink for WatchedSink<'_> {
    fn token(&mut self, text: &str) -> Result<(), StreamClosed> {
        self.live.tell_token(text);
        self.sink.token(text)
    }

    fn thinking(&mut self, text: &str) -> Result<(), StreamClosed> {
        self.live.tell_thinking(text);
        self.sink.thinking(text)
    }

    /// A stream that nobody watches is left to whoever reads it with the least effort; who comes meanwhile gets its text
    /// whole.
    fn follow(&mut self, streaming: ReplyStream) -> StreamEnd {
        if self.live.is_watched() {
            return streaming.follow(&mut |delta: Delta<'_>| match delta {
                Delta::Text(text) => self.token(text),
                Delta::Thinking(text) => self.thinking(text),
            });
        }
        let end = self.sink.follow(streaming);
        self.live.tell_token(&end.text);
        end
    }
}

/// Writes the steps of a run into its record.
struct Journal<'a> {
    recorder: &'a ExecutionRecorder,
    numbers: Mutex<HashMap<usize, StepNumber>>,
}

impl<'a> Journal<'a> {
    fn new(recorder: &'a ExecutionRecorder) -> Self {
        Self { recorder, numbers: Mutex::default() }
    }

    fn number(&self, step: usize) -> Option<StepNumber> {
        self.numbers.lock().unwrap_or_else(PoisonError::into_inner).get(&step).copied()
    }
}

impl RunJournal for Journal<'_> {
    fn begin_step(&self, step: usize, start: StepStart) {
        let number = self.recorder.start(start);
        self.numbers.lock().unwrap_or_else(PoisonError::into_inner).insert(step, number);
    }

    fn open_step(&self, step: usize, start: StepStart, note: &StepNote) {
        let note = match serde_json::to_value(note) {
            Ok(note) => note,
            Err(fault) => return log_unwritten(&Error::internal(fault)),
        };
        let start = StepStart { note: Some(note), ..start };
        match self.number(step) {
            Some(number) => self.recorder.detail(number, start),
            // It began in an earlier request.
            None => self.begin_step(step, start),
        }
    }

    fn end_step(&self, step: usize, entry: &Arc<ExecutionEntry>, note: &StepNote) {
        // What has no number was never seen to begin.
        if self.number(step).is_none() {
            self.begin_step(step, StepStart::of(entry));
        }
        let Some(number) = self.number(step) else { return };
        if let Err(fault) = self.recorder.end(number, &**entry, Some(note)) {
            log_unwritten(&fault);
        }
    }

    fn place_step(&self, step: usize) {
        if let Some(number) = self.number(step) {
            self.recorder.place(number);
        }
    }
}

/// The run goes on: its answer does not depend on its record.
fn log_unwritten(fault: &Error) {
    tracing::warn!(error = fault.for_log(), "a step of a run could not be recorded");
}
