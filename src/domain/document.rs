//! Document stores and the passages in them.

use super::ids::{DocumentStoreId, WorkspaceId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A named collection of passages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DocumentStore {
    /// Id.
    pub id: DocumentStoreId,
    /// The workspace it belongs to.
    pub workspace: WorkspaceId,
    /// Display name.
    pub name: String,
    /// What it holds.
    pub description: String,
    /// How many passages.
    pub chunks: usize,
    /// How many characters in all of them.
    pub characters: usize,
    /// When it was made.
    pub created: Timestamp,
    /// When it last changed.
    pub updated: Timestamp,
}

/// One passage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Chunk {
    /// What it says.
    pub text: String,
    /// Where it is from.
    pub metadata: Map<String, Value>,
}

/// Cuts a text into passages of at most `chars_max` characters: at paragraphs if they fit, else at sentence
/// ends, else at words, else anywhere.
#[must_use]
pub fn split(text: &str, chars_max: usize) -> Vec<String> {
    let mut passages: Vec<String> = Vec::new();
    for paragraph in text.split("\n\n").map(str::trim).filter(|paragraph| !paragraph.is_empty()) {
        let mut rest = paragraph;
        while !rest.is_empty() {
            let (head, tail) = cut(rest, chars_max);
            let length = head.chars().count();
            match passages.last_mut() {
                Some(last) if last.chars().count() + 2 + length <= chars_max => {
                    last.push_str("\n\n");
                    last.push_str(head);
                }
                _ => passages.push(head.to_owned()),
            }
            rest = tail.trim_start();
        }
    }
    passages
}

/// The longest head of `text` that fits, ending where a reader would pause.
fn cut(text: &str, chars_max: usize) -> (&str, &str) {
    let Some((limit, _)) = text.char_indices().nth(chars_max) else { return (text.trim_end(), "") };
    let window = &text[..limit];
    let sentence = window.rfind(['.', '!', '?', '\n']).map(|at| at + 1).filter(|at| *at > limit / 2);
    let word = || window.rfind(char::is_whitespace).filter(|at| *at > 0);
    let at = sentence.or_else(word).unwrap_or(limit);
    (text[..at].trim_end(), &text[at..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passages_fit_and_lose_no_word() {
        let text = "One two three. Four five six! Seven?\n\nEight nine ten eleven twelve.\n\n\nÄÖÜ";
        for size in [1, 5, 10, 20, 40, 1_000] {
            let passages = split(text, size);
            assert!(passages.iter().all(|passage| passage.chars().count() <= size), "{size}: {passages:?}");
            let words = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            assert_eq!(words(&passages.concat()), words(text), "{size}");
        }
    }

    #[test]
    fn an_empty_text_has_no_passages() {
        assert!(split(" \n\n \n", 100).is_empty());
    }
}
