//! One way through a container: the canvas once, the inside of an iteration once for each item.

use super::Walk;
use super::board::Board;
use super::past::StepSet;
use super::step::{State, Step, StepId};
use crate::engine::agentflow::graph::{ContainerIndex, NodeIndex};
use std::collections::{HashMap, VecDeque};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PassIndex(usize);

impl PassIndex {
    pub(super) const fn at(self) -> usize {
        self.0
    }
}

/// The pass through the canvas.
pub(super) const ROOT: PassIndex = PassIndex(0);

/// What a pass adds to the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Telling {
    Entry(StepId),
    /// Those entries of an iteration's steps that are there, because it cannot go on before a pause is answered.
    Part(StepId),
}

#[derive(Debug, Clone)]
pub(super) struct Pass {
    pub(super) container: ContainerIndex,
    /// The iteration it is a pass of.
    pub(super) owner: Option<StepId>,
    pub(super) item: usize,
    /// The edges as the worker sees them, who has told everything that is not in the queue.
    pub(super) board: Board,
    pub(super) queue: VecDeque<StepId>,
    pub(super) told: Vec<Telling>,
    /// Entries among what is told.
    pub(super) count: usize,
    /// How much of what is told is in the record.
    pub(super) emitted: usize,
    /// All known steps that are not told, in the order in which they will be.
    pub(super) listing: Vec<StepId>,
    /// The place in it of the first step that failed: what stands behind it does not start any more.
    pub(super) cut: Option<usize>,
    /// All steps that ever were known.
    pub(super) steps: Vec<StepId>,
    /// Steps that are known ahead of the queue.
    pub(super) known: HashMap<NodeIndex, StepId>,
    pub(super) jumps: HashMap<NodeIndex, u32>,
    /// Loops that are to go back, in the order of the record.
    pub(super) waiting: Vec<StepId>,
    pub(super) paused: Vec<StepId>,
    /// Iterations that cannot go on before a pause inside of them is answered.
    pub(super) held: Vec<StepId>,
    pub(super) is_closed: bool,
    pub(super) failed: Option<StepId>,
}

impl Pass {
    fn new(container: ContainerIndex, owner: Option<StepId>, item: usize, board: Board) -> Self {
        Self {
            container,
            owner,
            item,
            board,
            queue: VecDeque::new(),
            told: Vec::new(),
            count: 0,
            emitted: 0,
            listing: Vec::new(),
            cut: None,
            steps: Vec::new(),
            known: HashMap::new(),
            jumps: HashMap::new(),
            waiting: Vec::new(),
            paused: Vec::new(),
            held: Vec::new(),
            is_closed: false,
            failed: None,
        }
    }

    pub(super) fn has_pause(&self) -> bool {
        !self.paused.is_empty() || !self.held.is_empty()
    }

    /// True when nothing goes on before a pause is answered.
    pub(super) fn is_stuck(&self) -> bool {
        self.queue.is_empty() && self.has_pause()
    }

    pub(super) fn is_over(&self) -> bool {
        self.queue.is_empty() && !self.has_pause()
    }
}

impl Walk {
    /// Begins a pass with the cards that nothing leads to.
    pub(super) fn begin_pass(
        &mut self,
        container: ContainerIndex,
        owner: Option<StepId>,
        item: usize,
    ) -> PassIndex {
        let graph = self.graph.clone();
        let drawn = graph.container(container);
        let pass = PassIndex(self.passes.len());
        self.passes.push(Pass::new(container, owner, item, Board::new(&graph, drawn)));
        for &node in &drawn.starts {
            let step = self.add_step(pass, node, Vec::new(), StepSet::default());
            self.pass_mut(pass).queue.push_back(step);
        }
        self.list_ahead(pass);
        pass
    }

    /// Begins as many passes of an iteration as may be under way. One that waits for an answer leaves its place to
    /// others, unless they go one after another.
    pub(super) fn fill(&mut self, iteration: StepId) {
        loop {
            let Some(inside) = &self.step(iteration).inside else { return };
            let live: Vec<_> =
                inside.live.iter().copied().filter(|&pass| !self.pass(pass).is_over()).collect();
            let counts = |pass: &&PassIndex| inside.concurrency == 1 || !self.pass(**pass).is_stuck();
            let active = live.iter().filter(counts).count();
            let begins = inside.has_more() && active < inside.concurrency;
            let (container, item) = (inside.container, inside.begun.len());
            let begun = begins.then(|| self.begin_pass(container, Some(iteration), item));
            let Some(inside) = &mut self.step_mut(iteration).inside else { return };
            inside.live = live;
            inside.live.extend(begun);
            inside.begun.extend(begun);
            if begun.is_none() {
                return;
            }
        }
    }

    /// True when an iteration does not go on before a pause inside of it is answered.
    pub(super) fn is_held(&self, iteration: StepId) -> bool {
        let step = self.step(iteration);
        step.state == State::UnderWay
            && step.inside.as_ref().is_some_and(|inside| {
                let may_begin = inside.has_more() && inside.concurrency > 1;
                !inside.live.is_empty()
                    && !may_begin
                    && inside.live.iter().all(|&pass| self.pass(pass).is_stuck())
            })
    }

    /// Puts the iterations around a pass that goes on again at the end of their queues.
    pub(super) fn take_up_owners(&mut self, pass: PassIndex) {
        let mut pass = pass;
        while let Some(owner) = self.pass(pass).owner {
            let item = self.pass(pass).item;
            if let Some(inside) = &mut self.step_mut(owner).inside {
                inside.emitted = inside.emitted.min(item);
            }
            pass = self.step(owner).pass;
            let around = self.pass_mut(pass);
            if around.held.contains(&owner) {
                around.held.retain(|&held| held != owner);
                around.queue.push_back(owner);
            }
        }
    }

    pub(super) fn add_step(
        &mut self,
        pass: PassIndex,
        node: NodeIndex,
        parents: Vec<StepId>,
        past: StepSet,
    ) -> StepId {
        let id = StepId::new(self.steps.len());
        let of = self.pass_mut(pass);
        let local = of.steps.len();
        of.steps.push(id);
        self.steps.push(Step {
            node,
            pass,
            local,
            rank: usize::MAX,
            parents,
            past,
            state: State::Ready,
            takes_place: false,
            is_cancelled: false,
            is_breach: false,
            is_repeat: false,
            recorded: None,
            inside: None,
        });
        id
    }

    /// The same step once more, with the first time in its past.
    pub(super) fn repeat(&mut self, step: StepId) -> StepId {
        let Step { node, pass, parents, local, .. } = self.step(step);
        let (node, pass, parents, local) = (*node, *pass, parents.clone(), *local);
        let mut past = self.step(step).past.clone();
        past.insert(local);
        let again = self.add_step(pass, node, parents, past);
        self.step_mut(again).is_repeat = true;
        again
    }
}
