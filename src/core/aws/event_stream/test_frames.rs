//! Frames for tests of whoever reads them.
#![allow(clippy::unwrap_used, reason = "a test that cannot write a frame has failed")]

use super::{PRELUDE_BYTES, SUM_BYTES, checksum_of};

/// Writes a frame as a server does; each header with the number of its kind.
pub fn encode_frame(headers: &[(&str, u8, &[u8])], payload: &[u8]) -> Vec<u8> {
    let mut block = Vec::new();
    for (name, kind, value) in headers {
        block.push(u8::try_from(name.len()).unwrap());
        block.extend_from_slice(name.as_bytes());
        block.push(*kind);
        if matches!(kind, 6 | 7) {
            block.extend_from_slice(&u16::try_from(value.len()).unwrap().to_be_bytes());
        }
        block.extend_from_slice(value);
    }
    let total = u32::try_from(PRELUDE_BYTES + block.len() + payload.len() + SUM_BYTES).unwrap();
    let mut frame = total.to_be_bytes().to_vec();
    frame.extend_from_slice(&u32::try_from(block.len()).unwrap().to_be_bytes());
    frame.extend_from_slice(&u32::try_from(checksum_of(&frame)).unwrap().to_be_bytes());
    frame.extend_from_slice(&block);
    frame.extend_from_slice(payload);
    frame.extend_from_slice(&u32::try_from(checksum_of(&frame)).unwrap().to_be_bytes());
    frame
}
