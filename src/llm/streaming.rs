//! A reply that arrives as a stream: it owns its connection, the protocol that reads it and what was gathered, so that it
//! can be read on the thread that asked, or by the task of whoever waits for the fragments.

use super::reply::{Reply, broke_off};
use super::sse::{Event, Events, Lines};
use super::{Completion, Delta, ModelError, OnDelta};
use crate::domain::cancel::Cancel;
use crate::net::{Incoming, NetError};
use std::io::Read;
use std::task::{Context, Poll, ready};
use std::time::Duration;

/// Events that a task takes before others have their turn.
const EVENTS_AT_ONCE: usize = 64;

/// What a stream says after an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    /// There is more to come.
    More,
    /// The reply is complete.
    Over,
}

/// What the events of a stream mean: one of each protocol.
pub(super) trait Protocol: Send {
    /// Takes one event, or one line where the protocol has lines.
    ///
    /// # Errors
    /// What the provider says is wrong, or that the event cannot be read.
    fn take(&mut self, event: &Event<'_>, reply: &mut Reply) -> Result<Flow, ModelError>;

    /// The stream ended before an event said that the reply is complete.
    ///
    /// # Errors
    /// That it broke off, unless the protocol knows no such event.
    fn ended(&self) -> Result<(), ModelError> {
        Err(broke_off())
    }

    /// The whole reply.
    ///
    /// # Errors
    /// As [`Reply::done`].
    fn done(self: Box<Self>, reply: Reply) -> Result<Completion, ModelError> {
        reply.done()
    }
}

/// Where a stream is from.
pub trait Source: Read {
    /// The reply is complete: what is left of the connection may be of use to others.
    fn finish(self)
    where
        Self: Sized;
}

impl Source for Incoming {
    fn finish(self) {
        Self::finish(self);
    }
}

enum Framing<R> {
    Events(Events<R>),
    Lines(Lines<R>),
}

impl<R: Source> Framing<R> {
    fn poll_next(&mut self) -> Poll<Result<Option<Event<'_>>, ModelError>> {
        match self {
            Self::Events(events) => events.poll_next(),
            Self::Lines(lines) => lines.poll_next().map_ok(|line| line.map(|data| Event { name: "", data })),
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
pub struct Streaming<R = Incoming> {
    framing: Framing<R>,
    protocol: Box<dyn Protocol>,
    reply: Reply,
    /// Goes out before the first text.
    lead: &'static str,
    is_led: bool,
    /// Events were taken since somebody asked.
    has_news: bool,
}

/// What became of a stream.
pub struct Followed {
    /// The text that was handed on, also when the stream broke off.
    pub said: String,
    /// The whole reply.
    pub result: Result<Completion, ModelError>,
}

impl<R: Source> Streaming<R> {
    /// A stream of server-sent events.
    pub(super) fn of_events(source: R, protocol: impl Protocol + 'static) -> Self {
        Self::new(Framing::Events(Events::new(source)), Box::new(protocol))
    }

    /// A stream of lines.
    pub(super) fn of_lines(source: R, protocol: impl Protocol + 'static) -> Self {
        Self::new(Framing::Lines(Lines::new(source)), Box::new(protocol))
    }

    fn new(framing: Framing<R>, protocol: Box<dyn Protocol>) -> Self {
        Self { framing, protocol, reply: Reply::default(), lead: "", is_led: false, has_news: false }
    }

    /// Puts `lead` before the first text. It is handed on and said, and no part of the reply.
    #[must_use]
    pub fn with_lead(mut self, lead: &'static str) -> Self {
        self.lead = lead;
        self
    }

    /// Reads events until as many are taken as `events` says, or the source has nothing.
    fn step(&mut self, events: &mut usize, on: &mut OnDelta<'_>) -> Poll<Result<Flow, ModelError>> {
        while *events > 0 {
            let flow = match ready!(self.framing.poll_next())? {
                Some(event) => {
                    self.has_news = true;
                    self.protocol.take(&event, &mut self.reply)
                }
                None => self.protocol.ended().map(|()| Flow::Over),
            };
            self.hand_on(on)?;
            if flow? == Flow::Over {
                return Poll::Ready(Ok(Flow::Over));
            }
            *events -= 1;
        }
        Poll::Ready(Ok(Flow::More))
    }

    fn hand_on(&mut self, on: &mut OnDelta<'_>) -> Result<(), ModelError> {
        if !self.is_led && !self.reply.said().is_empty() {
            self.is_led = true;
            if !self.lead.is_empty() {
                on(Delta::Text(self.lead)).map_err(|_| ModelError::Cancelled)?;
            }
        }
        self.reply.hand_on(on)
    }

    /// Reads to the end on this thread, which waits while nothing is there.
    pub fn follow(mut self, on: &mut OnDelta<'_>) -> Followed {
        let mut events = usize::MAX;
        let result = match self.step(&mut events, on) {
            Poll::Ready(result) => result.map(drop),
            Poll::Pending => Err(NetError::TimedOut.into()),
        };
        self.end(result)
    }

    /// The end, which is how the reading went.
    pub fn end(self, result: Result<(), ModelError>) -> Followed {
        let Self { framing, protocol, reply, lead, is_led, .. } = self;
        let said = format!("{}{}", if is_led { lead } else { "" }, reply.said());
        let result = result.and_then(|()| {
            framing.into_source().finish();
            protocol.done(reply)
        });
        Followed { said, result }
    }
}

/// What became of reading a stream for a while.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// There may be more at once: others had their turn.
    More,
    /// It is over.
    Over(Result<(), ModelError>),
}

impl Streaming {
    /// Lets a task read the stream with [`Self::poll`]. False where only a thread can.
    pub fn leave_to_task(&mut self) -> bool {
        self.framing.source().leave_to_task()
    }

    /// Lets a thread end it.
    pub fn leave_to_thread(&mut self) {
        self.framing.source().leave_to_thread();
    }

    /// The token of the run that it is for.
    pub const fn cancel(&mut self) -> &Cancel {
        self.framing.source().cancel()
    }

    /// How long a silence is borne.
    pub const fn stall(&mut self) -> Duration {
        self.framing.source().stall()
    }

    /// True when events came since this was asked last, whatever they were.
    pub const fn take_news(&mut self) -> bool {
        std::mem::replace(&mut self.has_news, false)
    }

    /// Reads what there is without waiting, some of it at a time. Pending means that `cx` is woken when there may be more.
    pub fn poll(&mut self, cx: &mut Context<'_>, on: &mut OnDelta<'_>) -> Poll<Progress> {
        let mut events = EVENTS_AT_ONCE;
        loop {
            match self.step(&mut events, on) {
                Poll::Ready(Ok(Flow::Over)) => return Poll::Ready(Progress::Over(Ok(()))),
                Poll::Ready(Ok(Flow::More)) => return Poll::Ready(Progress::More),
                Poll::Ready(Err(error)) => return Poll::Ready(Progress::Over(Err(error))),
                Poll::Pending => {}
            }
            if let Err(error) = ready!(self.framing.source().poll_more(cx)) {
                return Poll::Ready(Progress::Over(Err(NetError::from(error).into())));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::sse::tests::Pieces;

    impl Source for Pieces<'_> {
        fn finish(self) {}
    }

    impl Source for &[u8] {
        fn finish(self) {}
    }

    /// Each event is text, and one of them is the last.
    struct Words;

    impl Protocol for Words {
        fn take(&mut self, event: &Event<'_>, reply: &mut Reply) -> Result<Flow, ModelError> {
            match event.data {
                "end" => return Ok(Flow::Over),
                "bad" => return Err(ModelError::OutOfCredit),
                word => reply.text(word),
            }
            Ok(Flow::More)
        }
    }

    const SAMPLE: &[u8] = b"data: one\n\ndata:  two\n\ndata: end\n\n";

    #[test]
    fn a_stream_that_pauses_goes_on_where_it_was() {
        let mut streaming = Streaming::of_events(Pieces::paused(SAMPLE), Words).with_lead("> ");
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
            (followed.said.as_str(), followed.result.unwrap().text.as_str()),
            ("> one two", "one two")
        );
    }

    #[test]
    fn what_was_said_before_a_stream_broke_off_is_known() {
        for (source, error) in [
            (&b"data: one\n\n"[..], broke_off()),
            (&b"data: one\n\ndata: bad\n\n"[..], ModelError::OutOfCredit),
        ] {
            let followed = Streaming::of_events(source, Words).follow(&mut |_: Delta<'_>| Ok(()));
            assert_eq!((followed.said.as_str(), followed.result), ("one", Err(error)));
        }
    }

    #[test]
    fn a_receiver_that_wants_no_more_ends_the_stream() {
        let mut on = |_: Delta<'_>| Err(crate::llm::Stopped);
        let followed = Streaming::of_events(SAMPLE, Words).follow(&mut on);
        assert_eq!(followed.result, Err(ModelError::Cancelled));
    }
}
