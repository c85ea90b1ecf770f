//! Git's pack delta: an object written as copies from another one and new bytes between them. The library can
//! only apply deltas, not make them.

/// The shortest run of equal bytes that is looked for.
const BLOCK: usize = 16;
/// An empty place in the table of blocks.
const NONE: u32 = u32::MAX;

/// The delta that makes `target` of `base`; `None` when it would not be clearly shorter.
pub(in crate::history) fn encode(base: &[u8], target: &[u8]) -> Option<Vec<u8>> {
    if base.len() < BLOCK || target.len() < BLOCK || base.len() >= NONE as usize {
        return None;
    }
    let blocks = BlockTable::new(base);
    let longest = target.len() * 2 / 3;
    let mut out = Vec::with_capacity(256);
    push_size(base.len(), &mut out);
    push_size(target.len(), &mut out);
    let (mut at, mut encoded) = (0, 0);
    while at + BLOCK <= target.len() {
        let Some(found) = blocks.find(base, &target[at..at + BLOCK]) else {
            at += 1;
            continue;
        };
        let back = common_length(base[..found].iter().rev(), target[encoded..at].iter().rev());
        let ahead = BLOCK + common_length(base[found + BLOCK..].iter(), target[at + BLOCK..].iter());
        push_new(&target[encoded..at - back], &mut out);
        push_copy(found - back, back + ahead, &mut out);
        at += ahead;
        encoded = at;
        if out.len() > longest {
            return None;
        }
    }
    push_new(&target[encoded..], &mut out);
    (out.len() <= longest).then_some(out)
}

/// Where each block of a text begins, by its bytes. Of blocks that share a place the first stays.
struct BlockTable {
    places: Vec<u32>,
    shift: u32,
}

impl BlockTable {
    fn new(base: &[u8]) -> Self {
        let bits = (usize::BITS - (base.len() / BLOCK).leading_zeros() + 1).clamp(4, 22);
        let mut blocks = Self { places: vec![NONE; 1 << bits], shift: 64 - bits };
        for (number, block) in base.chunks_exact(BLOCK).enumerate().rev() {
            let slot = blocks.slot(block);
            blocks.places[slot] = u32::try_from(number * BLOCK).unwrap_or(NONE);
        }
        blocks
    }

    fn slot(&self, block: &[u8]) -> usize {
        let half =
            |at| u64::from_le_bytes(block[at..at + 8].try_into().expect("half a block is eight bytes"));
        let mixed = (half(0) ^ half(8).rotate_left(29)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        usize::try_from(mixed >> self.shift).expect("a slot number has at most 22 bits")
    }

    fn find(&self, base: &[u8], block: &[u8]) -> Option<usize> {
        let place = self.places[self.slot(block)];
        let start = usize::try_from(place).ok().filter(|_| place != NONE)?;
        (&base[start..start + BLOCK] == block).then_some(start)
    }
}

fn common_length<'a>(one: impl Iterator<Item = &'a u8>, other: impl Iterator<Item = &'a u8>) -> usize {
    one.zip(other).take_while(|(a, b)| a == b).count()
}

fn push_size(mut size: usize, out: &mut Vec<u8>) {
    while size >= 0x80 {
        out.push(low(size) | 0x80);
        size >>= 7;
    }
    out.push(low(size));
}

fn push_new(bytes: &[u8], out: &mut Vec<u8>) {
    for run in bytes.chunks(127) {
        out.push(low(run.len()));
        out.extend_from_slice(run);
    }
}

fn push_copy(start: usize, length: usize, out: &mut Vec<u8>) {
    const LONGEST: usize = 0x1_0000;
    for offset in (0..length).step_by(LONGEST) {
        let run = LONGEST.min(length - offset);
        let command = out.len();
        out.push(0x80);
        let mut push = |value: usize, bytes: u32, first_bit: u32| {
            for at in 0..bytes {
                let byte = (value >> (8 * at)) & 0xff;
                if byte != 0 {
                    out[command] |= 1 << (first_bit + at);
                    out.push(byte.to_le_bytes()[0]);
                }
            }
        };
        push(start + offset, 4, 0);
        // The longest run is written as no length at all.
        push(run % LONGEST, 2, 4);
    }
}

fn low(number: usize) -> u8 {
    number.to_le_bytes()[0] & 0x7f
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn apply(base: &[u8], mut delta: &[u8]) -> Vec<u8> {
        let mut next = || {
            let (byte, rest) = delta.split_first().unwrap();
            delta = rest;
            usize::from(*byte)
        };
        let mut size = || {
            let (mut size, mut shift) = (0, 0);
            loop {
                let byte = next();
                size |= (byte & 0x7f) << shift;
                shift += 7;
                if byte & 0x80 == 0 {
                    return size;
                }
            }
        };
        assert_eq!(size(), base.len());
        let length = size();
        let mut out = Vec::new();
        while out.len() < length {
            let command = next();
            if command & 0x80 == 0 {
                out.extend((0..command).map(|_| u8::try_from(next()).unwrap()));
                continue;
            }
            let mut number = |first: usize, bytes: usize| {
                (0..bytes)
                    .filter(|at| command & (1 << (first + at)) != 0)
                    .fold(0, |n, at| n | next() << (8 * at))
            };
            let (start, run) = (number(0, 4), number(4, 2));
            out.extend_from_slice(&base[start..start + if run == 0 { 0x1_0000 } else { run }]);
        }
        assert!(delta.is_empty());
        out
    }

    #[test]
    fn a_small_change_in_a_long_text_is_a_short_delta() {
        let base: Vec<u8> = (0..300_000_u32).flat_map(u32::to_le_bytes).collect();
        let mut target = base.clone();
        target[500_000] = 7;
        let delta = encode(&base, &target).unwrap();
        assert!(delta.len() < 250, "{}", delta.len());
        assert_eq!(apply(&base, &delta), target);
        assert!(encode(&base, b"nothing like it at all, and short").is_none());
    }

    proptest! {
        #[test]
        fn what_is_told_is_what_was_meant(
            base in proptest::collection::vec(0_u8..5, 0..3000),
            edits in proptest::collection::vec((0_usize..3000, 0_usize..40, proptest::collection::vec(any::<u8>(), 0..300)), 0..6),
        ) {
            let mut target = base.clone();
            for (at, gone, new) in edits {
                let at = at.min(target.len());
                let end = (at + gone).min(target.len());
                target.splice(at..end, new);
            }
            if let Some(delta) = encode(&base, &target) {
                prop_assert_eq!(apply(&base, &delta), target);
            }
        }
    }
}
