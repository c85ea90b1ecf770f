//! Going back: judged by the worker after each step it tells.

use super::Walk;
use super::pass::PassIndex;
use super::past::StepSet;
use super::step::StepId;
use crate::engine::agentflow::graph::{Graph, LoopBack, NodeIndex, Role};

impl Walk {
    /// Takes each waiting jump whose region is quiet, in the order of the record. A jump waits for an earlier one that
    /// concerns a card of its own region; if its Loop is such a card, it is forgotten when the earlier one is taken.
    pub(super) fn judge_jumps(&mut self, pass: PassIndex) {
        if self.pass(pass).waiting.is_empty() || self.pass(pass).is_closed {
            return;
        }
        let graph = self.graph.clone();
        let mut taken: Vec<&LoopBack> = Vec::new();
        let mut left: Vec<(StepId, &LoopBack)> = Vec::new();
        for step in std::mem::take(&mut self.pass_mut(pass).waiting) {
            let node = graph.node(self.step(step).node);
            let Role::Loop(back) = &node.role else { continue };
            if taken.iter().any(|earlier| earlier.region[node.local]) {
                continue;
            }
            if left.iter().any(|(_, earlier)| overlap(earlier, back)) || !self.is_quiet(&graph, pass, back) {
                left.push((step, back));
            } else {
                self.jump(&graph, pass, step, back);
                taken.push(back);
            }
        }
        self.pass_mut(pass).waiting = left.into_iter().map(|(step, _)| step).collect();
    }

    /// True when nothing of the region is ready, under way or paused, and nothing can come into it.
    fn is_quiet(&self, graph: &Graph, pass: PassIndex, back: &LoopBack) -> bool {
        let pass = self.pass(pass);
        let mut open = pass.queue.iter().chain(&pass.paused).chain(&pass.held);
        !open.any(|&step| back.region[graph.node(self.step(step).node).local])
            && !pass.board.is_open_into(graph, graph.container(pass.container), &back.region)
    }

    fn jump(&mut self, graph: &Graph, pass: PassIndex, step: StepId, back: &LoopBack) {
        let concerns = |node: NodeIndex| back.region[graph.node(node).local];
        let mut past = StepSet::default();
        for step in self.pass(pass).steps.iter().map(|&step| self.step(step)) {
            if concerns(step.node) {
                past.join(&step.past);
                past.insert(step.local);
            }
        }
        let node = self.step(step).node;
        let parts = self.pass_mut(pass);
        *parts.jumps.entry(node).or_default() += 1;
        parts.board.reopen(graph, graph.container(parts.container), &back.region);
        for &target in &back.targets {
            // Of the cards behind Start, one may lead to another and is then ready after it.
            if self.pass(pass).board.is_decided(graph, target) {
                let again = self.add_step(pass, target, vec![step], past.clone());
                self.pass_mut(pass).queue.push_back(again);
            }
        }
    }
}

fn overlap(one: &LoopBack, other: &LoopBack) -> bool {
    one.region.iter().zip(&other.region).any(|(one, other)| *one && *other)
}
