//! A run's way through its graph: what may start now, what must stop, and in which order it is told.
//!
//! The order of the record is that of one worker who takes steps from a first-in first-out queue. Each pass of a
//! container therefore *is* such a worker: its queue goes on only when the step in front has ended. What runs beside it
//! is found by letting a copy of that worker go on over the steps that still run. It then knows every step whose edges
//! are all decided, in the order of the record, because who made a step ready does not depend on those that run.
//! Going back waits for the worker itself, so nothing that started early is ever undone.

mod ahead;
mod board;
mod choice;
mod emit;
mod failure;
mod journal;
mod jumps;
mod pass;
mod past;
mod place;
mod step;
mod takeover;
mod tell;
#[cfg(test)]
mod tests;

pub(crate) use choice::Next;
pub(crate) use journal::Event;
pub(crate) use place::{Around, StepPlace};
pub(crate) use step::{StepEnd, StepId};
pub(crate) use takeover::{EarlierStep, Takeover};

use crate::engine::agentflow::graph::{CANVAS, Graph, NodeIndex, Role};
use pass::{Pass, PassIndex, ROOT};
use std::sync::Arc;
use step::{Inside, State, Step};

/// Most steps of a run outside of iterations, and of one pass through an iteration (manual 14.4).
pub(crate) const STEPS_MAX: usize = 1_000;
/// Most items of an iteration (manual 14.4).
pub(crate) const ITEMS_MAX: usize = 10_000;

/// Where a run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Something is under way, or can start.
    Open,
    /// Nothing can go on before a pause is answered.
    Paused,
    /// The step that is first in the record among those that failed the run.
    Failed(StepId),
    /// Somebody stopped it.
    Stopped,
    Complete,
}

/// What was asked of a step does not fit what it is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Misfit {
    NotUnderWay,
    /// Its items are under way: it ends after them.
    ItemsLeft,
    NotAnIteration,
    NotPaused,
    /// A pause is answered when nothing else is under way.
    RunUnderWay,
    /// More items than an iteration takes.
    TooManyItems,
    /// Inside of more iterations and flows than a run may have.
    TooDeep,
}

/// See the head of this file. It starts nothing itself: whoever drives it asks for what comes [next](Self::next), and
/// tells it how that [ended](Self::end).
#[derive(Debug, Clone)]
pub(crate) struct Walk {
    graph: Arc<Graph>,
    steps: Vec<Step>,
    passes: Vec<Pass>,
    branches: usize,
    /// Steps that take one of the places.
    busy: usize,
    /// The record so far, and how much of it was handed out.
    record: Vec<StepId>,
    handed_out: usize,
    /// Steps to cancel that nobody was told of yet.
    to_cancel: Vec<StepId>,
    journal: Vec<Event>,
    is_stopped: bool,
}

impl Walk {
    /// A run that has begun nothing yet, with so many steps under way at most.
    pub(crate) fn new(graph: Arc<Graph>, branches: usize) -> Self {
        let mut walk = Self {
            passes: Vec::new(),
            graph,
            steps: Vec::new(),
            branches: branches.max(1),
            busy: 0,
            record: Vec::new(),
            handed_out: 0,
            to_cancel: Vec::new(),
            journal: Vec::new(),
            is_stopped: false,
        };
        walk.begin_pass(CANVAS, None, 0);
        walk
    }

    /// Makes an iteration's passes: one after another, or so many at once. One without items, or that is cancelled, is
    /// to be closed at once.
    ///
    /// # Errors
    /// [`Misfit`] when it has too many items, or is no iteration that was started.
    pub(crate) fn open(&mut self, step: StepId, items: usize, concurrency: usize) -> Result<(), Misfit> {
        let Role::Iteration(container) = self.graph.node(self.step(step).node).role else {
            return Err(Misfit::NotAnIteration);
        };
        if self.step(step).state != State::UnderWay || self.step(step).inside.is_some() {
            return Err(Misfit::NotUnderWay);
        }
        if items > ITEMS_MAX {
            return Err(Misfit::TooManyItems);
        }
        self.journal.push(Event::Opened { step, items, concurrency });
        let outer = Arc::new(self.past(step));
        let is_closed = self.step(step).is_cancelled;
        let inside = Inside::new(container, items, concurrency.max(1), outer, is_closed);
        self.step_mut(step).inside = Some(inside);
        self.fill(step);
        self.settle(self.step(step).pass);
        Ok(())
    }

    /// Tells that a step ended. A Loop that may not jump any more ends its branch, whatever is said; a step that is
    /// cancelled without being asked to be fails.
    ///
    /// # Errors
    /// [`Misfit`] when it is not under way, or has items left.
    pub(crate) fn end(&mut self, step: StepId, end: StepEnd) -> Result<(), Misfit> {
        let state = self.step(step);
        if state.state != State::UnderWay {
            return Err(Misfit::NotUnderWay);
        }
        if state.inside.as_ref().is_some_and(|inside| !inside.is_over()) {
            return Err(Misfit::ItemsLeft);
        }
        let end = match end {
            _ if state.is_breach => StepEnd::Failed,
            StepEnd::Cancelled if !state.is_cancelled => StepEnd::Failed,
            StepEnd::Jump if !self.may_jump(step) => StepEnd::Done,
            end => end,
        };
        self.journal.push(Event::Ended { step, end: end.clone() });
        self.release_place(step);
        self.step_mut(step).state = State::Ended(end);
        self.settle(self.step(step).pass);
        Ok(())
    }

    /// From now on the step only waits for others and leaves its place to them.
    pub(crate) fn release_place(&mut self, step: StepId) {
        if std::mem::take(&mut self.step_mut(step).takes_place) {
            self.busy -= 1;
        }
    }

    /// Makes a paused step ready again, as a new step at the end of the record.
    ///
    /// # Errors
    /// [`Misfit`] when it is not paused, or something else is under way.
    pub(crate) fn resume(&mut self, step: StepId) -> Result<StepId, Misfit> {
        let pass = self.step(step).pass;
        if !self.pass(pass).paused.contains(&step) {
            return Err(Misfit::NotPaused);
        }
        if !self.under_way().is_empty() {
            return Err(Misfit::RunUnderWay);
        }
        self.journal.push(Event::Resumed { step });
        let again = self.repeat(step);
        let parts = self.pass_mut(pass);
        parts.paused.retain(|&paused| paused != step);
        parts.queue.push_back(again);
        self.take_up_owners(pass);
        self.settle(pass);
        Ok(again)
    }

    /// Ends the run: nothing starts any more, and what is under way is to be cancelled.
    pub(crate) fn stop(&mut self) {
        self.is_stopped |= !self.pass(ROOT).is_closed;
        self.close(ROOT);
        self.settle(ROOT);
    }

    /// True when a Loop that is under way may go back once more.
    pub(crate) fn may_jump(&self, step: StepId) -> bool {
        match &self.graph.node(self.step(step).node).role {
            Role::Loop(back) => self.jumps(step) + 1 < back.rounds_max,
            _ => false,
        }
    }

    /// How often the step's Loop has gone back, in its pass.
    pub(crate) fn jumps(&self, step: StepId) -> u32 {
        let step = self.step(step);
        self.pass(step.pass).jumps.get(&step.node).copied().unwrap_or_default()
    }

    /// True when every step that comes before this one in the record has ended.
    pub(crate) fn may_stream(&self, step: StepId) -> bool {
        let pass = self.pass(self.step(step).pass);
        let is_front = pass.queue.front() == Some(&step);
        is_front
            && pass.owner.is_none_or(|owner| {
                let cursor = self.step(owner).inside.as_ref().map(|inside| inside.emitted);
                cursor == Some(pass.item) && self.may_stream(owner)
            })
    }

    /// True when nothing else of the run goes on or can go on before this step has ended, and nothing waits for an answer.
    pub(crate) fn is_alone(&self, step: StepId) -> bool {
        let root = self.pass(ROOT);
        root.queue.len() == 1 && root.queue.front() == Some(&step) && !root.has_pause()
    }

    /// The next entry of the record, once: a step that ended, and before it in the record nothing is open.
    pub(crate) fn next_entry(&mut self) -> Option<StepId> {
        let step = self.record.get(self.handed_out).copied()?;
        self.handed_out += 1;
        Some(step)
    }

    /// The steps that are in the record, in its order.
    pub(crate) fn record(&self) -> &[StepId] {
        &self.record
    }

    /// The steps that are to be cancelled, each once.
    pub(crate) fn take_cancelled(&mut self) -> Vec<StepId> {
        std::mem::take(&mut self.to_cancel)
    }

    /// Steps that were started and did not end, iterations that only wait for their items aside.
    pub(crate) fn under_way(&self) -> Vec<StepId> {
        let is_under_way = |&step: &StepId| {
            let step = self.step(step);
            step.state == State::UnderWay && step.inside.is_none()
        };
        (0..self.steps.len()).map(StepId::new).filter(is_under_way).collect()
    }

    pub(crate) fn standing(&self) -> Standing {
        let root = self.pass(ROOT);
        if !root.queue.is_empty() {
            return Standing::Open;
        }
        match root.failed {
            Some(step) => Standing::Failed(step),
            None if self.is_stopped => Standing::Stopped,
            None if root.is_stuck() => Standing::Paused,
            None => Standing::Complete,
        }
    }

    /// The steps that wait for an answer, in the order of the record.
    pub(crate) fn pauses(&self) -> Vec<StepId> {
        let waits = |step: &&StepId| self.pass(self.step(**step).pass).paused.contains(step);
        self.record.iter().filter(waits).copied().collect()
    }

    pub(crate) fn graph(&self) -> &Arc<Graph> {
        &self.graph
    }

    pub(crate) fn node(&self, step: StepId) -> NodeIndex {
        self.step(step).node
    }

    #[cfg(test)]
    /// The how manieth time the card runs in its pass, from 0, each answer to a pause counted.
    pub(crate) fn visit(&self, step: StepId) -> usize {
        let (node, pass) = (self.step(step).node, self.step(step).pass);
        let earlier = self.pass(pass).steps.iter().take_while(|&&other| other != step);
        earlier.filter(|&&other| self.step(other).node == node).count()
    }

    /// The iteration a step runs inside of, and the place of its item; nothing outside of iterations.
    pub(crate) fn item(&self, step: StepId) -> Option<(StepId, usize)> {
        let pass = self.pass(self.step(step).pass);
        pass.owner.map(|owner| (owner, pass.item))
    }

    /// How the step ended.
    pub(crate) fn ending(&self, step: StepId) -> Option<&StepEnd> {
        match &self.step(step).state {
            State::Ended(end) => Some(end),
            _ => None,
        }
    }

    pub(crate) fn is_cancelled(&self, step: StepId) -> bool {
        self.step(step).is_cancelled
    }

    /// The step that failed an item of an iteration.
    pub(crate) fn item_failure(&self, iteration: StepId, item: usize) -> Option<StepId> {
        self.pass_of(iteration, item).and_then(|pass| self.pass(pass).failed)
    }

    fn pass_of(&self, iteration: StepId, item: usize) -> Option<PassIndex> {
        self.step(iteration).inside.as_ref().and_then(|inside| inside.begun.get(item).copied())
    }

    fn step(&self, step: StepId) -> &Step {
        &self.steps[step.at()]
    }

    fn step_mut(&mut self, step: StepId) -> &mut Step {
        &mut self.steps[step.at()]
    }

    fn pass(&self, pass: PassIndex) -> &Pass {
        &self.passes[pass.at()]
    }

    fn pass_mut(&mut self, pass: PassIndex) -> &mut Pass {
        &mut self.passes[pass.at()]
    }
}
