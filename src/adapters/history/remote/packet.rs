//! The lines that git's protocols are made of: each stands behind its length in four hex digits, and some lengths are marks.

use super::error::{RemoteError, Result};
use std::io::Read;

/// The most bytes a line may have, its length included.
const LINE_BYTES_MAX: usize = 65_520;
const LENGTH_BYTES: usize = 4;
/// So much of what a host tells people is kept.
const MESSAGE_BYTES_MAX: usize = 8 * 1024;

/// The mark behind the last line of a message.
pub(super) const FLUSH: &[u8] = b"0000";
/// The mark between two sections of a message.
pub(super) const DELIMITER: &[u8] = b"0001";

/// A line, or a mark between lines.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Packet<'a> {
    Line(&'a [u8]),
    Flush,
    Delimiter,
}

impl<'a> Packet<'a> {
    /// A line as text, without its end; `None` for a mark and for what is no text.
    pub(super) fn text(&self) -> Option<&'a str> {
        match *self {
            Self::Line(bytes) => str::from_utf8(bytes.strip_suffix(b"\n").unwrap_or(bytes)).ok(),
            Self::Flush | Self::Delimiter => None,
        }
    }
}

/// Appends a line to a request.
pub(super) fn push_line(text: &str, request: &mut Vec<u8>) {
    request.extend_from_slice(format!("{:04x}", text.len() + LENGTH_BYTES).as_bytes());
    request.extend_from_slice(text.as_bytes());
}

/// Reads lines one after the other. An answer that ends between two of them was cut: each message ends in a flush.
pub(super) struct PacketReader<R> {
    input: R,
    line: Vec<u8>,
}

impl<R: Read> PacketReader<R> {
    pub(super) const fn new(input: R) -> Self {
        Self { input, line: Vec::new() }
    }

    /// The next line. A line in which the server gives up is an error.
    pub(super) fn next(&mut self) -> Result<Packet<'_>> {
        let mut length = [0; LENGTH_BYTES];
        self.input.read_exact(&mut length).map_err(RemoteError::from_read)?;
        let length = str::from_utf8(&length).ok().filter(|text| text.bytes().all(|b| b.is_ascii_hexdigit()));
        let length = length.and_then(|text| usize::from_str_radix(text, 16).ok());
        let bytes = match length.ok_or(RemoteError::Broken)? {
            0 => return Ok(Packet::Flush),
            1 => return Ok(Packet::Delimiter),
            length @ LENGTH_BYTES..=LINE_BYTES_MAX => length - LENGTH_BYTES,
            _ => return Err(RemoteError::Broken),
        };
        self.line.resize(bytes, 0);
        self.input.read_exact(&mut self.line).map_err(RemoteError::from_read)?;
        match self.line.strip_prefix(b"ERR ") {
            Some(words) => Err(RemoteError::Said(String::from_utf8_lossy(words).into_owned())),
            None => Ok(Packet::Line(&self.line)),
        }
    }

    /// Reads the bands of a message to its flush: what the first one carries goes to `take`, what the host tells people is
    /// returned.
    pub(super) fn read_bands(&mut self, take: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<String> {
        let mut told = Vec::new();
        loop {
            match self.next()? {
                Packet::Flush => return Ok(String::from_utf8_lossy(&told).into_owned()),
                Packet::Delimiter => return Err(RemoteError::Broken),
                Packet::Line(line) => match line.split_first() {
                    Some((1, bytes)) => take(bytes)?,
                    Some((2, words)) => {
                        let room = MESSAGE_BYTES_MAX.saturating_sub(told.len()).min(words.len());
                        told.extend_from_slice(&words[..room]);
                    }
                    Some((3, words)) => {
                        let words = String::from_utf8_lossy(words).into_owned();
                        return Err(RemoteError::Said(words));
                    }
                    _ => return Err(RemoteError::Broken),
                },
            }
        }
    }

    pub(super) fn into_inner(self) -> R {
        self.input
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reader(bytes: &[u8]) -> PacketReader<&[u8]> {
        PacketReader::new(bytes)
    }

    #[test]
    fn lines_and_marks_are_told_apart() {
        let mut request = Vec::new();
        push_line("want x\n", &mut request);
        request.extend_from_slice(&[DELIMITER, FLUSH].concat());
        push_line("", &mut request);
        let mut read = reader(&request);
        assert_eq!(read.next().unwrap().text(), Some("want x"));
        assert_eq!(read.next().unwrap(), Packet::Delimiter);
        assert_eq!(read.next().unwrap(), Packet::Flush);
        assert_eq!(read.next().unwrap(), Packet::Line(b""));
        assert!(matches!(read.next(), Err(RemoteError::Broken)));
    }

    #[test]
    fn what_is_no_line_is_broken() {
        for bytes in [&b""[..], b"00", b"+001", b"0003", b"fff1", b"zzzz", b"0009ab", b"<htm"] {
            assert!(matches!(reader(bytes).next(), Err(RemoteError::Broken)), "{bytes:?}");
        }
        let given_up = reader(b"000fERR go away").next().unwrap_err();
        assert!(matches!(given_up, RemoteError::Said(words) if words == "go away"));
    }

    #[test]
    fn bands_are_separated_and_what_people_are_told_is_bounded() {
        let mut message = Vec::new();
        push_line("\u{1}one ", &mut message);
        for _ in 0..3000 {
            push_line("\u{2}words", &mut message);
        }
        push_line("\u{1}two", &mut message);
        message.extend_from_slice(FLUSH);
        let mut taken = Vec::new();
        let told = reader(&message).read_bands(&mut |bytes| {
            taken.extend_from_slice(bytes);
            Ok(())
        });
        assert_eq!(taken, b"one two");
        assert_eq!(told.unwrap().len(), MESSAGE_BYTES_MAX);
        for bad in [&b"0009\x03fail0000"[..], b"0005\x07", b"0004", b"0001", b"0008\x01abc"] {
            assert!(reader(bad).read_bands(&mut |_| Ok(())).is_err(), "{bad:?}");
        }
    }
}
