//! The worker of a pass: it takes the step in front of its queue once that has ended.

use super::Walk;
use super::pass::{PassIndex, Telling};
use super::step::{State, StepEnd, StepId};

impl Walk {
    /// Lets the worker of a pass go on after something changed, and those of the passes around it.
    pub(super) fn settle(&mut self, pass: PassIndex) {
        let mut pass = pass;
        loop {
            self.tell(pass);
            self.list_ahead(pass);
            let Some(owner) = self.pass(pass).owner else { break };
            self.fill(owner);
            pass = self.step(owner).pass;
        }
        self.emit();
    }

    pub(super) fn tell(&mut self, pass: PassIndex) {
        while let Some(&step) = self.pass(pass).queue.front() {
            if let State::Ended(end) = self.step(step).state.clone() {
                self.tell_step(pass, step, &end);
            } else if self.is_held(step) {
                let parts = self.pass_mut(pass);
                parts.queue.pop_front();
                parts.held.push(step);
                parts.told.push(Telling::Part(step));
            } else {
                break;
            }
        }
    }

    fn tell_step(&mut self, pass: PassIndex, step: StepId, end: &StepEnd) {
        let parts = self.pass_mut(pass);
        parts.queue.pop_front();
        parts.told.push(Telling::Entry(step));
        let rank = parts.count;
        parts.count += 1;
        let is_closed = parts.is_closed;
        self.step_mut(step).rank = rank;
        if is_closed {
            return;
        }
        match end {
            StepEnd::Done | StepEnd::Outputs(_) | StepEnd::ErrorOutput => {
                let graph = self.graph.clone();
                let mut board = std::mem::take(&mut self.pass_mut(pass).board);
                for node in board.decide(&graph, self.step(step).node, step, end) {
                    let ready = self.known_step(pass, node, &board);
                    self.pass_mut(pass).queue.push_back(ready);
                }
                self.pass_mut(pass).board = board;
            }
            StepEnd::Jump => self.pass_mut(pass).waiting.push(step),
            StepEnd::Paused => self.pass_mut(pass).paused.push(step),
            StepEnd::Failed | StepEnd::Cancelled => {
                self.pass_mut(pass).failed = Some(step);
                self.close(pass);
            }
        }
        self.judge_jumps(pass);
    }
}
