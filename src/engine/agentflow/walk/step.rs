//! One step of a run: a card, in one pass, at one time.

use super::pass::PassIndex;
use super::past::{Past, StepSet};
use crate::engine::agentflow::graph::{ContainerIndex, NodeIndex};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A step, by the order in which the walk came to know it. A walk that is [replayed](super::Walk::replay) gives the
/// same ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct StepId(u32);

impl StepId {
    pub(super) const fn new(at: usize) -> Self {
        // Steps and items are bounded far below.
        Self(at as u32)
    }

    /// How many steps became known before it.
    pub(crate) const fn at(self) -> usize {
        self.0 as usize
    }
}

/// How a step ended, as far as others depend on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum StepEnd {
    /// Every output is taken, but the one for errors.
    Done,
    /// Only these of its outputs are taken.
    Outputs(Vec<usize>),
    /// Only the output for errors is taken.
    ErrorOutput,
    /// A Loop goes back.
    Jump,
    /// It ends the run, or its item.
    Failed,
    /// It waits for an answer.
    Paused,
    /// It was told to stop.
    Cancelled,
}

impl StepEnd {
    /// True when its edges are decided by this.
    pub(super) const fn decides_edges(&self) -> bool {
        matches!(self, Self::Done | Self::Outputs(_) | Self::ErrorOutput)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum State {
    Ready,
    UnderWay,
    Ended(StepEnd),
}

#[derive(Debug, Clone)]
pub(super) struct Step {
    pub(super) node: NodeIndex,
    pub(super) pass: PassIndex,
    /// Its place among the steps of its pass, in the order in which they became known.
    pub(super) local: usize,
    /// Its place in the order of its pass; as long as it is not told, one that others may still come before.
    pub(super) rank: usize,
    /// In the order of the record.
    pub(super) parents: Vec<StepId>,
    /// The steps of its pass that it comes after.
    pub(super) past: StepSet,
    pub(super) state: State,
    pub(super) takes_place: bool,
    pub(super) is_cancelled: bool,
    /// It is one more than a run may have.
    pub(super) is_breach: bool,
    /// It goes on where an earlier one paused.
    pub(super) is_repeat: bool,
    /// Its place in the record.
    pub(super) recorded: Option<usize>,
    pub(super) inside: Option<Inside>,
}

/// The passes of an iteration that was opened.
#[derive(Debug, Clone)]
pub(super) struct Inside {
    pub(super) container: ContainerIndex,
    pub(super) items: usize,
    pub(super) concurrency: usize,
    /// What all of its steps come after.
    pub(super) outer: Arc<Past>,
    /// By item.
    pub(super) begun: Vec<PassIndex>,
    /// Those of them that did not end, in the order of items.
    pub(super) live: Vec<PassIndex>,
    /// No more of them begin.
    pub(super) is_closed: bool,
    /// Whoever drives the walk was told to end the iteration.
    pub(super) is_announced: bool,
    /// How many of its passes are in the record, as far as they got.
    pub(super) emitted: usize,
}

impl Inside {
    pub(super) fn new(
        container: ContainerIndex,
        items: usize,
        concurrency: usize,
        outer: Arc<Past>,
        is_closed: bool,
    ) -> Self {
        let (begun, live) = (Vec::new(), Vec::new());
        Self { container, items, concurrency, outer, begun, live, is_closed, is_announced: false, emitted: 0 }
    }

    pub(super) fn has_more(&self) -> bool {
        !self.is_closed && self.begun.len() < self.items
    }

    pub(super) fn is_over(&self) -> bool {
        self.live.is_empty() && !self.has_more()
    }
}
