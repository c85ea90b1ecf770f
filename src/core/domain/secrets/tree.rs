//! Hiding secrets in a JSON value: every key and every string, decoded, JSON texts inside strings too.

use super::json_text::{self, DEPTH_MAX_LEVELS};
use super::{PLACEHOLDER, count_placeholders, first_match, redact, redact_in_place, written};
use serde_json::{Map, Value};
use std::collections::HashMap;

/// The names under which a row of a table keeps the name of its value, as in `{"key": "X-Api-Key", "value": "…"}`.
const ROW_NAMES: &[&str] = &["key", "name", "header", "property", "variableName"];
/// The name of a row's value.
pub(crate) const ROW_VALUE: &str = "value";

/// How often a value is searched as it is written, at most.
const WRITTEN_SCANS_MAX_COUNT: usize = 8;
/// Searches after which whole texts are hidden, so that they come to an end.
const WRITTEN_SCANS_OF_PARTS_MAX_COUNT: usize = 3;

/// Hides every secret in `value` and answers how many placeholders it holds then. A JSON text inside a string is
/// written anew only when something in it was hidden. Nothing is found in what `value` is written as, either.
pub fn redact_value(value: &mut Value) -> usize {
    for scan in 0..WRITTEN_SCANS_MAX_COUNT {
        redact_at(value, None, DEPTH_MAX_LEVELS);
        if !written::hide(value, scan >= WRITTEN_SCANS_OF_PARTS_MAX_COUNT) {
            break;
        }
    }
    count_placeholders_in(value)
}

/// How many placeholders `value` holds, in keys and strings.
#[must_use]
pub fn count_placeholders_in(value: &Value) -> usize {
    match value {
        Value::String(text) => count_placeholders(text),
        Value::Array(list) => list.iter().map(count_placeholders_in).sum(),
        Value::Object(map) => {
            map.iter().map(|(name, value)| count_placeholders(name) + count_placeholders_in(value)).sum()
        }
        _ => 0,
    }
}

/// True when `text` is nothing but a placeholder.
#[must_use]
pub fn is_placeholder(text: &str) -> bool {
    text.trim() == PLACEHOLDER
}

/// The name that a row of a table gives its value.
#[must_use]
pub(crate) fn row_name(row: &Map<String, Value>) -> Option<&str> {
    row.get(ROW_VALUE)?;
    ROW_NAMES.iter().find_map(|name| row.get(*name)?.as_str())
}

/// True when something was hidden, or must be written anew for another reason.
fn redact_at(value: &mut Value, name: Option<&str>, levels: usize) -> bool {
    match value {
        Value::String(text) => redact_text(text, name, levels),
        // A list under a name is a list of such values.
        Value::Array(list) => {
            list.iter_mut().fold(false, |changed, value| redact_at(value, name, levels) | changed)
        }
        Value::Object(map) => redact_object(map, levels),
        _ => false,
    }
}

fn redact_object(map: &mut Map<String, Value>, levels: usize) -> bool {
    let row = row_name(map).map(str::to_owned);
    let mut changed = redact_entries(map, row.as_deref(), levels);
    // A name that was hidden promises something else than before: the values are asked again under the new one.
    let renamed = redact_keys(map);
    let row_now = row_name(map).map(str::to_owned);
    if renamed || row_now != row {
        changed = true;
        redact_entries(map, row_now.as_deref(), levels);
    }
    changed
}

fn redact_entries(map: &mut Map<String, Value>, row: Option<&str>, levels: usize) -> bool {
    let mut changed = false;
    for (name, value) in map.iter_mut() {
        changed |= redact_at(value, Some(name), levels);
        if let (Some(row), ROW_VALUE, Value::String(text)) = (row, name.as_str(), value) {
            changed |= redact_in_place(Some(row), text);
        }
    }
    changed
}

/// Keys are texts like any other.
fn redact_keys(map: &mut Map<String, Value>) -> bool {
    if !map.keys().any(|name| first_match(name.as_bytes()).is_some()) {
        return false;
    }
    rename_keys(map, |name| redact(name).text);
    true
}

/// Gives each entry the name that `hide` makes of its own. Two that were hidden would be one key, so each gets a number.
pub(super) fn rename_keys(map: &mut Map<String, Value>, hide: impl Fn(&str) -> String) {
    let mut renamed = Map::new();
    let mut counts: HashMap<String, usize> = HashMap::new();
    for (name, value) in std::mem::take(map) {
        let hidden = hide(&name);
        let mut free = hidden.clone();
        let count = counts.entry(hidden.clone()).or_insert(1);
        while renamed.contains_key(&free) {
            *count += 1;
            free = format!("{hidden} {count}");
        }
        renamed.insert(free, value);
    }
    *map = renamed;
}

fn redact_text(text: &mut String, name: Option<&str>, levels: usize) -> bool {
    let mut changed = false;
    if levels > 0
        && let Some(mut inner) = json_text::parse(text)
        && (redact_at(&mut inner.value, name, levels - 1) | inner.repeats_keys)
    {
        *text = inner.value.to_string();
        changed = true;
    }
    changed | redact_in_place(name, text)
}
