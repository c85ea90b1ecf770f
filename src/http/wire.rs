//! The socket as hyper sees it, with the rules hyper has no words for: a time for the head, another for idling,
//! an end for a reader that stalls, our own error bodies, and a close that does not destroy the last answer.

use super::error::Refused;
use super::framing::{Fault, Framing};
use super::pace::Pace;
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

/// How much of a body is read at once.
const BODY_PIECE_BYTES: usize = 16 * 1024;

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
    Head,
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
    /// Where the client's requests begin and end.
    framing: Framing,
    /// What arrived after the end of the request under way.
    held: Vec<u8>,
    /// hyper was told to wait for it.
    waited_for: bool,
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
            framing: Framing::default(),
            held: Vec::new(),
            waited_for: false,
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

    /// Reads into a buffer of our own, to see what arrives: what was held back, or what the socket has.
    fn arrive<'s>(&mut self, cx: &mut Context<'_>, space: &'s mut [u8]) -> Poll<io::Result<&'s [u8]>> {
        if !self.held.is_empty() {
            let count = space.len().min(self.held.len());
            space[..count].copy_from_slice(&self.held[..count]);
            self.held.drain(..count);
            if self.held.is_empty() {
                // Most connections never need it again.
                self.held = Vec::new();
            }
            return Poll::Ready(Ok(&space[..count]));
        }
        let mut buffer = ReadBuf::new(space);
        ready!(self.socket().poll_read(cx, &mut buffer))?;
        let count = buffer.filled().len();
        Poll::Ready(Ok(&space[..count]))
    }

    /// Gives hyper what belongs to the request under way and holds the rest back.
    fn give(&mut self, arrived: &[u8], cursor: &mut ReadBufCursor<'_>) -> Result<(), Refused> {
        let taken = self.framing.follow(arrived).map_err(|fault| match fault {
            Fault::LineLong => Refused::LineLong,
            Fault::Twice(why) => Refused::Framing(why),
        })?;
        cursor.put_slice(&arrived[..taken]);
        if taken < arrived.len() {
            self.held.splice(..0, arrived[taken..].iter().copied());
        }
        Ok(())
    }

    /// Reads a head, within its time.
    fn read_head(&mut self, cx: &mut Context<'_>, cursor: &mut ReadBufCursor<'_>) -> Poll<io::Result<()>> {
        let mut space = [0_u8; 2048];
        let room = space.len().min(cursor.remaining());
        let arrived = match self.arrive(cx, &mut space[..room]) {
            Poll::Ready(arrived) => arrived?,
            Poll::Pending if !self.out_of_time(cx) => return Poll::Pending,
            // An idle connection closes without a word: there is no request to answer.
            Poll::Pending if matches!(self.reading, Reading::Idle { .. }) => return Poll::Ready(Ok(())),
            Poll::Pending => {
                self.refuse(cx, &Refused::HeadSlow);
                return self.throw_away(cx);
            }
        };
        if let Reading::Idle { fresh } = self.reading {
            if !fresh {
                self.allow(self.pace.headers);
            }
            self.reading = Reading::Head;
        }
        if let Err(refused) = self.give(arrived, cursor) {
            self.refuse(cx, &refused);
            return self.throw_away(cx);
        }
        Poll::Ready(Ok(()))
    }

    /// Reads of a body, and nothing of what follows it.
    fn read_body(&mut self, cx: &mut Context<'_>, cursor: &mut ReadBufCursor<'_>) -> Poll<io::Result<()>> {
        let mut space = [0_u8; BODY_PIECE_BYTES];
        let room = space.len().min(cursor.remaining());
        let arrived = ready!(self.arrive(cx, &mut space[..room]))?;
        // Only heads are refused here.
        let _ = self.give(arrived, cursor);
        Poll::Ready(Ok(()))
    }

    /// Waits until the request under way is answered; what follows it is looked at then. A client that leaves meanwhile is
    /// noticed, as long as it sent nothing more.
    fn hold(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.held.is_empty() {
            let mut space = [0_u8; 2048];
            let arrived = ready!(self.arrive(cx, &mut space))?;
            if arrived.is_empty() {
                return Poll::Ready(Ok(()));
            }
            self.held = arrived.to_vec();
        }
        self.waited_for = true;
        Poll::Pending
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
        if !this.framing.is_between() && !this.framing.is_in_head() {
            return this.read_body(cx, &mut cursor);
        }
        if this.link.phase.load(Ordering::Acquire) != WAITING {
            return this.hold(cx);
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
        let answered =
            this.link.phase.compare_exchange(FLUSHING, WAITING, Ordering::AcqRel, Ordering::Acquire);
        if answered.is_ok() && std::mem::take(&mut this.waited_for) {
            cx.waker().wake_by_ref();
        }
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
