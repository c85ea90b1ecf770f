//! Token Text Splitter: chunks of so many tokens, as models count them.

use super::tokens::{self, Encoding};
use crate::domain::error::Result;
use crate::kit::knowledge::splitting::{ChunkCollector, ChunkLimits, OVERLAP, SIZE};
use crate::kit::{Card, Category, Choice, ChunkSpan, Factory, Host, Input, Risk, Splitter};
use std::sync::Arc;

const ENCODINGS: &[Choice] = &[
    Choice::new("gpt2", "gpt2"),
    Choice::new("r50k_base", "r50k_base"),
    Choice::new("p50k_base", "p50k_base"),
    Choice::new("p50k_edit", "p50k_edit"),
    Choice::new("cl100k_base", "cl100k_base"),
];

pub(crate) const CARD: Card = Card {
    name: "tokenTextSplitter",
    label: "Token Text Splitter",
    version: 1.0,
    category: Category::TextSplitters,
    description: "Cuts a text into chunks of so many tokens of an OpenAI encoding.",
    base_classes: &["TokenTextSplitter", "TextSplitter", "BaseDocumentTransformer", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::choice("encodingName", "Encoding Name", ENCODINGS).or("gpt2"),
        SIZE.help("The most tokens of a chunk."),
        OVERLAP.help("Tokens that a chunk repeats from the one before it."),
    ],
    outputs: &[],
    make: Factory::Splitter(|inputs| {
        let size = ChunkLimits::from_inputs(inputs)?;
        let encoding = tokens::encoding(&inputs.text("encodingName")?);
        let encoding =
            encoding.ok_or_else(|| inputs.input_error("encodingName", "choose one of the list"))?;
        Ok(Arc::new(TokenSplitter { encoding, size }))
    }),
};

struct TokenSplitter {
    encoding: &'static Encoding,
    size: ChunkLimits,
}

impl Splitter for TokenSplitter {
    fn split(&self, text: &str, _: &dyn Host) -> Result<Vec<ChunkSpan>> {
        Ok(self.chunks(text)?.into_spans())
    }
}

impl TokenSplitter {
    fn chunks<'t>(&self, text: &'t str) -> Result<ChunkCollector<'t>> {
        let mut chunks = ChunkCollector::new(text);
        // A token may be a part of a character: a text is cut only where a token and a character end.
        let mut places = vec![(0, 0)];
        let ends = self.encoding.ends(text).into_iter().enumerate();
        places.extend(ends.map(|(at, end)| (at + 1, end)).filter(|(_, end)| text.is_char_boundary(*end)));
        let mut first = 0;
        while first + 1 < places.len() {
            let count = |place: usize| places[place].0 - places[first].0;
            let fits =
                places[first..].partition_point(|(tokens, _)| tokens - places[first].0 <= self.size.max);
            // A single character that has more tokens than a chunk cannot be cut.
            let last = (first + fits - 1).max(first + 1);
            chunks.push(places[first].1..places[last].1)?;
            if last + 1 == places.len() {
                break;
            }
            let kept = count(last).saturating_sub(self.size.overlap);
            let next = first + places[first..].partition_point(|(tokens, _)| tokens - places[first].0 < kept);
            first = next.clamp(first + 1, last);
        }
        Ok(chunks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn chunks_repeat_tokens_and_never_cut_a_character() {
        let texts = |text: &str, most, overlap| {
            let tokens = TokenSplitter {
                encoding: tokens::encoding("gpt2").unwrap(),
                size: ChunkLimits { max: most, overlap },
            };
            tokens.chunks(text).unwrap().into_spans().into_iter().map(|cut| cut.text).collect::<Vec<_>>()
        };
        assert_eq!(texts("one two three four five", 3, 1), ["one two three", "three four five"]);
        assert_eq!(texts("日本", 1, 0), ["日", "本"]);
        assert!(texts("", 1, 0).is_empty());
    }

    proptest! {
        #[test]
        fn chunks_fit_and_lose_nothing(text in "[a-c é日\u{1F600}\n.1]{0,200}", most in 4_usize..20, overlap in 0_usize..20) {
            let encoding = tokens::encoding("cl100k_base").unwrap();
            let tokens = TokenSplitter { encoding, size: ChunkLimits { max: most, overlap: overlap.min(most - 1) } };
            let chunks = tokens.chunks(&text).unwrap();
            let (mut reached, mut seen) = (0, String::new());
            for range in chunks.ranges() {
                // A chunk is cut where its own tokens end, so it has no more of them than in the whole text.
                let ends = encoding.ends(&text);
                let count = ends.iter().filter(|end| range.start < **end && **end <= range.end).count();
                prop_assert!(count <= most, "{count} tokens in {range:?}");
                seen.push_str(&text[reached.max(range.start)..range.end]);
                reached = range.end;
            }
            let solid = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            prop_assert_eq!(solid(&seen), solid(&text));
        }
    }
}
