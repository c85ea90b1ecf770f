//! The socket as hyper sees it, with the rules hyper has no words for: a time for the head, another for idling,
//! an end for a reader that stalls, our own error bodies, and a close that does not destroy the last answer.

use super::error::Refused;
use super::pace::Pace;
use crate::limits::REQUEST_LINE_BYTES_MAX;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::rt::TokioIo;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead as _, AsyncWrite as _, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep};

/// Between requests, or reading a head.
const WAITING: u8 = 0;
/// A request is with the service.
const BUSY: u8 = 1;
/// Its answer is buffered and not yet written.
const FLUSHING: u8 = 2;

/// How long, and how much, a closing connection is read and thrown away, so that a client that is still sending
/// gets to read why it was refused.
const LINGER: Duration = Duration::from_secs(2);
const LINGER_BYTES_MAX: usize = 64 * 1024 * 1024;

/// What the service tells the wire.
#[derive(Default)]
pub(super) struct Link {
    phase: AtomicU8,
    /// Requests handed to the service so far.
    requests: AtomicU32,
    /// The next bytes written are the head of one of our answers.
    head_due: AtomicBool,
    /// The client may still be sending when the connection closes.
    linger: AtomicBool,
    /// Our side of the connection is closed.
    shut: AtomicBool,
}

impl Link {
    /// A request was handed to the service.
    pub(super) fn begin(&self) {
        self.requests.fetch_add(1, Ordering::AcqRel);
        self.phase.store(BUSY, Ordering::Release);
    }

    /// The service answered.
    pub(super) fn answered(&self) {
        self.head_due.store(true, Ordering::Release);
    }

    /// The answer's body is handed over.
    pub(super) fn end(&self) {
        self.phase.store(FLUSHING, Ordering::Release);
    }

    /// True when all that is left is waiting for the client to close.
    pub(super) fn is_shut(&self) -> bool {
        self.shut.load(Ordering::Acquire)
    }

    /// The request's body was not read to its end.
    pub(super) fn left_unread(&self) {
        self.linger.store(true, Ordering::Release);
    }
}

/// Where reading stands.
enum Reading {
    /// Nothing of the next head has arrived. True on a fresh connection, which has only the time of a head.
    Idle { fresh: bool },
    /// Some of a head has arrived.
    Head { line_bytes: usize, line_whole: bool },
    /// The request was refused here; what still comes is thrown away until the client closes.
    Refused { thrown_away: usize },
}

/// A connection's socket.
pub(super) struct Wire {
    io: TokioIo<TcpStream>,
    link: Arc<Link>,
    pace: Pace,
    strict_transport: Option<Arc<str>>,
    reading: Reading,
    /// The requests that were with the service when `reading` was set.
    requests: u32,
    deadline: Option<Pin<Box<Sleep>>>,
    stall: Option<Pin<Box<Sleep>>>,
    /// Nothing was written since the last flush.
    flushed: bool,
}

impl Wire {
    pub(super) fn new(
        socket: TcpStream,
        link: Arc<Link>,
        pace: Pace,
        strict_transport: Option<Arc<str>>,
    ) -> Self {
        Self {
            io: TokioIo::new(socket),
            link,
            pace,
            strict_transport,
            reading: Reading::Idle { fresh: true },
            requests: 0,
            deadline: None,
            stall: None,
            flushed: true,
        }
    }

    fn socket(&mut self) -> Pin<&mut TcpStream> {
        Pin::new(self.io.inner_mut())
    }

    /// Sets the deadline `time` from now.
    fn allow(&mut self, time: Duration) {
        let end = Instant::now() + time;
        match &mut self.deadline {
            Some(deadline) => deadline.as_mut().reset(end),
            None => self.deadline = Some(Box::pin(tokio::time::sleep_until(end))),
        }
    }

    fn out_of_time(&mut self, cx: &mut Context<'_>) -> bool {
        self.deadline.as_mut().is_some_and(|deadline| deadline.as_mut().poll(cx).is_ready())
    }

    /// Answers in place of hyper and closes. Best effort: the socket has room, since nothing else is being written.
    fn refuse(&mut self, cx: &mut Context<'_>, why: &Refused) {
        let answer = why.raw(self.strict_transport.as_deref());
        let _ = self.io.inner().try_write(&answer);
        let _ = self.socket().poll_shutdown(cx);
        self.shut();
    }

    fn shut(&mut self) {
        self.link.shut.store(true, Ordering::Release);
        self.reading = Reading::Refused { thrown_away: 0 };
        self.allow(LINGER);
    }

    /// Reads into a buffer of our own, to see what arrives.
    fn read_head(&mut self, cx: &mut Context<'_>, cursor: &mut ReadBufCursor<'_>) -> Poll<io::Result<()>> {
        let mut space = [0_u8; 2048];
        let room = space.len().min(cursor.remaining());
        let mut buffer = ReadBuf::new(&mut space[..room]);
        match self.socket().poll_read(cx, &mut buffer) {
            Poll::Ready(Ok(())) => {}
            Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
            Poll::Pending if !self.out_of_time(cx) => return Poll::Pending,
            // An idle connection closes without a word: there is no request to answer.
            Poll::Pending if matches!(self.reading, Reading::Idle { .. }) => return Poll::Ready(Ok(())),
            Poll::Pending => {
                self.refuse(cx, &Refused::HeadSlow);
                return self.throw_away(cx);
            }
        }
        let arrived = buffer.filled();
        if let Reading::Idle { fresh } = self.reading {
            if !fresh {
                self.allow(self.pace.headers);
            }
            self.reading = Reading::Head { line_bytes: 0, line_whole: false };
        }
        if let Reading::Head { line_bytes, line_whole } = &mut self.reading
            && !*line_whole
        {
            let line = arrived.iter().position(|byte| *byte == b'\n');
            // Empty lines before a request do not count as its first line.
            *line_whole = line.is_some_and(|end| end + *line_bytes > 1);
            *line_bytes += line.unwrap_or(arrived.len());
            if *line_bytes > REQUEST_LINE_BYTES_MAX + 1 {
                self.refuse(cx, &Refused::LineLong);
                return self.throw_away(cx);
            }
        }
        cursor.put_slice(arrived);
        Poll::Ready(Ok(()))
    }

    /// Reads and forgets until the client closes or the time is over, then shows hyper the end.
    fn throw_away(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut space = [0_u8; 4096];
        loop {
            let mut buffer = ReadBuf::new(&mut space);
            match self.socket().poll_read(cx, &mut buffer) {
                Poll::Pending if self.out_of_time(cx) => return Poll::Ready(Ok(())),
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Err(_)) => return Poll::Ready(Ok(())),
                Poll::Ready(Ok(())) => {}
            }
            let arrived = buffer.filled().len();
            let Reading::Refused { thrown_away } = &mut self.reading else { return Poll::Ready(Ok(())) };
            *thrown_away += arrived;
            if arrived == 0 || *thrown_away > LINGER_BYTES_MAX {
                return Poll::Ready(Ok(()));
            }
        }
    }

    /// Watches one write: a client that takes nothing for too long is cut off.
    fn watched(&mut self, cx: &mut Context<'_>, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if written.is_ready() {
            self.stall = None;
            return written;
        }
        let limit = self.pace.write_stall;
        let stall = self.stall.get_or_insert_with(|| Box::pin(tokio::time::sleep(limit)));
        if stall.as_mut().poll(cx).is_ready() {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        Poll::Pending
    }

    /// The refusal that replaces `bytes`, when they are an error that hyper wrote by itself. Its errors are the
    /// first bytes after a flush while no answer of ours is due: everything we write begins with a due head, and
    /// the later parts of our streams begin with a chunk's size or an event line.
    fn own_words(&self, bytes: &[u8]) -> Option<Refused> {
        let by_hyper =
            self.flushed && !self.link.head_due.load(Ordering::Acquire) && bytes.starts_with(b"HTTP/1.1 4");
        let status = by_hyper.then(|| bytes.get(9..12)).flatten()?;
        Some(match status {
            b"431" => Refused::HeadLarge,
            b"414" => Refused::LineLong,
            _ => Refused::Framing("The request is not valid HTTP."),
        })
    }

    fn begin_write(&mut self, first: &[u8]) -> Option<Refused> {
        let refused = self.own_words(first);
        self.link.head_due.store(false, Ordering::Release);
        self.flushed = false;
        refused
    }

    /// Takes hyper's own error off its hands and writes ours.
    fn replace(&mut self, cx: &mut Context<'_>, why: &Refused, length: usize) -> Poll<io::Result<usize>> {
        self.refuse(cx, why);
        self.link.left_unread();
        Poll::Ready(Ok(length))
    }
}

impl Read for Wire {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        mut cursor: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if matches!(this.reading, Reading::Refused { .. }) {
            return this.throw_away(cx);
        }
        if this.link.phase.load(Ordering::Acquire) != WAITING {
            return Pin::new(&mut this.io).poll_read(cx, cursor);
        }
        let requests = this.link.requests.load(Ordering::Acquire);
        if requests != this.requests {
            this.requests = requests;
            this.reading = Reading::Idle { fresh: false };
            this.allow(this.pace.idle);
        } else if this.deadline.is_none() {
            this.allow(this.pace.headers);
        }
        this.read_head(cx, &mut cursor)
    }
}

impl Write for Wire {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        if let Some(refused) = this.begin_write(bytes) {
            return this.replace(cx, &refused, bytes.len());
        }
        let written = Pin::new(&mut this.io).poll_write(cx, bytes);
        this.watched(cx, written)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        if let Some(refused) = this.begin_write(parts.first().map_or(&[], |part| part)) {
            return this.replace(cx, &refused, parts.iter().map(|part| part.len()).sum());
        }
        let written = Pin::new(&mut this.io).poll_write_vectored(cx, parts);
        this.watched(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        // hyper flushes only once its own buffer is empty.
        this.flushed = true;
        let _ = this.link.phase.compare_exchange(FLUSHING, WAITING, Ordering::AcqRel, Ordering::Acquire);
        Pin::new(&mut this.io).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if !this.link.is_shut() {
            ready!(Pin::new(&mut this.io).poll_shutdown(cx))?;
            this.shut();
        }
        if this.link.linger.load(Ordering::Acquire) {
            return this.throw_away(cx);
        }
        Poll::Ready(Ok(()))
    }
}
