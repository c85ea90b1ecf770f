//! Places in JSON, as people write them on a card.

use serde_json::{Map, Value};

/// The pointers of a comma list; a name alone is a pointer too.
pub(in crate::document_loaders) fn pointers(list: &[String]) -> Vec<String> {
    list.iter().map(|text| pointer(text)).collect()
}

/// A pointer (RFC 6901); one without its first slash is meant as one.
pub(in crate::document_loaders) fn pointer(text: &str) -> String {
    let text = text.trim();
    if text.is_empty() || text.starts_with('/') { text.to_owned() } else { format!("/{text}") }
}

/// All texts under a value, in their order.
pub(in crate::document_loaders) fn texts<'v>(value: &'v Value, found: &mut Vec<&'v str>) {
    match value {
        Value::String(text) => found.push(text),
        Value::Array(items) => items.iter().for_each(|item| texts(item, found)),
        Value::Object(map) => map.values().for_each(|value| texts(value, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

pub(in crate::document_loaders) fn to_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// A card's metadata, apart: those that point into what is read, and those that are what they say.
pub(in crate::document_loaders) fn split_metadata(
    metadata: Map<String, Value>,
) -> (Vec<(String, String)>, Map<String, Value>) {
    let (mut pointing, mut plain) = (Vec::new(), Map::new());
    for (name, value) in metadata {
        match value.as_str().filter(|text| text.starts_with('/')) {
            Some(text) => pointing.push((name, text.to_owned())),
            None => drop(plain.insert(name, value)),
        }
    }
    (pointing, plain)
}

/// What the pointing metadata find in a value.
pub(in crate::document_loaders) fn resolve(
    pointing: &[(String, String)],
    value: &Value,
) -> impl Iterator<Item = (String, Value)> {
    pointing.iter().filter_map(|(name, pointer)| Some((name.clone(), value.pointer(pointer)?.clone())))
}
