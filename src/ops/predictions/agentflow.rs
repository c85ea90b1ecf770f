//! A question to an agentflow: its run, the record of it, and what is answered.

use super::ask::PredictionRun;
use super::executions::{self, ExecutionRecorder, PausedRun, ResumedRun, StepNumber};
use super::host::run_host::RunHost;
use super::pause_ends::start_timers;
use super::run::{run_context, run_error};
use crate::app::App;
use crate::base::cancel::{CancelReason, CancelToken};
use crate::cards::kit::{ConversationPast, Conversations as _, Decision, StartValues};
use crate::domain::error::{Error, Result};
use crate::domain::predictions::execution::{
    ExecutionEntry, ExecutionState, NewExecution, RunEnd, StepStart,
};
use crate::domain::predictions::human_input::HumanInput;
use crate::domain::predictions::prediction::{ChatType, ExecutionOutput, HistoryMessage, RunOutput};
use crate::domain::predictions::run_event::RunEvent;
use crate::engine::agentflow::{self, AgentOutcome, AgentPlan, AgentRun, RunJournal, RunSink, RunSnapshot};
use crate::limits::MEMORY_MESSAGES_MAX;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// A run that waits, taken up to go on.
pub struct AgentResume {
    pub(super) run: ResumedRun,
    pub(super) snapshot: RunSnapshot,
    pub(super) input: HumanInput,
}

impl AgentResume {
    /// The canvas it began with.
    pub(super) fn canvas(&self) -> &str {
        &self.run.paused.canvas
    }

    /// What was asked when it began.
    pub(super) fn question(&self) -> &str {
        &self.snapshot.question
    }

    pub(super) const fn start(&self) -> &StartValues {
        &self.snapshot.start
    }

    /// What the conversation shows of the answer.
    pub(super) fn answer_text(&self) -> String {
        let decided = match self.input.decision {
            Decision::Proceed => "Proceed",
            Decision::Reject => "Reject",
        };
        self.input.feedback.clone().unwrap_or_else(|| decided.to_owned())
    }
}

/// Runs an agentflow, or goes on with a run that waits, and writes its record.
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
) -> Result<RunOutput> {
    let resume = entry.resume.lock().unwrap_or_else(PoisonError::into_inner).take();
    let (recorder, kept) = match resume {
        None => (executions::begin(app, new_execution(entry)), None),
        Some(resume) => {
            let AgentResume { run, snapshot, input } = *resume;
            (run.recorder, Some((snapshot, input)))
        }
    };
    let turn = run_context(entry, host);
    let past = StoredPast { host, forgets: plan.start.forgets };
    let state = match &kept {
        Some((kept, _)) => kept.state.clone(),
        None => plan.start_state(earlier_values(app, entry, plan)?, &entry.overrides),
    };
    let journal = Journal::new(&recorder);
    let agent = AgentRun {
        plan,
        overrides: &entry.overrides,
        turn: &turn,
        start: &entry.start,
        credentials: host,
        conversation: &past,
        state,
        branches_max: usize::try_from(app.settings.branches_max).unwrap_or(1),
        journal: &journal,
    };
    let began = sink.event(&RunEvent::State(ExecutionState::InProgress)).map_err(|_| Error::Cancelled);
    let ended = began.and_then(|()| match &kept {
        None => agentflow::run(&agent, sink),
        Some((kept, input)) => agentflow::resume(&agent, kept, input, sink),
    });
    match ended {
        Ok(outcome) => conclude(app, plan, recorder, outcome, sink),
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
    plan: &AgentPlan,
    recorder: ExecutionRecorder,
    outcome: AgentOutcome,
    sink: &mut dyn RunSink,
) -> Result<RunOutput> {
    let AgentOutcome { mut output, entries, pauses, snapshot, state } = outcome;
    let id = recorder.id();
    if let Some(snapshot) = snapshot {
        let note = serde_json::to_value(&*snapshot).map_err(Error::internal)?;
        let paused = Arc::new(PausedRun { canvas: plan.canvas()?, note });
        // What takes to go on changed for pauses of earlier requests too.
        pauses.into_iter().for_each(|pause| recorder.pause(pause, paused.clone()));
    }
    if plan.start.persists_state {
        recorder.keep_values(state);
    }
    let row = recorder.finish(RunEnd::AtRest)?;
    start_timers(app, &row);
    let action = row.pauses().next().map(|pause| pause.action.clone());
    if let Some(action) = &action {
        sink.event(&RunEvent::Action(action)).map_err(|_| Error::Cancelled)?;
    }
    sink.event(&RunEvent::State(row.state())).map_err(|_| Error::Cancelled)?;
    output.execution = Some(Box::new(ExecutionOutput { id, entries, action }));
    Ok(output)
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

fn new_execution(entry: &PredictionRun) -> NewExecution {
    NewExecution {
        flow: entry.flow.id,
        workspace: entry.flow.workspace,
        chat: entry.ids.chat,
        session: entry.session(),
        is_test: entry.chat_type == ChatType::Internal,
        from_execution: None,
        flow_version: None,
    }
}

/// What was said in the conversation before the run.
struct StoredPast<'a> {
    host: &'a RunHost<'a>,
    forgets: bool,
}

impl ConversationPast for StoredPast<'_> {
    fn messages(&self) -> Result<Vec<HistoryMessage>> {
        if self.forgets { Ok(Vec::new()) } else { self.host.history(None, MEMORY_MESSAGES_MAX) }
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
        match self.recorder.start(start) {
            Ok(number) => {
                self.numbers.lock().unwrap_or_else(PoisonError::into_inner).insert(step, number);
            }
            Err(fault) => log_unwritten(&fault),
        }
    }

    fn end_step(&self, step: usize, entry: &Arc<ExecutionEntry>) {
        if let Some(number) = self.number(step)
            && let Err(fault) = self.recorder.end(number, ExecutionEntry::clone(entry))
        {
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
