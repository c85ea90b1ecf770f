//! What one side of a check answered, once.

use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;

/// Most of an answer that is compared, in characters (manual 14.4).
const COMPARED_CHARS_MAX: usize = 20_000;
/// Most of an answer that is kept to be looked at, in characters (manual 14.4).
pub const SHOWN_CHARS_MAX: usize = 4_000;

/// One answer of one side to one question of a check.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    /// What was said, as far as it is compared. Empty where the run failed.
    pub text: String,
    /// The digest of all that was said, in lower case and with every run of white space as one space. So two answers are
    /// known to be the same although only their beginnings are kept.
    pub digest: String,
    /// Why the run failed.
    pub error: Option<String>,
    /// Tokens as the models reported them; `None` where none did.
    pub tokens: Option<u64>,
    pub ms: u64,
    /// It was asked once more because of what differed before, so it counts in no similarity, distance or median.
    pub again: bool,
    /// Names of the tools that were called, in order.
    pub tools: Vec<String>,
    /// Digests of the chunks that the answer was made of.
    pub sources: Vec<String>,
    /// The steps of an agentflow, in the order in which they ended.
    pub steps: Vec<StepTrace>,
    /// Where the flow declares the shape of its answer: whether the answer has it.
    pub structured: Option<bool>,
    /// The answer as JSON, where the flow answers with an object.
    pub json: Option<Value>,
}

/// What one step of an agentflow did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StepTrace {
    pub node_id: String,
    pub node_label: String,
    /// How it ended, as records of runs say it.
    pub status: String,
    /// The digest of what it gave.
    pub output: String,
    /// Names of the tools that it called, in order.
    pub tools: Vec<String>,
}

impl Answer {
    /// Of what was said. Of a long text the beginning is kept, and the digest of all of it.
    #[must_use]
    pub fn from_text(text: &str) -> Self {
        Self { text: cut(text, COMPARED_CHARS_MAX), digest: digest_folded(text), ..Self::default() }
    }

    /// Of a run that failed.
    #[must_use]
    pub fn from_error(error: String) -> Self {
        Self { error: Some(error), ..Self::default() }
    }

    /// Lets go of what is not shown of it.
    pub(crate) fn cut_to_shown(&mut self) {
        self.text = cut(&self.text, SHOWN_CHARS_MAX);
        self.error = self.error.as_deref().map(|error| cut(error, SHOWN_CHARS_MAX));
        self.json = None;
        self.tools = Vec::new();
        self.sources = Vec::new();
        self.steps = Vec::new();
    }
}

/// The first characters of a text.
#[must_use]
pub fn cut(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}

/// The digest of a text in lower case, with every run of white space as one space.
fn digest_folded(text: &str) -> String {
    let mut hash = Sha256::new();
    for word in text.split_whitespace() {
        hash.update(word.to_lowercase());
        hash.update(b" ");
    }
    hex(&hash.finalize())
}

/// The digest of a text as it is.
#[must_use]
pub fn digest(text: &str) -> String {
    hex(&Sha256::digest(text))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_answer_is_known_by_all_of_it_and_kept_in_part() {
        let long = "word ".repeat(100_000);
        let (one, other) = (Answer::from_text(&long), Answer::from_text(&format!("{long}more")));
        assert_eq!((one.text.len(), &one.text), (COMPARED_CHARS_MAX, &other.text));
        assert_ne!(one.digest, other.digest);
        assert_eq!(one.digest, Answer::from_text(&long.to_uppercase().replace(' ', "\n\t")).digest);
    }

    #[test]
    fn what_is_shown_counts_characters_and_not_bytes() {
        let mut answer = Answer::from_text(&"ü".repeat(SHOWN_CHARS_MAX + 1));
        answer.cut_to_shown();
        assert_eq!(answer.text.chars().count(), SHOWN_CHARS_MAX);
    }
}
