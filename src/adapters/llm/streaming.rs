//! A reply that arrives as a stream: it owns its connection, the protocol that reads it and what was gathered, so that it
//! can be read on the thread that asked, or by the task of whoever waits for the fragments.

use super::reply::{ReplyBuilder, broken_off_error};
use super::sse::{LineReader, SseEvent, SseReader};
use super::{Completion, Delta, ModelError, OnDelta};
use crate::base::cancel::CancelToken;
use crate::net::{Incoming, NetError};
use std::io::Read;
use std::task::{Context, Poll, ready};
use std::time::Duration;

/// Events that a task takes before others have their turn.
const EVENTS_AT_ONCE: usize = 64;

/// What a stream says after an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StreamStep {
    More,
    Over,
}

/// What the events of a stream mean: one of each protocol.
pub(super) trait Protocol: Send {
    /// Takes one event, or one line where the protocol has lines.
    ///
    /// # Errors
    /// What the provider says is wrong, or that the event cannot be read.
    fn on_event(&mut self, event: &SseEvent<'_>, reply: &mut ReplyBuilder) -> Result<StreamStep, ModelError>;

    /// The stream ended before an event said that the reply is complete.
    ///
    /// # Errors
    /// That it broke off, unless the protocol knows no such event.
    fn on_end(&self) -> Result<(), ModelError> {
        Err(broken_off_error())
    }

    /// The whole reply.
    ///
    /// # Errors
    /// As [`ReplyBuilder::finish`].
    fn finish(self: Box<Self>, reply: ReplyBuilder) -> Result<Completion, ModelError> {
        reply.finish()
    }
}

/// Where a stream is from.
pub trait StreamSource: Read {
    /// The reply is complete: what is left of the connection may be of use to others.
    fn finish(self)
    where
        Self: Sized;
}

impl StreamSource for Incoming {
    fn finish(self) {
        Self::finish(self);
    }
}

enum EventSource<R> {
    Events(SseReader<R>),
    Lines(LineReader<R>),
}

impl<R: StreamSource> EventSource<R> {
    fn poll_next(&mut self) -> Poll<Result<Option<SseEvent<'_>>, ModelError>> {
        match self {
            Self::Events(events) => events.poll_next(),
            Self::Lines(lines) => {
                lines.poll_next().map_ok(|line| line.map(|data| SseEvent { name: "", data }))
            }
        }
    }

    const fn source(&mut self) -> &mut R {
        match self {
            Self::Events(events) => events.source(),
            Self::Lines(lines) => lines.source(),
        }
    }

    fn into_source(self) -> R {
        match self {
            Self::Events(events) => events.into_source(),
            Self::Lines(lines) => lines.into_source(),
        }
    }
}

/// A reply as it arrives.
pub struct ReplyStream<R = Incoming> {
    framing: EventSource<R>,
    protocol: Box<dyn Protocol>,
    reply: ReplyBuilder,
    /// Goes out before the first text.
    lead: &'static str,
    is_lead_sent: bool,
    /// Events were taken since somebody asked.
    has_progress: bool,
}

/// What became of a stream.
pub struct StreamEnd {
    /// The text that was handed on, also when the stream broke off.
    pub text: String,
    pub result: Result<Completion, ModelError>,
}

impl<R: StreamSource> ReplyStream<R> {
    /// A stream of server-sent events.
    pub(super) fn from_events(source: R, protocol: impl Protocol + 'static) -> Self {
        Self::new(EventSource::Events(SseReader::new(source)), Box::new(protocol))
    }

    pub(super) fn from_lines(source: R, protocol: impl Protocol + 'static) -> Self {
        Self::new(EventSource::Lines(LineReader::new(source)), Box::new(protocol))
    }

    fn new(framing: EventSource<R>, protocol: Box<dyn Protocol>) -> Self {
        Self {
            framing,
            protocol,
            reply: ReplyBuilder::default(),
            lead: "",
            is_lead_sent: false,
            has_progress: false,
        }
    }

    /// Puts `lead` before the first text. It is handed on like text, and no part of the reply.
    #[must_use]
    pub fn with_lead(mut self, lead: &'static str) -> Self {
        self.lead = lead;
        self
    }

    /// Reads events until as many are taken as `events` says, or the source has nothing.
    fn step(&mut self, events: &mut usize, on: &mut OnDelta<'_>) -> Poll<Result<StreamStep, ModelError>> {
        while *events > 0 {
            let flow = match ready!(self.framing.poll_next())? {
                Some(event) => {
                    self.has_progress = true;
                    self.protocol.on_event(&event, &mut self.reply)
                }
                None => self.protocol.on_end().map(|()| StreamStep::Over),
            };
            self.emit(on)?;
            if flow? == StreamStep::Over {
                return Poll::Ready(Ok(StreamStep::Over));
            }
            *events -= 1;
        }
        Poll::Ready(Ok(StreamStep::More))
    }

    fn emit(&mut self, on: &mut OnDelta<'_>) -> Result<(), ModelError> {
        if !self.is_lead_sent && !self.reply.text().is_empty() {
            self.is_lead_sent = true;
            if !self.lead.is_empty() {
                on(Delta::Text(self.lead)).map_err(|_| ModelError::Cancelled)?;
            }
        }
        self.reply.emit(on)
    }

    /// Reads to the end on this thread, which waits while nothing is there.
    pub fn follow(mut self, on: &mut OnDelta<'_>) -> StreamEnd {
        let mut events = usize::MAX;
        let result = match self.step(&mut events, on) {
            Poll::Ready(result) => result.map(drop),
            Poll::Pending => Err(NetError::TimedOut.into()),
        };
        self.end(result)
    }

    /// The end, which is how the reading went.
    pub fn end(self, result: Result<(), ModelError>) -> StreamEnd {
        let Self { framing, protocol, reply, lead, is_lead_sent: is_led, .. } = self;
        let said = format!("{}{}", if is_led { lead } else { "" }, reply.text());
        let result = result.and_then(|()| {
            framing.into_source().finish();
            protocol.finish(reply)
        });
        StreamEnd { text: said, result }
    }
}

/// What became of reading a stream for a while.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadProgress {
    /// There may be more at once: others had their turn.
    More,
    Over(Result<(), ModelError>),
}

impl ReplyStream {
    /// Lets a task read the stream with [`Self::poll`]. False where only a thread can.
    pub fn leave_to_task(&mut self) -> bool {
        self.framing.source().leave_to_task()
    }

    /// Lets a thread end it.
    pub fn leave_to_thread(&mut self) {
        self.framing.source().leave_to_thread();
    }

    /// The token of the run that it is for.
    pub const fn cancel(&mut self) -> &CancelToken {
        self.framing.source().cancel()
    }

    /// How long a silence is borne.
    pub const fn stall(&mut self) -> Duration {
        self.framing.source().stall()
    }

    /// True when events came since this was asked last, whatever they were.
    pub const fn take_progress(&mut self) -> bool {
        std::mem::replace(&mut self.has_progress, false)
    }

    /// Reads what there is without waiting, some of it at a time. Pending means that `cx` is woken when there may be more.
    pub fn poll(&mut self, cx: &mut Context<'_>, on: &mut OnDelta<'_>) -> Poll<ReadProgress> {
        let mut events = EVENTS_AT_ONCE;
        loop {
            match self.step(&mut events, on) {
                Poll::Ready(Ok(StreamStep::Over)) => return Poll::Ready(ReadProgress::Over(Ok(()))),
                Poll::Ready(Ok(StreamStep::More)) => return Poll::Ready(ReadProgress::More),
                Poll::Ready(Err(error)) => return Poll::Ready(ReadProgress::Over(Err(error))),
                Poll::Pending => {}
            }
            if let Err(error) = ready!(self.framing.source().poll_readable(cx)) {
                return Poll::Ready(ReadProgress::Over(Err(NetError::from(error).into())));
            }
        }
    }
}

#[cfg(any(test, feature = "test-support"))]
mod test_stream;
#[cfg(test)]
mod tests {
    use super::test_stream::Words;
    use super::*;
    use crate::llm::sse::tests::Pieces;

    impl StreamSource for Pieces<'_> {
        fn finish(self) {}
    }

    impl StreamSource for &[u8] {
        fn finish(self) {}
    }

    const SAMPLE: &[u8] = b"data: one\n\ndata:  two\n\ndata: end\n\n";

    #[test]
    fn a_stream_that_pauses_goes_on_where_it_was() {
        let mut streaming = ReplyStream::from_events(Pieces::paused(SAMPLE), Words).with_lead("> ");
        let (mut seen, mut pauses) = (Vec::new(), 0);
        let mut on = |delta: Delta<'_>| {
            seen.push(format!("{delta:?}"));
            Ok(())
        };
        let result = loop {
            match streaming.step(&mut 9, &mut on) {
                Poll::Ready(result) => break result.map(drop),
                Poll::Pending => pauses += 1,
            }
        };
        assert_eq!((result.clone(), pauses), (Ok(()), SAMPLE.len()));
        let followed = streaming.end(result);
        assert_eq!(seen, [r#"Text("> ")"#, r#"Text("one")"#, r#"Text(" two")"#]);
        assert_eq!(
            (followed.text.as_str(), followed.result.unwrap().text.as_str()),
            ("> one two", "one two")
        );
    }

    #[test]
    fn what_was_said_before_a_stream_broke_off_is_known() {
        for (source, error) in [
            (&b"data: one\n\n"[..], broken_off_error()),
            (&b"data: one\n\ndata: bad\n\n"[..], ModelError::OutOfCredit),
        ] {
            let followed = ReplyStream::from_events(source, Words).follow(&mut |_: Delta<'_>| Ok(()));
            assert_eq!((followed.text.as_str(), followed.result), ("one", Err(error)));
        }
    }

    #[test]
    fn a_receiver_that_wants_no_more_ends_the_stream() {
        let mut on = |_: Delta<'_>| Err(crate::llm::StreamClosed);
        let followed = ReplyStream::from_events(SAMPLE, Words).follow(&mut on);
        assert_eq!(followed.result, Err(ModelError::Cancelled));
    }
}
