//! Texts as the tokens of OpenAI's encodings: byte pairs, merged in the order of their ranks.

use flate2::read::ZlibDecoder;
use regex::Regex;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::io::Read as _;
use std::sync::LazyLock;

/// A way to write texts as tokens.
pub(super) struct Encoding {
    vocabulary: HashMap<&'static [u8], u32>,
    /// What is never merged across, but for blanks before a word (see [`Encoding::pieces`]).
    pieces: Regex,
}

static GPT2: LazyLock<Encoding> = LazyLock::new(|| Encoding::new(&R50K, 0, GPT2_PIECES));
static P50K: LazyLock<Encoding> = LazyLock::new(|| Encoding::new(&R50K, P50K_BLANKS, GPT2_PIECES));
static CL100K: LazyLock<Encoding> = LazyLock::new(|| Encoding::new(&CL100K_PACKED, 0, CL100K_PIECES));

static R50K: LazyLock<Vec<u8>> = LazyLock::new(|| unpack(include_bytes!("../../../assets/tokens/r50k.z")));
static CL100K_PACKED: LazyLock<Vec<u8>> =
    LazyLock::new(|| unpack(include_bytes!("../../../assets/tokens/cl100k.z")));

/// Runs of two and more blanks that `p50k_base` has after the tokens of `r50k_base` and one that is never in a text.
const P50K_BLANKS: usize = 24;
static BLANKS: [u8; P50K_BLANKS + 1] = [b' '; P50K_BLANKS + 1];

const GPT2_PIECES: &str = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+";
const CL100K_PIECES: &str =
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s+$|\s*[\r\n]|\s+";

fn unpack(packed: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    ZlibDecoder::new(packed).read_to_end(&mut bytes).expect("the program carries what it was built with");
    bytes
}

/// The encoding of this name.
pub(super) fn encoding(name: &str) -> Option<&'static Encoding> {
    match name {
        "gpt2" | "r50k_base" => Some(&GPT2),
        "p50k_base" | "p50k_edit" => Some(&P50K),
        "cl100k_base" => Some(&CL100K),
        _ => None,
    }
}

impl Encoding {
    fn new(packed: &'static [u8], blanks: usize, pieces: &str) -> Self {
        // Every token has at least a byte, so the lengths end where what they add up to begins.
        let (mut count, mut bytes) = (0, 0);
        while count + bytes < packed.len() {
            bytes += usize::from(packed[count]);
            count += 1;
        }
        let mut vocabulary = HashMap::with_capacity(count + blanks);
        let mut at = count;
        for (rank, length) in (0..).zip(&packed[..count]) {
            let end = at + usize::from(*length);
            vocabulary.insert(&packed[at..end], rank);
            at = end;
        }
        let after = u32::try_from(count).unwrap_or_default() + 1;
        vocabulary.extend((after..).zip(2..2 + blanks).map(|(rank, length)| (&BLANKS[..length], rank)));
        Self { vocabulary, pieces: Regex::new(pieces).expect("the expression is fixed") }
    }

    /// Where the tokens of a text end.
    pub(super) fn ends(&self, text: &str) -> Vec<usize> {
        let mut ends = Vec::new();
        self.pieces(text, |start, piece| {
            self.merge(piece.as_bytes(), |end| ends.push(start + end));
        });
        ends
    }

    /// Calls `each` for every piece. Of blanks before a word the last belongs to the word, which the expression itself
    /// cannot say; line ends of the newer encoding stay together.
    fn pieces<'t>(&self, text: &'t str, mut each: impl FnMut(usize, &'t str)) {
        let mut at = 0;
        while let Some(found) = self.pieces.find_at(text, at) {
            let mut piece = found.as_str();
            let is_blank = piece.chars().all(char::is_whitespace);
            let keeps_lines = self.pieces.as_str() == CL100K_PIECES && piece.ends_with(['\r', '\n']);
            if is_blank && !keeps_lines && found.end() < text.len() {
                let last = piece.char_indices().next_back().map_or(0, |(at, _)| at);
                piece = if last > 0 { &piece[..last] } else { piece };
            }
            each(found.start(), piece);
            at = found.start() + piece.len();
        }
    }

    /// Calls `each` with the end of every token of a piece. Pairs are merged in the order of their ranks, the first of
    /// equal ones first; a pair whose halves have changed since it was noted is passed over.
    fn merge(&self, piece: &[u8], mut each: impl FnMut(usize)) {
        let length = piece.len();
        if length < 2 || self.vocabulary.contains_key(piece) {
            return each(length);
        }
        // By the start of a part: its end, or 0 once it was merged into the part before it.
        let mut end: Vec<usize> = (1..=length).collect();
        // By the start of a part: where the part before it starts.
        let mut before: Vec<usize> = (0..length).map(|at| at.saturating_sub(1)).collect();
        let mut pairs = BinaryHeap::new();
        let note = |pairs: &mut BinaryHeap<_>, start: usize, stop: usize| {
            if let Some(&rank) = self.vocabulary.get(&piece[start..stop]) {
                pairs.push(Reverse((rank, start, stop)));
            }
        };
        (0..length - 1).for_each(|start| note(&mut pairs, start, start + 2));
        while let Some(Reverse((_, start, stop))) = pairs.pop() {
            let middle = end[start];
            if middle == 0 || middle >= length || end[middle] != stop {
                continue;
            }
            (end[start], end[middle]) = (stop, 0);
            if stop < length {
                before[stop] = start;
                note(&mut pairs, start, end[stop]);
            }
            if start > 0 {
                note(&mut pairs, before[start], stop);
            }
        }
        let mut at = 0;
        while at < length {
            at = end[at];
            each(at);
        }
    }

    /// The numbers of the tokens, for comparison with what others count.
    #[cfg(test)]
    fn ranks(&self, text: &str) -> Vec<u32> {
        let mut start = 0;
        let rank = |end: usize| {
            let token = &text.as_bytes()[start..end];
            start = end;
            self.vocabulary[token]
        };
        self.ends(text).into_iter().map(rank).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the encodings' own program says.
    const TEXTS: &[&str] = &[
        "",
        "Hello, world!",
        "  leading   spaces\n\n\n\tand tabs ",
        "don't WE'LL i'm",
        "naïve café 日本語のテキスト 😀😀",
        "x1234567890 3.14",
        "fn main() {\n    println!(\"{}\", 7);\n}\r\n\r\n  end",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "\u{a0}nbsp\u{200b}zero\u{301}",
        "a\n \n  b\u{2028}c",
        "İstanbul ſ'S straße ½ ²",
    ];
    #[rustfmt::skip]
    const GPT2_RANKS: &[&[u32]] = &[
        &[],
        &[15496, 11, 995, 0],
        &[220, 3756, 220, 220, 9029, 628, 198, 197, 392, 22524, 220],
        &[9099, 470, 12887, 6, 3069, 1312, 1101],
        &[2616, 38776, 40304, 10545, 245, 98, 17312, 105, 45739, 252, 5641, 24336, 25084, 43302, 30325, 222, 47249, 222],
        &[87, 10163, 2231, 30924, 3829, 513, 13, 1415],
        &[22184, 1388, 3419, 1391, 198, 220, 220, 220, 44872, 0, 7203, 90, 92, 1600, 767, 1776, 198, 92, 201, 198, 201, 198, 220, 886],
        &[24794, 24794, 24794, 24794, 24794, 24794, 24794, 24794, 7252],
        &[1849, 77, 24145, 9525, 22570, 136, 223],
        &[64, 198, 220, 198, 220, 275, 447, 101, 66],
        &[128, 108, 24179, 25370, 123, 6, 50, 3534, 39683, 68, 25208, 1587, 110],
    ];
    #[rustfmt::skip]
    const CL100K_RANKS: &[&[u32]] = &[
        &[],
        &[9906, 11, 1917, 0],
        &[220, 6522, 256, 12908, 1432, 53577, 23204, 220],
        &[15357, 956, 20255, 6, 4178, 602, 2846],
        &[3458, 38672, 588, 53050, 76502, 22656, 45918, 252, 16144, 57933, 62903, 71634, 91416, 76460, 222],
        &[87, 4513, 10961, 16474, 15, 220, 18, 13, 975],
        &[8998, 1925, 368, 341, 262, 14069, 80978, 220, 22, 317, 2634, 220, 842],
        &[70540, 70540, 70540, 70540, 5418],
        &[4194, 5792, 16067, 14486, 54939],
        &[64, 27907, 220, 293, 378, 101, 66],
        &[48880, 46216, 27006, 123, 13575, 610, 64, 24352, 220, 27154, 220, 30556],
    ];

    #[test]
    fn texts_have_the_tokens_that_their_models_count() {
        for (name, expected) in [("gpt2", GPT2_RANKS), ("cl100k_base", CL100K_RANKS)] {
            for (text, ranks) in TEXTS.iter().zip(expected) {
                assert_eq!(encoding(name).unwrap().ranks(text), *ranks, "{name}: {text:?}");
            }
        }
        let code = encoding("p50k_edit").unwrap();
        assert_eq!(code.ranks(TEXTS[2]), [220, 3756, 50257, 9029, 628, 198, 197, 392, 22524, 220]);
        assert!(encoding("o900k").is_none());
    }

    #[test]
    fn a_word_without_end_takes_no_longer_than_others() {
        let began = std::time::Instant::now();
        let ends = encoding("cl100k_base").unwrap().ends(&"ab".repeat(100_000));
        assert!(ends.len() > 10_000 && began.elapsed().as_secs() < 30);
    }
}
