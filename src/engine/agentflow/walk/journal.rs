//! What happened in a walk, so that it can be walked again after a restart.
//!
//! The steps of a walk and all they depend on follow from what it is told, so the telling is what is kept. Entries of
//! the record alone would not do: an iteration that is held by a pause has no entry that says how many items it has,
//! and what a failed item had begun depends on when its steps started.

use super::step::{State, StepEnd, StepId};
use super::{Misfit, Walk};
use crate::engine::agentflow::graph::Graph;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// One thing that a walk was told, or said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Event {
    #[serde(rename = "start")]
    Started { step: StepId },
    #[serde(rename = "open")]
    Opened { step: StepId, items: usize, concurrency: usize },
    #[serde(rename = "end")]
    Ended { step: StepId, end: StepEnd },
    #[serde(rename = "resume")]
    Resumed { step: StepId },
}

impl Walk {
    /// Everything that happened so far. It only grows.
    pub(crate) fn journal(&self) -> &[Event] {
        &self.journal
    }

    /// The walk that this journal is of, with nothing of the record handed out. Steps keep their ids.
    ///
    /// # Errors
    /// [`Misfit`] when it is the journal of another graph.
    pub(crate) fn replay(graph: Arc<Graph>, branches: usize, journal: &[Event]) -> Result<Self, Misfit> {
        let mut walk = Self::new(graph, branches);
        for event in journal {
            let (Event::Started { step }
            | Event::Opened { step, .. }
            | Event::Ended { step, .. }
            | Event::Resumed { step }) = event;
            if step.at() >= walk.steps.len() {
                return Err(Misfit::NotUnderWay);
            }
            match event {
                Event::Started { step } if walk.step(*step).state == State::Ready => {
                    walk.journal.push(event.clone());
                    walk.start(*step);
                }
                Event::Started { .. } => return Err(Misfit::NotUnderWay),
                Event::Opened { step, items, concurrency } => walk.open(*step, *items, *concurrency)?,
                Event::Ended { step, end } => walk.end(*step, end.clone())?,
                Event::Resumed { step } => drop(walk.resume(*step)?),
            }
        }
        Ok(walk)
    }
}
