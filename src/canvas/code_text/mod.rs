//! Variables put into code as text (manual 11.3): what a request says never runs.
//!
//! A saved value goes in as it is. A value of a request goes in as escaped text between quotation marks, where it reads
//! exactly as it was sent; elsewhere only digits go in, and anything else makes the code fail. Whether a place is
//! between quotation marks is read from the owner's code alone. Where JavaScript's grammar leaves that open without a
//! full parse (a `/` may divide or begin a pattern), every reading is followed, and all must agree.

use super::template::{Reference, Segment, TextTemplate};
use std::fmt::Write as _;

/// The value of a variable, and who wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CodeValue {
    /// Saved by the owner: part of the code.
    Saved(String),
    /// Sent with a request: text.
    Request(String),
}

/// A request's value stands where it would have to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("SyntaxError: a value sent with the request stands outside quotation marks and is no number")]
pub struct UnsafeInsertError;

/// Puts the variables of `code` in. `resolve` gives the value of a reference; an unknown one stays as written.
///
/// # Errors
/// [`UnsafeInsertError`] when a request's value would not be text; the card fails with it.
pub fn insert_variables(
    code: &str,
    resolve: &dyn Fn(&Reference) -> Option<CodeValue>,
) -> Result<String, UnsafeInsertError> {
    let Some(template) = TextTemplate::parse(code) else { return Ok(code.to_owned()) };
    let pieces = split_parts(&template, resolve);
    let mut out = String::with_capacity(code.len());
    let mut readings = LexerBranches::new();
    for (at, piece) in pieces.iter().enumerate() {
        match piece {
            CodePart::Code(text) => {
                out.push_str(text);
                readings.advance(text);
            }
            CodePart::Request(value) => {
                let after = match pieces.get(at + 1) {
                    Some(CodePart::Code(text)) => text.chars().next(),
                    Some(CodePart::Request(value)) => value.chars().next(),
                    None => None,
                };
                let text =
                    readings.encode_value(value, out.chars().next_back(), after).ok_or(UnsafeInsertError)?;
                out.push_str(&text);
                readings.advance_past_value();
            }
        }
    }
    // A reading that cannot end was none: what it said about the places before does not count.
    let was_sent = pieces.iter().any(|piece| matches!(piece, CodePart::Request(_)));
    if was_sent && !readings.can_end() { Err(UnsafeInsertError) } else { Ok(out) }
}

/// A part of the result. What the owner wrote is joined before it is read, so that no mark of two characters is cut.
enum CodePart {
    Code(String),
    Request(String),
}

fn split_parts(template: &TextTemplate, resolve: &dyn Fn(&Reference) -> Option<CodeValue>) -> Vec<CodePart> {
    let mut pieces: Vec<CodePart> = Vec::new();
    for segment in template.segments() {
        let code = match segment {
            Segment::Text(text) => text.clone(),
            Segment::Reference { to, written } => match resolve(to) {
                Some(CodeValue::Request(value)) => {
                    pieces.push(CodePart::Request(value));
                    continue;
                }
                Some(CodeValue::Saved(value)) => value,
                None => written.clone(),
            },
        };
        match pieces.last_mut() {
            Some(CodePart::Code(before)) => before.push_str(&code),
            _ => pieces.push(CodePart::Code(code)),
        }
    }
    pieces
}

/// Where in the code a reading is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LexerState {
    /// Between tokens or in one, with what a `/` here would mean.
    Code(Slash),
    /// Between quotation marks of this kind: `'`, `"` or a backtick.
    Quoted(char),
    /// In a pattern, or in a class of characters in one.
    Pattern {
        in_class: bool,
    },
    LineComment,
    BlockComment,
}

/// What a `/` means after what stands before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Slash {
    Divides,
    BeginsPattern,
    Either,
}

/// One reading of the code so far.
#[derive(Debug, Clone, PartialEq, Eq)]
struct LexerBranch {
    state: LexerState,
    /// A backslash stands before the next character.
    escaped: bool,
    /// Open braces since each `${` that is not closed yet, the innermost last.
    templates: Vec<usize>,
    /// The word or number that is being read.
    word: String,
}

/// All readings that the code so far allows.
#[derive(Debug, Clone)]
struct LexerBranches(Vec<LexerBranch>);

/// Words of the language after which a `/` may begin a pattern. Some are also names of properties.
const WORDS: &[&str] = &[
    "async",
    "await",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "debugger",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "export",
    "extends",
    "finally",
    "for",
    "function",
    "get",
    "if",
    "import",
    "in",
    "instanceof",
    "let",
    "new",
    "of",
    "return",
    "set",
    "static",
    "switch",
    "throw",
    "try",
    "typeof",
    "var",
    "void",
    "while",
    "with",
    "yield",
];
/// More readings than any code a person writes has; beyond, nothing is certain.
const BRANCHES_MAX: usize = 64;

impl LexerBranches {
    fn new() -> Self {
        Self(vec![LexerBranch {
            state: LexerState::Code(Slash::BeginsPattern),
            escaped: false,
            templates: Vec::new(),
            word: String::new(),
        }])
    }

    fn advance(&mut self, text: &str) {
        let mut rest = text;
        while let Some(character) = rest.chars().next() {
            let mut next = Vec::new();
            for reading in self.0.drain(..) {
                reading.step(character, rest, &mut next);
            }
            for reading in next {
                if !self.0.contains(&reading) {
                    self.0.push(reading);
                }
            }
            if self.0.len() > BRANCHES_MAX {
                self.0.clear();
            }
            rest = &rest[character.len_utf8()..];
        }
    }

    /// True when the code may end here in one of the readings.
    fn can_end(&self) -> bool {
        self.0.iter().any(|reading| {
            matches!(reading.state, LexerState::Code(_) | LexerState::LineComment)
                && reading.templates.is_empty()
        })
    }

    /// The value as it may stand here; `None` when it may not, or when the readings disagree.
    fn encode_value(&self, value: &str, before: Option<char>, after: Option<char>) -> Option<String> {
        let (first, others) = self.0.split_first()?;
        if others.iter().any(|other| other.kind() != first.kind()) {
            return None;
        }
        match first.state {
            // After a backslash the first character of the value would not be its own, and an empty value would join
            // the `$` before it to what follows.
            LexerState::Quoted(_) if self.0.iter().any(|reading| reading.escaped) => None,
            LexerState::Quoted('`') if before == Some('$') => None,
            LexerState::Quoted(mark) => Some(escape(value, mark)),
            LexerState::Code(_) => {
                let is_free = |beside: Option<char>| !beside.is_some_and(is_word);
                (is_free(before) && is_free(after)).then(|| normalize_number(value)).flatten()
            }
            LexerState::Pattern { .. } | LexerState::LineComment | LexerState::BlockComment => None,
        }
    }

    /// A number stands like any other token; between quotation marks nothing changed.
    fn advance_past_value(&mut self) {
        for reading in &mut self.0 {
            if matches!(reading.state, LexerState::Code(_)) {
                reading.state = LexerState::Code(Slash::Divides);
                reading.word.clear();
            }
        }
    }
}

impl LexerBranch {
    /// What decides how a value is put in.
    const fn kind(&self) -> Option<char> {
        match self.state {
            LexerState::Quoted(mark) => Some(mark),
            LexerState::Code(_) => None,
            LexerState::Pattern { .. } => Some('/'),
            LexerState::LineComment | LexerState::BlockComment => Some('*'),
        }
    }

    fn with_state(mut self, place: LexerState) -> Self {
        self.state = place;
        self.escaped = false;
        self.word.clear();
        self
    }

    /// Reads one character; `rest` begins with it. Adds what the reading becomes, which is nothing when the code cannot
    /// be read this way.
    fn step(mut self, character: char, rest: &str, next: &mut Vec<Self>) {
        let ends_line = matches!(character, '\n' | '\r' | '\u{2028}' | '\u{2029}');
        match self.state {
            LexerState::Code(slash) => self.step_in_code(slash, character, rest, next),
            LexerState::Quoted(_) | LexerState::Pattern { .. } if self.escaped => {
                // A line that ends in two characters is continued behind both.
                self.escaped = rest.starts_with("\r\n");
                if !(ends_line && matches!(self.state, LexerState::Pattern { .. })) {
                    next.push(self);
                }
            }
            LexerState::Quoted(_) | LexerState::Pattern { .. } if character == '\\' => {
                self.escaped = true;
                next.push(self);
            }
            LexerState::Quoted('`') if rest.starts_with("${") => {
                self.templates.push(0);
                // The brace itself is read next, as one that opens.
                next.push(self.with_state(LexerState::Code(Slash::BeginsPattern)));
            }
            LexerState::Quoted(mark) if character == mark => {
                next.push(self.with_state(LexerState::Code(Slash::Divides)));
            }
            // Only template texts go over lines.
            LexerState::Quoted(mark) if mark != '`' && matches!(character, '\n' | '\r') => {}
            LexerState::Quoted(_) => next.push(self),
            LexerState::Pattern { .. } if ends_line => {}
            LexerState::Pattern { in_class: false } if character == '/' => {
                next.push(self.with_state(LexerState::Code(Slash::Divides)));
            }
            LexerState::Pattern { in_class } => {
                let in_class = (in_class || character == '[') && character != ']';
                next.push(Self { state: LexerState::Pattern { in_class }, ..self });
            }
            LexerState::LineComment if ends_line => {
                next.push(self.with_state(LexerState::Code(Slash::Either)));
            }
            LexerState::LineComment => next.push(self),
            // The `/` that ends it is read as code and must not be taken for another one.
            LexerState::BlockComment if self.word == "*" && character == '/' => {
                next.push(self.with_state(LexerState::Code(Slash::Either)));
            }
            LexerState::BlockComment => {
                self.word = if character == '*' && self.word != "/" { "*".to_owned() } else { String::new() };
                next.push(self);
            }
        }
    }

    fn step_in_code(mut self, slash: Slash, character: char, rest: &str, next: &mut Vec<Self>) {
        if is_word(character) {
            self.word.push(character);
            let divides = !WORDS.contains(&self.word.as_str());
            self.state = LexerState::Code(if divides { Slash::Divides } else { Slash::Either });
            next.push(self);
            return;
        }
        self.word.clear();
        match character {
            '\'' | '"' | '`' => next.push(self.with_state(LexerState::Quoted(character))),
            '/' if rest.starts_with("//") => next.push(self.with_state(LexerState::LineComment)),
            '/' if rest.starts_with("/*") => {
                let mut comment = self.with_state(LexerState::BlockComment);
                // The star of `/*` is not one that ends the comment.
                "/".clone_into(&mut comment.word);
                next.push(comment);
            }
            '/' => {
                if slash != Slash::BeginsPattern {
                    next.push(self.clone().with_state(LexerState::Code(Slash::BeginsPattern)));
                }
                if slash != Slash::Divides {
                    next.push(self.with_state(LexerState::Pattern { in_class: false }));
                }
            }
            '{' => {
                if let Some(open) = self.templates.last_mut() {
                    *open += 1;
                }
                next.push(self.with_state(LexerState::Code(Slash::BeginsPattern)));
            }
            '}' => {
                let closes_template = match self.templates.last_mut() {
                    Some(open) => {
                        *open -= 1;
                        *open == 0
                    }
                    None => false,
                };
                if closes_template {
                    self.templates.pop();
                    next.push(self.with_state(LexerState::Quoted('`')));
                } else {
                    next.push(self.with_state(LexerState::Code(Slash::Either)));
                }
            }
            ')' | ']' | '+' | '-' | '!' | '.' => {
                // Marks that some scripts read as the beginning of a comment, and modules do not.
                if rest.starts_with("-->") {
                    next.push(self.clone().with_state(LexerState::LineComment));
                }
                next.push(self.with_state(LexerState::Code(Slash::Either)));
            }
            '<' if rest.starts_with("<!--") => {
                next.push(self.clone().with_state(LexerState::LineComment));
                next.push(self.with_state(LexerState::Code(Slash::BeginsPattern)));
            }
            '#' if rest.starts_with("#!") => {
                next.push(self.clone().with_state(LexerState::LineComment));
                next.push(self.with_state(LexerState::Code(Slash::BeginsPattern)));
            }
            // A word that is spelt with escapes could be any word.
            '\\' => next.push(self.with_state(LexerState::Code(Slash::Either))),
            // Behind the end of a line a word may stand alone, and a `/` then begins a pattern.
            '\n' | '\r' | '\u{2028}' | '\u{2029}' if slash == Slash::Divides => {
                next.push(self.with_state(LexerState::Code(Slash::Either)));
            }
            _ if character.is_whitespace() || character == '\u{feff}' => next.push(self),
            _ => next.push(self.with_state(LexerState::Code(Slash::BeginsPattern))),
        }
    }
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric()
        || matches!(character, '_' | '$' | '\u{200c}' | '\u{200d}')
        || (!character.is_ascii() && !character.is_whitespace() && character != '\u{feff}')
}

/// Digits as the number they write; nothing else.
fn normalize_number(value: &str) -> Option<String> {
    let is_number = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    let digits = value.trim_start_matches('0');
    is_number.then(|| if digits.is_empty() { "0".to_owned() } else { digits.to_owned() })
}

/// The value as it is written between these marks, so that it reads exactly as it was sent.
fn escape(value: &str, mark: char) -> String {
    let mut out = String::with_capacity(value.len() + 8);
    for character in value.chars() {
        match character {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\'' | '"' | '`' if character == mark => {
                out.push('\\');
                out.push(character);
            }
            '$' | '{' if mark == '`' => {
                out.push('\\');
                out.push(character);
            }
            // Line separators end a line between some marks; control characters are nobody's text.
            '\u{2028}' | '\u{2029}' | '\u{0}'..='\u{1f}' | '\u{7f}' => {
                let _ = write!(out, "\\u{:04x}", u32::from(character));
            }
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests;
