//! What is known before its turn in the record.

use super::Walk;
use super::board::Board;
use super::pass::PassIndex;
use super::past::StepSet;
use super::step::{State, StepId};
use crate::engine::agentflow::graph::NodeIndex;

impl Walk {
    /// Lets a copy of the worker go on over the steps that did not end, and lists all that it comes to know.
    pub(super) fn list_ahead(&mut self, pass: PassIndex) {
        if self.pass(pass).is_closed {
            let queue = &self.passes[pass.at()].queue;
            let left = queue.iter().copied().collect();
            self.pass_mut(pass).listing = left;
            return;
        }
        let graph = self.graph.clone();
        let first = self.pass(pass).count;
        let mut queue = self.pass(pass).queue.clone();
        let mut board: Option<Board> = None;
        let mut listing = Vec::new();
        while let Some(step) = queue.pop_front() {
            self.step_mut(step).rank = first + listing.len();
            listing.push(step);
            let State::Ended(end) = &self.step(step).state else { continue };
            if end.decides_edges() {
                let (end, node) = (end.clone(), self.step(step).node);
                let board = board.get_or_insert_with(|| self.pass(pass).board.clone());
                for node in board.decide(&graph, node, step, &end) {
                    let known = self.pass(pass).known.get(&node).copied();
                    let known = known.unwrap_or_else(|| self.add_follower(pass, node, board));
                    self.pass_mut(pass).known.insert(node, known);
                    queue.push_back(known);
                }
            }
        }
        let fails = |&step: &StepId| self.step(step).is_failure();
        let cut = listing.iter().position(fails);
        let behind = cut.map_or(&[][..], |cut| &listing[cut + 1..]).to_vec();
        let parts = self.pass_mut(pass);
        parts.listing = listing;
        parts.cut = cut;
        behind.into_iter().for_each(|step| self.cancel(step));
    }

    /// The step of a card that became ready for the worker: known already, or new.
    pub(super) fn known_step(&mut self, pass: PassIndex, node: NodeIndex, board: &Board) -> StepId {
        match self.pass_mut(pass).known.remove(&node) {
            Some(known) => known,
            None => self.add_follower(pass, node, board),
        }
    }

    fn add_follower(&mut self, pass: PassIndex, node: NodeIndex, board: &Board) -> StepId {
        let mut parents: Vec<StepId> = board.parents(&self.graph, node).collect();
        parents.sort_by_key(|&parent| self.step(parent).rank);
        let mut past = StepSet::default();
        for &parent in &parents {
            past.join(&self.step(parent).past);
            past.insert(self.step(parent).local);
        }
        self.add_step(pass, node, parents, past)
    }
}
