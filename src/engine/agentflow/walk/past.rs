//! What a step comes after.

use super::Walk;
use super::pass::{PassIndex, Telling};
use super::step::StepId;
use std::sync::Arc;

const BITS: usize = u64::BITS as usize;

/// Steps of one pass, by their local places.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct StepSet(Vec<u64>);

impl StepSet {
    pub(super) fn insert(&mut self, local: usize) {
        if self.0.len() <= local / BITS {
            self.0.resize(local / BITS + 1, 0);
        }
        self.0[local / BITS] |= 1 << (local % BITS);
    }

    pub(super) fn join(&mut self, other: &Self) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0.iter_mut().zip(&other.0).for_each(|(own, other)| *own |= other);
    }

    pub(super) fn contains(&self, local: usize) -> bool {
        self.0.get(local / BITS).is_some_and(|word| word >> (local % BITS) & 1 == 1)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = usize> {
        let places = |(at, &word): (usize, &u64)| {
            (0..BITS).filter(move |bit| word >> bit & 1 == 1).map(move |bit| at * BITS + bit)
        };
        self.0.iter().enumerate().flat_map(places)
    }
}

/// The steps before a step along taken edges, in the order of the record. What comes before an iteration is shared by
/// all steps inside of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Past {
    outer: Option<Arc<Past>>,
    own: Vec<StepId>,
}

impl Past {
    pub(crate) fn iter(&self) -> impl Iterator<Item = StepId> {
        let mut layers: Vec<&[StepId]> = self.layers().collect();
        layers.reverse();
        layers.into_iter().flatten().copied()
    }

    /// The same, the newest first.
    #[cfg(test)]
    pub(crate) fn newest_first(&self) -> impl Iterator<Item = StepId> {
        self.layers().flat_map(|layer| layer.iter().rev().copied())
    }

    #[cfg(test)]
    /// What comes before the iteration around the step, the same for all steps inside of it.
    pub(crate) const fn outer(&self) -> Option<&Arc<Self>> {
        self.outer.as_ref()
    }

    /// What comes before it in its own pass.
    pub(crate) fn own(&self) -> &[StepId] {
        &self.own
    }

    fn layers(&self) -> impl Iterator<Item = &[StepId]> {
        std::iter::successors(Some(self), |past| past.outer.as_deref()).map(|past| past.own.as_slice())
    }
}

impl Walk {
    /// What the step comes after. It is certain once the step can start, and never changes from then on.
    pub(crate) fn past(&self, step: StepId) -> Past {
        let step = self.step(step);
        let pass = self.pass(step.pass);
        let mut before: Vec<StepId> = step.past.iter().map(|local| pass.steps[local]).collect();
        before.sort_by_key(|&before| self.step(before).rank);
        let mut own = Vec::with_capacity(before.len());
        for step in before {
            self.collect_inside(step, &mut own);
            own.push(step);
        }
        self.order(&mut own);
        let around = pass.owner.and_then(|owner| self.step(owner).inside.as_ref());
        Past { outer: around.map(|inside| inside.outer.clone()), own }
    }

    /// The steps whose edges led to this one, in the order of the record; after going back the Loop, and none for what
    /// a pass begins with.
    pub(crate) fn parents(&self, step: StepId) -> &[StepId] {
        &self.step(step).parents
    }

    /// What an item of an iteration ran so far, in the order of the record.
    pub(crate) fn item_steps(&self, iteration: StepId, item: usize) -> Vec<StepId> {
        let mut steps = Vec::new();
        if let Some(pass) = self.pass_of(iteration, item) {
            self.collect_pass(pass, &mut steps);
        }
        self.order(&mut steps);
        steps
    }

    fn collect_inside(&self, iteration: StepId, steps: &mut Vec<StepId>) {
        let passes = self.step(iteration).inside.iter().flat_map(|inside| &inside.begun);
        passes.for_each(|&pass| self.collect_pass(pass, steps));
    }

    fn collect_pass(&self, pass: PassIndex, steps: &mut Vec<StepId>) {
        for &telling in &self.pass(pass).told {
            if let Telling::Entry(step) = telling {
                self.collect_inside(step, steps);
                steps.push(step);
            }
        }
    }

    /// A pause inside of an iteration lets other entries come between its steps, which only the record knows. What is
    /// not in the record yet comes behind what is, in the order in which it is collected.
    fn order(&self, steps: &mut [StepId]) {
        steps.sort_by_key(|&step| self.step(step).recorded.unwrap_or(usize::MAX));
    }
}
