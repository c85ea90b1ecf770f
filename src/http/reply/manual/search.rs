//! The search of the manual: the rules that hold every word, those with the words in their title first.

use super::{escape, page};
use crate::domain::error::Result;
use crate::http::reply::assets::Asset;
use std::fmt::Write as _;

/// Characters of a search that count.
const QUERY_CHARS: usize = 200;
/// Different words of a search that count: each is a walk through the whole manual, which anybody may ask for.
const WORDS_MAX: usize = 10;
/// Passages that are listed.
const SHOWN_MAX: usize = 40;
/// Characters that are shown before the first word that was found, and after it.
const EXCERPT_CHARS: (usize, usize) = (60, 180);
/// How much more a word in a title counts than one in the text.
const TITLE_WEIGHT: usize = 10;

/// A rule of the manual, or what stands before the rules of a section.
struct Passage<'t> {
    address: &'t str,
    /// Of its section.
    title: &'t str,
    text: &'t str,
}

/// The passages with all of these words.
///
/// # Errors
/// When the manual cannot be unpacked.
pub(in crate::http) fn search_page(query: &str, base_path: &str) -> Result<Asset> {
    let passages = super::unpack(include_bytes!(concat!(env!("OUT_DIR"), "/manual-passages.z")))?;
    let query: String = query.chars().take(QUERY_CHARS).collect();
    page("Search", &render(&query, &passages), base_path)
}

fn render(query: &str, passages: &str) -> String {
    let words = distinct_words(query);
    let mut body = "<h1>Search</h1>\n".to_owned();
    if words.is_empty() {
        body.push_str("<p>Write one word or several: rules that hold all of them are listed.</p>\n");
        return body;
    }
    let mut found: Vec<(usize, Passage<'_>)> = passages
        .lines()
        .filter_map(read)
        .filter_map(|passage| Some((weigh(&passage, &words)?, passage)))
        .collect();
    // Passages of one weight stay in the order of the manual.
    found.sort_by_key(|(weight, _)| std::cmp::Reverse(*weight));
    let shown = escape(query);
    let _ = match found.len() {
        0 => writeln!(body, "<p>No rule holds all of: {shown}. Fewer words find more.</p>"),
        1 => writeln!(body, "<p>One passage holds: {shown}</p>"),
        count if count > SHOWN_MAX => {
            writeln!(body, "<p>{count} passages hold: {shown}. These are the first {SHOWN_MAX}.</p>")
        }
        count => writeln!(body, "<p>{count} passages hold: {shown}</p>"),
    };
    body.push_str("<ol class=\"found\">\n");
    for (_, Passage { address, title, text }) in found.iter().take(SHOWN_MAX) {
        let rule = address.rsplit_once("-r").map(|(_, rule)| format!(", rule {rule}")).unwrap_or_default();
        let (title, excerpt) = (escape(title), excerpt(text, &words));
        let _ = writeln!(body, "<li><a href=\"{}\">{title}{rule}</a><p>{excerpt}</p></li>", escape(address));
    }
    body.push_str("</ol>\n");
    body
}

/// The first words of a search, each once, as they are compared.
fn distinct_words(query: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in query.split_whitespace().map(str::to_lowercase) {
        if words.len() == WORDS_MAX {
            break;
        }
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words
}

fn read(line: &str) -> Option<Passage<'_>> {
    let mut fields = line.splitn(3, '\t');
    Some(Passage { address: fields.next()?, title: fields.next()?, text: fields.next()? })
}

/// How well it fits; `None` when a word is missing.
fn weigh(passage: &Passage<'_>, words: &[String]) -> Option<usize> {
    let (title, text) = (passage.title.to_lowercase(), passage.text.to_lowercase());
    let mut weight = 0;
    for word in words {
        let found = title.matches(word.as_str()).count() * TITLE_WEIGHT + text.matches(word.as_str()).count();
        if found == 0 {
            return None;
        }
        weight += found;
    }
    Some(weight)
}

/// The text around the first word that is in it, as HTML.
fn excerpt(text: &str, words: &[String]) -> String {
    // Lower case may be longer than what it was made of, so places are counted in characters of the text itself.
    let chars: Vec<char> = text.chars().collect();
    let lower: Vec<char> = chars.iter().map(|c| c.to_lowercase().next().unwrap_or(*c)).collect();
    let place = |word: &String| {
        let word: Vec<char> = word.chars().collect();
        lower.windows(word.len()).position(|window| window == word).map(|at| (at, word.len()))
    };
    let (at, length) = words.iter().filter_map(place).min().unwrap_or((0, 0));
    let (before, after) = EXCERPT_CHARS;
    let (start, end) = (at.saturating_sub(before), (at + length + after).min(chars.len()));
    let part = |from: usize, to: usize| escape(&chars[from..to].iter().collect::<String>());
    let (lead, trail) = (if start > 0 { "…" } else { "" }, if end < chars.len() { "…" } else { "" });
    format!(
        "{lead}{}<mark>{}</mark>{}{trail}",
        part(start, at),
        part(at, at + length),
        part(at + length, end)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const PASSAGES: &str = "/docs/a#1.1-r1\t1.1 Keys\tA key opens <one> flow.\n\
                            /docs/a#12-flows\t1.2 Flows\tA flow may need a Key; a key is counted.\n\
                            /docs/b\t2 Other\tÜber nothing.\n";

    #[test]
    fn passages_with_every_word_are_listed_and_titles_come_first() {
        let found = render("KEY flow", PASSAGES);
        let first = found.find("/docs/a#12-flows").unwrap();
        assert!(first < found.find("1.1 Keys, rule 1").unwrap() && !found.contains("/docs/b"), "{found}");
        assert!(found.contains("A <mark>key</mark> opens &lt;one&gt; flow."), "{found}");
        assert!(render("key nothing", PASSAGES).contains("No rule holds"));
        assert!(render("über", PASSAGES).contains("<mark>Über</mark> nothing."));
    }

    #[test]
    fn a_word_counts_once_and_only_the_first_ten_do() {
        let many = "key key a b c d e f g h i nowhere";
        assert_eq!(distinct_words(many), ["key", "a", "b", "c", "d", "e", "f", "g", "h", "i"]);
        assert!(render("key key", PASSAGES).contains("2 passages hold"));
    }

    #[test]
    fn what_is_searched_is_shown_as_text() {
        let found = render("<script>alert(1)</script>", PASSAGES);
        assert!(found.contains("&lt;script&gt;") && !found.contains("<script"), "{found}");
        assert!(render("  ", PASSAGES).contains("Write one word"));
    }
}
