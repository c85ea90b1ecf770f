//! Server-sent events: framing (manual 2.7), and the pipe from a blocking run to a connection.
//!
//! The run appends frames to one bounded buffer and the connection takes whatever is there, so a burst of tokens
//! becomes one chunk on the wire. A reader that is slow makes the run wait; one that is gone ends it.

use super::error::internal_message;
use super::pump;
use super::stream_format::{ReplyEvent, StreamFormat, append};
use crate::base::cancel::{CancelReason, CancelToken};
use crate::domain::error::{Error, UnavailableReason};
use crate::http::connection::thread_pool::ThreadPool;
use crate::ops::predictions::{Delta, ReplyStream, StreamClosed, StreamEnd};
use bytes::Bytes;
use futures_util::Stream;
use serde::Serialize;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use tokio::time::{Instant, Sleep};

/// Bytes of a stream that wait for a slow reader before its run has to wait (manual 14.1).
const STREAM_BUFFER_BYTES: usize = 16 * 1024;

/// The writing end of a stream. Dropping it ends the stream; dropped by a panic it ends it with an error.
pub struct EventSink {
    pipe: Arc<Pipe>,
    cancel: CancelToken,
    threads: ThreadPool,
    /// Kept until the run is over, so that a stopping service waits for what it stores.
    _guard: Arc<dyn Send + Sync>,
    /// Answers the request, where that waits for the first event: with the stream, or with what failed before it.
    head: Option<Mutex<Option<HeldHead>>>,
}

/// Answers the request with the stream, or with this failure instead of it.
pub(in crate::http) type HeldHead = Box<dyn FnOnce(Option<&Error>) + Send>;

impl EventSink {
    /// Leaves the answer to the first event: what fails before it is answered with a status of its own.
    #[must_use]
    pub(in crate::http) fn holding(mut self, head: HeldHead) -> Self {
        self.head = Some(Mutex::new(Some(head)));
        self
    }

    /// Answers the request, unless that was done; true when it was done now.
    fn answer(&self, fault: Option<&Error>) -> bool {
        let Some(held) = &self.head else { return false };
        let head = held.lock().unwrap_or_else(PoisonError::into_inner).take();
        head.is_some_and(|head| {
            head(fault);
            true
        })
    }

    /// Sends one event; waits while the reader is slow.
    ///
    /// # Errors
    /// [`StreamClosed`] when nobody reads any more, or the stream was ended.
    pub fn send<T: Serialize + ?Sized>(&self, event: &str, data: &T) -> Result<(), StreamClosed> {
        self.write(|buffer| {
            self.pipe.format.pause(buffer);
            append(buffer, &ReplyEvent { event, data });
        })
    }

    /// Writes frames of the stream's own format.
    ///
    /// # Errors
    /// As [`Self::send`].
    pub(in crate::http) fn write(&self, frames: impl FnOnce(&mut Vec<u8>)) -> Result<(), StreamClosed> {
        self.answer(None);
        self.pipe.write(frames)
    }

    /// Sends a fragment of the answer, as the stream's format has it and without building a value for it.
    ///
    /// # Errors
    /// As [`Self::send`].
    pub fn token(&self, text: &str) -> Result<(), StreamClosed> {
        self.answer(None);
        self.pipe.write_delta(Delta::Text(text))
    }

    /// Sends a fragment of a model's reasoning, whose end the format tells before what follows it.
    ///
    /// # Errors
    /// As [`Self::send`].
    pub fn thinking(&self, text: &str) -> Result<(), StreamClosed> {
        self.answer(None);
        self.pipe.write_delta(Delta::Thinking(text))
    }

    /// Sends the fragments of a model's stream, which the connection itself reads where it can. Waits for its end.
    pub fn follow(&self, mut streaming: ReplyStream) -> StreamEnd {
        self.answer(None);
        if !streaming.leave_to_task() {
            return streaming.follow(&mut |delta: Delta<'_>| self.pipe.write_delta(delta));
        }
        self.pipe.pump.follow(streaming, || self.pipe.wake_reader())
    }

    /// Leaves a model's stream to the connection, and gives this thread back. When the stream is over, `then` goes on with
    /// the run on another.
    pub fn hand_over(
        self,
        mut stream: Box<ReplyStream>,
        then: impl FnOnce(Self, StreamEnd) + Send + 'static,
    ) {
        self.answer(None);
        if stream.leave_to_task() {
            let pipe = self.pipe.clone();
            let rest = RestOfRun::new(self, then);
            pump::hand_over(&pipe, stream, rest);
        } else {
            let end = self.follow(*stream);
            then(self, end);
        }
    }

    /// Ends the stream the way a failed run ends it (manual 2.8).
    ///
    /// # Errors
    /// As [`Self::send`].
    pub fn send_error(&self, error: &Error) -> Result<(), StreamClosed> {
        if self.answer(Some(error)) {
            return Ok(());
        }
        self.write(|buffer| self.pipe.format.failure(buffer, error))
    }

    /// Sends the last event.
    ///
    /// # Errors
    /// As [`Self::send`].
    pub fn close(&self) -> Result<(), StreamClosed> {
        self.send("end", "[DONE]")
    }
}

/// What is left of a run that gave its thread back.
pub(super) struct RestOfRun {
    /// What it writes to and what it does; there until it goes on.
    parts: Option<(EventSink, Continuation)>,
    span: tracing::Span,
}

type Continuation = Box<dyn FnOnce(EventSink, StreamEnd) + Send>;

impl RestOfRun {
    pub(super) fn new(sink: EventSink, then: impl FnOnce(EventSink, StreamEnd) + Send + 'static) -> Self {
        Self { parts: Some((sink, Box::new(then))), span: tracing::Span::current() }
    }

    /// The token of the run, and where its threads come from.
    pub(super) fn means(&self) -> Option<(CancelToken, ThreadPool)> {
        self.parts.as_ref().map(|(sink, _)| (sink.cancel.clone(), sink.threads.clone()))
    }

    /// Goes on with it, on this thread.
    pub(super) fn resume(mut self, end: StreamEnd) {
        if let Some((sink, then)) = self.parts.take() {
            self.span.in_scope(|| then(sink, end));
        }
    }
}

impl Drop for RestOfRun {
    /// Dropped before it went on, no thread could be had for it.
    fn drop(&mut self) {
        if let Some((sink, _)) = self.parts.take() {
            tracing::error!("the system gives no thread for the end of an answer");
            sink.pipe.abort(&Error::Unavailable(UnavailableReason::Busy));
        }
    }
}

impl Drop for EventSink {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.pipe.abort(&Error::RunFailed(internal_message()));
        } else {
            self.pipe.finish();
        }
    }
}

#[derive(Default)]
struct PipeState {
    buffer: Vec<u8>,
    reader: Option<Waker>,
    /// No more frames come: the run returned, or the stream was cut.
    finished: bool,
    abandoned: bool,
}

/// The buffer between a run and its connection.
pub(in crate::http) struct Pipe {
    /// How what is said goes out.
    format: Arc<dyn StreamFormat>,
    state: Mutex<PipeState>,
    space_freed: Condvar,
    /// A stream that the connection reads, while the run waits for its end.
    pub(super) pump: pump::PumpSlot,
}

impl Pipe {
    fn new(format: Arc<dyn StreamFormat>) -> Self {
        Self { format, state: Mutex::default(), space_freed: Condvar::new(), pump: pump::PumpSlot::default() }
    }

    fn lock(&self) -> MutexGuard<'_, PipeState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_delta(&self, delta: Delta<'_>) -> Result<(), StreamClosed> {
        self.write(|buffer| self.format.delta(buffer, delta))
    }

    fn write(&self, frames: impl FnOnce(&mut Vec<u8>)) -> Result<(), StreamClosed> {
        let mut state = self.lock();
        while state.buffer.len() >= STREAM_BUFFER_BYTES && !state.finished && !state.abandoned {
            state = self.space_freed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.finished || state.abandoned {
            return Err(StreamClosed);
        }
        frames(&mut state.buffer);
        Self::wake(state);
        Ok(())
    }

    /// True when there is no body any more.
    pub(super) fn is_abandoned(&self) -> bool {
        self.lock().abandoned
    }

    /// Has the connection look what there is to do.
    pub(super) fn wake_reader(&self) {
        Self::wake(self.lock());
    }

    fn wake(mut state: MutexGuard<'_, PipeState>) {
        let reader = state.reader.take();
        drop(state);
        if let Some(reader) = reader {
            reader.wake();
        }
    }

    fn finish(&self) {
        let mut state = self.lock();
        state.finished = true;
        self.space_freed.notify_all();
        Self::wake(state);
    }

    /// Ends the stream from outside with an error; what the run sends afterwards is dropped.
    pub(in crate::http) fn abort(&self, error: &Error) {
        let mut state = self.lock();
        if state.finished || state.abandoned {
            return;
        }
        self.format.failure(&mut state.buffer, error);
        state.finished = true;
        self.space_freed.notify_all();
        Self::wake(state);
    }
}

/// The reading end: the body of the response.
pub(in crate::http) struct EventBody {
    pipe: Arc<Pipe>,
    cancel: CancelToken,
    /// Made when the body is first read: the thread of a request knows no timer.
    silence: Option<Pin<Box<Sleep>>>,
    heartbeat: Duration,
    last: Instant,
    /// Kept until the body is gone, so that a stopping service waits for its bytes.
    _guard: Arc<dyn Send + Sync>,
}

/// Makes both ends. `guard` lives as long as either does.
pub(in crate::http) fn channel(
    format: Arc<dyn StreamFormat>,
    cancel: CancelToken,
    heartbeat: Duration,
    threads: ThreadPool,
    guard: Arc<dyn Send + Sync>,
) -> (EventSink, EventBody, Arc<Pipe>) {
    let pipe = Arc::new(Pipe::new(format));
    let last = Instant::now();
    let sink =
        EventSink { pipe: pipe.clone(), cancel: cancel.clone(), threads, _guard: guard.clone(), head: None };
    let body = EventBody { pipe: pipe.clone(), cancel, silence: None, heartbeat, last, _guard: guard };
    (sink, body, pipe)
}

impl Stream for EventBody {
    type Item = Result<Bytes, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let pipe = self.pipe.clone();
        let mut state = pipe.lock();
        let mut frames = std::mem::take(&mut state.buffer);
        let finished = state.finished;
        // Looked at while a stream is read too: a stop of the service ends the response from outside.
        if !finished && !state.reader.as_ref().is_some_and(|reader| reader.will_wake(cx.waker())) {
            state.reader = Some(cx.waker().clone());
        }
        drop(state);
        if !frames.is_empty() {
            pipe.space_freed.notify_all();
        }
        if !finished && pipe.pump.poll(cx, |delta| pipe.format.delta(&mut frames, delta)) && frames.is_empty()
        {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        if !frames.is_empty() {
            self.last = Instant::now();
            return Poll::Ready(Some(Ok(frames.into())));
        }
        if finished {
            return Poll::Ready(None);
        }
        let Self { silence, last, heartbeat, .. } = &mut *self;
        let silence = silence.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(*last + *heartbeat)));
        while silence.as_mut().poll(cx).is_ready() {
            let due = *last + *heartbeat;
            let now = Instant::now();
            if due > now {
                silence.as_mut().reset(due);
                continue;
            }
            *last = now;
            silence.as_mut().reset(now + *heartbeat);
            return Poll::Ready(Some(Ok(Bytes::from_static(b":heartbeat\n"))));
        }
        Poll::Pending
    }
}

impl Drop for EventBody {
    fn drop(&mut self) {
        // First the reason: a run that finds its reader gone asks why.
        if !self.pipe.lock().finished {
            self.cancel.cancel(CancelReason::CallerLeft);
        }
        let mut state = self.pipe.lock();
        state.abandoned = true;
        state.buffer = Vec::new();
        drop(state);
        self.pipe.space_freed.notify_all();
        self.pipe.pump.abandon();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::reply::stream_format::ServiceEvents;

    #[tokio::test]
    async fn frames_that_wait_leave_together_and_a_gone_reader_ends_the_run() {
        use futures_util::StreamExt as _;
        let cancel = CancelToken::new(None);
        let (sink, mut body, _) = channel(
            Arc::new(ServiceEvents::default()),
            cancel.clone(),
            Duration::from_secs(60),
            ThreadPool::default(),
            Arc::new(()),
        );
        sink.token("a").unwrap();
        sink.token("b").unwrap();
        let chunk = body.next().await.unwrap().unwrap();
        assert_eq!(chunk.iter().filter(|byte| **byte == b'm').count(), 2);
        drop(body);
        assert_eq!(sink.token("c"), Err(StreamClosed));
        assert_eq!(cancel.reason(), Some(CancelReason::CallerLeft));
    }

    #[tokio::test]
    async fn a_cut_stream_ends_with_the_error_and_drops_the_rest() {
        use futures_util::StreamExt as _;
        let cancel = CancelToken::new(None);
        let (sink, mut body, pipe) = channel(
            Arc::new(ServiceEvents::default()),
            cancel.clone(),
            Duration::from_secs(60),
            ThreadPool::default(),
            Arc::new(()),
        );
        pipe.abort(&Error::Unavailable(UnavailableReason::Restarting));
        assert_eq!(sink.token("late"), Err(StreamClosed));
        let text = String::from_utf8(body.next().await.unwrap().unwrap().to_vec()).unwrap();
        assert!(
            text.contains(r#""status":503,"code":"UNAVAILABLE""#)
                && text.ends_with("\"end\",\"data\":\"[DONE]\"}\n\n")
        );
        assert!(body.next().await.is_none());
        drop(body);
        assert_eq!(cancel.reason(), None);
    }

    #[tokio::test]
    async fn a_slow_reader_holds_the_run_and_silence_is_broken_by_a_comment() {
        use futures_util::StreamExt as _;
        let (sink, mut body, _) = channel(
            Arc::new(ServiceEvents::default()),
            CancelToken::new(None),
            Duration::from_millis(30),
            ThreadPool::default(),
            Arc::new(()),
        );
        assert_eq!(body.next().await.unwrap().unwrap(), ":heartbeat\n");
        let text = "x".repeat(1000);
        let writer = std::thread::spawn(move || (0..100).all(|_| sink.token(&text).is_ok()));
        std::thread::sleep(Duration::from_millis(50));
        let first = body.next().await.unwrap().unwrap();
        assert!(first.len() < STREAM_BUFFER_BYTES + 2000);
        let mut total = first.len();
        while let Some(chunk) = body.next().await {
            total += chunk.unwrap().len();
        }
        assert!(writer.join().unwrap());
        assert!(total > 100_000);
    }
}
