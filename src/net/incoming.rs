//! A response, read under the limits of its request.

use super::waiting::Waiting;
use super::{Limits, NetError};
use crate::domain::cancel::Cancel;
use std::fmt;
use std::io::{self, Read};
use std::time::Duration;
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
    waiting: Waiting,
    bytes_left: u64,
}

impl fmt::Debug for Incoming {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Incoming({})", self.status)
    }
}

impl Incoming {
    pub(super) fn new(
        response: ureq::http::Response<ureq::Body>,
        cancel: &Cancel,
        limits: Limits,
    ) -> Result<Self, NetError> {
        let (parts, body) = response.into_parts();
        let declared = body.content_length().unwrap_or(0);
        if parts.headers.len() > HEADERS_MAX || declared > limits.body_bytes {
            return Err(NetError::TooLarge);
        }
        let waiting = Waiting { cancel: cancel.clone(), stall: limits.stall };
        let status = parts.status.as_u16();
        Ok(Self {
            status,
            headers: parts.headers,
            body: body.into_reader(),
            waiting,
            bytes_left: limits.body_bytes,
        })
    }

    /// Changes how long a silence is borne from here on.
    pub fn set_stall(&mut self, stall: Duration) {
        self.waiting.stall = stall;
    }

    /// The status.
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
        let body = &mut self.body;
        let (result, _) = self.waiting.clone().around(|| body.read(&mut buffer[..most]));
        let amount = result.map_err(|error| io::Error::from(NetError::from(error)))?;
        self.bytes_left = match self.bytes_left.checked_sub(amount as u64) {
            Some(left) => left,
            None => return Err(NetError::TooLarge.into()),
        };
        Ok(amount)
    }
}
