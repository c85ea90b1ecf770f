//! The socket as hyper sees it, with the rules hyper has no words for: a time for the head, another for idling,
//! an end for a reader that stalls, our own error bodies, and a close that does not destroy the last answer.

use super::framing::{FramingError, FramingTracker};
use super::timeouts::Timeouts;
use crate::http::reply::error::Rejection;
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

/// What the service tells the socket of a connection.
#[derive(Default)]
pub(in crate::http) struct ConnectionState {
    phase: AtomicU8,
    /// Requests handed to the service so far.
    requests: AtomicU32,
    /// The next bytes written are the head of one of our answers.
    head_due: AtomicBool,
    /// The client may still be sending when the connection closes.
    linger: AtomicBool,
    /// Our side of the connection is closed.
    closed: AtomicBool,
}

impl ConnectionState {
    /// A request was handed to the service.
    pub(in crate::http) fn begin_request(&self) {
        self.requests.fetch_add(1, Ordering::AcqRel);
        self.phase.store(BUSY, Ordering::Release);
    }

    pub(in crate::http) fn mark_answered(&self) {
        self.head_due.store(true, Ordering::Release);
    }

    /// The answer's body is handed over.
    pub(in crate::http) fn end_response(&self) {
        self.phase.store(FLUSHING, Ordering::Release);
    }

    /// True when all that is left is waiting for the client to close.
    pub(in crate::http) fn is_shut(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    /// The request's body was not read to its end.
    pub(in crate::http) fn mark_unread_body(&self) {
        self.linger.store(true, Ordering::Release);
    }
}

/// Where reading stands.
enum ReadState {
    /// Nothing of the next head has arrived. True on a fresh connection, which has only the time of a head.
    Idle { fresh: bool },
    /// Some of a head has arrived.
    Head,
    /// The request was refused here; what still comes is thrown away until the client closes.
    Rejected { thrown_away: usize },
}

/// A connection's socket.
pub(in crate::http) struct ClientSocket {
    io: TokioIo<TcpStream>,
    connection: Arc<ConnectionState>,
    timeouts: Timeouts,
    strict_transport: Option<Arc<str>>,
    read_state: ReadState,
    /// The requests that were with the service when `read_state` was set.
    requests: u32,
    deadline: Option<Pin<Box<Sleep>>>,
    stall: Option<Pin<Box<Sleep>>>,
    /// Nothing was written since the last flush.
    flushed: bool,
    /// Where the client's requests begin and end.
    framing: FramingTracker,
    /// What arrived after the end of the request under way.
    held: Vec<u8>,
    /// hyper was told to wait for it.
    reader_waits: bool,
}

impl ClientSocket {
    pub(in crate::http) fn new(
        socket: TcpStream,
        link: Arc<ConnectionState>,
        timeouts: Timeouts,
        strict_transport: Option<Arc<str>>,
    ) -> Self {
        Self {
            io: TokioIo::new(socket),
            connection: link,
            timeouts,
            strict_transport,
            read_state: ReadState::Idle { fresh: true },
            requests: 0,
            deadline: None,
            stall: None,
            flushed: true,
            framing: FramingTracker::default(),
            held: Vec::new(),
            reader_waits: false,
        }
    }

    fn socket(&mut self) -> Pin<&mut TcpStream> {
        Pin::new(self.io.inner_mut())
    }

    /// Sets the deadline `time` from now.
    fn set_deadline(&mut self, time: Duration) {
        let end = Instant::now() + time;
        match &mut self.deadline {
            Some(deadline) => deadline.as_mut().reset(end),
            None => self.deadline = Some(Box::pin(tokio::time::sleep_until(end))),
        }
    }

    fn is_overdue(&mut self, cx: &mut Context<'_>) -> bool {
        self.deadline.as_mut().is_some_and(|deadline| deadline.as_mut().poll(cx).is_ready())
    }

    /// Answers in place of hyper and closes. Best effort: the socket has room, since nothing else is being written.
    fn reject(&mut self, cx: &mut Context<'_>, why: &Rejection) {
        let answer = why.to_http_bytes(self.strict_transport.as_deref());
        let _ = self.io.inner().try_write(&answer);
        let _ = self.socket().poll_shutdown(cx);
        self.begin_linger();
    }

    fn begin_linger(&mut self) {
        self.connection.closed.store(true, Ordering::Release);
        self.read_state = ReadState::Rejected { thrown_away: 0 };
        self.set_deadline(LINGER);
    }

    /// Reads into a buffer of our own, to see what arrives: what was held back, or what the socket has.
    fn receive<'s>(&mut self, cx: &mut Context<'_>, space: &'s mut [u8]) -> Poll<io::Result<&'s [u8]>> {
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
    fn pass_on(&mut self, arrived: &[u8], cursor: &mut ReadBufCursor<'_>) -> Result<(), Rejection> {
        let taken = self.framing.advance(arrived).map_err(|fault| match fault {
            FramingError::LineLong => Rejection::LineLong,
            FramingError::Duplicate(why) => Rejection::Framing(why),
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
        let arrived = match self.receive(cx, &mut space[..room]) {
            Poll::Ready(arrived) => arrived?,
            Poll::Pending if !self.is_overdue(cx) => return Poll::Pending,
            // An idle connection closes without a word: there is no request to answer.
            Poll::Pending if matches!(self.read_state, ReadState::Idle { .. }) => return Poll::Ready(Ok(())),
            Poll::Pending => {
                self.reject(cx, &Rejection::HeadSlow);
                return self.discard(cx);
            }
        };
        if let ReadState::Idle { fresh } = self.read_state {
            if !fresh {
                self.set_deadline(self.timeouts.headers);
            }
            self.read_state = ReadState::Head;
        }
        if let Err(refused) = self.pass_on(arrived, cursor) {
            self.reject(cx, &refused);
            return self.discard(cx);
        }
        Poll::Ready(Ok(()))
    }

    /// Reads of a body, and nothing of what follows it.
    fn read_body(&mut self, cx: &mut Context<'_>, cursor: &mut ReadBufCursor<'_>) -> Poll<io::Result<()>> {
        let mut space = [0_u8; BODY_PIECE_BYTES];
        let room = space.len().min(cursor.remaining());
        let arrived = ready!(self.receive(cx, &mut space[..room]))?;
        // Only heads are refused here.
        let _ = self.pass_on(arrived, cursor);
        Poll::Ready(Ok(()))
    }

    /// Waits until the request under way is answered; what follows it is looked at then. A client that leaves meanwhile is
    /// noticed, as long as it sent nothing more.
    fn hold_back(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.held.is_empty() {
            let mut space = [0_u8; 2048];
            let arrived = ready!(self.receive(cx, &mut space))?;
            if arrived.is_empty() {
                return Poll::Ready(Ok(()));
            }
            self.held = arrived.to_vec();
        }
        self.reader_waits = true;
        Poll::Pending
    }

    /// Reads and forgets until the client closes or the time is over, then shows hyper the end.
    fn discard(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut space = [0_u8; 4096];
        loop {
            let mut buffer = ReadBuf::new(&mut space);
            match self.socket().poll_read(cx, &mut buffer) {
                Poll::Pending if self.is_overdue(cx) => return Poll::Ready(Ok(())),
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Err(_)) => return Poll::Ready(Ok(())),
                Poll::Ready(Ok(())) => {}
            }
            let arrived = buffer.filled().len();
            let ReadState::Rejected { thrown_away } = &mut self.read_state else {
                return Poll::Ready(Ok(()));
            };
            *thrown_away += arrived;
            if arrived == 0 || *thrown_away > LINGER_BYTES_MAX {
                return Poll::Ready(Ok(()));
            }
        }
    }

    /// Watches one write: a client that takes nothing for too long is cut off.
    fn check_stall(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if written.is_ready() {
            self.stall = None;
            return written;
        }
        let limit = self.timeouts.write_stall;
        let stall = self.stall.get_or_insert_with(|| Box::pin(tokio::time::sleep(limit)));
        if stall.as_mut().poll(cx).is_ready() {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        Poll::Pending
    }

    /// The refusal that replaces `bytes`, when they are an error that hyper wrote by itself. Its errors are the
    /// first bytes after a flush while no answer of ours is due: everything we write begins with a due head, and
    /// the later parts of our streams begin with a chunk's size or an event line.
    fn rejection_for_hyper(&self, bytes: &[u8]) -> Option<Rejection> {
        let by_hyper = self.flushed
            && !self.connection.head_due.load(Ordering::Acquire)
            && bytes.starts_with(b"HTTP/1.1 4");
        let status = by_hyper.then(|| bytes.get(9..12)).flatten()?;
        Some(match status {
            b"431" => Rejection::HeadLarge,
            b"414" => Rejection::LineLong,
            _ => Rejection::Framing("The request is not valid HTTP."),
        })
    }

    fn begin_write(&mut self, first: &[u8]) -> Option<Rejection> {
        let refused = self.rejection_for_hyper(first);
        self.connection.head_due.store(false, Ordering::Release);
        self.flushed = false;
        refused
    }

    /// Takes hyper's own error off its hands and writes ours.
    fn replace_response(
        &mut self,
        cx: &mut Context<'_>,
        why: &Rejection,
        length: usize,
    ) -> Poll<io::Result<usize>> {
        self.reject(cx, why);
        self.connection.mark_unread_body();
        Poll::Ready(Ok(length))
    }
}

impl Read for ClientSocket {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        mut cursor: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if matches!(this.read_state, ReadState::Rejected { .. }) {
            return this.discard(cx);
        }
        if !this.framing.is_between() && !this.framing.is_in_head() {
            return this.read_body(cx, &mut cursor);
        }
        if this.connection.phase.load(Ordering::Acquire) != WAITING {
            return this.hold_back(cx);
        }
        let requests = this.connection.requests.load(Ordering::Acquire);
        if requests != this.requests {
            this.requests = requests;
            this.read_state = ReadState::Idle { fresh: false };
            this.set_deadline(this.timeouts.idle);
        } else if this.deadline.is_none() {
            this.set_deadline(this.timeouts.headers);
        }
        this.read_head(cx, &mut cursor)
    }
}

impl Write for ClientSocket {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        if let Some(refused) = this.begin_write(bytes) {
            return this.replace_response(cx, &refused, bytes.len());
        }
        let written = Pin::new(&mut this.io).poll_write(cx, bytes);
        this.check_stall(cx, written)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        if let Some(refused) = this.begin_write(parts.first().map_or(&[], |part| part)) {
            return this.replace_response(cx, &refused, parts.iter().map(|part| part.len()).sum());
        }
        let written = Pin::new(&mut this.io).poll_write_vectored(cx, parts);
        this.check_stall(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        // hyper flushes only once its own buffer is empty.
        this.flushed = true;
        let answered =
            this.connection.phase.compare_exchange(FLUSHING, WAITING, Ordering::AcqRel, Ordering::Acquire);
        if answered.is_ok() && std::mem::take(&mut this.reader_waits) {
            cx.waker().wake_by_ref();
        }
        Pin::new(&mut this.io).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if !this.connection.is_shut() {
            ready!(Pin::new(&mut this.io).poll_shutdown(cx))?;
            this.begin_linger();
        }
        if this.connection.linger.load(Ordering::Acquire) {
            return this.discard(cx);
        }
        Poll::Ready(Ok(()))
    }
}
