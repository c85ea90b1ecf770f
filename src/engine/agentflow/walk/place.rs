//! Where in a run a step stands, by names that do not depend on what else happens in it.

use super::Walk;
use super::step::StepId;
use crate::engine::agentflow::graph::NodeIndex;
use serde::{Deserialize, Serialize};

/// The place of a step, the same in every walk in which it is reached. What goes on from a pause stands where it paused.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct StepPlace {
    /// The iterations around it, the outermost first.
    pub(crate) within: Vec<Around>,
    pub(crate) node: NodeIndex,
    /// The how manieth time the card runs in its pass, from 0.
    pub(crate) visit: usize,
}

/// An iteration around a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Around {
    pub(crate) node: NodeIndex,
    pub(crate) visit: usize,
    pub(crate) item: usize,
}

impl Walk {
    pub(crate) fn place(&self, step: StepId) -> StepPlace {
        let owners = std::iter::successors(self.item(step), |&(owner, _)| self.item(owner));
        let around = |(owner, item)| Around { node: self.node(owner), visit: self.round(owner), item };
        let mut within: Vec<Around> = owners.map(around).collect();
        within.reverse();
        StepPlace { within, node: self.node(step), visit: self.round(step) }
    }

    fn round(&self, step: StepId) -> usize {
        let (node, pass) = (self.step(step).node, self.step(step).pass);
        let begins = |other: &&StepId| self.step(**other).node == node && !self.step(**other).is_repeat;
        let known = self.pass(pass).steps.iter().filter(begins).take_while(|&&other| other <= step).count();
        known.saturating_sub(1)
    }
}
