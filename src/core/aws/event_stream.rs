//! `application/vnd.amazon.eventstream`: frames of headers and a payload, however the bytes are cut on their way.
//!
//! A frame is its length, the length of its headers and a sum of both; then the headers, the payload, and a sum of all.

#[cfg(any(test, feature = "test-support"))]
pub mod test_frames;
#[cfg(test)]
mod tests;

use crate::base::checksum::Checksum;

/// Two lengths and their sum.
const PRELUDE_BYTES: usize = 12;
/// The sum of the whole frame.
const SUM_BYTES: usize = 4;
/// The most of headers that the format allows.
const HEADERS_BYTES_MAX: usize = 128 * 1024;
/// The most of a frame that the format allows.
const FRAME_BYTES_MAX: usize = 16 * 1024 * 1024 + HEADERS_BYTES_MAX + PRELUDE_BYTES + SUM_BYTES;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventFrame {
    headers: Vec<(String, String)>,
    pub payload: Vec<u8>,
}

impl EventFrame {
    /// A header that is a text.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// Why a stream cannot be read on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameError {
    /// It announces a frame larger than any.
    TooLarge,
    /// What arrived is not what was sent.
    Sum,
    Form,
}

/// Frames out of pieces of a stream. It holds one frame and one piece at most.
#[derive(Debug, Default)]
pub struct FrameDecoder {
    bytes: Vec<u8>,
}

impl FrameDecoder {
    /// Takes the next piece of the stream. Whoever feeds takes out what is whole first.
    pub fn push(&mut self, piece: &[u8]) {
        self.bytes.extend_from_slice(piece);
    }

    /// True when nothing of an unfinished frame is left.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The next frame, when all of it has arrived.
    ///
    /// # Errors
    /// When the stream is damaged; what follows means nothing any more.
    pub fn next_frame(&mut self) -> Result<Option<EventFrame>, FrameError> {
        let Some((prelude, _)) = self.bytes.split_at_checked(PRELUDE_BYTES) else { return Ok(None) };
        let (total, headers) = (number(&prelude[..4]), number(&prelude[4..8]));
        if checksum_of(&prelude[..8]) != number(&prelude[8..]) {
            return Err(FrameError::Sum);
        }
        if total > FRAME_BYTES_MAX || headers > HEADERS_BYTES_MAX {
            return Err(FrameError::TooLarge);
        }
        if total < PRELUDE_BYTES + headers + SUM_BYTES {
            return Err(FrameError::Form);
        }
        let Some((frame, _)) = self.bytes.split_at_checked(total) else { return Ok(None) };
        let (summed, end) = frame.split_at(total - SUM_BYTES);
        if checksum_of(summed) != number(end) {
            return Err(FrameError::Sum);
        }
        let (headers, payload) = summed[PRELUDE_BYTES..].split_at(headers);
        let frame =
            EventFrame { headers: texts(headers).ok_or(FrameError::Form)?, payload: payload.to_vec() };
        self.bytes.drain(..total);
        Ok(Some(frame))
    }
}

fn checksum_of(bytes: &[u8]) -> usize {
    let mut checksum = Checksum::default();
    checksum.add(bytes);
    checksum.sum() as usize
}

/// A number as it is sent, the largest part first.
fn number(bytes: &[u8]) -> usize {
    bytes.iter().fold(0, |number, byte| number << 8 | usize::from(*byte))
}

/// The headers that are texts; the others are read over. `None` when they are no headers.
fn texts(mut bytes: &[u8]) -> Option<Vec<(String, String)>> {
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let length = number(take(&mut bytes, 1)?);
        let name = std::str::from_utf8(take(&mut bytes, length)?).ok()?.to_owned();
        let kind = number(take(&mut bytes, 1)?);
        let length = match kind {
            0 | 1 => 0,
            2 => 1,
            3 => 2,
            4 => 4,
            5 | 8 => 8,
            6 | 7 => number(take(&mut bytes, 2)?),
            9 => 16,
            _ => return None,
        };
        let value = take(&mut bytes, length)?;
        if kind == 7 {
            found.push((name, std::str::from_utf8(value).ok()?.to_owned()));
        }
    }
    Some(found)
}

fn take<'a>(bytes: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (taken, rest) = bytes.split_at_checked(count)?;
    *bytes = rest;
    Some(taken)
}
