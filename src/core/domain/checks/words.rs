//! Texts as they are compared: letter case and spacing aside, as words and pairs of words.

use std::collections::HashMap;

/// Words of one answer that are compared; an answer rarely has a tenth of them.
const WORDS_MAX: usize = 20_000;

/// The text in lower case, with every run of white space as one space and none at its ends.
#[must_use]
pub(crate) fn fold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.extend(word.chars().flat_map(char::to_lowercase));
    }
    out
}

/// Longest text that a sentence quotes, in characters.
const QUOTED_CHARS_MAX: usize = 80;

/// The text as a sentence quotes it: on one line, between quotation marks, cut where it is long.
#[must_use]
pub(crate) fn quote(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let cut: String = line.chars().take(QUOTED_CHARS_MAX).collect();
    let rest = if cut.len() < line.len() { "…" } else { "" };
    format!("\"{}{rest}\"", cut.trim_end())
}

/// Scripts that are written without spaces: there each sign counts as a word.
const fn is_whole_word(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{e7f}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}')
}

/// The words of a text in lower case. A mark between figures, and an apostrophe between letters, belongs to its word.
#[must_use]
pub(crate) fn split_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut signs = text.chars().flat_map(char::to_lowercase).peekable();
    while let Some(sign) = signs.next() {
        if words.len() >= WORDS_MAX {
            return words;
        }
        let next = signs.peek().copied();
        let joins = |kind: fn(char) -> bool| word.ends_with(kind) && next.is_some_and(kind);
        let belongs = match sign {
            '\'' | '’' => joins(char::is_alphabetic),
            '.' | ',' | ':' => joins(|c| c.is_ascii_digit()),
            other => other.is_alphanumeric() && !is_whole_word(other),
        };
        if belongs {
            word.push(if sign == '’' { '\'' } else { sign });
            continue;
        }
        if !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if is_whole_word(sign) {
            words.push(sign.to_string());
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// Numbers for words, the same in every answer of a check.
#[derive(Debug, Default)]
pub(crate) struct Vocabulary {
    numbers: HashMap<String, u32>,
}

impl Vocabulary {
    pub(crate) fn number(&mut self, word: &str) -> u32 {
        if let Some(number) = self.numbers.get(word) {
            return *number;
        }
        let number = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
        self.numbers.insert(word.to_owned(), number);
        number
    }
}

/// How often each thing occurs, by its number, in order.
pub(super) type Counts = Vec<(u32, u32)>;

/// Counts what is listed.
#[must_use]
pub(crate) fn count(mut numbers: Vec<u32>) -> Counts {
    numbers.sort_unstable();
    let mut counts: Counts = Vec::new();
    for number in numbers {
        match counts.last_mut() {
            Some((last, times)) if *last == number => *times += 1,
            _ => counts.push((number, 1)),
        }
    }
    counts
}

/// Calls `on_shared` for each number that both lists have.
pub(crate) fn merge<T: Copy>(one: &[(u32, T)], other: &[(u32, T)], mut on_shared: impl FnMut(T, T)) {
    let (mut at, mut beside) = (0, 0);
    while let (Some((left, mine)), Some((right, theirs))) = (one.get(at), other.get(beside)) {
        match left.cmp(right) {
            std::cmp::Ordering::Less => at += 1,
            std::cmp::Ordering::Greater => beside += 1,
            std::cmp::Ordering::Equal => {
                on_shared(*mine, *theirs);
                at += 1;
                beside += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_and_spacing_fold_away() {
        assert_eq!(fold("  It IS\n\tso "), "it is so");
    }

    #[test]
    fn words_keep_what_stands_inside_them() {
        let words = split_words("Don’t pay 1,000.50 (at 9:30). I'm 日本, 'ok'");
        assert_eq!(words, ["don't", "pay", "1,000.50", "at", "9:30", "i'm", "日", "本", "ok"]);
    }
}
