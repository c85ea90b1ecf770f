//! What starts next.

use super::pass::{PassIndex, ROOT};
use super::step::{State, StepId};
use super::{Event, STEPS_MAX, Walk};

/// What whoever drives a walk has to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    /// Run the step.
    Start(StepId),
    /// End the step as failed without running it: the run, or the item, has had all steps that it may have.
    Breach(StepId),
    /// End the iteration: all its items have ended, or it is cancelled and nothing inside of it runs any more.
    Close(StepId),
}

impl Walk {
    /// The first step in the order of the record that can start, which counts as started with this.
    pub(crate) fn next(&mut self) -> Option<Next> {
        let next = self.find_next(ROOT)?;
        match next {
            Next::Start(step) | Next::Breach(step) => {
                self.journal.push(Event::Started { step });
                self.start(step);
            }
            Next::Close(step) => {
                if let Some(inside) = &mut self.step_mut(step).inside {
                    inside.is_announced = true;
                }
            }
        }
        Some(next)
    }

    /// True when [`Self::next`] has something to do.
    pub(crate) fn has_next(&self) -> bool {
        self.find_next(ROOT).is_some()
    }

    pub(super) fn start(&mut self, step: StepId) {
        let state = self.step(step);
        let takes_place = !self.graph.is_iteration(state.node);
        let is_breach = state.rank >= STEPS_MAX;
        self.busy += usize::from(takes_place);
        let state = self.step_mut(step);
        state.state = State::UnderWay;
        state.takes_place = takes_place;
        state.is_breach = is_breach;
    }

    fn find_next(&self, pass: PassIndex) -> Option<Next> {
        let parts = self.pass(pass);
        parts.listing.iter().enumerate().find_map(|(at, &step)| {
            let is_behind = parts.cut.is_some_and(|cut| at > cut);
            match self.step(step).state {
                State::Ready if !is_behind => self.judge_start(at, step),
                State::UnderWay => self.find_inside(step),
                _ => None,
            }
        })
    }

    fn judge_start(&self, at: usize, step: StepId) -> Option<Next> {
        if self.step(step).rank >= STEPS_MAX {
            // Others may still come before it, until it is in front.
            return (at == 0).then_some(Next::Breach(step));
        }
        let has_place = self.busy < self.branches || self.graph.is_iteration(self.step(step).node);
        has_place.then_some(Next::Start(step))
    }

    fn find_inside(&self, iteration: StepId) -> Option<Next> {
        let inside = self.step(iteration).inside.as_ref()?;
        if inside.is_over() {
            return (!inside.is_announced).then_some(Next::Close(iteration));
        }
        inside.live.iter().find_map(|&pass| self.find_next(pass))
    }
}
