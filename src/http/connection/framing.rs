//! Where each request of a connection ends, and what its head may say once only (RFC 9112, 6 and 7).
//!
//! hyper forgives some heads that say two things: it keeps one length of two, and takes chunks where a length stands too. A
//! proxy in front may have believed the other, and what is the rest of a body for one is the next request for the other. So
//! the bytes are followed here as well, and such a head reaches nobody.

use crate::limits::REQUEST_LINE_BYTES_MAX;

/// Longest header name, or size of a chunk, that matters here.
const NAME_BYTES_MAX: usize = 32;
/// Longest value that matters here: any length, and the name of a coding.
const VALUE_BYTES_MAX: usize = 64;

/// What is wrong with a head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::http) enum FramingError {
    /// The request line is too long.
    LineLong,
    /// Something that must be said once is said twice.
    Duplicate(&'static str),
}

/// Follows the requests of one connection, byte by byte.
#[derive(Debug, Default)]
pub(in crate::http) struct FramingTracker {
    state: FramingState,
    line: HeaderLine,
    headers: BodyHeaders,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum FramingState {
    /// Before a request, or in its first line.
    #[default]
    Start,
    /// In a line of the head.
    Header,
    /// In a body of this many bytes.
    Body(u64),
    /// In the line before a chunk.
    ChunkSize,
    /// In a chunk of this many bytes.
    Chunk(u64),
    /// In the line end after a chunk.
    ChunkEnd,
    /// In a line after the last chunk.
    Trailer,
    End,
}

/// The line that is being read: as much of it as matters.
#[derive(Debug, Default)]
struct HeaderLine {
    /// Its length so far, line end included.
    bytes: usize,
    /// What stands before the first colon, in lower case.
    name: Vec<u8>,
    /// What stands after it.
    value: Vec<u8>,
    colon: bool,
}

/// What the head has said so far.
#[derive(Debug, Default)]
struct BodyHeaders {
    host: bool,
    content_type: bool,
    length: Option<u64>,
    coding: Option<bool>,
}

impl FramingTracker {
    /// True before the first byte of a request.
    pub(in crate::http) fn is_between(&self) -> bool {
        self.state == FramingState::End || self.state == FramingState::Start && self.line.bytes == 0
    }

    pub(in crate::http) fn is_in_head(&self) -> bool {
        matches!(self.state, FramingState::Start | FramingState::Header)
    }

    /// Follows `bytes` to the end of the request they belong to; how many of them do.
    pub(in crate::http) fn advance(&mut self, bytes: &[u8]) -> Result<usize, FramingError> {
        if self.state == FramingState::End && !bytes.is_empty() {
            *self = Self::default();
        }
        let mut taken = 0;
        while taken < bytes.len() && self.state != FramingState::End {
            taken += self.advance_once(&bytes[taken..])?;
        }
        Ok(taken)
    }

    /// Follows some bytes, at least one.
    fn advance_once(&mut self, bytes: &[u8]) -> Result<usize, FramingError> {
        if let FramingState::Body(left) | FramingState::Chunk(left) = self.state {
            let taken = usize::try_from(left).unwrap_or(usize::MAX).min(bytes.len());
            let left = left - taken as u64;
            self.state = match self.state {
                FramingState::Body(_) if left == 0 => FramingState::End,
                FramingState::Body(_) => FramingState::Body(left),
                _ if left == 0 => FramingState::ChunkEnd,
                _ => FramingState::Chunk(left),
            };
            return Ok(taken);
        }
        let end = memchr::memchr(b'\n', bytes);
        let taken = end.map_or(bytes.len(), |end| end + 1);
        self.line.push(&bytes[..taken]);
        if self.state == FramingState::Start && self.line.bytes > REQUEST_LINE_BYTES_MAX + "\r\n".len() {
            return Err(FramingError::LineLong);
        }
        if end.is_some() {
            let line = std::mem::take(&mut self.line);
            self.state = self.state_after(&line)?;
        }
        Ok(taken)
    }

    /// Where a whole line leads.
    fn state_after(&mut self, line: &HeaderLine) -> Result<FramingState, FramingError> {
        Ok(match self.state {
            // Empty lines before a request do not count as its first line.
            FramingState::Start if line.is_empty() => FramingState::Start,
            FramingState::Start => FramingState::Header,
            FramingState::Header if line.is_empty() => self.headers.body_state(),
            FramingState::Header => {
                self.headers.record(line)?;
                FramingState::Header
            }
            FramingState::ChunkSize => match line.chunk_size() {
                Some(0) => FramingState::Trailer,
                Some(bytes) => FramingState::Chunk(bytes),
                // hyper refuses it and closes.
                None => FramingState::End,
            },
            FramingState::ChunkEnd => FramingState::ChunkSize,
            FramingState::Trailer if line.is_empty() => FramingState::End,
            FramingState::Trailer | FramingState::Body(_) | FramingState::Chunk(_) | FramingState::End => {
                self.state
            }
        })
    }
}

impl HeaderLine {
    fn push(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len();
        for byte in bytes {
            match byte {
                b':' if !self.colon => self.colon = true,
                b'\r' | b'\n' => {}
                b' ' | b'\t' if self.colon && self.value.is_empty() => {}
                byte if !self.colon && self.name.len() <= NAME_BYTES_MAX => {
                    self.name.push(byte.to_ascii_lowercase());
                }
                byte if self.colon && self.value.len() <= VALUE_BYTES_MAX => self.value.push(*byte),
                _ => {}
            }
        }
    }

    fn is_empty(&self) -> bool {
        self.name.is_empty() && !self.colon
    }

    /// The size that stands before a chunk; what follows a semicolon is for nobody here.
    fn chunk_size(&self) -> Option<u64> {
        let line = std::str::from_utf8(&self.name).ok()?;
        let (size, extended) = line.split_once(';').map_or((line, false), |(size, _)| (size, true));
        let whole = extended || self.name.len() <= NAME_BYTES_MAX;
        u64::from_str_radix(size.trim(), 16).ok().filter(|_| whole)
    }

    /// The value as a length.
    fn content_length(&self) -> Option<u64> {
        std::str::from_utf8(&self.value).ok()?.trim().parse().ok()
    }
}

impl BodyHeaders {
    fn record(&mut self, line: &HeaderLine) -> Result<(), FramingError> {
        match line.name.as_slice() {
            b"host" if std::mem::replace(&mut self.host, true) => {
                return Err(FramingError::Duplicate("A request needs exactly one Host header."));
            }
            b"content-type" if std::mem::replace(&mut self.content_type, true) => {
                return Err(FramingError::Duplicate("Content-Type stands in the head twice; send it once."));
            }
            // What is no number is refused by hyper, in its own time.
            b"content-length" if self.length.replace(line.content_length().unwrap_or_default()).is_some() => {
                return Err(FramingError::Duplicate(
                    "Content-Length stands in the head twice; send it once.",
                ));
            }
            b"transfer-encoding" => {
                let chunked = line.value.to_ascii_lowercase().trim_ascii_end().ends_with(b"chunked");
                if self.coding.replace(chunked).is_some() {
                    return Err(FramingError::Duplicate(
                        "Transfer-Encoding stands in the head twice; send it once.",
                    ));
                }
            }
            _ => {}
        }
        match (self.length, self.coding) {
            (Some(_), Some(_)) => Err(FramingError::Duplicate(
                "Content-Length and Transfer-Encoding stand beside one another; a body has one length, so send one of them.",
            )),
            _ => Ok(()),
        }
    }

    /// Where the end of the head leads.
    fn body_state(&self) -> FramingState {
        match (self.length, self.coding) {
            (_, Some(true)) => FramingState::ChunkSize,
            (None | Some(0), _) => FramingState::End,
            (Some(bytes), _) => FramingState::Body(bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many bytes of each request `bytes` hold, given in pieces of this size.
    fn requests(bytes: &[u8], piece: usize) -> Result<Vec<usize>, FramingError> {
        let (mut framing, mut lengths, mut rest) = (FramingTracker::default(), Vec::new(), bytes);
        let mut length = 0;
        while !rest.is_empty() {
            let taken = framing.advance(&rest[..piece.min(rest.len())])?;
            length += taken;
            rest = &rest[taken..];
            if framing.is_between() {
                lengths.push(std::mem::take(&mut length));
            }
        }
        Ok(lengths)
    }

    #[test]
    fn requests_end_where_their_bodies_do() {
        let parts: [&[u8]; 6] = [
            b"GET / HTTP/1.1\r\nHost: a\r\n\r\n",
            b"POST / HTTP/1.1\r\nHost: a\r\ncontent-LENGTH:\t 11 \r\n\r\nhost: b\r\n\r\n",
            b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\n\r\n\n\r\nA\r\n0123456789\r\n0\r\nhost: t\r\n\r\n",
            b"GET / HTTP/1.1\nHost: a\n\n",
            b"POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n",
            b"PUT / HTTP/1.1\r\nTransfer-Encoding: gzip, Chunked \r\n\r\n0\r\n\r\n",
        ];
        let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
        let all = parts.concat();
        for piece in [1, 2, 3, 7, 50, all.len()] {
            assert_eq!(requests(&all, piece).as_ref(), Ok(&lengths), "{piece}");
        }
        // Empty lines before a request belong to it.
        let led = b"\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n";
        assert_eq!(requests(led, led.len()), Ok(vec![led.len()]));
    }

    #[test]
    fn what_is_said_twice_is_a_fault_in_any_order_and_case() {
        for head in [
            "Content-Length: 3\r\nContent-Length: 3",
            "Content-Length: 3\r\ncontent-length: 4",
            "Content-Length: 3\r\nTransfer-Encoding: chunked",
            "TRANSFER-ENCODING: chunked\r\nX: y\r\nContent-Length: 3",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
            "Transfer-Encoding: identity\r\nContent-Length: 3",
            "Content-Type: a/b\r\ncontent-type: a/b",
            "Host: a\r\nHOST: a",
            "Host:\r\nHost:",
        ] {
            let bytes = format!("POST / HTTP/1.1\r\n{head}\r\n\r\nabc");
            for piece in [1, 5, 1_000] {
                assert!(
                    matches!(requests(bytes.as_bytes(), piece), Err(FramingError::Duplicate(_))),
                    "{head}"
                );
            }
        }
        let fine = b"POST / HTTP/1.1\r\nX-Content-Length: 3\r\nContent-Length2: 3\r\nContent-Length: 3\r\nX: Host: a\r\nHost: a\r\n\r\nabc";
        assert_eq!(requests(fine, 4), Ok(vec![fine.len()]));
    }

    #[test]
    fn a_request_line_has_its_length() {
        let line =
            |bytes: usize| format!("GET /{} HTTP/1.1\r\n\r\n", "x".repeat(bytes - "GET / HTTP/1.1".len()));
        assert!(requests(line(REQUEST_LINE_BYTES_MAX).as_bytes(), 100).is_ok());
        assert_eq!(requests(line(REQUEST_LINE_BYTES_MAX + 1).as_bytes(), 100), Err(FramingError::LineLong));
        assert_eq!(requests(&vec![b'x'; 100_000], 100), Err(FramingError::LineLong));
    }
}
