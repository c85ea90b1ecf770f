//! What was said of an answer so far.

use crate::cards::kit::{NullSink, StreamClosed, TokenSink};
use crate::domain::error::{Error, Result};
use crate::domain::predictions::run_event::RunEvent;
use crate::domain::predictions::team::TeamEvent;
use crate::engine::agentflow::RunSink;
use crate::llm::{ReplyStream, StreamEnd};

/// Passes tokens on and keeps the text so far, for the case that the rest never comes.
pub(super) struct PartialAnswerSink<'a> {
    pub(super) sink: &'a mut dyn RunSink,
    pub(super) text: String,
    pub(super) streams: bool,
}

impl PartialAnswerSink<'_> {
    pub(super) fn send_whole(&mut self, text: &str) -> Result<()> {
        self.sink.token(text).map_err(|_| Error::Cancelled)
    }
}

impl RunSink for PartialAnswerSink<'_> {
    fn event(&mut self, event: &RunEvent<'_>) -> Result<(), StreamClosed> {
        self.sink.event(event)
    }

    fn tells_end(&self) -> bool {
        self.sink.tells_end()
    }
}

impl TokenSink for PartialAnswerSink<'_> {
    fn team(&mut self, event: &TeamEvent<'_>) -> Result<(), StreamClosed> {
        self.sink.event(&RunEvent::Team(*event))
    }

    fn token(&mut self, text: &str) -> Result<(), StreamClosed> {
        self.text.push_str(text);
        if self.streams { self.sink.token(text) } else { Ok(()) }
    }

    fn thinking(&mut self, text: &str) -> Result<(), StreamClosed> {
        if self.streams { self.sink.thinking(text) } else { Ok(()) }
    }

    fn follow(&mut self, streaming: ReplyStream) -> StreamEnd {
        let followed = if self.streams { self.sink.follow(streaming) } else { NullSink.follow(streaming) };
        self.text.push_str(&followed.text);
        followed
    }
}
