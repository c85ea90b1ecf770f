//! Reads a parsed JSON value into a type without guessing: what is declared as an object must be one.
//!
//! serde's derived types also take a list in place of an object, field by field. A caller that sends one has
//! made a mistake, and is told (manual 1.2 r2).

use serde::de::value::{MapAccessDeserializer, MapDeserializer, SeqDeserializer, StrDeserializer};
use serde::de::{Deserializer, Expected, IntoDeserializer, Unexpected, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::Value;
use std::fmt;

/// Why a value is not what a type takes, in words for people. What a caller sent is not repeated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::http) enum Mismatch {
    /// A field that must be there is not.
    Missing(&'static str),
    /// Another kind of value is needed; `None` where only a Rust type has a name for it.
    Kind(Option<&'static str>),
    /// One of these words is needed.
    Words(&'static [&'static str]),
    /// The kind is right, and the value is not.
    Value,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(name) => write!(f, "'{name}' is missing"),
            Self::Kind(Some(kind)) => write!(f, "must be {kind}"),
            Self::Kind(None) => f.write_str("has the wrong type"),
            Self::Words(words) => {
                let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
                match quoted.as_slice() {
                    [one, other] => write!(f, "must be {one} or {other}"),
                    [only] => write!(f, "must be {only}"),
                    several => write!(f, "must be one of {}", several.join(", ")),
                }
            }
            Self::Value => f.write_str("has a value that is not allowed"),
        }
    }
}

impl std::error::Error for Mismatch {}

impl serde::de::Error for Mismatch {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self::Value
    }

    fn invalid_type(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::Kind(kind_label(&expected.to_string()))
    }

    fn invalid_length(_: usize, expected: &dyn Expected) -> Self {
        Self::Kind(kind_label(&expected.to_string()))
    }

    fn unknown_variant(_: &str, expected: &'static [&'static str]) -> Self {
        Self::Words(expected)
    }

    fn missing_field(field: &'static str) -> Self {
        Self::Missing(field)
    }
}

/// What a visitor of serde expects, in words for people; `None` for what names a Rust type.
fn kind_label(expected: &str) -> Option<&'static str> {
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

/// A value as a source for serde.
pub(in crate::http) struct StrictValue<'a>(pub(in crate::http) &'a Value);

impl<'de> Deserializer<'de> for StrictValue<'de> {
    type Error = Mismatch;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(flag) => visitor.visit_bool(*flag),
            Value::Number(number) => match (number.as_u64(), number.as_i64()) {
                (Some(number), _) => visitor.visit_u64(number),
                (None, Some(number)) => visitor.visit_i64(number),
                (None, None) => visitor.visit_f64(number.as_f64().unwrap_or(f64::NAN)),
            },
            Value::String(text) => visitor.visit_borrowed_str(text),
            Value::Array(items) => {
                SeqDeserializer::new(items.iter().map(StrictValue)).deserialize_any(visitor)
            }
            Value::Object(map) => {
                let pairs = map.iter().map(|(name, value)| (name.as_str(), StrictValue(value)));
                MapDeserializer::new(pairs).deserialize_any(visitor)
            }
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mismatch> {
        if self.0.is_array() {
            return Err(Mismatch::Kind(Some("an object")));
        }
        self.deserialize_any(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        if self.0.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Mismatch> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mismatch> {
        match self.0 {
            Value::String(word) => visitor.visit_enum(StrDeserializer::<Mismatch>::new(word)),
            Value::Object(map) => {
                let pairs = map.iter().map(|(name, value)| (name.as_str(), StrictValue(value)));
                visitor.visit_enum(MapAccessDeserializer::new(MapDeserializer::new(pairs)))
            }
            _ => Err(Mismatch::Kind(None)),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq
        tuple tuple_struct map identifier ignored_any
    }
}

impl<'de> IntoDeserializer<'de, Mismatch> for StrictValue<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use serde_json::json;

    #[derive(Deserialize, Debug, PartialEq)]
    struct Person {
        name: String,
        age: Option<u32>,
        #[serde(default)]
        friends: Vec<Person>,
        #[serde(default)]
        more: Value,
    }

    fn read(value: &Value) -> Result<Person, Mismatch> {
        Person::deserialize(StrictValue(value))
    }

    #[test]
    fn objects_are_read_at_every_depth() {
        let more = json!({"list": [1, -1, 2.5, null, "x", {"y": true}]});
        let person =
            json!({"name": "Ada", "age": 36, "friends": [{"name": "Bob", "age": null}], "more": more});
        let read = read(&person).unwrap();
        assert_eq!((read.name.as_str(), read.age, &read.more), ("Ada", Some(36), &more));
        assert_eq!((read.friends[0].name.as_str(), read.friends[0].age), ("Bob", None));
    }

    #[test]
    fn a_list_is_no_object() {
        for bad in [json!(["Ada", 36]), json!([]), json!({"name": "Ada", "friends": [["Bob", 3]]})] {
            assert_eq!(read(&bad).unwrap_err(), Mismatch::Kind(Some("an object")), "{bad}");
        }
    }
}
