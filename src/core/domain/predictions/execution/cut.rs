//! Cutting texts that are too long to be shown.

use serde_json::{Map, Value};

/// Bytes of a text of a record, or of what a card did, that is shown unless the whole is asked for (manual 14.4).
pub const EXECUTION_TEXT_MAX_BYTES: usize = 1024 * 1024;

/// Cuts every text in `data` to at most `most` bytes, between two characters; true when one was cut.
pub fn cut_texts(data: &mut Map<String, Value>, most: usize) -> bool {
    data.values_mut().fold(false, |cut, value| cut_value(value, most) | cut)
}

fn cut_value(value: &mut Value, most: usize) -> bool {
    match value {
        Value::String(text) if text.len() > most => {
            text.truncate(text.floor_char_boundary(most));
            true
        }
        Value::Array(items) => items.iter_mut().fold(false, |cut, item| cut_value(item, most) | cut),
        Value::Object(inner) => cut_texts(inner, most),
        _ => false,
    }
}
