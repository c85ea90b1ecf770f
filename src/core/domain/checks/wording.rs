//! How alike two answers are in their words, and what their wording and form amount to as counts.

use super::answer::Answer;
use super::words::{Counts, Vocabulary, count, fold, merge, split_words};

/// What words weigh in a likeness; pairs of words, which know of their order, weigh the rest.
const SHARE_OF_WORDS: f64 = 0.6;
/// What a pair of words weighs among the features, where a word weighs 1.
const WEIGHT_OF_PAIRS: f64 = 0.7;
/// What a mark of form weighs, beside words and pairs that together weigh 1.
const WEIGHT_OF_MARKS: f64 = 0.12;
/// What the length of an answer weighs.
const WEIGHT_OF_LENGTH: f64 = 0.25;

/// Whether two answers match, letter case and spacing aside.
#[must_use]
pub(crate) fn is_same_text(one: &Answer, other: &Answer) -> bool {
    match one.digest.is_empty() || other.digest.is_empty() {
        true => fold(&one.text) == fold(&other.text),
        false => one.digest == other.digest,
    }
}

/// The words of one answer, ready to be compared.
#[derive(Debug)]
pub(super) struct Wording {
    folded: String,
    words: Counts,
    pairs: Counts,
    /// Damped counts of words, pairs and marks of form: no long answer outweighs the rest.
    features: Vec<(u32, f64)>,
}

impl Wording {
    #[must_use]
    pub(crate) fn read(text: &str, vocabulary: &mut Vocabulary) -> Self {
        let list = split_words(text);
        let words: Vec<u32> = list.iter().map(|word| vocabulary.number(word)).collect();
        let pairs: Vec<u32> =
            list.windows(2).map(|pair| vocabulary.number(&format!("{} {}", pair[0], pair[1]))).collect();
        let (words, pairs) = (count(words), count(pairs));
        let features = features(text, list.len(), &words, &pairs, vocabulary);
        Self { folded: fold(text), words, pairs, features }
    }

    /// The inner product of two answers' features.
    #[must_use]
    pub(crate) fn product(&self, other: &Self) -> f64 {
        let mut sum = 0.0;
        merge(&self.features, &other.features, |one, two| sum += one * two);
        sum
    }

    /// 1 for the same text, 0 where no word is shared: the share of words and pairs of words that both have.
    #[must_use]
    pub(crate) fn similarity(&self, other: &Self) -> f64 {
        if self.folded == other.folded {
            return 1.0;
        }
        SHARE_OF_WORDS * share(&self.words, &other.words)
            + (1.0 - SHARE_OF_WORDS) * share(&self.pairs, &other.pairs)
    }
}

fn share(one: &Counts, other: &Counts) -> f64 {
    let total = |counts: &Counts| counts.iter().map(|(_, times)| f64::from(*times)).sum::<f64>();
    let all = total(one) + total(other);
    if all == 0.0 {
        return 1.0;
    }
    let mut shared = 0.0;
    merge(one, other, |mine, theirs| shared += f64::from(mine.min(theirs)));
    2.0 * shared / all
}

fn damp(times: u32) -> f64 {
    f64::from(times).ln_1p()
}

/// Marks of form: what an answer looks like, whatever it says.
const MARKS: [(&str, &[char]); 6] = [
    ("\nbreaks", &['\n']),
    ("\nbraces", &['{', '}', '[', ']']),
    ("\ntags", &['<', '>']),
    ("\nquestions", &['?', '？']),
    ("\nexclamations", &['!', '！']),
    ("\nemphasis", &['*', '#', '`', '|']),
];

fn features(
    text: &str,
    length: usize,
    words: &Counts,
    pairs: &Counts,
    vocabulary: &mut Vocabulary,
) -> Vec<(u32, f64)> {
    let mut features: Vec<(u32, f64)> = words.iter().map(|(word, times)| (*word, damp(*times))).collect();
    features.extend(pairs.iter().map(|(pair, times)| (*pair, WEIGHT_OF_PAIRS * damp(*times))));
    let size = features.iter().map(|(_, weight)| weight * weight).sum::<f64>().sqrt();
    if size > 0.0 {
        features.iter_mut().for_each(|(_, weight)| *weight /= size);
    }
    for (name, signs) in MARKS {
        let times = text.chars().filter(|c| signs.contains(c)).count();
        if times > 0 {
            let times = u32::try_from(times).unwrap_or(u32::MAX);
            features.push((vocabulary.number(name), WEIGHT_OF_MARKS * damp(times).min(3.0)));
        }
    }
    // Classes of length double: 0, 1, 2 to 3, 4 to 7 words and so on.
    let class = usize::BITS - length.leading_zeros();
    features.push((vocabulary.number(&format!("\nlength {class}")), WEIGHT_OF_LENGTH));
    features.sort_unstable_by_key(|(number, _)| *number);
    features
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn similarity(one: &str, other: &str) -> f64 {
        let mut vocabulary = Vocabulary::default();
        let one = Wording::read(one, &mut vocabulary);
        let other = Wording::read(other, &mut vocabulary);
        one.similarity(&other)
    }

    #[test]
    fn a_paraphrase_is_nearer_than_another_answer() {
        let text = "Returns are free within thirty days.";
        let near = similarity(text, "You can return it within thirty days, free.");
        let far = similarity(text, "Our office is in Lisbon.");
        assert!(near > 0.3 && far < 0.1, "{near} {far}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn likeness_is_symmetric_and_between_none_and_all(one in "[a-e ?\n]{0,30}", other in "[a-e ?\n]{0,30}") {
            let there = similarity(&one, &other);
            prop_assert!((there - similarity(&other, &one)).abs() < 1e-12);
            prop_assert!((0.0..=1.0).contains(&there));
        }

        #[test]
        fn likeness_does_not_look_at_case_or_spacing(one in "[a-eA-E ]{0,30}", other in "[a-eA-E ]{0,30}") {
            let there = similarity(&one, &other);
            let loud = similarity(&one.to_uppercase(), &format!(" {}", other.replace(' ', "  ")));
            prop_assert!((there - loud).abs() < 1e-12);
        }

        #[test]
        fn a_text_is_like_itself(text in ".{0,60}") {
            prop_assert!((similarity(&text, &text) - 1.0).abs() < 1e-12);
        }
    }
}
