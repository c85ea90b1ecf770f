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

    /// True where somebody is told what the run came to while it is still being answered, and may look at its record then.
    fn tells_end(&self) -> bool {
        true
    }
}

impl RunSink for NullSink {
    fn tells_end(&self) -> bool {
        false
    }
}
