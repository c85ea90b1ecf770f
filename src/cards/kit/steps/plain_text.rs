//! Text without the marks of Markdown: what a condition compares.

use regex::Regex;
use std::sync::LazyLock;

/// The marks that a backslash takes their meaning from, and as many characters that no text may hold.
const MARKS: &str = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
const FIRST_HELD: u32 = 0xFDD0;

/// Marks at the beginning of lines, and lines that are marks only.
static LINES: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    patterns(&[
        (r"(?m)^[ \t]*(?:```|~~~).*$\n?", ""),
        (r"(?m)^(?:(?:- ?){3,}|(?:\* ?){3,}|(?:_ ?){3,}|={3,})[ \t]*$\n?", ""),
        (r"(?m)^ {0,3}(?:> ?)+", ""),
        (r"(?m)^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+", ""),
        (r"(?m)^ {0,3}#{1,6}(?:[ \t]+|$)", ""),
        (r"(?m)[ \t]+$", ""),
    ])
});

/// Marks around words, the longest first.
static WORDS: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    patterns(&[
        (r"!?\[([^\[\]\n]*)\]\((?:<[^<>\n]*>|[^()\s]*)[^()\n]*\)", "$1"),
        (r"\*\*(\S|\S.*?\S)\*\*", "$1"),
        (r"\b{start-half}__(\S|\S.*?\S)__\b{end-half}", "$1"),
        (r"\*(\S|\S.*?\S)\*", "$1"),
        (r"\b{start-half}_(\S|\S.*?\S)_\b{end-half}", "$1"),
        (r"~~(\S|\S.*?\S)~~", "$1"),
        (r"``[ ]?(.+?)[ ]?``", "$1"),
        (r"`([^`\n]+)`", "$1"),
    ])
});

/// The texts of the table are tested, so that one which does not compile is seen there.
fn patterns(table: &[(&str, &'static str)]) -> Vec<(Regex, &'static str)> {
    table.iter().filter_map(|(pattern, with)| Some((Regex::new(pattern).ok()?, *with))).collect()
}

/// The words of a text, without blanks at its ends and those of its lines.
pub(super) fn strip_markdown(text: &str) -> String {
    let mut out = hold_escaped(text);
    for (pattern, with) in LINES.iter().chain(WORDS.iter()) {
        if let std::borrow::Cow::Owned(changed) = pattern.replace_all(&out, *with) {
            out = changed;
        }
    }
    release_escaped(&out).trim().to_owned()
}

fn hold_escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let place = if c == '\\' { chars.peek().and_then(|&next| MARKS.find(next)) } else { None };
        match place.and_then(|place| char::from_u32(FIRST_HELD + u32::try_from(place).ok()?)) {
            Some(held) => {
                out.push(held);
                chars.next();
            }
            None => out.push(c),
        }
    }
    out
}

fn release_escaped(text: &str) -> String {
    let release = |c: char| {
        let place = u32::from(c).checked_sub(FIRST_HELD).and_then(|place| usize::try_from(place).ok());
        place.and_then(|place| MARKS.as_bytes().get(place)).map_or(c, |&mark| char::from(mark))
    };
    text.chars().map(release).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_of_the_tables_compiles() {
        assert_eq!((LINES.len(), WORDS.len(), MARKS.len()), (6, 8, 32));
    }

    #[test]
    fn marks_go_and_words_stay() {
        for (text, plain) in [
            ("**yes**", "yes"),
            ("# Yes\n", "Yes"),
            ("- *a*\n- __b__", "a\nb"),
            ("1. ***one***", "one"),
            ("> quoted\n> more", "quoted\nmore"),
            ("```json\n{}\n```", "{}"),
            ("`code` and ~~old~~", "code and old"),
            ("[here](https://a.example/x) ![cat](c.png)", "here cat"),
            ("a  \nb\n---\n", "a\nb"),
            (r"\*no\* snake\_case", "*no* snake_case"),
            ("_a_ _b_", "a b"),
        ] {
            assert_eq!(strip_markdown(text), plain, "{text}");
        }
    }

    #[test]
    fn text_without_marks_stays_as_it_is() {
        for text in [
            "",
            "plain",
            "snake_case_name",
            "2 * 3 * 4",
            "a - b",
            "x > y",
            "#tag",
            "-5",
            "[1, 2]",
            "3.14",
            "*",
            "C:\\Users",
        ] {
            assert_eq!(strip_markdown(text), text);
        }
    }
}
