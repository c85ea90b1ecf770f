//! Lines and events out of a stream of bytes, however it is split.

use super::ModelError;
use crate::net::NetError;
use std::io::{ErrorKind, Read};
use std::ops::Range;

/// What is read at once; a stream of tokens needs no more.
const READ_BYTES: usize = 2 * 1024;
/// The longest line that is taken: a model may send an image in one.
const LINE_BYTES_MAX: usize = 16 * 1024 * 1024;

/// What ends a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Endings {
    /// LF and CRLF.
    Newline,
    /// LF, CRLF and CR, as server-sent events have it.
    Any,
}

/// Lines without their endings. A last line without an ending counts.
pub(super) struct Lines<R> {
    source: R,
    endings: Endings,
    bytes: Vec<u8>,
    /// Where unread bytes begin and end, and up to where no ending was found.
    start: usize,
    end: usize,
    looked: usize,
    /// The line before ended in CR: an LF that follows belongs to it.
    after_return: bool,
    ended: bool,
}

impl<R: Read> Lines<R> {
    /// Lines of newline-delimited JSON.
    pub(super) fn new(source: R) -> Self {
        Self::with(source, Endings::Newline)
    }

    fn with(source: R, endings: Endings) -> Self {
        Self {
            source,
            endings,
            bytes: Vec::new(),
            start: 0,
            end: 0,
            looked: 0,
            after_return: false,
            ended: false,
        }
    }

    /// The next line, or `None` at the end.
    ///
    /// # Errors
    /// What ended the reading; [`ModelError::Garbled`] for a line that is too long or not UTF-8.
    pub(super) fn next(&mut self) -> Result<Option<&str>, ModelError> {
        let Some(range) = self.next_range()? else { return Ok(None) };
        let line = std::str::from_utf8(&self.bytes[range]);
        line.map(Some).map_err(|_| ModelError::Garbled("it is not UTF-8".into()))
    }

    fn next_range(&mut self) -> Result<Option<Range<usize>>, ModelError> {
        loop {
            if self.after_return && self.start < self.end {
                self.after_return = false;
                if self.bytes[self.start] == b'\n' {
                    self.start += 1;
                }
                self.looked = self.looked.max(self.start);
            }
            let is_end = |byte: &u8| *byte == b'\n' || (self.endings == Endings::Any && *byte == b'\r');
            if let Some(at) = self.bytes[self.looked..self.end].iter().position(is_end) {
                let at = self.looked + at;
                let range = self.start..self.without_return(at);
                self.after_return = self.bytes[at] == b'\r';
                self.start = at + 1;
                self.looked = self.start;
                return Ok(Some(range));
            }
            self.looked = self.end;
            if self.ended {
                let range = self.start..self.without_return(self.end);
                self.start = self.end;
                return Ok((!range.is_empty()).then_some(range));
            }
            self.fill()?;
        }
    }

    /// The end of the line's own text when its ending begins at `at`.
    fn without_return(&self, at: usize) -> usize {
        if at > self.start && self.bytes[at - 1] == b'\r' { at - 1 } else { at }
    }

    fn fill(&mut self) -> Result<(), ModelError> {
        if self.start > 0 {
            self.bytes.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.looked -= self.start;
            self.start = 0;
        }
        if self.end == 0 && self.bytes.len() > READ_BYTES * 4 {
            self.bytes = Vec::new();
        }
        if self.end == self.bytes.len() {
            if self.end >= LINE_BYTES_MAX {
                return Err(ModelError::Garbled("a line of it is too long".into()));
            }
            self.bytes.resize((self.end * 2).clamp(READ_BYTES, LINE_BYTES_MAX), 0);
        }
        loop {
            match self.source.read(&mut self.bytes[self.end..]) {
                Ok(amount) => {
                    self.end += amount;
                    self.ended = amount == 0;
                    return Ok(());
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(NetError::from(error).into()),
            }
        }
    }
}

/// A server-sent event.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Event<'a> {
    /// Its name; empty when it has none.
    pub name: &'a str,
    /// Its data lines, joined.
    pub data: &'a str,
}

/// Server-sent events. An event that the end of the stream cuts short counts: its data shows whether it is whole.
pub(crate) struct Events<R> {
    lines: Lines<R>,
    name: String,
    data: String,
    first: bool,
}

impl<R: Read> Events<R> {
    pub(crate) fn new(source: R) -> Self {
        let lines = Lines::with(source, Endings::Any);
        Self { lines, name: String::new(), data: String::new(), first: true }
    }

    /// The next event that has data, or `None` at the end.
    ///
    /// # Errors
    /// As [`Lines::next`].
    pub(crate) fn next(&mut self) -> Result<Option<Event<'_>>, ModelError> {
        self.name.clear();
        self.data.clear();
        let mut has_data = false;
        while let Some(mut line) = self.lines.next()? {
            if std::mem::take(&mut self.first) {
                line = line.strip_prefix('\u{feff}').unwrap_or(line);
            }
            if line.is_empty() {
                if has_data {
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
                    if has_data {
                        self.data.push('\n');
                    }
                    self.data.push_str(value);
                    has_data = true;
                }
                _ => {}
            }
        }
        Ok(has_data.then_some(Event { name: &self.name, data: &self.data }))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use std::io;

    /// Gives its pieces one read at a time.
    pub(crate) struct Pieces<'a>(pub Vec<&'a [u8]>);

    impl<'a> Pieces<'a> {
        /// One byte at a time.
        pub(crate) fn bytes(all: &'a [u8]) -> Self {
            Self(all.chunks(1).rev().collect())
        }

        /// Two pieces.
        pub(crate) fn split(all: &'a [u8], at: usize) -> Self {
            Self(vec![&all[at..], &all[..at]])
        }
    }

    impl Read for Pieces<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            while let Some(piece) = self.0.pop() {
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
        let mut events = Events::new(source);
        let mut all = Vec::new();
        while let Some(event) = events.next().unwrap() {
            all.push((event.name.to_owned(), event.data.to_owned()));
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
        for at in 0..=all.len() {
            assert_eq!(events(Pieces::split(all, at)), expected, "split at {at}");
        }
    }

    #[test]
    fn lines_are_the_same_however_they_are_split() {
        let all = "{\"a\":\"ü\r\"}\r\n\n{}\nlast\r".as_bytes();
        let read = |source: Pieces<'_>| {
            let (mut lines, mut seen) = (Lines::new(source), Vec::new());
            while let Some(line) = lines.next().unwrap() {
                seen.push(line.to_owned());
            }
            seen
        };
        let expected = vec!["{\"a\":\"ü\r\"}", "", "{}", "last"];
        assert_eq!(read(Pieces::bytes(all)), expected);
        for at in 0..=all.len() {
            assert_eq!(read(Pieces::split(all, at)), expected, "split at {at}");
        }
    }

    #[test]
    fn long_lines_pass_and_longer_ones_do_not() {
        let long = "x".repeat(100_000);
        let both = format!("{long}\nshort");
        let mut lines = Lines::new(both.as_bytes());
        assert_eq!(lines.next().unwrap(), Some(long.as_str()));
        assert_eq!(lines.next().unwrap(), Some("short"));
        assert_eq!(lines.next().unwrap(), None);
        let mut lines = Lines::new(io::repeat(b'x'));
        assert!(matches!(lines.next(), Err(ModelError::Garbled(_))));
        let mut lines = Lines::new(&b"\xff\n"[..]);
        assert!(matches!(lines.next(), Err(ModelError::Garbled(_))));
    }
}
