//! Ending a pass before it comes to its end.

use super::Walk;
use super::pass::PassIndex;
use super::step::{State, Step, StepEnd, StepId};

impl Step {
    /// True when the step ends the run, or its item.
    pub(super) const fn is_failure(&self) -> bool {
        match &self.state {
            State::Ended(StepEnd::Failed) => true,
            State::Ended(StepEnd::Cancelled) => !self.is_cancelled,
            _ => false,
        }
    }
}

impl Walk {
    /// Keeps of a pass what has begun, and ends that.
    pub(super) fn close(&mut self, pass: PassIndex) {
        if self.pass(pass).is_closed {
            return;
        }
        self.list_ahead(pass);
        let begun = |&step: &StepId| self.step(step).state != State::Ready;
        let mut left: Vec<StepId> = self.pass(pass).listing.iter().copied().filter(begun).collect();
        let parts = self.pass_mut(pass);
        // What waits for an answer stays as it is told; the iterations around it get an end.
        left.append(&mut parts.held);
        parts.paused.clear();
        parts.queue = left.iter().copied().collect();
        parts.is_closed = true;
        parts.cut = None;
        left.into_iter().for_each(|step| self.cancel(step));
        self.list_ahead(pass);
    }

    /// Asks for the end of a step that is under way, with all inside of it.
    pub(super) fn cancel(&mut self, step: StepId) {
        if self.step(step).state != State::UnderWay || self.step(step).is_cancelled {
            return;
        }
        self.step_mut(step).is_cancelled = true;
        let Some(inside) = &mut self.step_mut(step).inside else {
            self.to_cancel.push(step);
            return;
        };
        inside.is_closed = true;
        for pass in inside.live.clone() {
            self.close(pass);
            self.tell(pass);
            self.list_ahead(pass);
        }
        self.fill(step);
    }
}
