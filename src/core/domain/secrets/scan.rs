//! One scan over a text: finds where a secret may begin, asks the rule for that place, and merges what was found.

use super::alphabet::{CharClass, CharRuns};
use super::shapes::{SHAPES, SecretShape, ShapePart};
use super::{PLACEHOLDER, SHORTEST_BYTES, SecretFamily, addresses, blocks, context};
use aho_corasick::{AhoCorasick, AhoCorasickKind};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

/// A secret in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SecretMatch {
    pub(super) start: usize,
    pub(super) family: SecretFamily,
    pub(super) end: usize,
}

/// A rule that needs code: it is given the range of its anchor.
pub(super) type ScanRule = fn(&mut Scan<'_>, Range<usize>);

/// What is asked at an anchor.
enum AnchorCheck {
    Shape(&'static SecretShape),
    Rule(ScanRule),
}

/// Anchors whose rule is code, matched as written.
const RULES: &[(&str, ScanRule)] = &[
    ("sk-", blocks::open_ai),
    ("eyJ", blocks::json_web_token),
    ("ZXlK", blocks::encoded_web_token),
    ("-----BEGIN ", blocks::private_key),
    ("data:image/", blocks::image),
    (".", blocks::discord),
    ("://", addresses::connection),
];

struct Finder {
    automaton: AhoCorasick,
    checks: Vec<Vec<AnchorCheck>>,
}

static SHAPED: LazyLock<Finder> = LazyLock::new(|| {
    let mut anchors: BTreeMap<&str, Vec<AnchorCheck>> = BTreeMap::new();
    for shape in SHAPES {
        anchors.entry(shape.anchor).or_default().push(AnchorCheck::Shape(shape));
    }
    for (anchor, rule) in RULES {
        anchors.entry(anchor).or_default().push(AnchorCheck::Rule(*rule));
    }
    Finder { automaton: automaton(anchors.keys(), false), checks: anchors.into_values().collect() }
});

static NAMED: LazyLock<Finder> = LazyLock::new(|| {
    let words = context::WORDS.iter().map(|(word, _)| word);
    let rules = context::WORDS.iter().map(|(_, rule)| vec![AnchorCheck::Rule(*rule)]);
    Finder { automaton: automaton(words, true), checks: rules.collect() }
});

fn automaton<'a>(anchors: impl Iterator<Item = &'a &'a str>, any_case: bool) -> AhoCorasick {
    AhoCorasick::builder()
        .kind(Some(AhoCorasickKind::DFA))
        .ascii_case_insensitive(any_case)
        .build(anchors)
        .expect("the anchors are a fixed small list")
}

/// A scan under way.
pub(super) struct Scan<'t> {
    pub(super) text: &'t [u8],
    pub(super) runs: CharRuns,
    pub(super) context: context::NameProgress,
    pub(super) blocks: blocks::BlockProgress,
    pub(super) curl_read: usize,
    matches: Vec<SecretMatch>,
    /// Image data, which is not read; in order.
    images: Vec<Range<usize>>,
}

/// Every secret in `text`, in order, none overlapping another.
pub(super) fn find_matches(text: &[u8]) -> Vec<SecretMatch> {
    if text.len() < SHORTEST_BYTES {
        return Vec::new();
    }
    let mut scan = Scan::new(text);
    scan.read();
    scan.into_matches()
}

/// Every secret in `text`, which stands under `name`.
pub(super) fn find_matches_under(name: &[u8], text: &[u8]) -> Vec<SecretMatch> {
    let mut scan = Scan::new(text);
    if text.len() >= SHORTEST_BYTES {
        scan.read();
        let mut named = context::OuterName::new(name);
        for found in NAMED.automaton.find_overlapping_iter(name) {
            named.add_word(context::WORDS[found.pattern().as_usize()].0);
        }
        named.evaluate(&mut scan);
    }
    scan.into_matches()
}

/// Hits in order, those that overlap as one.
pub(super) fn merge(mut hits: Vec<SecretMatch>) -> Vec<SecretMatch> {
    hits.sort_unstable();
    hits.dedup_by(|later, first| {
        let overlaps = later.start < first.end;
        if overlaps {
            first.end = first.end.max(later.end);
        }
        overlaps
    });
    hits
}

/// Bytes that a scan of `text` looks at, every rule's reading included.
#[cfg(test)]
pub(super) fn work(text: &[u8]) -> usize {
    let mut scan = Scan::new(text);
    scan.read();
    scan.runs.work
}

impl<'t> Scan<'t> {
    fn new(text: &'t [u8]) -> Self {
        Self {
            text,
            runs: CharRuns::default(),
            context: context::NameProgress::default(),
            blocks: blocks::BlockProgress::default(),
            curl_read: 0,
            matches: Vec::new(),
            images: Vec::new(),
        }
    }

    fn read(&mut self) {
        blocks::whole_text(self);
        for finder in [&*SHAPED, &*NAMED] {
            let mut images_passed = 0;
            for found in finder.automaton.find_overlapping_iter(self.text) {
                self.runs.work += 1;
                while self.images.get(images_passed).is_some_and(|image| image.end <= found.start()) {
                    images_passed += 1;
                }
                if self.images.get(images_passed).is_some_and(|image| image.contains(&found.start())) {
                    continue;
                }
                for question in &finder.checks[found.pattern().as_usize()] {
                    match question {
                        AnchorCheck::Shape(shape) => self.match_shape(shape, found.range()),
                        AnchorCheck::Rule(rule) => rule(self, found.range()),
                    }
                }
            }
        }
        self.runs.work += 2 * self.text.len();
    }

    fn into_matches(self) -> Vec<SecretMatch> {
        merge(self.matches)
    }

    /// Notes a secret. A placeholder in its place is none: what was hidden once is not hidden again.
    pub(super) fn record(&mut self, family: SecretFamily, place: Range<usize>) {
        let mut start = place.start;
        while self.has(start, PLACEHOLDER) {
            start += PLACEHOLDER.len();
        }
        if start < place.end {
            self.matches.push(SecretMatch { start, family, end: place.end });
        }
    }

    /// Notes the data of an image, which no later rule reads.
    pub(super) fn pass_over(&mut self, image: Range<usize>) {
        self.images.push(image);
    }

    pub(super) fn byte(&self, at: usize) -> Option<u8> {
        self.text.get(at).copied()
    }

    /// True when `text` stands at `at`.
    pub(super) fn has(&self, at: usize, text: &str) -> bool {
        self.text.get(at..).is_some_and(|rest| rest.starts_with(text.as_bytes()))
    }

    /// The end of the run of `class` at `at`.
    pub(super) fn end_of(&mut self, class: CharClass, at: usize) -> usize {
        self.runs.end(self.text, class, at)
    }

    fn match_shape(&mut self, shape: &SecretShape, anchor: Range<usize>) {
        let Some(end) = self.match_after(anchor.end, shape.after) else { return };
        if !self.can_end(end) {
            return;
        }
        let start = match shape.before {
            [] if shape.anchor.as_bytes()[0].is_ascii_alphanumeric() && !self.can_begin(anchor.start) => {
                return;
            }
            [] => Some(anchor.start),
            before => self.match_before(anchor.start, before).filter(|start| self.can_begin(*start)),
        };
        let Some(start) = start else { return };
        self.record(shape.family, if shape.keeps_anchor { anchor.end } else { start }..end);
    }

    fn match_after(&mut self, mut at: usize, pieces: &[ShapePart]) -> Option<usize> {
        for piece in pieces {
            at = match *piece {
                ShapePart::Text(text) => self.has(at, text).then_some(at + text.len()),
                ShapePart::Uuid => is_uuid(self.text.get(at..at + UUID_CHARS)?).then_some(at + UUID_CHARS),
                ShapePart::Exactly(class, count) => self.take(at, class, count, count),
                ShapePart::Between(class, min, max) => self.take(at, class, min, max),
                ShapePart::AtLeast(class, min) => Some(self.end_of(class, at)).filter(|end| end - at >= min),
            }?;
        }
        Some(at)
    }

    fn take(&mut self, at: usize, class: CharClass, min: usize, max: usize) -> Option<usize> {
        let rest = &self.text[at..];
        let taken = rest.iter().take(max).take_while(|byte| class.has(**byte)).count();
        self.runs.work += taken + 1;
        (taken >= min).then_some(at + taken)
    }

    /// Like [`Self::match_after`], towards the beginning of the text.
    fn match_before(&mut self, mut at: usize, pieces: &[ShapePart]) -> Option<usize> {
        for piece in pieces.iter().rev() {
            let (class, min, max) = match *piece {
                ShapePart::Exactly(class, count) => (class, count, count),
                ShapePart::Between(class, min, max) => (class, min, max),
                ShapePart::AtLeast(..) | ShapePart::Text(_) | ShapePart::Uuid => return None,
            };
            let before = self.text[..at].iter().rev();
            let taken = before.take(max).take_while(|byte| class.has(**byte)).count();
            self.runs.work += taken + 1;
            if taken < min {
                return None;
            }
            at -= taken;
        }
        Some(at)
    }

    /// True when a secret may begin at `at`: no letter or digit goes before, unless it is the end of an escape.
    pub(super) fn can_begin(&self, at: usize) -> bool {
        let before = &self.text[..at];
        match before {
            [] => true,
            [.., last] if !last.is_ascii_alphanumeric() => true,
            [.., b'\\', b'n' | b'r' | b't' | b'b' | b'f' | b'v' | b'0'] => true,
            [.., b'%', a, b] | [.., b'\\', b'x', a, b] => is_hex(&[*a, *b]),
            [.., b'\\', b'u', a, b, c, d] => is_hex(&[*a, *b, *c, *d]),
            _ => false,
        }
    }

    /// True when a secret may end at `at`: no letter or digit goes on.
    pub(super) fn can_end(&self, at: usize) -> bool {
        self.byte(at).is_none_or(|next| !next.is_ascii_alphanumeric())
    }
}

fn is_hex(digits: &[u8]) -> bool {
    digits.iter().all(u8::is_ascii_hexdigit)
}

/// How long the text of a UUID is.
pub(super) const UUID_CHARS: usize = 36;

/// True for the text of a UUID.
pub(super) fn is_uuid(text: &[u8]) -> bool {
    text.len() == UUID_CHARS
        && text.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}
