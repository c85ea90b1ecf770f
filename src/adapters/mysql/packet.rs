//! Packets: how the protocol cuts what both sides say, and the few forms that numbers and texts have in them.

use super::MySqlError;
use crate::net::NetError;
use std::io::Read;

/// What is read from the line at once.
const READ_BYTES: usize = 16 * 1024;
/// A piece of this length is followed by another one of the same packet.
const PIECE_BYTES_MAX: usize = 0xff_ff_ff;
/// Length and number before each piece.
const HEAD_BYTES: usize = 4;

/// Cuts what comes from a server into packets.
#[derive(Debug, Default)]
pub(super) struct PacketReader {
    buffer: Vec<u8>,
    /// Where in the buffer the next packet begins.
    start: usize,
    /// The number of the next piece that is sent.
    number: u8,
}

impl PacketReader {
    /// The next packet, of at most so many bytes. More is refused before there is room for it.
    pub(super) fn next(&mut self, source: &mut impl Read, most: usize) -> Result<Vec<u8>, MySqlError> {
        let mut packet = Vec::new();
        loop {
            self.fill(source, HEAD_BYTES)?;
            let head = &self.buffer[self.start..];
            let length = usize::from(head[0]) | usize::from(head[1]) << 8 | usize::from(head[2]) << 16;
            self.number = head[3].wrapping_add(1);
            if packet.len() + length > most {
                return Err(MySqlError::TooLarge);
            }
            self.start += HEAD_BYTES;
            self.fill(source, length)?;
            packet.extend_from_slice(&self.buffer[self.start..self.start + length]);
            self.start += length;
            if length < PIECE_BYTES_MAX {
                return Ok(packet);
            }
        }
    }

    fn fill(&mut self, source: &mut impl Read, wanted: usize) -> Result<(), MySqlError> {
        if self.buffer.len() - self.start >= wanted {
            return Ok(());
        }
        self.buffer.drain(..self.start);
        self.start = 0;
        let mut some = [0; READ_BYTES];
        while self.buffer.len() < wanted {
            let amount = source.read(&mut some)?;
            if amount == 0 {
                return Err(NetError::Broken("the other side closed the connection".into()).into());
            }
            self.buffer.extend_from_slice(&some[..amount]);
        }
        Ok(())
    }

    /// True when everything that came was read. Where TLS begins, nothing may have come ahead of it.
    pub(super) fn is_empty(&self) -> bool {
        self.buffer.len() == self.start
    }

    /// Begins another exchange, whose packets are numbered anew.
    pub(super) const fn begin(&mut self) {
        self.number = 0;
    }

    /// A packet as it is sent.
    pub(super) fn frame(&mut self, packet: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(packet.len() + HEAD_BYTES);
        let mut pieces = packet.chunks(PIECE_BYTES_MAX).collect::<Vec<_>>();
        // The last piece is the one that is shorter, so there is one without bytes after a full one.
        if packet.len().is_multiple_of(PIECE_BYTES_MAX) {
            pieces.push(&[]);
        }
        for piece in pieces {
            let [a, b, c, ..] = (piece.len() as u64).to_le_bytes();
            out.extend_from_slice(&[a, b, c, self.number]);
            out.extend_from_slice(piece);
            self.number = self.number.wrapping_add(1);
        }
        out
    }
}

/// Reads a packet from its beginning. Every step says when there is less than it needs.
pub(super) struct FieldReader<'a>(pub(super) &'a [u8]);

impl<'a> FieldReader<'a> {
    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], MySqlError> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(MySqlError::Garbled)?;
        self.0 = rest;
        Ok(taken)
    }

    /// A number of up to eight bytes, the lowest first.
    pub(super) fn integer(&mut self, bytes: usize) -> Result<u64, MySqlError> {
        let taken = self.take(bytes.min(8))?;
        Ok(taken.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte)))
    }

    pub(super) fn byte(&mut self) -> Result<u8, MySqlError> {
        Ok(self.take(1)?[0])
    }

    pub(super) fn short(&mut self) -> Result<u16, MySqlError> {
        let taken = self.take(2)?;
        Ok(u16::from_le_bytes([taken[0], taken[1]]))
    }

    pub(super) fn long(&mut self) -> Result<u32, MySqlError> {
        let taken = self.take(4)?;
        Ok(u32::from_le_bytes([taken[0], taken[1], taken[2], taken[3]]))
    }

    /// A number that says its own length; `None` for the mark of no value.
    pub(super) fn length(&mut self) -> Result<Option<u64>, MySqlError> {
        match self.byte()? {
            0xfb => Ok(None),
            0xfc => self.integer(2).map(Some),
            0xfd => self.integer(3).map(Some),
            0xfe => self.integer(8).map(Some),
            0xff => Err(MySqlError::Garbled),
            small => Ok(Some(small.into())),
        }
    }

    /// Bytes after their length; `None` for the mark of no value.
    pub(super) fn value(&mut self) -> Result<Option<&'a [u8]>, MySqlError> {
        let Some(length) = self.length()? else { return Ok(None) };
        self.take(usize::try_from(length).unwrap_or(usize::MAX)).map(Some)
    }

    /// Bytes up to a zero, or to the end where there is none.
    pub(super) fn until_zero(&mut self) -> &'a [u8] {
        let end = self.0.iter().position(|byte| *byte == 0);
        let taken = &self.0[..end.unwrap_or(self.0.len())];
        self.0 = &self.0[end.map_or(self.0.len(), |end| end + 1)..];
        taken
    }
}

/// Writes bytes after their length.
pub(super) fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    let length = bytes.len() as u64;
    let written = length.to_le_bytes();
    match length {
        0..=0xfa => out.push(written[0]),
        0xfb..=0xffff => {
            out.push(0xfc);
            out.extend_from_slice(&written[..2]);
        }
        0x1_0000..=0xff_ffff => {
            out.push(0xfd);
            out.extend_from_slice(&written[..3]);
        }
        _ => {
            out.push(0xfe);
            out.extend_from_slice(&written);
        }
    }
    out.extend_from_slice(bytes);
}
