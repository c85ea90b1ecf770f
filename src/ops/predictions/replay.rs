//! A question that leaves nothing behind: asked of a canvas through the engine that answers people, with a host that reads
//! and does not write (`host/replay_host.rs`).

use super::ask::{self, StartedBy, require_cards};
use super::host::replay_host::{ReplayHost, ReplayedQuestion};
use super::members;
use super::nested::{CallPath, find_asked};
use super::offline::NoPast;
use super::post_processing;
use super::start;
use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::canvas::Canvas;
use crate::cards::kit::{AskedFlow, FlowCall, NullSink, RunContext, StartValues};
use crate::domain::error::{Error, Result};
use crate::domain::flows::flow::{CanvasDigest, Flow};
use crate::domain::ids::{ChatId, MessageId};
use crate::domain::predictions::execution::{ExecutionEntry, StepStart, StepStatus};
use crate::domain::predictions::prediction::{Question, RunIds, RunOutput, Usage};
use crate::engine::agentflow::{self, AgentPlan, AgentRun, RunJournal, StepNote};
use crate::engine::answer_shape::declares_shape;
use crate::engine::harness::{self, TeamRun};
use crate::engine::legacy::{self, MemberRun};
use crate::engine::{self, FlowPlan, Overrides};
use crate::state::vector_indexes::{IndexKey, VectorIndexCache};
use crate::vectors::VectorIndex;
use serde_json::Map;
use std::sync::{Arc, Mutex, PoisonError};

/// Vectors of documents that the runs of one check hold in memory (manual 14.8).
const REPLAY_INDEXES_BYTES_MAX: usize = 64 * 1024 * 1024;

/// What is held in memory of documents that cards load anew for each question: for as long as questions are replayed that have
/// this in common, and no longer.
pub(in crate::ops) struct ReplayMemory(VectorIndexCache);

impl Default for ReplayMemory {
    fn default() -> Self {
        Self(VectorIndexCache::with_room(REPLAY_INDEXES_BYTES_MAX))
    }
}

impl ReplayMemory {
    /// What people's questions hold of these documents is used and not touched; what they do not is made here.
    ///
    /// # Errors
    /// What `make` returns; [`Error::Cancelled`] for one who waits and whose run ends.
    pub(super) fn index(
        &self,
        app: &App,
        key: IndexKey,
        cancel: &CancelToken,
        make: &mut dyn FnMut() -> Result<VectorIndex>,
    ) -> Result<Arc<VectorIndex>> {
        match app.state.vector_indexes.peek(&key) {
            Some(index) => Ok(index),
            None => self.0.get_or_build(key, cancel, make),
        }
    }
}

/// A canvas of a flow, ready to be asked again and again.
pub(in crate::ops) struct Replay {
    flow: Flow,
    plan: FlowPlan,
    /// The canvas says which shape its answer has.
    pub declares_shape: bool,
    /// Cards that may do something to the world are let.
    has_effects: bool,
}

/// What came of one question.
pub(in crate::ops) struct ReplayedRun {
    pub result: Result<RunOutput>,
    /// Tokens of all calls of models, those before a failure included.
    pub usage: Option<Usage>,
    /// What the steps of an agentflow did, those before a failure included.
    pub steps: Vec<Arc<ExecutionEntry>>,
}

impl Replay {
    /// Makes `canvas` ready as a canvas of this flow. Its plan is kept here and nowhere else.
    ///
    /// # Errors
    /// Why it cannot run.
    pub(in crate::ops) fn new(flow: &Flow, canvas: &str, has_effects: bool) -> Result<Self> {
        let digest = CanvasDigest::compute(flow.kind, canvas);
        let drawn = Canvas::parse(canvas).map_err(|fault| Error::RunFailed(fault.to_string()))?;
        let plan = FlowPlan::compile(flow.kind, &drawn)?;
        let declares_shape = declares_shape(flow.kind, &drawn);
        Ok(Self { flow: Flow { digest, ..flow.clone() }, plan, declares_shape, has_effects })
    }

    /// Asks it, in a conversation in which nothing was said.
    pub(in crate::ops) fn ask(
        &self,
        app: &App,
        memory: &ReplayMemory,
        question: &str,
        cancel: &CancelToken,
    ) -> ReplayedRun {
        let path = CallPath::default();
        let asked = QuestionReplay {
            flow: &self.flow,
            plan: &self.plan,
            question,
            overrides: &Overrides::default(),
            start: &StartValues::default(),
            memory,
            effects: self.has_effects.then_some(&path),
        };
        asked.run(app, cancel)
    }
}

/// Asks another flow of the workspace for a canvas that is replayed: that question leaves nothing behind either.
///
/// # Errors
/// Why there is no answer.
pub(super) fn ask_flow(
    app: &App,
    memory: &ReplayMemory,
    (from, path): (&Flow, &CallPath),
    wanted: &FlowCall<'_>,
    cancel: &CancelToken,
) -> Result<RunOutput> {
    let flow = find_asked(app, &from.workspace, wanted.flow)?;
    if let AskedFlow::Id(_) = wanted.flow {
        ask::require_key(app, &flow, wanted.key)?;
    }
    let path = path.extend(from.id, flow.id, wanted.iterations)?;
    require_cards(&flow)?;
    let plan = ask::plan(app, &flow)?;
    let mut question = Question { text: wanted.question.to_owned(), ..Question::default() };
    let start = start::admit(&plan, &mut question, StartedBy::Question)?;
    let overrides = ask::evaluate_overrides(app, &flow, &plan.places(), wanted.overrides)?;
    let asked = QuestionReplay {
        flow: &flow,
        plan: &plan,
        question: &question.text,
        overrides: &overrides,
        start: &start,
        memory,
        effects: Some(&path),
    };
    let run = asked.run(app, cancel);
    run.result.map(|output| RunOutput { usage: run.usage, ..output })
}

/// One question to one flow.
struct QuestionReplay<'a> {
    flow: &'a Flow,
    plan: &'a FlowPlan,
    question: &'a str,
    overrides: &'a Overrides,
    start: &'a StartValues,
    memory: &'a ReplayMemory,
    effects: Option<&'a CallPath>,
}

impl QuestionReplay<'_> {
    fn run(&self, app: &App, cancel: &CancelToken) -> ReplayedRun {
        let ids = RunIds {
            flow: self.flow.id,
            chat: ChatId::random(),
            answer: MessageId::random(),
            question: MessageId::random(),
        };
        // A step of an agentflow that fails ends those beside it, and not what waits for this answer.
        let own = cancel.child();
        let asked = ReplayedQuestion {
            flow: self.flow,
            ids,
            question: self.question,
            overrides: self.overrides,
            memory: self.memory,
            effects: self.effects,
        };
        let host = ReplayHost::new(app, asked, own.token.clone());
        let journal = ReplayedSteps::default();
        let (result, usage) = match host {
            Ok(host) => (self.answer(app, &host, &journal), host.usage()),
            Err(fault) => (Err(fault), None),
        };
        ReplayedRun { result, usage, steps: journal.into_steps() }
    }

    fn answer(&self, app: &App, host: &ReplayHost<'_>, journal: &ReplayedSteps) -> Result<RunOutput> {
        let turn = RunContext { question: self.question, documents: "", uploads: &[], history: &[], host };
        let mut output = match self.plan {
            FlowPlan::Chat(plan) => {
                let begun = engine::run(plan, self.overrides, &turn, host, &mut NullSink)?;
                // No memory elsewhere is told of it.
                let mut output = begun.complete(host, &mut NullSink)?.outcome;
                output.source_documents.extend(host.take_cited());
                output
            }
            FlowPlan::Members(plan) => {
                let branches = usize::try_from(app.settings.branches_max).unwrap_or(1);
                let run = MemberRun::of_lone_question(plan, self.overrides, &turn, host, branches);
                let output = legacy::run(&run, &mut NullSink)?.outcome;
                members::require_answer(self.effects.is_some(), self.flow, &output)?;
                output
            }
            FlowPlan::Agent(plan) => self.walk(app, plan, &turn, host, journal)?,
            FlowPlan::Team(plan) => {
                let team = TeamRun {
                    plan,
                    overrides: self.overrides,
                    turn: &turn,
                    credentials: host,
                    conversation: &NoPast,
                };
                harness::run(&team, &mut NullSink)?
            }
        };
        post_processing::apply(host, self.flow, &mut output)?;
        Ok(output)
    }

    /// A run that comes to a person's decision is over there: there is nobody to decide. Where another flow waits for it, it
    /// fails, as it does for callers.
    fn walk(
        &self,
        app: &App,
        plan: &AgentPlan,
        turn: &RunContext<'_>,
        host: &ReplayHost<'_>,
        journal: &ReplayedSteps,
    ) -> Result<RunOutput> {
        let run = AgentRun {
            plan,
            overrides: self.overrides,
            turn,
            pictures: Vec::new(),
            start: self.start,
            credentials: host,
            conversation: &NoPast,
            state: plan.start_state(Map::new(), self.overrides),
            began: app.clock.now(),
            branches_max: usize::try_from(app.settings.branches_max).unwrap_or(1),
            depth: self.effects.map_or(0, CallPath::depth),
            journal,
        };
        let outcome = agentflow::run(&run, &mut NullSink)?;
        let outcome = match self.effects {
            Some(path) => path.require_answer(self.flow, outcome)?,
            None => outcome,
        };
        *journal.0.lock().unwrap_or_else(PoisonError::into_inner) = outcome.entries;
        Ok(outcome.output)
    }
}

/// The steps of a run as they end, for a run that fails: one that does not has them in their order.
#[derive(Default)]
pub(super) struct ReplayedSteps(Mutex<Vec<Arc<ExecutionEntry>>>);

impl ReplayedSteps {
    pub(super) fn into_steps(self) -> Vec<Arc<ExecutionEntry>> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RunJournal for ReplayedSteps {
    fn begin_step(&self, _step: usize, _start: StepStart) {}

    fn open_step(&self, _step: usize, _start: StepStart, _note: &StepNote) {}

    fn end_step(&self, _step: usize, entry: &Arc<ExecutionEntry>, _note: &StepNote) {
        if entry.status != StepStatus::Terminated {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push(entry.clone());
        }
    }

    fn place_step(&self, _step: usize) {}
}
