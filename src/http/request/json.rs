//! Reading JSON bodies strictly: one text, valid UTF-8, no name twice in one object, bounded depth.
//!
//! Reasons are ours: a parser's own words name Rust types and repeat values, so they never reach a caller.

use super::strict::StrictValue;
use crate::domain::error::{Error, Result};
use serde::de::{DeserializeOwned, DeserializeSeed, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

/// Marks a duplicate name among the errors that serde reports.
const DUPLICATE: &str = "duplicate name ";
/// Objects with more names than this are checked with a set; small ones are faster to scan.
const SCAN_NAMES_MAX: usize = 16;

/// Reads `bytes` into `T`.
///
/// # Errors
/// [`Error::Invalid`] with a sentence that names the field at fault (manual 1.2 r2).
pub fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    check(bytes)?;
    read(bytes)
}

fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    let value: Value = serde_json::from_slice(bytes).map_err(|error| Error::Invalid(explain("", &error)))?;
    serde_path_to_error::deserialize(StrictValue(&value)).map_err(|error| {
        let path = error.path().to_string();
        Error::Invalid(explain(&path, error.inner()))
    })
}

/// As [`parse`], of an object. A list would be read as the fields of a record in order, which no caller means.
///
/// # Errors
/// As [`parse`], and for every other kind of value.
pub fn parse_object<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    check(bytes)?;
    if bytes.iter().find(|byte| !byte.is_ascii_whitespace()) != Some(&b'{') {
        return Err(Error::invalid("The body must be a JSON object."));
    }
    read(bytes)
}

/// Checks that `bytes` hold exactly one well-formed JSON text without duplicate names.
///
/// # Errors
/// [`Error::Invalid`], with the line and column where the text goes wrong.
pub fn check(bytes: &[u8]) -> Result<()> {
    if bytes.is_empty() {
        return Err(Error::invalid("The request has no body. Send a JSON object."));
    }
    let text = std::str::from_utf8(bytes).map_err(|_| Error::invalid("The body is not valid UTF-8."))?;
    let mut parser = serde_json::Deserializer::from_str(text);
    DuplicateKeyCheck
        .deserialize(&mut parser)
        .and_then(|()| parser.end())
        .map_err(|error| Error::Invalid(explain("", &error)))
}

fn explain(path: &str, error: &serde_json::Error) -> String {
    use serde_json::error::Category;
    let text = error.to_string();
    if let Some(rest) = text.strip_prefix(DUPLICATE) {
        let name = rest.split('\u{0}').next().unwrap_or_default();
        return format!("The body has the name '{}' twice in one object.", sanitize(name));
    }
    if text.starts_with("recursion limit exceeded") {
        return format!(
            "The body nests deeper than {JSON_DEPTH_MAX} levels.",
            JSON_DEPTH_MAX = crate::limits::JSON_DEPTH_MAX
        );
    }
    match error.classify() {
        Category::Data => wrong_data(path, &text),
        Category::Eof => "The body is not valid JSON: it ends too early.".to_owned(),
        Category::Syntax | Category::Io => {
            format!("The body is not valid JSON: see line {}, column {}.", error.line(), error.column())
        }
    }
}

/// A reason for JSON that is well-formed and not what the route takes.
fn wrong_data(path: &str, text: &str) -> String {
    let at =
        if path.is_empty() || path == "." { "The body".to_owned() } else { format!("'{}'", sanitize(path)) };
    if let Some(name) = quoted_after(text, "missing field `") {
        let prefix =
            if path.is_empty() || path == "." { String::new() } else { format!("{}.", sanitize(path)) };
        return format!("'{prefix}{name}' is missing.");
    }
    if text.starts_with("invalid type") || text.starts_with("invalid length") {
        return match text.rsplit_once("expected ").and_then(|(_, expected)| kind_label(expected)) {
            Some(kind) => format!("{at} must be {kind}."),
            None => format!("{at} has the wrong type."),
        };
    }
    if let Some((_, allowed)) =
        text.split_once("`, expected ").filter(|_| text.starts_with("unknown variant"))
    {
        let names = allowed.split(" at line").next().unwrap_or_default().replace('`', "'");
        return format!("{at} must be {names}.");
    }
    format!("{at} has a value that is not allowed.")
}

fn quoted_after<'a>(text: &'a str, start: &str) -> Option<&'a str> {
    text.strip_prefix(start)?.split('`').next()
}

/// What serde expected, in words for people; `None` for what names a Rust type.
fn kind_label(expected: &str) -> Option<&'static str> {
    let expected = expected.split(" at line").next().unwrap_or_default();
    Some(match expected {
        "a string" | "a borrowed string" | "string" => "text",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "a map" => "an object",
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number, zero or more",
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number",
        "f32" | "f64" => "a number",
        other if other.starts_with("struct ") => "an object",
        _ => return None,
    })
}

/// A caller's own words, shortened and without what could break a line or a log.
fn sanitize(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(100).collect()
}

/// Walks a JSON value without keeping it.
struct DuplicateKeyCheck;

impl<'de> DeserializeSeed<'de> for DuplicateKeyCheck {
    type Value = ();
    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for DuplicateKeyCheck {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }
    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }
    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }
    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }
    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }
    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }
    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(Self)?.is_some() {}
        Ok(())
    }
    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let mut names = ObjectKeys::default();
        while let Some(name) = entries.next_key_seed(KeySeed)? {
            if let Some(twice) = names.add(name) {
                return Err(A::Error::custom(format_args!("{DUPLICATE}{twice}\u{0}")));
            }
            entries.next_value_seed(Self)?;
        }
        Ok(())
    }
}

/// The names one object has shown so far.
#[derive(Default)]
struct ObjectKeys<'de> {
    few: Vec<Cow<'de, str>>,
    many: HashSet<Cow<'de, str>>,
}

impl<'de> ObjectKeys<'de> {
    /// Adds a name; gives it back when it was there already.
    fn add(&mut self, name: Cow<'de, str>) -> Option<Cow<'de, str>> {
        if self.many.is_empty() {
            if self.few.contains(&name) {
                return Some(name);
            }
            self.few.push(name);
            if self.few.len() > SCAN_NAMES_MAX {
                self.many = self.few.drain(..).collect();
            }
            return None;
        }
        if self.many.contains(&name) {
            return Some(name);
        }
        self.many.insert(name);
        None
    }
}

/// Reads an object's name, borrowed from the text where it has no escapes.
struct KeySeed;

impl<'de> DeserializeSeed<'de> for KeySeed {
    type Value = Cow<'de, str>;
    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Cow<'de, str>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for KeySeed {
    type Value = Cow<'de, str>;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }
    fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Borrowed(name))
    }
    fn visit_str<E>(self, name: &str) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Owned(name.to_owned()))
    }
}

/// Reads one text field at the top of a JSON object and skips the rest; `None` when it is not there or not text.
#[must_use]
pub fn peek_text(bytes: &[u8], field: &str) -> Option<String> {
    struct PeekVisitor<'a>(&'a str);
    impl<'de> Visitor<'de> for PeekVisitor<'_> {
        type Value = Option<String>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }
        fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
            while let Some(name) = entries.next_key_seed(KeySeed)? {
                if name == self.0 {
                    return entries.next_value::<String>().map(Some);
                }
                entries.next_value::<IgnoredAny>()?;
            }
            Ok(None)
        }
    }
    let mut parser = serde_json::Deserializer::from_slice(bytes);
    // Once the field is found the rest is left unread, which the parser reports: only the value counts here.
    let mut found = None;
    let _ = serde::Deserializer::deserialize_map(&mut parser, CaptureVisitor(PeekVisitor(field), &mut found));
    found
}

/// Hands out what the inner visitor found even when the text after it was not read.
struct CaptureVisitor<'a, V>(V, &'a mut Option<String>);

impl<'de, V: Visitor<'de, Value = Option<String>>> Visitor<'de> for CaptureVisitor<'_, V> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(f)
    }
    fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<(), A::Error> {
        *self.1 = self.0.visit_map(entries)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    fn reason(bytes: &[u8]) -> String {
        check(bytes).unwrap_err().to_string()
    }

    #[test]
    fn names_count_once_per_object_however_they_are_written() {
        assert!(check(br#"{"a":1,"b":{"a":1},"c":[{"a":1},{"a":2}]}"#).is_ok());
        assert!(reason(br#"{"a":1,"b":2,"a":3}"#).contains("'a' twice"));
        assert!(reason(br#"{"x":[{"a":1,"\u0061":3}]}"#).contains("'a' twice"));
        let many: Vec<String> = (0..100).map(|i| format!("\"n{i}\":{i}")).collect();
        assert!(check(format!("{{{}}}", many.join(",")).as_bytes()).is_ok());
        assert!(reason(format!("{{{},\"n50\":1}}", many.join(",")).as_bytes()).contains("'n50' twice"));
    }

    #[test]
    fn text_that_is_not_one_json_value_is_refused() {
        for bad in [
            &b""[..],
            b"{",
            b"{} {}",
            b"{}x",
            b"\xff",
            b"{\"a\":\"\xc3\"}",
            b"nul",
            b"{'a':1}",
            b"\xef\xbb\xbf{}",
        ] {
            assert!(check(bad).is_err(), "{bad:?}");
        }
        for good in [&b"{}"[..], b" [1, 2.5e3, null, true, \"x\"] \n", b"0", b"\"\\ud83d\\ude00\""] {
            assert!(check(good).is_ok(), "{good:?}");
        }
    }

    #[test]
    fn depth_is_bounded_and_said() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(check(nested(crate::limits::JSON_DEPTH_MAX).as_bytes()).is_ok());
        assert!(reason(nested(crate::limits::JSON_DEPTH_MAX + 1).as_bytes()).contains("deeper than"));
        assert!(check(nested(1_000_000).as_bytes()).is_err());
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Body {
        #[allow(dead_code)]
        name: String,
        #[allow(dead_code)]
        limit_max: Option<u32>,
        #[allow(dead_code)]
        kind: Option<Kind>,
    }
    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Kind {
        One,
        Two,
    }

    #[test]
    fn reasons_name_the_field_and_no_rust_type() {
        let reason = |text: &str| parse::<Body>(text.as_bytes()).unwrap_err().to_string();
        assert_eq!(reason("{}"), "'name' is missing.");
        assert_eq!(reason(r#"{"name":5}"#), "'name' must be text.");
        assert_eq!(
            reason(r#"{"name":"x","limitMax":"secret"}"#),
            "'limitMax' must be a whole number, zero or more."
        );
        assert_eq!(reason(r#"{"name":"x","kind":"three"}"#), "'kind' must be 'one' or 'two'.");
        assert_eq!(reason("5"), "The body must be an object.");
        assert!(matches!(
            parse::<Body>(br#"{"name":"x","kind":"two","more":1}"#),
            Ok(Body { kind: Some(Kind::Two), .. })
        ));
        let _ = Kind::One;
    }

    #[test]
    fn one_field_can_be_peeked_at() {
        assert_eq!(
            peek_text(br#"{"a":{"b":1},"chatflowid":"x","z":[1]}"#, "chatflowid").as_deref(),
            Some("x")
        );
        assert_eq!(peek_text(br#"{"chatflowid":5}"#, "chatflowid"), None);
        assert_eq!(peek_text(b"nonsense", "chatflowid"), None);
    }

    #[test]
    fn a_list_is_not_taken_for_a_record() {
        #[derive(serde::Deserialize, Debug)]
        struct Record {
            _name: Option<String>,
        }
        assert!(parse_object::<Record>(br#"{"_name":"a"}"#).is_ok());
        for body in [r#"["a"]"#, " [\n]", "\"a\"", "1", "null"] {
            assert!(parse_object::<Record>(body.as_bytes()).is_err(), "{body}");
        }
    }
}
