//! Reading JSON bodies strictly: one text, valid UTF-8, no name twice in one object, bounded depth.
//!
//! Reasons are ours: a parser's own words name Rust types and repeat values, so they never reach a caller.

use super::strict::{Mismatch, StrictValue};
use crate::domain::error::{Error, Result};
use serde::de::{DeserializeOwned, DeserializeSeed, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::error::Category;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;

/// Deepest nesting of lists and objects in a JSON body (manual 14.1).
const JSON_DEPTH_MAX: usize = 127;

/// Reads `bytes` into `T`.
///
/// # Errors
/// [`Error::Invalid`] with a sentence that names the field at fault (manual 1.2 r2).
pub(crate) fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    read(&parse_value(bytes)?)
}

/// Reads `bytes`, an object, into `T`. A list would be read as the fields of a record in order, which no caller means.
///
/// # Errors
/// As [`parse`], and for every other kind of value.
pub(crate) fn parse_object<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    match parse_value(bytes)? {
        object @ Value::Object(_) => read(&object),
        _ => Err(Error::invalid("The body must be a JSON object.")),
    }
}

/// As [`parse_object`], of a list.
///
/// # Errors
/// As [`parse`], and for every other kind of value.
pub(crate) fn parse_list<T: DeserializeOwned>(bytes: &[u8]) -> Result<Vec<T>> {
    match parse_value(bytes)? {
        list @ Value::Array(_) => read(&list),
        _ => Err(Error::invalid("The body must be a JSON list.")),
    }
}

/// Reads exactly one well-formed JSON text without duplicate names.
///
/// # Errors
/// [`Error::Invalid`], with the line and column where the text goes wrong.
pub(crate) fn parse_value(bytes: &[u8]) -> Result<Value> {
    if bytes.is_empty() {
        return Err(Error::invalid("The request has no body. Send a JSON object."));
    }
    let text = std::str::from_utf8(bytes).map_err(|_| Error::invalid("The body is not valid UTF-8."))?;
    let mut parser = serde_json::Deserializer::from_str(text);
    // Depth is counted here, so that the refusal does not depend on how the parser words its own.
    parser.disable_recursion_limit();
    let fault = Cell::new(None);
    let value = ValueSeed { depth: 0, fault: &fault }.deserialize(&mut parser);
    let read = value.and_then(|value| parser.end().map(|()| value));
    read.map_err(|error| {
        Error::Invalid(match (fault.take(), error.classify()) {
            (Some(TextFault::Duplicate(name)), _) => {
                format!("The body has the name '{name}' twice in one object.")
            }
            (Some(TextFault::TooDeep), _) => format!("The body nests deeper than {JSON_DEPTH_MAX} levels."),
            (None, Category::Eof) => "The body is not valid JSON: it ends too early.".to_owned(),
            (None, Category::Data | Category::Syntax | Category::Io) => {
                format!("The body is not valid JSON: see line {}, column {}.", error.line(), error.column())
            }
        })
    })
}

fn read<T: DeserializeOwned>(value: &Value) -> Result<T> {
    serde_path_to_error::deserialize(StrictValue(value)).map_err(|error| {
        let path = sanitize(&error.path().to_string());
        let is_root = path.is_empty() || path == ".";
        Error::Invalid(match error.into_inner() {
            Mismatch::Missing(name) if is_root => format!("'{name}' is missing."),
            Mismatch::Missing(name) => format!("'{path}.{name}' is missing."),
            mismatch if is_root => format!("The body {mismatch}."),
            mismatch => format!("'{path}' {mismatch}."),
        })
    })
}

/// A caller's own words, shortened and without what could break a line or a log.
fn sanitize(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(100).collect()
}

/// What is wrong with a text that is JSON by its grammar.
enum TextFault {
    /// This name stands twice in one object.
    Duplicate(String),
    TooDeep,
}

/// Reads a JSON value that is at this depth.
#[derive(Clone, Copy)]
struct ValueSeed<'a> {
    depth: usize,
    fault: &'a Cell<Option<TextFault>>,
}

impl ValueSeed<'_> {
    /// For what is in a list or an object; an error where that is too deep.
    fn inner<E: serde::de::Error>(self) -> Result<Self, E> {
        if self.depth == JSON_DEPTH_MAX {
            self.fault.set(Some(TextFault::TooDeep));
            return Err(E::custom("too deep"));
        }
        Ok(Self { depth: self.depth + 1, ..self })
    }
}

impl<'de> DeserializeSeed<'de> for ValueSeed<'_> {
    type Value = Value;
    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ValueSeed<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }
    fn visit_bool<E>(self, flag: bool) -> Result<Value, E> {
        Ok(flag.into())
    }
    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(number.into())
    }
    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(number.into())
    }
    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(number.into())
    }
    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(text.into())
    }
    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(text.into())
    }
    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let (seed, mut list) = (self.inner()?, Vec::new());
        while let Some(item) = items.next_element_seed(seed)? {
            list.push(item);
        }
        Ok(list.into())
    }
    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let (seed, mut object) = (self.inner()?, Map::new());
        while let Some(name) = entries.next_key_seed(KeySeed)? {
            if object.contains_key(&*name) {
                self.fault.set(Some(TextFault::Duplicate(sanitize(&name))));
                return Err(A::Error::custom("duplicate name"));
            }
            let value = entries.next_value_seed(seed)?;
            object.insert(name.into_owned(), value);
        }
        Ok(object.into())
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
pub(crate) fn peek_text(bytes: &[u8], field: &str) -> Option<String> {
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
        parse_value(bytes).unwrap_err().to_string()
    }

    #[test]
    fn names_count_once_per_object_however_they_are_written() {
        assert!(parse_value(br#"{"a":1,"b":{"a":1},"c":[{"a":1},{"a":2}]}"#).is_ok());
        assert!(reason(br#"{"a":1,"b":2,"a":3}"#).contains("'a' twice"));
        assert!(reason(br#"{"x":[{"a":1,"\u0061":3}]}"#).contains("'a' twice"));
        let many: Vec<String> = (0..100).map(|i| format!("\"n{i}\":{i}")).collect();
        assert!(parse_value(format!("{{{}}}", many.join(",")).as_bytes()).is_ok());
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
            assert!(parse_value(bad).is_err(), "{bad:?}");
        }
        for good in [&b"{}"[..], b" [1, 2.5e3, null, true, \"x\"] \n", b"0", b"\"\\ud83d\\ude00\""] {
            assert!(parse_value(good).is_ok(), "{good:?}");
        }
    }

    #[test]
    fn depth_is_bounded_and_said() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(parse_value(nested(JSON_DEPTH_MAX).as_bytes()).is_ok());
        assert!(reason(nested(JSON_DEPTH_MAX + 1).as_bytes()).contains("deeper than"));
        assert!(parse_value(nested(1_000_000).as_bytes()).is_err());
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
