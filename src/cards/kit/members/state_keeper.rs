//! Where the state of a conversation is kept outside of this service.

use super::Member;
use crate::domain::error::{Error, Result};
use crate::domain::ids::MessageId;
use crate::kit::build::inputs::Inputs;
use crate::kit::capabilities::host::Host;
use serde_json::Value;
use std::sync::Arc;

/// What one run left of the state of its conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct RunState {
    /// The answer that the run gave. A run that went on after a person decided is known by the answer that asked.
    pub run: MessageId,
    /// What was said in it, and the keys of the state afterwards.
    pub state: Value,
}

/// A place outside of this service where the state of conversations is kept.
pub trait StateKeeper: Send + Sync {
    /// What the runs of the conversation that is asked left there, the oldest first.
    ///
    /// # Errors
    /// When it cannot be read, naming the card.
    fn states(&self, host: &dyn Host) -> Result<Vec<RunState>>;

    /// Keeps what a run of the conversation left, in the place of what the same run left before.
    ///
    /// # Errors
    /// When it cannot be kept, naming the card.
    fn keep(&self, state: &RunState, host: &dyn Host) -> Result<()>;

    /// Forgets the conversation of this name.
    ///
    /// # Errors
    /// When it cannot be forgotten, naming the card.
    fn forget(&self, session: &str, host: &dyn Host) -> Result<()>;

    /// What is said of something that lies there and is no state.
    fn unreadable(&self) -> Error;
}

/// Where the agent memory that is wired into a card keeps the state; `None` for the database of this service, which keeps it
/// without an agent memory as well.
///
/// # Errors
/// When something else is wired there.
pub(crate) fn wired_keeper(inputs: &Inputs<'_>, input: &str) -> Result<Option<Arc<dyn StateKeeper>>> {
    Ok(match inputs.optional_member(input)?.as_deref() {
        Some(Member::Saver(keeper)) => keeper.clone(),
        _ => None,
    })
}
