//! Texts cut into chunks: what every text splitter is made of (manual 10.3).
//!
//! A text is cut at the first of its separators that it holds; what is still too long is cut at the next ones. Pieces
//! that stand beside each other are then joined again for as long as they fit. Every chunk is a stretch of the text
//! itself, without the blanks at its ends, so nothing is lost, and it is known where it stands.

use super::ChunkSpan;
use crate::domain::error::{Error, Result};
use crate::kit::build::inputs::Inputs;
use crate::kit::schema::input::Input;
use crate::limits;
use std::ops::Range;

pub(crate) const SIZE: Input = Input::whole("chunkSize", "Chunk Size", 1.0, 1_000_000.0)
    .optional()
    .starting("1000")
    .help("The most characters of a chunk.");
/// The input for what neighbours share.
pub(crate) const OVERLAP: Input = Input::whole("chunkOverlap", "Chunk Overlap", 0.0, 999_999.0)
    .optional()
    .starting("200")
    .help("Characters that a chunk repeats from the one before it.");

const SIZE_DEFAULT: usize = 1_000;
const OVERLAP_DEFAULT: usize = 200;

/// How long chunks are, and how much two neighbours share, in characters or in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ChunkLimits {
    /// The longest chunk.
    pub max: usize,
    /// What a chunk repeats of the one before it, at most.
    pub overlap: usize,
}

impl ChunkLimits {
    /// As the inputs [`SIZE`] and [`OVERLAP`] say. An overlap nobody chose is never more than a fifth.
    ///
    /// # Errors
    /// When the overlap is as long as the chunk.
    pub(crate) fn from_inputs(inputs: &Inputs<'_>) -> Result<Self> {
        let whole =
            |name| Ok::<_, Error>(inputs.whole(name)?.and_then(|number| usize::try_from(number).ok()));
        let most = whole(SIZE.name)?.unwrap_or(SIZE_DEFAULT);
        let overlap = whole(OVERLAP.name)?.unwrap_or_else(|| OVERLAP_DEFAULT.min(most / 5));
        if overlap >= most {
            return Err(inputs.input_error(OVERLAP.name, "this must be less than the chunk size"));
        }
        Ok(Self { max: most, overlap })
    }
}

/// How a text is cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SplitRule {
    /// Where to cut, the best place first. The empty text cuts anywhere.
    pub separators: Vec<String>,
    /// True when a separator begins the piece behind it; else it is left out where two chunks meet.
    pub keeps_separators: bool,
    pub size: ChunkLimits,
}

impl SplitRule {
    /// A rule that keeps its separators.
    #[must_use]
    pub(crate) fn keeping(separators: &[&str], size: ChunkLimits) -> Self {
        let separators = separators.iter().map(|&text| text.to_owned()).collect();
        Self { separators, keeps_separators: true, size }
    }

    /// The chunks of a text.
    ///
    /// # Errors
    /// When there are too many of them.
    pub(crate) fn cut(&self, text: &str) -> Result<Vec<ChunkSpan>> {
        self.cut_sections(text, std::iter::once(0..text.len()))
    }

    /// The chunks of a text whose sections, which follow one another, never share a chunk.
    ///
    /// # Errors
    /// As [`Self::cut`].
    pub(crate) fn cut_sections(
        &self,
        text: &str,
        sections: impl Iterator<Item = Range<usize>>,
    ) -> Result<Vec<ChunkSpan>> {
        Ok(self.collect_chunks(text, sections)?.into_spans())
    }

    fn collect_chunks<'t>(
        &'t self,
        text: &'t str,
        sections: impl Iterator<Item = Range<usize>>,
    ) -> Result<ChunkCollector<'t>> {
        let mut cutter = Cutter { text, rule: self, chunks: ChunkCollector::new(text) };
        for section in sections {
            cutter.cut(section, &self.separators)?;
        }
        Ok(cutter.chunks)
    }
}

/// Stretches of a text, one after another, without the blanks at their ends.
pub(crate) struct ChunkCollector<'t> {
    text: &'t str,
    ranges: Vec<Range<usize>>,
    bytes: usize,
}

impl<'t> ChunkCollector<'t> {
    /// None yet.
    #[must_use]
    pub(crate) const fn new(text: &'t str) -> Self {
        Self { text, ranges: Vec::new(), bytes: 0 }
    }

    /// Keeps a stretch, unless it says no more than the one before it.
    ///
    /// # Errors
    /// When there are too many.
    pub(crate) fn push(&mut self, range: Range<usize>) -> Result<()> {
        let text = &self.text[range.clone()];
        let blank = text.len() - text.trim_start().len();
        let range = range.start + blank..range.start + blank + text.trim().len();
        // What only repeats the end of the chunk before it says nothing.
        if range.is_empty() || self.ranges.last().is_some_and(|last| range.end <= last.end) {
            return Ok(());
        }
        self.bytes += range.len();
        self.ranges.push(range);
        if self.ranges.len() > limits::CHUNKS_MAX || self.bytes > limits::CHUNKS_BYTES_MAX {
            return Err(Error::RunFailed("The text is cut into too many chunks: choose larger ones.".into()));
        }
        Ok(())
    }

    #[cfg(test)]
    pub(crate) fn ranges(&self) -> &[Range<usize>] {
        &self.ranges
    }

    /// Their texts, with the lines they stand on.
    #[must_use]
    pub(crate) fn into_spans(self) -> Vec<ChunkSpan> {
        let lines_in = |range: Range<usize>| memchr::memchr_iter(b'\n', &self.text.as_bytes()[range]).count();
        let (mut line, mut counted) = (1, 0);
        let locate = |range: &Range<usize>| {
            line += lines_in(counted..range.start);
            counted = range.start;
            let text = self.text[range.clone()].to_owned();
            ChunkSpan { text, lines: line..=line + lines_in(range.clone()) }
        };
        self.ranges.iter().map(locate).collect()
    }
}

/// A piece, by its place in the text.
struct SplitPiece {
    bytes: Range<usize>,
    /// The same place in characters of its section, without the blanks it begins with.
    chars: Range<usize>,
}

struct Cutter<'a> {
    text: &'a str,
    rule: &'a SplitRule,
    chunks: ChunkCollector<'a>,
}

impl Cutter<'_> {
    fn cut(&mut self, range: Range<usize>, separators: &[String]) -> Result<()> {
        let text = &self.text[range.clone()];
        let holds = |separator: &String| separator.is_empty() || text.contains(separator.as_str());
        let Some(at) = separators.iter().position(holds) else { return self.chunks.push(range) };
        let (separator, later) = (&separators[at], &separators[at + 1..]);
        if separator.is_empty() {
            return self.anywhere(range);
        }
        let mut row = Vec::new();
        for piece in pieces(self.text, range, separator, self.rule.keeps_separators) {
            if piece.chars.len() <= self.rule.size.max {
                row.push(piece);
                continue;
            }
            self.join(&std::mem::take(&mut row))?;
            self.cut(piece.bytes, later)?;
        }
        self.join(&row)
    }

    /// Joins neighbours for as long as they fit; each chunk begins with what it repeats.
    fn join(&mut self, row: &[SplitPiece]) -> Result<()> {
        let ChunkLimits { max: most, overlap } = self.rule.size;
        let length = |first: usize, last: usize| row[last].chars.end - row[first].chars.start;
        let mut first = 0;
        for next in 1..row.len() {
            if length(first, next) <= most {
                continue;
            }
            self.chunks.push(row[first].bytes.start..row[next - 1].bytes.end)?;
            while first < next && (length(first, next - 1) > overlap || length(first, next) > most) {
                first += 1;
            }
        }
        match (row.get(first), row.last()) {
            (Some(first), Some(last)) => self.chunks.push(first.bytes.start..last.bytes.end),
            _ => Ok(()),
        }
    }

    /// Cuts between any two characters.
    fn anywhere(&mut self, range: Range<usize>) -> Result<()> {
        let ChunkLimits { max: most, overlap } = self.rule.size;
        let text = &self.text[range.clone()];
        let mut start = text.len() - text.trim_start().len();
        loop {
            // Only the characters of this chunk are counted.
            let mut places = text[start..].char_indices().map(|(at, _)| start + at);
            let next = places.by_ref().nth(most - overlap);
            // Where the shared end is one character or more, it is counted on from there.
            let end = if overlap == 0 { next } else { places.nth(overlap - 1) };
            self.chunks.push(range.start + start..range.start + end.unwrap_or(text.len()))?;
            match (end, next) {
                (Some(_), Some(next)) => start = next,
                _ => return Ok(()),
            }
        }
    }
}

fn pieces<'a>(
    text: &'a str,
    range: Range<usize>,
    separator: &'a str,
    keeps: bool,
) -> impl Iterator<Item = SplitPiece> + 'a {
    let (width, chars_wide) = (separator.len(), separator.chars().count());
    let Range { start: begin, end } = range;
    let mut cuts = text[begin..end].match_indices(separator).map(move |(at, _)| begin + at);
    let (mut start, mut chars, mut is_last) = (begin, 0, false);
    std::iter::from_fn(move || {
        if is_last {
            return None;
        }
        // A separator at the very beginning begins the first piece instead of ending an empty one.
        let cut = cuts.find(|&at| !keeps || at > start);
        is_last = cut.is_none();
        let stop = cut.unwrap_or(end);
        let length = text[start..stop].chars().count();
        let blank = text[start..stop].chars().take_while(|c| c.is_whitespace()).count();
        let piece = SplitPiece { bytes: start..stop, chars: chars + blank..chars + length };
        (start, chars) =
            if keeps { (stop, chars + length) } else { (stop + width, chars + length + chars_wide) };
        Some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rule(separators: &[&str], keeps_separators: bool, most: usize, overlap: usize) -> SplitRule {
        SplitRule { keeps_separators, ..SplitRule::keeping(separators, ChunkLimits { max: most, overlap }) }
    }

    fn texts(rule: &SplitRule, text: &str) -> Vec<String> {
        rule.cut(text).unwrap().into_iter().map(|cut| cut.text).collect()
    }

    #[test]
    fn the_best_separator_that_is_there_cuts() {
        let recursive = rule(&["\n\n", "\n", " ", ""], true, 12, 0);
        assert_eq!(
            texts(&recursive, "one two\n\nthree\nfour five six\n\nabcdefghijklmnop"),
            ["one two", "three", "four five", "six", "abcdefghijkl", "mnop"]
        );
    }

    #[test]
    fn a_chunk_repeats_whole_pieces_of_the_one_before() {
        let words = rule(&[" "], true, 11, 4);
        assert_eq!(texts(&words, "aaa bbb ccc ddd eee"), ["aaa bbb ccc", "ccc ddd eee"]);
        assert_eq!(texts(&rule(&[""], true, 4, 2), "abcdefgh"), ["abcd", "cdef", "efgh"]);
    }

    #[test]
    fn a_separator_that_is_not_kept_stays_inside_a_chunk_only() {
        let dashes = rule(&["--"], false, 7, 0);
        assert_eq!(texts(&dashes, "aa--bbb--cc"), ["aa--bbb", "cc"]);
        assert_eq!(texts(&dashes, "a--bbbbbbbbbbbbb--c"), ["a", "bbbbbbbbbbbbb", "c"]);
    }

    #[test]
    fn chunks_know_their_lines() {
        let cuts = rule(&["\n\n"], true, 8, 0).cut("one\ntwo\n\nthree\n\n\nfour").unwrap();
        let found: Vec<_> = cuts.iter().map(|cut| (cut.text.as_str(), cut.lines.clone())).collect();
        assert_eq!(found, [("one\ntwo", 1..=2), ("three", 4..=4), ("four", 7..=7)]);
    }

    #[test]
    fn a_long_text_takes_no_longer_than_it_should() {
        let text = "lorem ipsum ".repeat(200_000);
        let began = std::time::Instant::now();
        let cuts = rule(&["\n\n", "\n", " ", ""], true, 1_000, 200).cut(&text).unwrap();
        assert!(cuts.len() > 2_000 && began.elapsed().as_secs() < 20);
        assert!(rule(&[""], true, 1_000, 999).cut(&text).is_err(), "and a hostile overlap ends");
    }

    proptest! {
        #[test]
        fn chunks_fit_overlap_as_set_and_lose_nothing(
            text in "[ab é日\u{1F600}\n.#-]{0,300}",
            most in 1_usize..40,
            overlap in 0_usize..40,
            keeps in any::<bool>(),
        ) {
            let overlap = overlap.min(most - 1);
            let rule = rule(&["\n\n", "\n", " ", ""], keeps, most, overlap);
            let cuts = rule.cut(&text).unwrap();
            let found = rule.collect_chunks(&text, std::iter::once(0..text.len())).unwrap();
            let (mut reached, mut seen) = (0, String::new());
            for (cut, range) in cuts.iter().zip(found.ranges()) {
                prop_assert_eq!(&cut.text, text[range.clone()].trim());
                prop_assert!(cut.text.chars().count() <= most, "{cut:?}");
                prop_assert!(range.start >= reached || text[range.start..reached].chars().count() <= overlap);
                seen.push_str(&text[reached.max(range.start)..range.end]);
                let line = |at: usize| text[..at].matches('\n').count() + 1;
                prop_assert_eq!(&cut.lines, &(line(range.start)..=line(range.end)));
                reached = range.end;
            }
            let solid = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            prop_assert_eq!(solid(&seen), solid(&text));
        }

        #[test]
        fn what_cannot_be_cut_stays_whole(text in "[a-c |]{0,120}", most in 1_usize..12) {
            for cut in rule(&["|"], false, most, 0).cut(&text).unwrap() {
                prop_assert!(cut.text.chars().count() <= most || !cut.text.contains('|'), "{cut:?}");
            }
        }
    }
}
