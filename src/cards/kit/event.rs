//! Where the events of a run go.

use crate::llm::Stopped;

/// Nobody listens any more.
pub type Gone = Stopped;

/// Receives what a run shows while it runs.
pub trait Sink {
    /// A fragment of the answer.
    ///
    /// # Errors
    /// When the caller left, which ends the run.
    fn token(&mut self, text: &str) -> Result<(), Gone>;

    /// A fragment of a model's reasoning.
    ///
    /// # Errors
    /// When the caller left.
    fn thinking(&mut self, _text: &str) -> Result<(), Gone> {
        Ok(())
    }
}

/// A sink for a card that runs in the middle of a flow: its text is no answer.
#[derive(Debug, Default)]
pub struct Quiet;

impl Sink for Quiet {
    fn token(&mut self, _text: &str) -> Result<(), Gone> {
        Ok(())
    }
}
