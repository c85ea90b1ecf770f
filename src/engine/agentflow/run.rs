//! One question through one agentflow: what is ready runs at once, and the record tells one story whatever ended first.

use super::again::{StepNote, TakenSteps};
use super::ledger::{Ledger, Move};
use super::pauses::RunSnapshot;
use super::plan::AgentPlan;
use super::sink::RunSink;
use super::step;
use super::walk::Walk;
use crate::cards::kit::{ConversationPast, RunContext, StartValues};
use crate::domain::conversations::conversation::MessageFile;
use crate::domain::error::Result;
use crate::domain::predictions::execution::{ExecutionEntry, Pause, StepStart};
use crate::domain::predictions::human_input::HumanInput;
use crate::domain::predictions::prediction::{HistoryMessage, RunOutput};
use crate::engine::credential::Credentials;
use crate::engine::overrides::Overrides;
use jiff::Timestamp;
use serde_json::{Map, Value};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Scope};
use tracing::dispatcher;

/// What one run of an agentflow works with.
pub(crate) struct AgentRun<'r> {
    pub plan: &'r AgentPlan,
    pub overrides: &'r Overrides,
    /// The token of its host is set when a step fails: what runs beside it is of no use then.
    pub turn: &'r RunContext<'r>,
    /// The pictures that came with the question, as they are stored with the conversation.
    pub pictures: Vec<MessageFile>,
    pub start: &'r StartValues,
    pub credentials: &'r dyn Credentials,
    pub conversation: &'r dyn ConversationPast,
    /// The state that the run begins with.
    pub state: Map<String, Value>,
    /// When it began. A run that goes on began when its question came.
    pub began: Timestamp,
    /// How many steps are under way at once.
    pub branches_max: usize,
    /// How many flows that wait for it, and iterations around the steps that asked, it stands inside of.
    pub depth: usize,
    pub journal: &'r dyn RunJournal,
}

impl AgentRun<'_> {
    /// What the person said.
    pub(super) fn asked(&self) -> HistoryMessage {
        HistoryMessage { pictures: self.pictures.clone(), ..HistoryMessage::from_user(self.turn.question) }
    }
}

/// Where the steps of a run are written down as they run.
pub(crate) trait RunJournal: Sync {
    /// A step is under way. `step` counts the steps of the run in the order in which they began.
    fn begin_step(&self, step: usize, start: StepStart);

    /// It goes through items now, or goes on with them: what it would take to run one of them again if it never ends.
    fn open_step(&self, step: usize, start: StepStart, note: &StepNote);

    /// It ended.
    fn end_step(&self, step: usize, entry: &Arc<ExecutionEntry>, note: &StepNote);

    /// It is the next one of the record: what ended early waits for that.
    fn place_step(&self, step: usize);
}

/// A run that nobody writes down.
pub(crate) struct NoJournal;

impl RunJournal for NoJournal {
    fn begin_step(&self, _step: usize, _start: StepStart) {}

    fn open_step(&self, _step: usize, _start: StepStart, _note: &StepNote) {}

    fn end_step(&self, _step: usize, _entry: &Arc<ExecutionEntry>, _note: &StepNote) {}

    fn place_step(&self, _step: usize) {}
}

/// What a run came to.
#[derive(Debug)]
pub(crate) struct AgentOutcome {
    /// The answer, and what goes out with it.
    pub output: RunOutput,
    /// The steps in the order of the record.
    pub entries: Vec<Arc<ExecutionEntry>>,
    /// The state that the run left.
    pub state: Map<String, Value>,
    /// What waits for a person, in the order of the record.
    pub pauses: Vec<Pause>,
    /// The run as it is kept while it waits.
    pub snapshot: Option<Box<RunSnapshot>>,
}

/// Runs an agentflow from its Start. Tokens of the last steps go to `sink`, with what happens on the way.
///
/// # Errors
/// What the failing step that is first in the record failed with, naming the card; [`crate::domain::error::Error::Cancelled`] when the run was
/// ended.
pub(crate) fn run(run: &AgentRun<'_>, sink: &mut dyn RunSink) -> Result<AgentOutcome> {
    let walk = Walk::new(run.plan.graph.clone(), run.branches_max);
    execute(run, Ledger::new(walk, sink))
}

/// Runs again from a step: what stays of the earlier run is told as it was.
///
/// # Errors
/// As [`run`].
pub(crate) fn rerun(run: &AgentRun<'_>, taken: TakenSteps, sink: &mut dyn RunSink) -> Result<AgentOutcome> {
    let walk = Walk::new(run.plan.graph.clone(), run.branches_max);
    let mut ledger = Ledger::new(walk, sink);
    ledger.taken = taken;
    execute(run, ledger)
}

/// Goes on with a run that waits.
///
/// # Errors
/// As [`run`]; 409 when it does not wait for this.
pub(crate) fn resume(
    run: &AgentRun<'_>,
    kept: &RunSnapshot,
    input: &HumanInput,
    sink: &mut dyn RunSink,
) -> Result<AgentOutcome> {
    execute(run, Ledger::resume(run, kept, input, sink)?)
}

fn execute(run: &AgentRun<'_>, ledger: Ledger<'_>) -> Result<AgentOutcome> {
    let executor = Executor { run, ledger: Mutex::new(ledger), changed: Condvar::new() };
    thread::scope(|scope| executor.work(scope, Worker::Caller));
    executor.ledger.into_inner().unwrap_or_else(PoisonError::into_inner).into_outcome(run)
}

/// The thread that works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Worker {
    /// The one that asked: it stays to the end.
    Caller,
    /// One that was started because several steps were ready; it ends when none is.
    Helper,
}

/// What the threads of a run share.
pub(super) struct Executor<'r, 's> {
    run: &'r AgentRun<'r>,
    ledger: Mutex<Ledger<'s>>,
    /// Something was told to the ledger: somebody may have to do something.
    changed: Condvar,
}

impl<'r, 's> Executor<'r, 's> {
    pub(super) fn ledger(&self) -> MutexGuard<'_, Ledger<'s>> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes steps that are ready until nothing is left to do.
    fn work<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>, worker: Worker) {
        let mut ledger = self.ledger();
        loop {
            match ledger.next_move(self.run) {
                Move::Run(ready) => {
                    if ledger.wants_helper() {
                        self.start_helper(scope, &mut ledger);
                    }
                    drop(ledger);
                    let ended = step::run(self, self.run, &ready);
                    ledger = self.ledger();
                    ledger.end(self.run, *ready, ended);
                    // Where nobody helps, nobody sleeps.
                    if ledger.helpers > 0 {
                        self.changed.notify_all();
                    }
                }
                Move::Wait if worker == Worker::Caller => {
                    ledger = self.changed.wait(ledger).unwrap_or_else(PoisonError::into_inner);
                }
                Move::Wait | Move::End => return,
            }
        }
    }

    /// As [`Self::work`], for a thread that was started because several steps were ready.
    fn help<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>) {
        let _place = HelperPlace(self);
        self.work(scope, Worker::Helper);
    }

    /// One more thread, where the system gives one; without it the steps run one after another.
    fn start_helper<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>, ledger: &mut Ledger<'s>) {
        let span = tracing::Span::current();
        // A run that nobody is to hear of is not heard of from its other threads either.
        let listener = dispatcher::get_default(Clone::clone);
        let work = move || {
            dispatcher::with_default(&listener, || span.in_scope(|| self.help(scope)));
        };
        let started = thread::Builder::new().name("agentflow".to_owned()).spawn_scoped(scope, work);
        match started {
            Ok(_) => ledger.helpers += 1,
            Err(fault) => {
                tracing::warn!(%fault, "no thread for a branch of a run: its steps run one after another");
            }
        }
    }
}

/// One of the threads that help. The caller waits for them, so the place is given back also when the thread breaks off, and
/// the run, whose step that thread took along, ends then instead of waiting for ever.
struct HelperPlace<'e, 'r, 's>(&'e Executor<'r, 's>);

impl Drop for HelperPlace<'_, '_, '_> {
    fn drop(&mut self) {
        let mut ledger = self.0.ledger();
        ledger.helpers -= 1;
        if thread::panicking() {
            ledger.walk.stop();
        }
        drop(ledger);
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests;
