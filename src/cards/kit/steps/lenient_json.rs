//! JSON as people and models write it: with comments, single quotes, bare keys, commas before the end, in a code fence.

use serde_json::{Map, Number, Value};
use std::fmt;

/// How deep lists and objects nest.
const DEPTH_MAX: usize = 100;

/// Why a text is no JSON even so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SyntaxFault {
    what: &'static str,
    /// The character, counted from one.
    at: usize,
}

impl fmt::Display for SyntaxFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at character {}", self.what, self.at)
    }
}

/// The items of a list: the list itself, or a text that is one.
///
/// # Errors
/// Says what the value is instead.
pub(crate) fn read_list(value: &Value) -> Result<Vec<Value>, String> {
    let wrong = |why: String| Err(format!("this must be a list: {why}"));
    let parsed = match value {
        Value::String(text) if text.trim().is_empty() => return wrong("it is empty".to_owned()),
        Value::String(text) => match parse(text) {
            Ok(parsed) => parsed,
            Err(fault) => return wrong(format!("its text cannot be read as JSON, {fault}")),
        },
        other => other.clone(),
    };
    match parsed {
        Value::Array(items) => Ok(items),
        Value::Object(_) => wrong("it is an object".to_owned()),
        Value::String(_) => wrong("it is a text".to_owned()),
        Value::Number(_) => wrong("it is a number".to_owned()),
        Value::Bool(_) => wrong("it is a boolean".to_owned()),
        Value::Null => wrong("it is null".to_owned()),
    }
}

/// Reads a text; what is strict JSON is read as that.
///
/// # Errors
/// [`SyntaxFault`] says where reading ended.
pub(crate) fn parse(text: &str) -> Result<Value, SyntaxFault> {
    let whole = read_whole(text);
    match fenced(text) {
        Some(inner) if whole.is_err() => read_whole(inner),
        _ => whole,
    }
}

fn read_whole(text: &str) -> Result<Value, SyntaxFault> {
    if let Ok(value) = serde_json::from_str(text) {
        return Ok(value);
    }
    let mut reader = JsonReader { text, at: 0 };
    let value = reader.value(0)?;
    reader.skip_blanks();
    if reader.peek().is_none() { Ok(value) } else { Err(reader.fault("something follows the value")) }
}

/// What stands in the first code fence.
pub(in crate::kit) fn fenced(text: &str) -> Option<&str> {
    let (_, after) = text.split_once("```")?;
    let inner = after.split_once("```").map_or(after, |(inner, _)| inner);
    // The word behind the fence names the language.
    Some(inner.trim_start_matches(|c: char| c.is_ascii_alphanumeric()))
}

struct JsonReader<'t> {
    text: &'t str,
    at: usize,
}

impl JsonReader<'_> {
    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn take(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    fn fault(&self, what: &'static str) -> SyntaxFault {
        SyntaxFault { what, at: self.text[..self.at].chars().count() + 1 }
    }

    /// Passes blanks and comments.
    fn skip_blanks(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            let blanks = rest.len() - rest.trim_start().len();
            let comment = match &rest[blanks..] {
                rest if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
                rest if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
                _ => 0,
            };
            self.at += blanks + comment;
            if comment == 0 {
                return;
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<Value, SyntaxFault> {
        if depth > DEPTH_MAX {
            return Err(self.fault("lists and objects nest too deep"));
        }
        self.skip_blanks();
        match self.peek() {
            None => Err(self.fault("a value is missing")),
            Some('[') => self.list(depth),
            Some('{') => self.object(depth),
            Some(quote @ ('"' | '\'')) => self.string(quote).map(Value::from),
            Some(_) => self.word_value(),
        }
    }

    fn list(&mut self, depth: usize) -> Result<Value, SyntaxFault> {
        self.next();
        let mut items = Vec::new();
        loop {
            self.skip_blanks();
            if self.take(']') {
                return Ok(items.into());
            }
            items.push(self.value(depth + 1)?);
            self.skip_blanks();
            if !self.take(',') && self.peek() != Some(']') {
                return Err(self.fault("a comma or ']' is missing"));
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Value, SyntaxFault> {
        self.next();
        let mut fields = Map::new();
        loop {
            self.skip_blanks();
            let key = match self.peek() {
                Some('}') => {
                    self.next();
                    return Ok(fields.into());
                }
                Some(quote @ ('"' | '\'')) => self.string(quote)?,
                _ => self.word().to_owned(),
            };
            self.skip_blanks();
            if key.is_empty() && !self.text[..self.at].trim_end().ends_with(['"', '\'']) {
                return Err(self.fault("a key is missing"));
            }
            if !self.take(':') {
                return Err(self.fault("':' is missing"));
            }
            let value = self.value(depth + 1)?;
            fields.insert(key, value);
            self.skip_blanks();
            if !self.take(',') && self.peek() != Some('}') {
                return Err(self.fault("a comma or '}' is missing"));
            }
        }
    }

    /// A bare word: a key, a number, or one of the few names of values.
    fn word(&mut self) -> &str {
        let start = self.at;
        while self.peek().is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '-' | '+' | '.')) {
            self.next();
        }
        &self.text[start..self.at]
    }

    fn word_value(&mut self) -> Result<Value, SyntaxFault> {
        let start = self.at;
        let read = match self.word() {
            "true" | "True" => Some(Value::Bool(true)),
            "false" | "False" => Some(Value::Bool(false)),
            "null" | "None" | "undefined" => Some(Value::Null),
            word => number(word).map(Value::Number),
        };
        if read.is_none() {
            self.at = start;
        }
        read.ok_or_else(|| self.fault("a value is missing"))
    }

    fn string(&mut self, quote: char) -> Result<String, SyntaxFault> {
        self.next();
        let mut out = String::new();
        loop {
            match self.next() {
                None => return Err(self.fault("a text does not end")),
                Some(c) if c == quote => return Ok(out),
                Some('\\') => self.escape(&mut out)?,
                Some(c) => out.push(c),
            }
        }
    }

    fn escape(&mut self, out: &mut String) -> Result<(), SyntaxFault> {
        match self.next() {
            None => return Err(self.fault("a text does not end")),
            // A line that goes on below.
            Some('\n') => {}
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('b') => out.push('\u{8}'),
            Some('f') => out.push('\u{c}'),
            Some('v') => out.push('\u{b}'),
            Some('0') => out.push('\0'),
            Some('x') => {
                let code = self.hex(2)?;
                out.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            Some('u') => {
                let first = self.hex(4)?;
                let is_half = (0xD800..0xDC00).contains(&first);
                let units = if is_half && self.text[self.at..].starts_with("\\u") {
                    self.at += 2;
                    vec![first, self.hex(4)?]
                } else {
                    vec![first]
                };
                let units = units.into_iter().filter_map(|unit| u16::try_from(unit).ok());
                out.extend(char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)));
            }
            Some(c) => out.push(c),
        }
        Ok(())
    }

    fn hex(&mut self, digits: usize) -> Result<u32, SyntaxFault> {
        let found = self.text.get(self.at..self.at + digits);
        let code = found
            .filter(|text| text.bytes().all(|byte| byte.is_ascii_hexdigit()))
            .and_then(|text| u32::from_str_radix(text, 16).ok());
        let code = code.ok_or_else(|| self.fault("an escaped character is incomplete"))?;
        self.at += digits;
        Ok(code)
    }
}

/// A number, also with a plus, as hexadecimal, or with a point at one end.
fn number(word: &str) -> Option<Number> {
    let (sign, digits) = match word.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", word.strip_prefix('+').unwrap_or(word)),
    };
    if let Some(hex) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        let value = i64::from_str_radix(&format!("{sign}{hex}"), 16).ok()?;
        return hex.starts_with(|c: char| c.is_ascii_hexdigit()).then(|| value.into());
    }
    let before = if digits.starts_with('.') { "0" } else { "" };
    let after = if digits.ends_with('.') { "0" } else { "" };
    serde_json::from_str(&format!("{sign}{before}{digits}{after}")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn what_people_and_models_write_is_read() {
        for (text, value) in [
            ("[1, 2,]", json!([1, 2])),
            ("{a: 'it\\'s', $b-c: \"x\", 'd': [],}", json!({"a": "it's", "$b-c": "x", "d": []})),
            ("// all\n[1, /* two */ 2]", json!([1, 2])),
            ("[True, None, +1, .5, 5., -0x1F]", json!([true, null, 1, 0.5, 5.0, -31])),
            ("['a\nb', 'c\\\nd', '\\x41\\u00e9\\ud83d\\ude00']", json!(["a\nb", "cd", "Aé😀"])),
            ("Here you are:\n```json\n[{\"a\": 1}]\n```\nDone.", json!([{"a": 1}])),
            ("```\n['a',]\n```", json!(["a"])),
            ("{'': 1}", json!({"": 1})),
            ("[12345678901234567890]", json!([12_345_678_901_234_567_890_u64])),
        ] {
            assert_eq!(parse(text), Ok(value), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_said_with_its_place() {
        for (text, why) in [
            ("", "a value is missing at character 1"),
            ("[1 2]", "a comma or ']' is missing at character 4"),
            ("{a 1}", "':' is missing at character 4"),
            ("{: 1}", "a key is missing at character 2"),
            ("['a", "a text does not end at character 4"),
            ("[é, word]", "a value is missing at character 2"),
            ("[] []", "something follows the value at character 4"),
            ("['\\u12']", "an escaped character is incomplete at character 5"),
            ("{'a': 1", "a comma or '}' is missing at character 8"),
        ] {
            assert_eq!(parse(text).unwrap_err().to_string(), why, "{text}");
        }
        assert!(
            parse(&"[".repeat(100_000))
                .unwrap_err()
                .to_string()
                .starts_with("lists and objects nest too deep")
        );
    }

    #[test]
    fn a_list_is_taken_as_it_is_or_read_from_its_text() {
        assert_eq!(read_list(&json!([1, "a"])).unwrap(), [json!(1), json!("a")]);
        assert_eq!(read_list(&json!("[1, 'a',]")).unwrap(), [json!(1), json!("a")]);
    }

    #[test]
    fn what_is_no_list_is_said_in_a_sentence() {
        for (value, why) in [
            (json!({"a": 1}), "it is an object"),
            (json!("{a: 1}"), "it is an object"),
            (json!(" "), "it is empty"),
            (json!(7), "it is a number"),
            (Value::Null, "it is null"),
            (json!("one, two"), "its text cannot be read as JSON, a value is missing at character 1"),
        ] {
            assert_eq!(read_list(&value), Err(format!("this must be a list: {why}")));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_text_breaks_the_reading(text in "[\\[\\]{}:,'\"\\\\a1.xu/* \n`-]{0,40}") {
            let _ = parse(&text);
        }

        #[test]
        fn json_with_a_comma_before_its_end_is_the_same_json(items in prop::collection::vec(".{0,10}", 1..6)) {
            let strict = serde_json::to_string(&items).unwrap();
            let lenient = strict.replace("\"]", "\",]");
            prop_assume!(lenient.ends_with(",]") && lenient.len() == strict.len() + 1);
            prop_assert_eq!(parse(&lenient).unwrap(), json!(items));
        }
    }
}
