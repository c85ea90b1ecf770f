//! JSON texts inside strings, read so that nothing in them goes unseen.

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::fmt;

/// How deep JSON texts inside strings of JSON texts are read (manual 6.8).
pub(crate) const DEPTH_MAX_LEVELS: usize = 8;

/// A JSON text that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct JsonText {
    pub value: Value,
    /// An object in it names a key twice. The value shows the last of them only, so that the text holds more
    /// than the value and must not be kept as it is.
    pub repeats_keys: bool,
}

/// Reads a text as JSON if it is an object, a list or a string in quotation marks; numbers and words are no texts
/// in which anything could be found.
#[must_use]
pub fn parse(text: &str) -> Option<JsonText> {
    let bytes = text.trim_ascii().as_bytes();
    let (first, last) = (bytes.first()?, bytes.last()?);
    if bytes.len() < 2 || !matches!((first, last), (b'{', b'}') | (b'[', b']') | (b'"', b'"')) {
        return None;
    }
    let mut repeats_keys = false;
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = RepeatedKeyVisitor(&mut repeats_keys).deserialize(&mut reader).ok()?;
    reader.end().ok()?;
    Some(JsonText { value, repeats_keys })
}

struct RepeatedKeyVisitor<'r>(&'r mut bool);

impl<'de> DeserializeSeed<'de> for RepeatedKeyVisitor<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for RepeatedKeyVisitor<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element_seed(RepeatedKeyVisitor(self.0))? {
            values.push(value);
        }
        Ok(values.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            let value = entries.next_value_seed(RepeatedKeyVisitor(self.0))?;
            *self.0 |= map.insert(key, value).is_some();
        }
        Ok(map.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_reads_what_the_ordinary_reader_reads() {
        for text in [r#"{"a":[1,-2,0.5,true,null,"x\u0041",{"b":{}}]}"#, " [] ", r#""\n""#] {
            let read = parse(text).unwrap();
            assert_eq!(read.value, serde_json::from_str::<Value>(text).unwrap());
            assert!(!read.repeats_keys);
        }
        for text in ["", "{", "12", "true", "{{question}}", "{} x", "[a]", "\""] {
            assert_eq!(parse(text), None, "{text}");
        }
        let too_deep = "[".repeat(500) + &"]".repeat(500);
        assert_eq!(parse(&too_deep), None);
    }

    #[test]
    fn a_repeated_key_is_told_at_any_depth() {
        assert!(parse(r#"{"a":1,"a":2}"#).unwrap().repeats_keys);
        assert!(parse(r#"[{"b":{"a":1,"\u0061":2}}]"#).unwrap().repeats_keys);
    }
}
