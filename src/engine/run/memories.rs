//! What a run tells memories outside of this service when its answer is there, and how they forget.

use super::{RunVariables, build};
use crate::cards::kit::members::{Member, StateKeeper};
use crate::cards::kit::{Category, Component, Host, Memory, RunContext};
use crate::domain::error::Result;
use crate::domain::predictions::prediction::RunOutput;
use crate::engine::credential::Credentials;
use crate::engine::legacy::PendingState;
use crate::engine::plan::{Plan, Step, StepKind};
use crate::engine::resolve::Resolver;
use std::cell::OnceCell;
use std::sync::Arc;

/// A question's outcome, and what memories outside of this service are still to be told of it.
pub struct CompletedRun {
    /// The answer, and what goes out with it.
    pub outcome: RunOutput,
    pub(super) memories: Vec<Arc<dyn Memory>>,
    state: Option<PendingState>,
}

impl CompletedRun {
    /// A run that no memory outside of this service is told of.
    #[must_use]
    pub const fn from_output(outcome: RunOutput) -> Self {
        Self { outcome, memories: Vec::new(), state: None }
    }

    pub(super) const fn with_memories(outcome: RunOutput, memories: Vec<Arc<dyn Memory>>) -> Self {
        Self { outcome, memories, state: None }
    }

    /// A run of members, whose state may be kept outside of this service.
    pub(in crate::engine) const fn with_state(outcome: RunOutput, state: Option<PendingState>) -> Self {
        Self { outcome, memories: Vec::new(), state }
    }

    /// Saves the question as it was asked, the answer as it stands now, and the state of members, to those memories of the
    /// flow that keep such things outside of this service.
    ///
    /// # Errors
    /// The first one that cannot, naming its card.
    pub fn save_to_memories(&self, host: &dyn Host) -> Result<()> {
        self.memories
            .iter()
            .try_for_each(|memory| memory.append(host.question(), &self.outcome.text, host))?;
        self.state.iter().try_for_each(|state| state.keep(host))
    }
}

/// A memory outside of this service.
pub enum OutsideMemory {
    Messages(Arc<dyn Memory>),
    /// The state of members.
    State(Arc<dyn StateKeeper>),
}

impl OutsideMemory {
    /// Forgets the conversation that is known there by this name.
    ///
    /// # Errors
    /// When it cannot be forgotten, naming the card.
    pub fn forget(&self, session: &str, host: &dyn Host) -> Result<()> {
        match self {
            Self::Messages(memory) => memory.forget(session, host),
            Self::State(keeper) => keeper.forget(session, host),
        }
    }
}

/// True for the card of a memory that may keep something outside of this service: one that signs in somewhere.
fn is_outside_memory(step: &Step) -> bool {
    let StepKind::Known { card, .. } = &step.kind else { return false };
    card.category == Category::Memory && !card.credential_types().is_empty()
}

/// True when a memory of the plan may keep something outside of this service.
#[must_use]
pub fn remembers_outside(plan: &Plan) -> bool {
    plan.steps.iter().any(is_outside_memory)
}

/// The memories of a plan that keep something outside of this service. Nothing else of the flow is built.
///
/// # Errors
/// The first card that cannot be built; the message names it.
pub fn outside_memories(
    plan: &Plan,
    turn: &RunContext<'_>,
    credentials: &dyn Credentials,
) -> Result<Vec<OutsideMemory>> {
    let chat_history = OnceCell::new();
    let resolver = Resolver {
        turn,
        components: &[],
        plan,
        request_variables: None,
        params: None,
        chat_history: &chat_history,
    };
    let mut memories = Vec::new();
    for step in plan.steps.iter().filter(|step| is_outside_memory(step)) {
        let built = build(step, &resolver, credentials, &mut RunVariables::default(), std::iter::empty())?;
        match built.component {
            Component::Memory(memory) => memories.push(OutsideMemory::Messages(memory)),
            Component::Member(member) => {
                if let Member::Saver(Some(keeper)) = &*member {
                    memories.push(OutsideMemory::State(keeper.clone()));
                }
            }
            _ => {}
        }
    }
    Ok(memories)
}
