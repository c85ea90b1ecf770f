//! Words and how well they match: BM25, for the retriever and for quoting answers.

/// How fast repeated words stop counting, and how much long texts are held back: the usual BM25 constants.
const SATURATION: f64 = 1.2;
const LENGTH_WEIGHT: f64 = 0.75;

/// Words too common to tell texts apart.
const COMMON: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "by", "can", "do", "does", "for", "from", "has", "have",
    "how", "i", "in", "is", "it", "its", "me", "my", "of", "on", "or", "our", "that", "the", "their",
    "there", "this", "to", "was", "we", "what", "when", "where", "which", "who", "why", "will", "with",
    "you", "your",
];

/// The words of a text: lower case, without punctuation and the most common words, plurals folded.
#[must_use]
pub(crate) fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .filter(|word| !COMMON.contains(&word.as_str()))
        .map(fold_plural)
        .collect()
}

fn fold_plural(mut word: String) -> String {
    let plural = word.len() > 3 && word.ends_with('s') && !word.ends_with("ss") && !word.ends_with("us");
    if plural {
        word.pop();
    }
    word
}

/// How often the words of a query stand in a text, and how long the text is. Nothing else of a text is kept.
struct TermCounts {
    counts: Vec<u32>,
    length: f64,
}

impl TermCounts {
    fn count(text: &str, query: &[String]) -> Self {
        let words = words(text);
        let mut counts = vec![0; query.len()];
        for word in &words {
            if let Ok(at) = query.binary_search(word) {
                counts[at] += 1;
            }
        }
        Self { counts, length: words.len() as f64 }
    }
}

/// The score of each text for `query`, in the order of `texts`. Zero: no word in common.
#[must_use]
pub(crate) fn bm25<'a>(query: &str, texts: impl IntoIterator<Item = &'a str>) -> Vec<f64> {
    let mut query = words(query);
    query.sort_unstable();
    query.dedup();
    let documents: Vec<TermCounts> = texts.into_iter().map(|text| TermCounts::count(text, &query)).collect();
    let total = documents.len() as f64;
    let average = (documents.iter().map(|text| text.length).sum::<f64>() / total.max(1.0)).max(1.0);
    let rarity = |at: usize| {
        let holding = documents.iter().filter(|text| text.counts[at] > 0).count() as f64;
        ((total - holding + 0.5) / (holding + 0.5) + 1.0).ln()
    };
    let rarities: Vec<f64> = (0..query.len()).map(rarity).collect();
    let score = |text: &TermCounts| {
        let damping = SATURATION * (1.0 - LENGTH_WEIGHT + LENGTH_WEIGHT * text.length / average);
        let of_word = |(rarity, count): (&f64, &u32)| {
            let count = f64::from(*count);
            rarity * count * (SATURATION + 1.0) / (count + damping)
        };
        rarities.iter().zip(&text.counts).map(of_word).sum()
    };
    documents.iter().map(score).collect()
}

/// The positions of the best scores above zero, best first, at most `most`; equal scores keep their order.
#[must_use]
pub(crate) fn best(scores: &[f64], most: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scores.len()).filter(|&index| scores[index] > 0.0).collect();
    order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]).then(a.cmp(&b)));
    order.truncate(most);
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_with_the_rare_word_wins() {
        let texts = ["Cats sleep a lot.", "Cats eat fish and cats purr.", "Dogs sleep."];
        assert_eq!(best(&bm25("Which cat eats fish?", texts), 3), [1, 0]);
    }

    #[test]
    fn nothing_in_common_is_no_match() {
        assert!(best(&bm25("quantum", ["Cats sleep."]), 3).is_empty());
        assert!(bm25("cat", []).is_empty());
    }
}
