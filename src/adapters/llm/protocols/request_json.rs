//! A body whose longest list is written where it lies: as values, a long conversation would be thousands of them, made
//! for one use, and what a provider gets back word for word would be copied in every round.

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

/// Such a body.
pub(super) struct RequestJson<T> {
    /// Everything; null where the list belongs.
    pub(super) fields: Map<String, Value>,
    /// The name of the field that the list is written to.
    pub(super) name: &'static str,
    /// `None` where the owner wrote that field.
    pub(super) list: Option<T>,
}

impl<T: Serialize> Serialize for RequestJson<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.fields.iter().map(|(name, value)| match &self.list {
            Some(list) if name == self.name => (name, FieldValue::List(list)),
            _ => (name, FieldValue::Value(value)),
        }))
    }
}

#[derive(Serialize)]
#[serde(untagged)]
enum FieldValue<'a, T> {
    Value(&'a Value),
    List(&'a T),
}
