//! A stream for tests of whoever takes one over.

use super::{ModelError, Protocol, ReplyBuilder, ReplyStream, SseEvent, StreamStep};
use crate::base::cancel::CancelToken;
use crate::net::Incoming;

impl ReplyStream {
    /// A stream that nobody has read.
    pub fn unread(cancel: &CancelToken) -> Self {
        Self::from_events(Incoming::of_text("data: one\n\n", cancel), Words)
    }
}

/// Each event is text, and one of them is the last.
pub(super) struct Words;

impl Protocol for Words {
    fn on_event(&mut self, event: &SseEvent<'_>, reply: &mut ReplyBuilder) -> Result<StreamStep, ModelError> {
        match event.data {
            "end" => return Ok(StreamStep::Over),
            "bad" => return Err(ModelError::OutOfCredit),
            word => reply.add_text(word),
        }
        Ok(StreamStep::More)
    }
}
