//! Secret-shaped text: finding it and putting `[secret hidden]` in its place (manual 6.8).
//!
//! One scan reads a text once: two automata find where something may begin, and the rules of the families look
//! from there. What a rule reads is bounded, or remembered, so that a scan is linear in the text whatever it holds.
//! A text is also read as it is meant, with its escapes taken back and base64 unpacked (`views.rs`).

mod addresses;
mod alphabet;
mod blocks;
mod context;
pub mod json_text;
pub mod names;
mod scan;
mod shapes;
pub mod tree;
mod values;
mod views;
mod written;

#[cfg(test)]
mod figures;
#[cfg(test)]
pub(crate) mod samples;
#[cfg(test)]
mod tests;

use scan::SecretMatch;
use std::borrow::Cow;
use std::fmt;

/// What stands in history where a secret stood. A person who types it gets no other treatment: it is counted and stays.
pub const PLACEHOLDER: &str = "[secret hidden]";

/// Shorter texts hold no secret of any family.
const SHORTEST_BYTES: usize = 7;

/// The rows of the table of families. The order decides which is named where two find the same text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "each is the row of its name")]
pub enum SecretFamily {
    Anthropic,
    OpenAi,
    ModelProvider,
    GitHub,
    GitLab,
    Aws,
    Google,
    Azure,
    Slack,
    Payments,
    Mail,
    Cloud,
    Monitoring,
    Own,
    Jwt,
    PrivateKey,
    ConnectionString,
    HttpCredential,
    NamedValue,
}

impl SecretFamily {
    /// Its name for people: safe to show, unlike what was found.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Anthropic => "Anthropic key",
            Self::OpenAi => "OpenAI key",
            Self::ModelProvider => "model provider key",
            Self::GitHub => "GitHub token",
            Self::GitLab => "GitLab token",
            Self::Aws => "AWS key",
            Self::Google => "Google key",
            Self::Azure => "Azure key",
            Self::Slack => "Slack token",
            Self::Payments => "payment service key",
            Self::Mail => "mail or messaging key",
            Self::Cloud => "cloud or build service key",
            Self::Monitoring => "monitoring or tool key",
            Self::Own => "key of this service",
            Self::Jwt => "JSON web token",
            Self::PrivateKey => "private key",
            Self::ConnectionString => "password in a connection string",
            Self::HttpCredential => "HTTP credential",
            Self::NamedValue => "value named as a secret",
        }
    }
}

impl fmt::Display for SecretFamily {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A text without its secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redaction {
    /// The text, with a placeholder for each secret.
    pub text: String,
    /// How many placeholders it holds, those a person typed included.
    pub count: usize,
}

/// Scans of one text at most. What was hidden is an end to what stands beside it, so that a text is scanned again
/// until nothing is found.
const SCANS_MAX_COUNT: usize = 16;
/// Scans after which whole words are hidden: nobody writes so many secrets without a blank between them, and a
/// chain of thousands must not cost thousands of scans.
const SCANS_OF_PARTS_MAX_COUNT: usize = 6;

/// Hides every secret in `text`.
#[must_use]
pub fn redact(text: &str) -> Redaction {
    redact_all(text, |text| views::find_matches(text, scan::find_matches))
}

/// Hides every secret in `value`, which stands under `name`: a key of an object, a header, a variable.
#[must_use]
pub fn redact_named(name: &str, value: &str) -> Redaction {
    let words = words_of(name);
    redact_all(value, |value| views::find_matches(value, |value| scan::find_matches_under(&words, value)))
}

/// A name without placeholders, whose words are no name.
fn words_of(name: &str) -> Cow<'_, [u8]> {
    if name.contains('[') {
        Cow::Owned(name.replace(PLACEHOLDER, "").into_bytes())
    } else {
        Cow::Borrowed(name.as_bytes())
    }
}

/// Hides in place, for the many texts that hold nothing; true when something was hidden.
fn redact_in_place(name: Option<&str>, text: &mut String) -> bool {
    let found = match name {
        Some(name) => {
            let words = words_of(name);
            !views::find_matches(text.as_bytes(), |text| scan::find_matches_under(&words, text)).is_empty()
        }
        None => !views::find_matches(text.as_bytes(), scan::find_matches).is_empty(),
    };
    if found {
        *text = name.map_or_else(|| redact(text), |name| redact_named(name, text)).text;
    }
    found
}

/// The family of the first secret in these bytes, which may be any file. Never says what was found.
#[must_use]
pub fn first_match(bytes: &[u8]) -> Option<SecretFamily> {
    views::find_matches(bytes, scan::find_matches).first().map(|hit| hit.family)
}

/// How many placeholders `text` holds.
#[must_use]
pub(crate) fn count_placeholders(text: &str) -> usize {
    memchr::memmem::find_iter(text.as_bytes(), PLACEHOLDER.as_bytes()).count()
}

fn redact_all(text: &str, hits: impl Fn(&[u8]) -> Vec<SecretMatch>) -> Redaction {
    let mut shown = text.to_owned();
    for scan in 0..SCANS_MAX_COUNT {
        let mut found = hits(shown.as_bytes());
        if found.is_empty() {
            break;
        }
        if scan >= SCANS_OF_PARTS_MAX_COUNT {
            found = whole_words(shown.as_bytes(), &found);
        }
        shown = with_placeholders(&shown, &found);
    }
    Redaction { count: count_placeholders(&shown), text: shown }
}

fn with_placeholders(text: &str, hits: &[SecretMatch]) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut at = 0;
    for hit in hits {
        // A hit is told in bytes; what is hidden are whole characters.
        shown.push_str(&text[at..text.floor_char_boundary(hit.start).max(at)]);
        shown.push_str(PLACEHOLDER);
        at = text.ceil_char_boundary(hit.end);
    }
    shown + &text[at..]
}

/// The hits, each widened to the blanks or quotation marks around it.
fn whole_words(text: &[u8], hits: &[SecretMatch]) -> Vec<SecretMatch> {
    let inside = |byte: &&u8| !byte.is_ascii_whitespace() && !b"\"'`".contains(byte);
    let mut words: Vec<SecretMatch> = Vec::new();
    for hit in hits {
        let passed = words.last().map_or(0, |word| word.end);
        if hit.start < passed {
            continue;
        }
        let before = text[passed..hit.start].iter().rev().take_while(inside).count();
        let behind = text[hit.end..].iter().take_while(inside).count();
        words.push(SecretMatch { start: hit.start - before, family: hit.family, end: hit.end + behind });
    }
    words
}
