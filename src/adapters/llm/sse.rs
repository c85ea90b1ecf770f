//! Lines and events out of a stream of bytes, however it is split. Nothing is lost when the source has nothing to read
//! (`WouldBlock`): whoever asks again later goes on where it was.

use super::ModelError;
use crate::net::NetError;
use std::io::{ErrorKind, Read};
use std::ops::Range;
use std::task::{Poll, ready};

/// What is read at once; a stream of tokens needs no more.
const READ_BYTES: usize = 2 * 1024;
/// The longest line that is taken: a model may send an image in one.
const LINE_BYTES_MAX: usize = 16 * 1024 * 1024;

/// What ends a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineEnding {
    Newline,
    /// LF, CRLF and CR, as server-sent events have it.
    Any,
}

/// Lines without their endings. A last line without an ending counts.
pub(super) struct LineReader<R> {
    source: R,
    endings: LineEnding,
    bytes: Vec<u8>,
    /// Where unread bytes begin and end, and up to where no ending was found.
    start: usize,
    end: usize,
    scanned: usize,
    /// The line before ended in CR: an LF that follows belongs to it.
    after_return: bool,
    ended: bool,
}

impl<R: Read> LineReader<R> {
    pub(super) fn new(source: R) -> Self {
        Self::with(source, LineEnding::Newline)
    }

    fn with(source: R, endings: LineEnding) -> Self {
        Self {
            source,
            endings,
            bytes: Vec::new(),
            start: 0,
            end: 0,
            scanned: 0,
            after_return: false,
            ended: false,
        }
    }

    /// The next line, or `None` at the end; pending while the source has nothing.
    ///
    /// # Errors
    /// What ended the reading; [`ModelError::Garbled`] for a line that is too long or not UTF-8.
    pub(super) fn poll_next(&mut self) -> Poll<Result<Option<&str>, ModelError>> {
        let Some(range) = ready!(self.next_range())? else { return Poll::Ready(Ok(None)) };
        let line = std::str::from_utf8(&self.bytes[range]);
        Poll::Ready(line.map(Some).map_err(|_| ModelError::Garbled("it is not UTF-8".into())))
    }

    /// Where the lines are from.
    pub(super) const fn source(&mut self) -> &mut R {
        &mut self.source
    }

    /// Gives it back. What was read ahead is lost.
    pub(super) fn into_source(self) -> R {
        self.source
    }

    fn next_range(&mut self) -> Poll<Result<Option<Range<usize>>, ModelError>> {
        loop {
            if self.after_return && self.start < self.end {
                self.after_return = false;
                if self.bytes[self.start] == b'\n' {
                    self.start += 1;
                }
                self.scanned = self.scanned.max(self.start);
            }
            let is_end = |byte: &u8| *byte == b'\n' || (self.endings == LineEnding::Any && *byte == b'\r');
            if let Some(at) = self.bytes[self.scanned..self.end].iter().position(is_end) {
                let at = self.scanned + at;
                let range = self.start..self.without_return(at);
                self.after_return = self.bytes[at] == b'\r';
                self.start = at + 1;
                self.scanned = self.start;
                return Poll::Ready(Ok(Some(range)));
            }
            self.scanned = self.end;
            if self.ended {
                let range = self.start..self.without_return(self.end);
                self.start = self.end;
                return Poll::Ready(Ok((!range.is_empty()).then_some(range)));
            }
            ready!(self.fill())?;
        }
    }

    /// The end of the line's own text when its ending begins at `at`.
    fn without_return(&self, at: usize) -> usize {
        if at > self.start && self.bytes[at - 1] == b'\r' { at - 1 } else { at }
    }

    fn fill(&mut self) -> Poll<Result<(), ModelError>> {
        if self.start > 0 {
            self.bytes.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.scanned -= self.start;
            self.start = 0;
        }
        if self.end == 0 && self.bytes.len() > READ_BYTES * 4 {
            self.bytes = Vec::new();
        }
        if self.end == self.bytes.len() {
            if self.end >= LINE_BYTES_MAX {
                return Poll::Ready(Err(ModelError::Garbled("a line of it is too long".into())));
            }
            self.bytes.resize((self.end * 2).clamp(READ_BYTES, LINE_BYTES_MAX), 0);
        }
        loop {
            match self.source.read(&mut self.bytes[self.end..]) {
                Ok(amount) => {
                    self.end += amount;
                    self.ended = amount == 0;
                    return Poll::Ready(Ok(()));
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Poll::Pending,
                Err(error) => return Poll::Ready(Err(NetError::from(error).into())),
            }
        }
    }
}

/// A server-sent event.
#[derive(Debug, PartialEq, Eq)]
pub struct SseEvent<'a> {
    /// Its name; empty when it has none.
    pub name: &'a str,
    /// Its data lines, joined.
    pub data: &'a str,
}

/// Server-sent events. An event that the end of the stream cuts short counts: its data shows whether it is whole.
pub struct SseReader<R> {
    lines: LineReader<R>,
    name: String,
    data: String,
    has_data: bool,
    /// The event was given, and its parts make room for the next one.
    is_delivered: bool,
    first: bool,
}

impl<R: Read> SseReader<R> {
    pub fn new(source: R) -> Self {
        let lines = LineReader::with(source, LineEnding::Any);
        Self {
            lines,
            name: String::new(),
            data: String::new(),
            has_data: false,
            is_delivered: false,
            first: true,
        }
    }

    /// The next event that has data, or `None` at the end; pending while the source has nothing.
    ///
    /// # Errors
    /// As [`LineReader::poll_next`].
    pub(crate) fn poll_next(&mut self) -> Poll<Result<Option<SseEvent<'_>>, ModelError>> {
        if std::mem::take(&mut self.is_delivered) {
            self.name.clear();
            self.data.clear();
            self.has_data = false;
        }
        while let Some(mut line) = ready!(self.lines.poll_next())? {
            if std::mem::take(&mut self.first) {
                line = line.strip_prefix('\u{feff}').unwrap_or(line);
            }
            if line.is_empty() {
                if self.has_data {
                    break;
                }
                self.name.clear();
                continue;
            }
            let (field, value) = line.split_once(':').unwrap_or((line, ""));
            let value = value.strip_prefix(' ').unwrap_or(value);
            match field {
                "event" => value.clone_into(&mut self.name),
                "data" => {
                    if self.has_data {
                        self.data.push('\n');
                    }
                    self.data.push_str(value);
                    self.has_data = true;
                }
                _ => {}
            }
        }
        self.is_delivered = true;
        Poll::Ready(Ok(self.has_data.then_some(SseEvent { name: &self.name, data: &self.data })))
    }

    /// As [`Self::poll_next`], of a source that waits until it has something.
    ///
    /// # Errors
    /// As [`Self::poll_next`].
    pub fn next_event(&mut self) -> Result<Option<SseEvent<'_>>, ModelError> {
        match self.poll_next() {
            Poll::Ready(event) => event,
            Poll::Pending => Err(NetError::TimedOut.into()),
        }
    }

    /// Where the events are from.
    pub(super) const fn source(&mut self) -> &mut R {
        self.lines.source()
    }

    /// Gives it back. What was read ahead is lost.
    pub(super) fn into_source(self) -> R {
        self.lines.into_source()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use std::io;

    /// Gives its pieces one read at a time; before an empty one there is nothing to read.
    pub(crate) struct Pieces<'a>(pub Vec<&'a [u8]>);

    impl<'a> Pieces<'a> {
        /// One byte at a time.
        pub(crate) fn bytes(all: &'a [u8]) -> Self {
            Self(all.chunks(1).rev().collect())
        }

        /// One byte at a time, with a pause before each.
        pub(crate) fn paused(all: &'a [u8]) -> Self {
            Self(all.chunks(1).rev().flat_map(|byte| [byte, &[]]).collect())
        }

        pub(crate) fn split(all: &'a [u8], at: usize) -> Self {
            Self([&all[at..], &all[..at]].into_iter().filter(|piece| !piece.is_empty()).collect())
        }
    }

    impl Read for Pieces<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            while let Some(piece) = self.0.pop() {
                if piece.is_empty() && !self.0.is_empty() {
                    return Err(ErrorKind::WouldBlock.into());
                }
                let amount = piece.len().min(buffer.len());
                buffer[..amount].copy_from_slice(&piece[..amount]);
                if amount < piece.len() {
                    self.0.push(&piece[amount..]);
                }
                if amount > 0 {
                    return Ok(amount);
                }
            }
            Ok(0)
        }
    }

    fn events(source: impl Read) -> Vec<(String, String)> {
        let mut events = SseReader::new(source);
        let mut all = Vec::new();
        loop {
            match events.poll_next() {
                Poll::Ready(Ok(Some(event))) => all.push((event.name.to_owned(), event.data.to_owned())),
                Poll::Ready(end) => break assert_eq!(end, Ok(None)),
                Poll::Pending => {}
            }
        }
        all
    }

    const SAMPLE: &str = "\u{feff}: comment\r\nevent: a\r\ndata: grüße 👋\r\ndata:two\r\n\r\nevent: dropped\n\nid: 7\ndata\n\ndata:  three\r\rretry: 5\ndata: last";

    #[test]
    fn events_are_the_same_however_they_are_split() {
        let expected: Vec<(String, String)> =
            [("a", "grüße 👋\ntwo"), ("", ""), ("", " three"), ("", "last")]
                .map(|(name, data)| (name.to_owned(), data.to_owned()))
                .to_vec();
        let all = SAMPLE.as_bytes();
        assert_eq!(events(all), expected);
        assert_eq!(events(Pieces::bytes(all)), expected);
        assert_eq!(events(Pieces::paused(all)), expected);
        for at in 0..=all.len() {
            assert_eq!(events(Pieces::split(all, at)), expected, "split at {at}");
        }
    }

    #[test]
    fn lines_are_the_same_however_they_are_split() {
        let all = "{\"a\":\"ü\r\"}\r\n\n{}\nlast\r".as_bytes();
        let read = |source: Pieces<'_>| {
            let (mut lines, mut seen) = (LineReader::new(source), Vec::new());
            loop {
                match lines.poll_next() {
                    Poll::Ready(Ok(Some(line))) => seen.push(line.to_owned()),
                    Poll::Ready(end) => break assert_eq!(end, Ok(None)),
                    Poll::Pending => {}
                }
            }
            seen
        };
        let expected = vec!["{\"a\":\"ü\r\"}", "", "{}", "last"];
        assert_eq!(read(Pieces::bytes(all)), expected);
        assert_eq!(read(Pieces::paused(all)), expected);
        for at in 0..=all.len() {
            assert_eq!(read(Pieces::split(all, at)), expected, "split at {at}");
        }
    }

    #[test]
    fn long_lines_pass_and_longer_ones_do_not() {
        let long = "x".repeat(100_000);
        let both = format!("{long}\nshort");
        let mut lines = LineReader::new(both.as_bytes());
        assert_eq!(lines.poll_next(), Poll::Ready(Ok(Some(long.as_str()))));
        assert_eq!(lines.poll_next(), Poll::Ready(Ok(Some("short"))));
        assert_eq!(lines.poll_next(), Poll::Ready(Ok(None)));
        let mut lines = LineReader::new(io::repeat(b'x'));
        assert!(matches!(lines.poll_next(), Poll::Ready(Err(ModelError::Garbled(_)))));
        let mut lines = LineReader::new(&b"\xff\n"[..]);
        assert!(matches!(lines.poll_next(), Poll::Ready(Err(ModelError::Garbled(_)))));
    }
}
