//! From what each pass tells to the one record.

use super::Walk;
use super::pass::{PassIndex, ROOT, Telling};
use super::step::StepId;

impl Walk {
    /// Adds to the record all that is certain.
    pub(super) fn emit(&mut self) {
        self.emit_pass(ROOT);
    }

    fn emit_pass(&mut self, pass: PassIndex) {
        while let Some(&telling) = self.pass(pass).told.get(self.pass(pass).emitted) {
            self.pass_mut(pass).emitted += 1;
            match telling {
                Telling::Part(iteration) => self.emit_inside(iteration),
                Telling::Entry(step) => {
                    self.emit_inside(step);
                    self.step_mut(step).recorded = Some(self.record.len());
                    self.record.push(step);
                }
            }
        }
        if let Some(&front) = self.pass(pass).queue.front() {
            self.emit_inside(front);
        }
    }

    /// What the passes of an iteration tell, item by item. One that waits for an answer does not hold up those that have
    /// begun behind it.
    fn emit_inside(&mut self, iteration: StepId) {
        while let Some(inside) = &self.step(iteration).inside {
            let at = inside.emitted;
            let Some(&pass) = inside.begun.get(at) else { return };
            self.emit_pass(pass);
            if !self.pass(pass).queue.is_empty() {
                return;
            }
            if let Some(inside) = &mut self.step_mut(iteration).inside {
                inside.emitted = at + 1;
            }
        }
    }
}
