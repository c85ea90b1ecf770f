//! One question through the members of a flow.

use super::compile::{MemberPlan, Place};
use super::conversation::{KeptTurns, PastTurns, PauseAnswer, WaitingTurns};
use super::progress::{Progress, ReadyTurn};
use super::state::{PendingState, keeper, load_past, part};
use crate::cards::kit::build::component::moderate;
use crate::cards::kit::members::{
    Approval, Member, MemberTurn, NamedStep, Opening, SharedMessage, SharedState, TurnView,
};
use crate::cards::kit::{Component, ModerationVerdict, NullSink, RunContext, TokenSink, Tool};
use crate::cards::multi_agents::worker_key;
use crate::domain::error::{Conflict, Error, Result};
use crate::domain::flows::flow::{CanvasDigest, FlowKind};
use crate::domain::predictions::prediction::RunOutput;
use crate::domain::predictions::reasoning::TurnsOutput;
use crate::domain::predictions::run_event::RunEvent;
use crate::engine::agentflow::RunSink;
use crate::engine::agentflow::walk::{Standing, StepId, Walk};
use crate::engine::credential::Credentials;
use crate::engine::overrides::Overrides;
use crate::engine::run::{CompletedRun, PlanParts, build_parts, span};
use serde_json::Map;
use std::collections::HashMap;
use std::sync::{Arc, mpsc};
use std::thread::{self, Scope};
use tracing::dispatcher;

/// Reads what lies with the answers of a conversation.
pub(crate) type LoadPast<'r> = dyn Fn() -> Result<PastTurns> + Sync + 'r;

/// What one run works with.
pub(crate) struct MemberRun<'r> {
    pub(crate) plan: &'r MemberPlan,
    pub(crate) overrides: &'r Overrides,
    pub(crate) turn: &'r RunContext<'r>,
    pub(crate) credentials: &'r dyn Credentials,
    /// Reads what lies with the answers that were given before; `None` for a question that belongs to no conversation.
    pub(crate) past: Option<&'r LoadPast<'r>>,
    /// The run that goes on, and what a person decided.
    pub(crate) resumed: Option<(WaitingTurns, PauseAnswer)>,
    /// How many members take turns at once.
    pub(crate) branches_max: usize,
    /// The canvas that runs.
    pub(crate) canvas: CanvasDigest,
}

impl<'r> MemberRun<'r> {
    /// A run of a question that belongs to no conversation.
    pub(crate) fn of_lone_question(
        plan: &'r MemberPlan,
        overrides: &'r Overrides,
        turn: &'r RunContext<'r>,
        credentials: &'r dyn Credentials,
        branches_max: usize,
    ) -> Self {
        let canvas = CanvasDigest::compute(FlowKind::Multiagent, "");
        Self { plan, overrides, turn, credentials, past: None, resumed: None, branches_max, canvas }
    }
}

/// Runs a flow, from its beginning or from where it waits.
///
/// # Errors
/// What the member failed with that is first in the record, naming its card; [`Error::Cancelled`] when the run was ended.
pub(crate) fn run(run: &MemberRun<'_>, sink: &mut dyn RunSink) -> Result<CompletedRun> {
    let PlanParts { parts, variables } =
        build_parts(&run.plan.parts, run.overrides, run.turn, run.credentials)?;
    let crew = Crew::new(run, &parts)?;
    if run.resumed.is_none()
        && let ModerationVerdict::Block(text) = moderate(&crew.opening.moderations, run.turn)?
    {
        return refuse(run, crew.opening, text, sink).map(CompletedRun::from_output);
    }
    let mut progress = crew.begin(load_past(run, crew.opening)?, sink)?;
    crew.drive(&mut progress)?;
    let (outcome, state) = crew.conclude(progress)?;
    Ok(CompletedRun::with_state(RunOutput { flow_variables: variables, ..outcome }, state))
}

/// A question that a moderation answers leaves the state as it was. With the answers lies the newest one, so it is written
/// again; elsewhere nothing is.
fn refuse(run: &MemberRun<'_>, opening: &Opening, text: String, sink: &mut dyn RunSink) -> Result<RunOutput> {
    let keys = match keeper(run, opening) {
        None => load_past(run, opening)?.keys,
        Some(_) => Map::new(),
    };
    sink.event(&RunEvent::AnswerBegins).map_err(|_| Error::Cancelled)?;
    sink.token(&text).map_err(|_| Error::Cancelled)?;
    let kept = KeptTurns { keys, ..KeptTurns::default() };
    let turns =
        TurnsOutput { kept: serde_json::to_value(kept).map_err(Error::internal)?, ..TurnsOutput::default() };
    Ok(RunOutput { turns: Some(Box::new(turns)), ..RunOutput::from_text(text) })
}

/// The members of a run, built.
pub(super) struct Crew<'r> {
    pub(super) plan: &'r MemberPlan,
    pub(super) opening: &'r Opening,
    run: &'r MemberRun<'r>,
    parts: &'r [Option<Component>],
    /// What the supervisor calls its workers.
    workers: Vec<String>,
    /// By place in the plan: the tools that a member may ask its Tool Nodes for.
    tools: HashMap<usize, Vec<Arc<dyn Tool>>>,
}

impl<'r> Crew<'r> {
    fn new(run: &'r MemberRun<'r>, parts: &'r [Option<Component>]) -> Result<Self> {
        let plan = run.plan;
        let built = member(parts, plan.opening);
        let Some(Member::Start(opening) | Member::Supervisor(opening, _)) = built else {
            return Err(Error::RunFailed(format!("{}: the flow cannot begin here.", plan.opening_label)));
        };
        let mut crew = Self { plan, opening, run, parts, workers: Vec::new(), tools: HashMap::new() };
        if let Some(supervisor) = plan
            .members
            .first()
            .filter(|_| matches!(member(parts, plan.opening), Some(Member::Supervisor(..))))
        {
            let place = |node: &String| plan.members.iter().position(|planned| planned.node == *node);
            let workers = supervisor.outputs.iter().filter_map(place);
            crew.workers = workers.map(|at| worker_key(crew.name(at))).collect();
        }
        for (at, planned) in
            plan.members.iter().enumerate().filter(|(_, planned)| !planned.tool_nodes.is_empty())
        {
            let steps = planned.tool_nodes.iter().filter_map(|&step| match member(parts, step) {
                Some(Member::Step(step)) => Some(step.tools.clone()),
                _ => None,
            });
            crew.tools.insert(at, steps.flatten().collect());
        }
        Ok(crew)
    }

    fn step(&self, at: usize) -> Option<&'r NamedStep> {
        let Place::Turn(step) = self.plan.members[at].place else { return None };
        match member(self.parts, step)? {
            Member::Supervisor(_, step) | Member::Step(step) => Some(step),
            _ => None,
        }
    }

    pub(super) fn name(&self, at: usize) -> &'r str {
        self.step(at).map_or("", |step| step.name.as_str())
    }

    pub(super) fn counts(&self, at: usize) -> bool {
        self.step(at).is_some_and(|step| step.counts)
    }

    /// The name of a member's card.
    pub(super) fn card(&self, at: usize) -> &str {
        &self.plan.graph.node(crate::engine::agentflow::graph::NodeIndex::new(at)).card
    }

    /// The output of the supervisor that leads to the worker of this name.
    pub(super) fn worker_place(&self, key: &str) -> Result<usize> {
        let found = self.workers.iter().position(|worker| worker == key);
        found.ok_or_else(|| {
            Error::RunFailed(format!("{}: there is no worker '{key}'.", self.plan.opening_label))
        })
    }

    pub(super) fn too_many_turns(&self) -> Error {
        Error::RunFailed(format!(
            "{}: the run did not come to its end within {} turns, which is the most that it may take (recursion limit).",
            self.plan.opening_label, self.opening.turns_max
        ))
    }

    /// The run at its beginning, or where it waits.
    fn begin<'s>(&self, past: PastTurns, sink: &'s mut dyn RunSink) -> Result<Progress<'s>> {
        let run = self.run;
        let defaults = self.opening.keys.iter().map(|key| (key.name.clone(), key.default.clone()));
        let mut begun = SharedState { messages: past.messages, keys: defaults.collect() };
        begun.keys.extend(past.keys);
        let Some((waiting, answer)) = &run.resumed else {
            begun.messages.push(SharedMessage::from_person(run.turn.question));
            return Ok(Progress::new(Walk::new(self.plan.graph.clone(), run.branches_max), begun, sink));
        };
        begun.messages.push(SharedMessage::from_person(&waiting.question));
        let PauseAnswer::Decided(paused, answer) = answer else {
            return Err(Conflict::NothingToAnswer.into());
        };
        let walk = Walk::replay(self.plan.graph.clone(), run.branches_max, &waiting.journal)
            .map_err(|_| Error::from(Conflict::NothingToAnswer))?;
        let mut progress = Progress::new(walk, begun, sink).resume(waiting.turns.clone(), self);
        let again = progress.walk.resume(*paused).map_err(|_| Error::from(Conflict::NothingToAnswer))?;
        progress.answered.insert(again, (**answer).clone());
        Ok(progress)
    }

    /// Has the members take their turns, those at once that are ready at once.
    fn drive(&self, progress: &mut Progress<'_>) -> Result<()> {
        thread::scope(|scope| {
            let (done, ended) = mpsc::channel();
            let mut under_way = 0_usize;
            loop {
                Error::check_cancelled(self.run.turn.host.cancel())?;
                let mut ready = progress.take_ready(self)?;
                if under_way == 0
                    && ready.len() == 1
                    && let Some(turn) = ready.pop()
                {
                    let step = turn.step;
                    let taken = match progress.words_of(&turn, self) {
                        Some(mut words) => self.take_turn(&turn, &mut words),
                        None => self.take_turn(&turn, &mut NullSink),
                    };
                    progress.settle(step, taken, self)?;
                    continue;
                }
                for turn in ready {
                    under_way += 1;
                    self.start_thread(scope, turn, done.clone())?;
                }
                if under_way == 0 {
                    return Ok(());
                }
                let (step, turn) = ended.recv().map_err(Error::internal)?;
                under_way -= 1;
                progress.settle(step, turn, self)?;
            }
        })
    }

    fn start_thread<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        turn: ReadyTurn,
        done: mpsc::Sender<(StepId, Result<MemberTurn>)>,
    ) -> Result<()> {
        let span = tracing::Span::current();
        let listener = dispatcher::get_default(Clone::clone);
        let work = move || {
            let mut report = TurnReport { step: turn.step, done, taken: None };
            report.taken = Some(dispatcher::with_default(&listener, || {
                span.in_scope(|| self.take_turn(&turn, &mut NullSink))
            }));
        };
        thread::Builder::new()
            .name("member".to_owned())
            .spawn_scoped(scope, work)
            .map_err(Error::internal)?;
        Ok(())
    }

    fn take_turn(&self, ready: &ReadyTurn, words: &mut dyn TokenSink) -> Result<MemberTurn> {
        let planned = &self.plan.members[ready.member];
        let Some(step) = self.step(ready.member) else {
            return Err(Error::RunFailed(format!("{}: this card is not reached.", planned.label)));
        };
        let sent = self.run.overrides.variables();
        let host = self.run.turn.host;
        let variables = |name: &str| sent.get(name).cloned().or_else(|| host.variable(name));
        let view = TurnView {
            node: &planned.node,
            state: &ready.state,
            model: &self.opening.model,
            tools: self.tools.get(&ready.member).map_or(&[][..], Vec::as_slice),
            workers: &self.workers,
            variables: &variables,
            answered: ready.answered.as_ref(),
        };
        let _span = span(self.card(ready.member), &planned.label).entered();
        step.step.take_turn(&view, self.run.turn, words)
    }

    /// The answer with what is kept beside it, and what is kept elsewhere.
    fn conclude(&self, mut progress: Progress<'_>) -> Result<(RunOutput, Option<PendingState>)> {
        match progress.walk.standing() {
            Standing::Complete | Standing::Paused => {}
            Standing::Failed(step) => {
                let fault = progress.faults.remove(&step);
                return Err(fault.unwrap_or(Error::Cancelled));
            }
            Standing::Stopped | Standing::Open => return Err(Error::Cancelled),
        }
        let pauses = progress.walk.pauses();
        let asked = |step: &StepId| progress.turns.get(step)?.approval.clone();
        let asks: Vec<Approval> = pauses.iter().filter_map(asked).collect();
        let text = match asks.first() {
            Some(first) => first.text.clone(),
            None => self.answer_text(&progress),
        };
        let text = progress.complete(text)?;
        let state = progress.state_of(progress.told.iter().copied(), self);
        let said = state.messages[progress.begun.messages.len() - 1..].to_vec();
        let question = progress.begun.messages.last().map(|said| said.message.text()).unwrap_or_default();
        let waits = (!asks.is_empty()).then(|| WaitingTurns {
            canvas: self.run.canvas,
            question,
            journal: progress.walk.journal().to_vec(),
            turns: progress.turns.iter().map(|(step, turn)| (*step, turn.clone())).collect(),
            asks: asks.iter().map(|asked| asked.id.clone()).collect(),
            run: None,
        });
        let kept = KeptTurns { said, keys: state.keys, continues: self.run.resumed.is_some(), waits };
        let (kept, elsewhere) = part(self.run, self.opening, kept)?;
        let mut output = RunOutput::from_text(text);
        for told in &progress.reasoning {
            output.used_tools.extend(told.used_tools.iter().cloned());
            output.source_documents.extend(told.source_documents.iter().cloned());
            output.artifacts.extend(told.artifacts.iter().cloned());
        }
        output.turns = Some(Box::new(TurnsOutput {
            reasoning: progress.reasoning,
            action: asks.first().map(Approval::action),
            kept: serde_json::to_value(kept).map_err(Error::internal)?,
        }));
        Ok((output, elsewhere))
    }

    /// The newest message that was said in this run, with what was said on the way to it; else the newest text of any member, or what the supervisor had to say.
    fn answer_text(&self, progress: &Progress<'_>) -> String {
        let is_text = |text: &String| !text.trim().is_empty();
        let turns = progress.told.iter().rev().filter_map(|step| progress.turns.get(step));
        let said = turns
            .flat_map(|turn| {
                let spoken = turn.shown.spoken.iter().cloned();
                spoken.chain(turn.messages.iter().rev().map(crate::llm::ChatMessage::text))
            })
            .find(is_text);
        let told = || {
            progress
                .reasoning
                .iter()
                .rev()
                .flat_map(|told| told.messages.iter().rev())
                .find(|text| is_text(text))
                .cloned()
        };
        let instructed =
            || progress.reasoning.iter().rev().find_map(|told| told.instructions.clone()).filter(is_text);
        said.or_else(told).or_else(instructed).unwrap_or_else(|| " ".to_owned())
    }
}

/// Tells whoever waits what a turn on a thread of its own came to, also when that thread breaks off.
struct TurnReport {
    step: StepId,
    done: mpsc::Sender<(StepId, Result<MemberTurn>)>,
    taken: Option<Result<MemberTurn>>,
}

impl Drop for TurnReport {
    fn drop(&mut self) {
        let taken = self.taken.take().unwrap_or_else(|| Err(Error::internal("a turn broke off")));
        // Who waited may have left.
        let _ = self.done.send((self.step, taken));
    }
}

fn member(parts: &[Option<Component>], step: usize) -> Option<&Member> {
    match parts.get(step)?.as_ref()? {
        Component::Member(member) => Some(member),
        _ => None,
    }
}
