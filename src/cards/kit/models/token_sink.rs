//! Where the events of a run go.

use crate::domain::predictions::team::TeamEvent;
pub use crate::llm::StreamClosed;
use crate::llm::{Delta, ReplyStream, StreamEnd};

/// Receives what a run shows while it runs.
pub trait TokenSink: Send {
    /// A fragment of the answer.
    ///
    /// # Errors
    /// When the caller left, which ends the run.
    fn token(&mut self, text: &str) -> Result<(), StreamClosed>;

    /// A fragment of a model's reasoning.
    ///
    /// # Errors
    /// When the caller left.
    fn thinking(&mut self, _text: &str) -> Result<(), StreamClosed> {
        Ok(())
    }

    /// Something that a team does before it answers. Where the team is a part of the answer, nobody is told.
    ///
    /// # Errors
    /// When the caller left.
    fn team(&mut self, _event: &TeamEvent<'_>) -> Result<(), StreamClosed> {
        Ok(())
    }

    /// Takes a whole stream of fragments. A sink that looks at each reads it here, on the thread of the run; one that only
    /// passes them on may leave that to whoever they are for.
    fn follow(&mut self, streaming: ReplyStream) -> StreamEnd {
        streaming.follow(&mut |delta: Delta<'_>| match delta {
            Delta::Text(text) => self.token(text),
            Delta::Thinking(text) => self.thinking(text),
        })
    }
}

/// Hands on the reasoning alone: the text of the model is not what its step answers with.
pub(crate) struct ThinkingSink<'a>(pub &'a mut dyn TokenSink);

impl TokenSink for ThinkingSink<'_> {
    fn token(&mut self, _text: &str) -> Result<(), StreamClosed> {
        Ok(())
    }

    fn thinking(&mut self, text: &str) -> Result<(), StreamClosed> {
        self.0.thinking(text)
    }
}

/// A sink for a card that runs in the middle of a flow: its text is no answer.
#[derive(Debug, Default)]
pub struct NullSink;

impl TokenSink for NullSink {
    fn token(&mut self, _text: &str) -> Result<(), StreamClosed> {
        Ok(())
    }
}
