//! A pack of strangers, looked through before anything else reads it: it holds no more than it may, and each object is as
//! large as it says.

use super::error::{RemoteError, Result};
use flate2::bufread::ZlibDecoder;
use std::io::{self, BufRead, Read, Seek};
use std::time::Duration;

/// What may come in at once.
#[derive(Debug, Clone, Copy)]
pub(in crate::history) struct Limits {
    /// How long it may take, checks included.
    pub(in crate::history) time: Duration,
    /// The bytes of the pack, as it is sent.
    pub(in crate::history) pack_bytes: u64,
    /// Bytes that the largest object may have once it is unpacked.
    pub(in crate::history) object_bytes: u64,
    /// The bytes of all objects together.
    pub(in crate::history) decoded_bytes: u64,
    pub(in crate::history) objects: u32,
    /// How many objects one may be a delta of, one after the other.
    pub(in crate::history) delta_depth: u32,
    /// How deep folders may lie in one another.
    pub(in crate::history) tree_depth: usize,
    pub(in crate::history) message_bytes: usize,
}

/// What one read may bring of a history that was read before: two minutes of another server's work, or what it did while this
/// one was away.
pub(in crate::history) const LIMITS: Limits = Limits {
    time: Duration::from_secs(60),
    pack_bytes: 256 * 1024 * 1024,
    object_bytes: 32 * 1024 * 1024,
    decoded_bytes: 1024 * 1024 * 1024,
    objects: 100_000,
    delta_depth: 50,
    tree_depth: 8,
    message_bytes: 64 * 1024,
};

/// What the first read may bring: all of a history that grew for years. It is scanned and checked piece by piece, so its size
/// costs time and disk, and no memory but that of a list of ids.
pub(in crate::history) const FIRST_LIMITS: Limits = Limits {
    time: Duration::from_secs(20 * 60),
    pack_bytes: 2 * 1024 * 1024 * 1024,
    decoded_bytes: 64 * 1024 * 1024 * 1024,
    objects: 4_000_000,
    ..LIMITS
};

const HEAD_BYTES: usize = 12;
/// The checksum at the end.
const SUM_BYTES: u64 = 20;
/// A delta begins with two sizes, each in at most ten bytes.
const SIZES_BYTES: usize = 20;
const PIECE_BYTES: usize = 32 * 1024;

/// An object of a pack that was looked at.
struct PackEntry {
    /// Where it begins.
    at: u64,
    /// The size of the object itself, its delta applied.
    size: u64,
    /// How many objects it is a delta of, one after the other.
    depth: u32,
}

/// Looks through a pack of `length` bytes.
pub(super) fn scan<R: BufRead + Seek>(
    pack: &mut R,
    length: u64,
    limits: &Limits,
    keep_on: &dyn Fn() -> bool,
) -> Result<()> {
    let mut head = [0; HEAD_BYTES];
    pack.read_exact(&mut head).map_err(damaged)?;
    let number = |at: usize| u32::from_be_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
    if &head[..4] != b"PACK" || number(4) != 2 {
        return Err(RemoteError::Broken);
    }
    let count = number(8);
    if count > limits.objects {
        return Err(RemoteError::Refused("it has more new objects than are read at once"));
    }
    let mut scanned: Vec<PackEntry> = Vec::new();
    let mut total = 0;
    for _ in 0..count {
        if !keep_on() {
            return Err(RemoteError::Cancelled);
        }
        let next = object(pack, &scanned, limits)?;
        if next.depth > limits.delta_depth {
            return Err(RemoteError::Refused("its pack has too long chains of deltas"));
        }
        total += next.size;
        if total > limits.decoded_bytes {
            return Err(RemoteError::Refused("its new objects are too large together"));
        }
        scanned.push(next);
    }
    let end = pack.stream_position().map_err(RemoteError::from_disk)?;
    if end + SUM_BYTES == length { Ok(()) } else { Err(RemoteError::Broken) }
}

fn object(pack: &mut (impl BufRead + Seek), before: &[PackEntry], limits: &Limits) -> Result<PackEntry> {
    const DELTA_BY_OFFSET: u8 = 6;
    let at = pack.stream_position().map_err(RemoteError::from_disk)?;
    let first = byte(pack)?;
    let (kind, mut declared) = ((first >> 4) & 7, u64::from(first & 0x0f));
    if first & 0x80 != 0 {
        let rest = number(&mut || byte(pack))?;
        // What the shift would push out is a size far beyond the limit.
        declared |= rest.checked_mul(16).ok_or(RemoteError::Broken)?;
    }
    let base = match kind {
        1..=3 => None,
        DELTA_BY_OFFSET => {
            let begin =
                distance(pack).and_then(|distance| at.checked_sub(distance).ok_or(RemoteError::Broken))?;
            let place = before.binary_search_by_key(&begin, |other| other.at);
            Some(place.map_err(|_| RemoteError::Broken)?)
        }
        // Tags lead to no version. A delta of what lies elsewhere was not asked for.
        _ => return Err(RemoteError::Refused("its pack holds what was not asked for")),
    };
    if declared > limits.object_bytes {
        return Err(RemoteError::Refused("it has an object that is too large"));
    }
    let begin = inflate(pack, declared)?;
    let Some(base) = base.and_then(|base| before.get(base)) else {
        return Ok(PackEntry { at, size: declared, depth: 0 });
    };
    let mut sizes = begin.iter().copied();
    let mut next = || sizes.next().ok_or(RemoteError::Broken);
    let (of_base, size) = (number(&mut next)?, number(&mut next)?);
    if of_base != base.size {
        return Err(RemoteError::Broken);
    }
    if size > limits.object_bytes {
        return Err(RemoteError::Refused("it has an object that is too large"));
    }
    Ok(PackEntry { at, size, depth: base.depth + 1 })
}

/// Reads what is deflated, which must be as long as it says; how it begins.
fn inflate(pack: &mut impl BufRead, declared: u64) -> Result<Vec<u8>> {
    let mut begin = Vec::with_capacity(SIZES_BYTES);
    let mut inflated = ZlibDecoder::new(pack);
    let mut piece = vec![0; PIECE_BYTES.min(usize::try_from(declared).unwrap_or(usize::MAX) + 1)];
    let mut length = 0;
    loop {
        let amount = inflated.read(&mut piece).map_err(damaged)?;
        if amount == 0 {
            break;
        }
        let room = SIZES_BYTES.saturating_sub(begin.len()).min(amount);
        begin.extend_from_slice(&piece[..room]);
        length += amount as u64;
        if length > declared {
            return Err(RemoteError::Broken);
        }
    }
    if length == declared { Ok(begin) } else { Err(RemoteError::Broken) }
}

/// A number in bytes of seven bits, the lowest first.
fn number(next: &mut dyn FnMut() -> Result<u8>) -> Result<u64> {
    let mut number = 0;
    for shift in (0..63).step_by(7) {
        let byte = next()?;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Ok(number);
        }
    }
    Err(RemoteError::Broken)
}

/// How far before an object its base begins: bytes of seven bits, the highest first, each but the last one counted from one.
fn distance(pack: &mut impl BufRead) -> Result<u64> {
    let mut last = byte(pack)?;
    let mut distance = u64::from(last & 0x7f);
    while last & 0x80 != 0 {
        last = byte(pack)?;
        distance = (distance + 1).checked_mul(128).ok_or(RemoteError::Broken)? | u64::from(last & 0x7f);
    }
    Ok(distance)
}

fn byte(pack: &mut impl BufRead) -> Result<u8> {
    let mut byte = [0];
    pack.read_exact(&mut byte).map_err(damaged)?;
    Ok(byte[0])
}

/// A pack that ends early or cannot be inflated was cut or damaged on its way; the disk is another matter.
fn damaged(fault: io::Error) -> RemoteError {
    match fault.kind() {
        io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => {
            RemoteError::Broken
        }
        _ => RemoteError::from_disk(fault),
    }
}
