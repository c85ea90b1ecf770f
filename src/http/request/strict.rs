//! Reads a parsed JSON value into a type without guessing: what is declared as an object must be one.
//!
//! serde's derived types also take a list in place of an object, field by field. A caller that sends one has
//! made a mistake, and is told (manual 1.2 r2).

use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{Deserializer, Error as _, IntoDeserializer, Unexpected, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::{Error, Value};

/// A value as a source for serde.
pub(in crate::http) struct StrictValue<'a>(pub(in crate::http) &'a Value);

impl<'de> Deserializer<'de> for StrictValue<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(flag) => visitor.visit_bool(*flag),
            Value::Number(number) => number.deserialize_any(visitor),
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
    ) -> Result<V::Value, Error> {
        if self.0.is_array() {
            return Err(Error::invalid_type(Unexpected::Seq, &"a map"));
        }
        self.deserialize_any(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.0.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.0.deserialize_enum(name, variants, visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq
        tuple tuple_struct map identifier ignored_any
    }
}

impl<'de> IntoDeserializer<'de, Error> for StrictValue<'de> {
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

    fn read(value: &Value) -> Result<Person, Error> {
        Person::deserialize(StrictValue(value))
    }

    #[test]
    fn objects_are_read_at_every_depth() {
        let more = json!({"list": [1, 2.5, null, "x", {"y": true}]});
        let person =
            json!({"name": "Ada", "age": 36, "friends": [{"name": "Bob", "age": null}], "more": more});
        let read = read(&person).unwrap();
        assert_eq!((read.name.as_str(), read.age, &read.more), ("Ada", Some(36), &more));
        assert_eq!((read.friends[0].name.as_str(), read.friends[0].age), ("Bob", None));
    }

    #[test]
    fn a_list_is_no_object() {
        for bad in [json!(["Ada", 36]), json!([]), json!({"name": "Ada", "friends": [["Bob", 3]]})] {
            assert!(read(&bad).unwrap_err().to_string().starts_with("invalid type: sequence"), "{bad}");
        }
    }
}
