//! A row of a table, read by column.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

/// A row, by column. It may hold secrets, so it has no `Debug`.
pub struct Row(Map<String, Value>);

impl Row {
    #[must_use]
    pub const fn new(columns: Map<String, Value>) -> Self {
        Self(columns)
    }

    /// What stands in a column; `None` where nothing does, or there is no such column.
    #[must_use]
    pub fn text(&self, column: &str) -> Option<&str> {
        self.0.get(column)?.as_str()
    }

    /// As [`Self::text`], but an empty text is none.
    #[must_use]
    pub fn filled(&self, column: &str) -> Option<&str> {
        self.text(column).filter(|text| !text.trim().is_empty())
    }

    /// The id in a column. Older versions write ids of keys without hyphens.
    #[must_use]
    pub fn id(&self, column: &str) -> Option<Uuid> {
        parse_id(self.text(column)?)
    }

    /// The id in a column, or one that is made of what stands there: the same for the same text, so that what came in is found again.
    #[must_use]
    pub fn id_or_derived(&self, column: &str) -> Uuid {
        self.id(column).unwrap_or_else(|| derive_id(self.text(column).unwrap_or_default()))
    }

    /// True for what SQLite has as a number other than zero.
    #[must_use]
    pub fn flag(&self, column: &str) -> Option<bool> {
        self.0.get(column)?.as_i64().map(|number| number != 0)
    }

    #[must_use]
    pub(crate) fn number(&self, column: &str) -> Option<i64> {
        self.0.get(column)?.as_i64()
    }

    /// A time, which is kept as a text of UTC.
    #[must_use]
    pub fn date(&self, column: &str) -> Option<Timestamp> {
        parse_date(self.text(column)?)
    }

    /// The JSON in a column; `None` for a text that is none.
    #[must_use]
    pub fn json(&self, column: &str) -> Option<Value> {
        serde_json::from_str(self.filled(column)?).ok()
    }

    /// Takes a long text out of the row.
    #[must_use]
    pub fn take_text(&mut self, column: &str) -> Option<String> {
        match self.0.get_mut(column)?.take() {
            Value::String(text) => Some(text),
            _ => None,
        }
    }
}

fn parse_id(text: &str) -> Option<Uuid> {
    let text = text.trim();
    [32, 36].contains(&text.len()).then(|| Uuid::try_parse(text).ok())?
}

/// An id of the usual form that only this text gives.
fn derive_id(text: &str) -> Uuid {
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&Sha256::digest(format!("flowise\0{text}"))[..16]);
    uuid::Builder::from_random_bytes(bytes).into_uuid()
}

fn parse_date(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if let Ok(time) = text.parse::<Timestamp>() {
        return Some(time);
    }
    let civil: DateTime = text.parse().ok()?;
    Some(civil.to_zoned(TimeZone::UTC).ok()?.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn row(value: Value) -> Row {
        Row::new(value.as_object().unwrap().clone())
    }

    #[test]
    fn columns_are_read_as_what_they_are() {
        let found = row(json!({
            "old": "4323e3d467206a78d1cfd8f7b9508b48", "new": "4323e3d4-6720-6a78-d1cf-d8f7b9508b48", "own": "customer-42",
            "yes": 1, "no": 0, "json": "{\"a\":1}", "broken": "{", "empty": " ", "null": null,
            "day": "2026-11-22 11:21:18", "exact": "2026-11-22 11:21:18.897", "iso": "2026-11-22T11:21:18.897Z",
        }));
        assert_eq!(found.id("old"), found.id("new"));
        assert_eq!(found.id("own"), None);
        assert_eq!(found.id_or_derived("own"), found.id_or_derived("own"));
        assert_ne!(found.id_or_derived("own"), found.id_or_derived("json"));
        assert_eq!(
            (found.flag("yes"), found.flag("no"), found.flag("null")),
            (Some(true), Some(false), None)
        );
        assert_eq!(found.json("json"), Some(json!({"a": 1})));
        assert_eq!((found.json("broken"), found.filled("empty"), found.text("absent")), (None, None, None));
        assert_eq!(found.date("day").unwrap().to_string(), "2026-11-22T11:21:18Z");
        assert_eq!(found.date("exact"), found.date("iso"));
        assert_eq!(found.date("own"), None);
    }
}
