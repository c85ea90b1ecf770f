//! Where a run of an agentflow shows what it does.

use crate::cards::kit::{NullSink, StreamClosed, TokenSink};
use crate::domain::predictions::run_event::RunEvent;

/// Receives the tokens of a run's answer, and what happens on the way to it.
pub trait RunSink: TokenSink + Send {
    /// Something happened.
    ///
    /// # Errors
    /// When the caller left, which ends the run.
    fn event(&mut self, _event: &RunEvent<'_>) -> Result<(), StreamClosed> {
        Ok(())
    }
}

impl RunSink for NullSink {}
