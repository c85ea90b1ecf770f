//! How far a run came: its walk, what its turns came to, and what of it is told.

use super::compile::{Place, PlannedMember};
use super::run::Crew;
use crate::cards::kit::members::{ApprovalAnswer, MemberTurn, SharedState, Way};
use crate::cards::kit::{StreamClosed, TokenSink};
use crate::domain::error::{Error, Result};
use crate::domain::predictions::reasoning::AgentReasoning;
use crate::domain::predictions::run_event::RunEvent;
use crate::engine::agentflow::RunSink;
use crate::engine::agentflow::walk::{Next, StepEnd, StepId, Walk};
use crate::llm::{ReplyStream, StreamEnd};
use std::collections::HashMap;

/// A turn that is to be taken.
pub(super) struct ReadyTurn {
    pub(super) step: StepId,
    /// The place of the member in the plan.
    pub(super) member: usize,
    pub(super) state: SharedState,
    pub(super) answered: Option<ApprovalAnswer>,
}

pub(super) struct Progress<'s> {
    pub(super) walk: Walk,
    pub(super) turns: HashMap<StepId, MemberTurn>,
    pub(super) faults: HashMap<StepId, Error>,
    /// What is told of the turns of this request, in the order of the record.
    pub(super) reasoning: Vec<AgentReasoning>,
    /// The steps of the record, as far as they are told.
    pub(super) told: Vec<StepId>,
    /// What a person decided, by the step that goes on with it.
    pub(super) answered: HashMap<StepId, ApprovalAnswer>,
    /// The state that the run began with.
    pub(super) begun: SharedState,
    counted: usize,
    answer: BegunAnswer,
    sink: &'s mut dyn RunSink,
}

impl<'s> Progress<'s> {
    pub(super) fn new(walk: Walk, begun: SharedState, sink: &'s mut dyn RunSink) -> Self {
        Self {
            walk,
            turns: HashMap::new(),
            faults: HashMap::new(),
            reasoning: Vec::new(),
            told: Vec::new(),
            answered: HashMap::new(),
            begun,
            counted: 0,
            answer: BegunAnswer::default(),
            sink,
        }
    }

    /// As [`Self::new`], for a run that goes on: what is in its record was told before.
    pub(super) fn resume(self, turns: Vec<(StepId, MemberTurn)>, crew: &Crew<'_>) -> Self {
        let mut again = self;
        again.turns = turns.into_iter().collect();
        while let Some(step) = again.walk.next_entry() {
            again.told.push(step);
        }
        let steps = again.told.clone();
        again.counted = steps.into_iter().filter(|&step| crew.counts(again.member_of(step))).count();
        again
    }

    pub(super) fn member_of(&self, step: StepId) -> usize {
        self.walk.node(step).at()
    }

    /// The turns that can be taken now. Places at which nothing happens are passed on the way.
    ///
    /// # Errors
    /// When the caller left.
    pub(super) fn take_ready(&mut self, crew: &Crew<'_>) -> Result<Vec<ReadyTurn>> {
        let mut ready = Vec::new();
        while let Some(next) = self.walk.next() {
            match next {
                Next::Start(step) => ready.extend(self.start(step, crew)?),
                Next::Breach(step) => {
                    self.faults.insert(
                        step,
                        Error::RunFailed("The run has had all steps that it may have.".to_owned()),
                    );
                    self.end(step, StepEnd::Failed, crew)?;
                }
                // No member has others inside of it.
                Next::Close(_) => {}
            }
        }
        Ok(ready)
    }

    fn start(&mut self, step: StepId, crew: &Crew<'_>) -> Result<Option<ReadyTurn>> {
        let member = self.member_of(step);
        match crew.plan.members[member].place {
            Place::Mark => self.end(step, StepEnd::Done, crew)?,
            Place::Loop => self.end(step, StepEnd::Jump, crew)?,
            Place::Turn(_) => {
                if crew.counts(member) && self.counted >= crew.opening.turns_max {
                    self.faults.insert(step, crew.too_many_turns());
                    self.end(step, StepEnd::Failed, crew)?;
                    return Ok(None);
                }
                let is_first = self.counted == 0;
                self.counted += usize::from(crew.counts(member));
                if !is_first && crew.counts(member) {
                    self.tell(&RunEvent::NextAgent(crew.name(member)))?;
                }
                let state = self.state_before(step, crew);
                return Ok(Some(ReadyTurn { step, member, state, answered: self.answered.remove(&step) }));
            }
        }
        Ok(None)
    }

    /// Notes what a turn came to.
    ///
    /// # Errors
    /// When the caller left.
    pub(super) fn settle(&mut self, step: StepId, ended: Result<MemberTurn>, crew: &Crew<'_>) -> Result<()> {
        let member = &crew.plan.members[self.member_of(step)];
        let end = match ended.and_then(|turn| Ok((end_of(crew, member, &turn)?, turn))) {
            Ok((end, turn)) => {
                self.turns.insert(step, turn);
                end
            }
            Err(fault) => {
                self.faults.insert(step, fault);
                StepEnd::Failed
            }
        };
        self.end(step, end, crew)
    }

    fn end(&mut self, step: StepId, end: StepEnd, crew: &Crew<'_>) -> Result<()> {
        self.walk
            .end(step, end)
            .map_err(|misfit| Error::internal(format!("a step cannot end: {misfit:?}")))?;
        self.walk.take_cancelled();
        while let Some(step) = self.walk.next_entry() {
            self.told.push(step);
            let Some(reasoning) = self.describe(step, crew) else { continue };
            self.reasoning.push(reasoning);
            let told = std::mem::take(&mut self.reasoning);
            let sent = self.tell(&RunEvent::Reasoning(&told));
            self.reasoning = told;
            sent?;
        }
        Ok(())
    }

    pub(super) fn tell(&mut self, event: &RunEvent<'_>) -> Result<()> {
        self.sink.event(event).map_err(|_| Error::Cancelled)
    }

    /// Where the words of a turn go, when it is certain that they are the answer: nothing else goes on or waits, and behind
    /// the member the run ends.
    pub(super) fn words_of(&mut self, turn: &ReadyTurn, crew: &Crew<'_>) -> Option<AnswerWords<'_>> {
        if !crew.plan.is_last(turn.member) || !self.walk.is_alone(turn.step) {
            return None;
        }
        let mut turns = self.reasoning.clone();
        turns.push(AgentReasoning {
            agent_name: crew.name(turn.member).to_owned(),
            state: turn.state.keys.clone(),
            node_name: crew.card(turn.member).to_owned(),
            node_id: crew.plan.members[turn.member].node.clone(),
            ..AgentReasoning::default()
        });
        Some(AnswerWords { sink: &mut *self.sink, answer: &mut self.answer, turns })
    }

    /// Says the answer, as far as it was not said yet. What comes back is all that was said.
    ///
    /// # Errors
    /// When the caller left.
    pub(super) fn complete(&mut self, answer: String) -> Result<String> {
        let BegunAnswer { text, has_begun } = std::mem::take(&mut self.answer);
        if !text.trim().is_empty() {
            return Ok(text);
        }
        if !has_begun {
            self.tell(&RunEvent::AnswerBegins)?;
        }
        self.sink.token(&answer).map_err(|_| Error::Cancelled)?;
        Ok(text + &answer)
    }

    /// What is told of a step; nothing of those that only decide the way.
    fn describe(&self, step: StepId, crew: &Crew<'_>) -> Option<AgentReasoning> {
        let member = self.member_of(step);
        let turn = self.turns.get(&step).filter(|_| crew.counts(member))?;
        let planned = &crew.plan.members[member];
        let mut state = self.state_before(step, crew);
        state.apply(&crew.opening.keys, &planned.node, crew.name(member), turn);
        Some(AgentReasoning {
            agent_name: crew.name(member).to_owned(),
            messages: turn.shown.texts.iter().filter(|text| !text.is_empty()).cloned().collect(),
            next: turn.shown.next.clone(),
            instructions: turn.shown.instructions.clone(),
            used_tools: turn.shown.used_tools.clone(),
            source_documents: turn.shown.sources.clone(),
            artifacts: turn.shown.artifacts.clone(),
            state: state.keys,
            node_name: crew.card(member).to_owned(),
            node_id: planned.node.clone(),
        })
    }

    /// The state as a step finds it: what came before it along the ways that were taken.
    fn state_before(&self, step: StepId, crew: &Crew<'_>) -> SharedState {
        self.state_of(self.walk.past(step).iter(), crew)
    }

    /// The state after these steps, in their order.
    pub(super) fn state_of(&self, steps: impl Iterator<Item = StepId>, crew: &Crew<'_>) -> SharedState {
        let mut state = self.begun.clone();
        for step in steps {
            let Some(turn) = self.turns.get(&step) else { continue };
            let member = self.member_of(step);
            state.apply(&crew.opening.keys, &crew.plan.members[member].node, crew.name(member), turn);
        }
        state
    }
}

/// The answer, as far as a last member said it.
#[derive(Default)]
struct BegunAnswer {
    text: String,
    has_begun: bool,
}

/// The words of a last member on their way out.
pub(super) struct AnswerWords<'p> {
    sink: &'p mut dyn RunSink,
    answer: &'p mut BegunAnswer,
    /// All turns so far, with the one that speaks.
    turns: Vec<AgentReasoning>,
}

impl AnswerWords<'_> {
    /// Turns are told of before the answer begins, and so is the one whose words it is.
    fn begin(&mut self) -> Result<(), StreamClosed> {
        if std::mem::replace(&mut self.answer.has_begun, true) {
            return Ok(());
        }
        self.sink.event(&RunEvent::Reasoning(&self.turns))?;
        self.sink.event(&RunEvent::AnswerBegins)
    }
}

impl TokenSink for AnswerWords<'_> {
    fn token(&mut self, text: &str) -> Result<(), StreamClosed> {
        if text.is_empty() {
            return Ok(());
        }
        self.begin()?;
        self.answer.text.push_str(text);
        self.sink.token(text)
    }

    fn thinking(&mut self, text: &str) -> Result<(), StreamClosed> {
        self.begin()?;
        self.sink.thinking(text)
    }

    fn follow(&mut self, streaming: ReplyStream) -> StreamEnd {
        // A reader who left is noticed by the stream itself.
        let _ = self.begin();
        let end = self.sink.follow(streaming);
        self.answer.text.push_str(&end.text);
        end
    }
}

/// Where the walk goes on after a turn.
fn end_of(crew: &Crew<'_>, member: &PlannedMember, turn: &MemberTurn) -> Result<StepEnd> {
    if turn.approval.is_some() {
        return Ok(StepEnd::Paused);
    }
    Ok(match &turn.way {
        Way::Everywhere => StepEnd::Done,
        Way::Finish => StepEnd::Outputs(Vec::new()),
        Way::Tools(asked) => StepEnd::Outputs(vec![usize::from(!asked)]),
        Way::Worker(key) => StepEnd::Outputs(vec![crew.worker_place(key)?]),
        Way::Output(name) => {
            let wanted = super::compile::fold(name);
            match member.outputs.iter().position(|output| *output == wanted) {
                Some(at) => StepEnd::Outputs(vec![at]),
                // An output that nothing is connected to ends its branch.
                None => StepEnd::Outputs(Vec::new()),
            }
        }
    })
}
