//! A response, read under the limits of its request.

use super::wait_limits::{Readiness, Traffic, WaitLimits};
use super::{NetError, ResponseLimits};
use crate::base::cancel::CancelToken;
use std::fmt;
use std::io::{self, ErrorKind, Read};
use std::net::TcpStream;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::Interest;
use ureq::BodyReader;
use ureq::http::header::HeaderMap;

/// The most headers a response may have.
const HEADERS_MAX: usize = 100;
/// How long the end of an answer is waited for when its content is complete.
const FINISH_MILLISECONDS: u64 = 100;

/// A response whose body is being read. Dropping it early closes its connection.
pub struct Incoming {
    status: u16,
    headers: HeaderMap,
    body: BodyReader<'static>,
    limits: WaitLimits,
    bytes_left: u64,
    is_early: bool,
    /// What the answer is read from, where it can be read without waiting.
    connection: Option<Arc<TcpStream>>,
    reader: ReadBy,
}

/// Who reads the answer.
enum ReadBy {
    /// A thread, which waits.
    Thread,
    /// A task, which is told when something may be there.
    Task {
        /// The connection as the runtime knows it: a descriptor of its own for the time of this answer, so that nobody else
        /// who uses the connection later meets it there. `None` until the task has to wait for the first time.
        watched: Option<tokio::net::TcpStream>,
        readiness: Readiness,
    },
}

impl fmt::Debug for Incoming {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Incoming({})", self.status)
    }
}

impl Incoming {
    pub(super) fn new(
        response: ureq::http::Response<ureq::Body>,
        traffic: Traffic,
        cancel: &CancelToken,
        limits: ResponseLimits,
    ) -> Result<Self, NetError> {
        let Traffic { connection, is_cut, .. } = traffic;
        let (parts, body) = response.into_parts();
        let declared = body.content_length().unwrap_or(0);
        if parts.headers.len() > HEADERS_MAX || declared > limits.body_bytes {
            return Err(NetError::TooLarge);
        }
        let waiting = WaitLimits { cancel: cancel.clone(), stall: limits.stall };
        let status = parts.status.as_u16();
        Ok(Self {
            status,
            headers: parts.headers,
            body: body.into_reader(),
            limits: waiting,
            bytes_left: limits.body_bytes,
            is_early: is_cut,
            connection,
            reader: ReadBy::Thread,
        })
    }

    /// An answer that came over no connection.
    #[cfg(any(test, feature = "test-support"))]
    #[allow(clippy::unwrap_used, reason = "a test without its answer has failed")]
    pub fn of_text(text: &str, cancel: &CancelToken) -> Self {
        let response = ureq::http::Response::new(ureq::Body::builder().data(text.to_owned()));
        let traffic = Traffic { connected: false, received: false, is_cut: false, connection: None };
        Self::new(response, traffic, cancel, ResponseLimits::default()).unwrap()
    }

    /// True where the other side answered without having taken all of the request, so that it cannot have done what was asked.
    #[must_use]
    pub const fn is_early(&self) -> bool {
        self.is_early
    }

    /// Changes how long a silence is borne from here on.
    pub fn set_stall(&mut self, stall: Duration) {
        self.limits.stall = stall;
    }

    /// The token of the run that the answer is for.
    #[must_use]
    pub const fn cancel(&self) -> &CancelToken {
        &self.limits.cancel
    }

    /// How long a silence is borne.
    #[must_use]
    pub const fn stall(&self) -> Duration {
        self.limits.stall
    }

    /// Lets a task read the answer: a read that finds nothing fails with `WouldBlock`, and [`Self::poll_readable`] tells
    /// when to try again. False where that is not possible; then a thread has to read it.
    pub fn leave_to_task(&mut self) -> bool {
        let can = cfg!(unix) && self.connection.is_some();
        if can {
            self.reader = ReadBy::Task { watched: None, readiness: Readiness::News };
        }
        can
    }

    /// Lets a thread read the answer again.
    pub fn leave_to_thread(&mut self) {
        self.reader = ReadBy::Thread;
    }

    /// Ready when there may be more to read; pending, `cx` is woken then. Called by a task, on a thread of the runtime.
    ///
    /// # Errors
    /// When the connection cannot be watched, or no task reads the answer.
    pub fn poll_readable(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let (ReadBy::Task { watched, readiness }, Some(connection)) = (&mut self.reader, &self.connection)
        else {
            return Poll::Ready(Err(ErrorKind::Unsupported.into()));
        };
        let watched = match watched {
            Some(watched) => watched,
            None => watched.insert(tokio::net::TcpStream::from_std(connection.try_clone()?)?),
        };
        ready!(watched.poll_read_ready(cx))?;
        *readiness = Readiness::News;
        Poll::Ready(Ok(()))
    }

    #[must_use]
    pub const fn status(&self) -> u16 {
        self.status
    }

    /// A header, when it is there once and readable.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Every header that is readable, names in small letters.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.headers.iter().filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)))
    }

    /// Reads the rest as text; bytes that are not UTF-8 are replaced.
    ///
    /// # Errors
    /// [`NetError::TooLarge`] beyond `bytes_max`, and whatever ends a read.
    pub fn read_to_string(&mut self, bytes_max: u64) -> Result<String, NetError> {
        let mut bytes = Vec::new();
        self.by_ref().take(bytes_max.saturating_add(1)).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > bytes_max {
            return Err(NetError::TooLarge);
        }
        Ok(match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        })
    }

    /// Reads what is left when the content is known to be complete, so that the connection can be used again.
    /// A server that holds the end back is not waited for.
    pub fn finish(mut self) {
        self.set_stall(Duration::from_millis(FINISH_MILLISECONDS));
        let mut rest = [0; 512];
        for _ in 0..16 {
            if !matches!(self.read(&mut rest), Ok(1..)) {
                return;
            }
        }
    }
}

impl Read for Incoming {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // One byte more than is left tells a body that just fits from one that is too large.
        let most = usize::try_from(self.bytes_left.saturating_add(1)).unwrap_or(usize::MAX).min(buffer.len());
        let result = self.read_some(&mut buffer[..most]);
        let amount = match result {
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Err(error),
            result => result.map_err(|error| io::Error::from(NetError::from(error)))?,
        };
        self.bytes_left = match self.bytes_left.checked_sub(amount as u64) {
            Some(left) => left,
            None => return Err(NetError::TooLarge.into()),
        };
        Ok(amount)
    }
}

impl Incoming {
    fn read_some(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let (body, waiting) = (&mut self.body, self.limits.clone());
        let ReadBy::Task { watched, readiness } = &mut self.reader else {
            return waiting.run(|| body.read(buffer)).0;
        };
        let news = std::mem::replace(readiness, Readiness::NoNews);
        let (Some(watched), Readiness::News) = (&*watched, news) else {
            return waiting.run_nonblocking(news, || body.read(buffer)).0;
        };
        let mut result = Err(ErrorKind::WouldBlock.into());
        // In one step with the read: news that come in between are not forgotten when the runtime is told that nothing is
        // left.
        let told = watched.try_io(Interest::READABLE, || {
            let (read, drained) = waiting.run_nonblocking(news, || body.read(buffer));
            result = read;
            if drained { Err(ErrorKind::WouldBlock.into()) } else { Ok(()) }
        });
        if told.is_ok() {
            *readiness = Readiness::News;
        }
        result
    }
}
