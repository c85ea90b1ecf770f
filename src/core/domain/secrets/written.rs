//! Secrets that show in a JSON value only as it is written to a file, where its texts stand with their escapes beside their
//! names. A copy is searched in that form, and what is found in a version then stops it for good.

use super::scan::{self, SecretMatch};
use super::{PLACEHOLDER, tree, views};
use serde::Serialize as _;
use serde_json::ser::{PrettyFormatter, Serializer};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::ops::Range;

/// Hides what is found in `value` as it is written, or all of the texts in which it is found; true when something was hidden.
pub(super) fn hide(value: &mut Value, whole_texts: bool) -> bool {
    let written = write(value);
    let hits = views::find_matches(&written, scan::find_matches);
    if hits.is_empty() {
        return false;
    }
    let mut texts = WrittenTexts { written: &written, at: 0, hits: &hits, whole_texts, changed: false };
    texts.hide_in(value);
    texts.changed
}

/// The value a text a line, as files have it, and not indented: a deep one grows a hundredfold by that, and no secret reaches over
/// the end of a line of JSON.
fn write(value: &Value) -> Vec<u8> {
    let mut written = Vec::new();
    let formatter = PrettyFormatter::with_indent(b"");
    let mut serializer = Serializer::with_formatter(&mut written, formatter);
    value.serialize(&mut serializer).expect("a JSON value can be written");
    written
}

/// The texts of a value in the order in which they are written, names of entries among them.
struct WrittenTexts<'w> {
    written: &'w [u8],
    /// What stands before this was passed.
    at: usize,
    hits: &'w [SecretMatch],
    whole_texts: bool,
    changed: bool,
}

impl WrittenTexts<'_> {
    fn hide_in(&mut self, value: &mut Value) {
        match value {
            Value::String(text) => {
                let place = self.next_text();
                if let Some(hidden) = self.hidden(&place) {
                    self.changed |= hidden != *text;
                    *text = hidden;
                }
            }
            Value::Array(list) => list.iter_mut().for_each(|value| self.hide_in(value)),
            Value::Object(map) => self.hide_in_object(map),
            _ => {}
        }
    }

    fn hide_in_object(&mut self, map: &mut Map<String, Value>) {
        let mut names: HashMap<String, String> = HashMap::new();
        for (name, value) in map.iter_mut() {
            let place = self.next_text();
            if let Some(hidden) = self.hidden(&place).filter(|hidden| hidden != name) {
                names.insert(name.clone(), hidden);
            }
            self.hide_in(value);
        }
        if !names.is_empty() {
            self.changed = true;
            tree::rename_keys(map, |name| names.get(name).map_or_else(|| name.to_owned(), String::clone));
        }
    }

    /// Where the next text stands, without its quotation marks.
    fn next_text(&mut self) -> Range<usize> {
        let Some(mark) = memchr::memchr(b'"', &self.written[self.at..]) else { return 0..0 };
        let start = self.at + mark + 1;
        let mut end = start;
        while let Some(byte) = self.written.get(end).filter(|byte| **byte != b'"') {
            end += if *byte == b'\\' { 2 } else { 1 };
        }
        self.at = end + 1;
        start..end
    }

    /// The text at `place` without what was found in it; `None` where nothing was.
    fn hidden(&self, place: &Range<usize>) -> Option<String> {
        let first = self.hits.partition_point(|hit| hit.end <= place.start);
        let count = self.hits[first..].iter().take_while(|hit| hit.start < place.end).count();
        let inside = &self.hits[first..first + count];
        if inside.is_empty() {
            return None;
        }
        let parted = if self.whole_texts { None } else { self.without_parts(place, inside) };
        Some(parted.unwrap_or_else(|| PLACEHOLDER.to_owned()))
    }

    /// The text at `place` with a placeholder for each hit; `None` where a hit ends within an escape or a character.
    fn without_parts(&self, place: &Range<usize>, hits: &[SecretMatch]) -> Option<String> {
        let mut literal = vec![b'"'];
        let mut at = place.start;
        for hit in hits {
            literal.extend_from_slice(&self.written[at..hit.start.max(at)]);
            literal.extend_from_slice(PLACEHOLDER.as_bytes());
            at = hit.end.min(place.end);
        }
        literal.extend_from_slice(&self.written[at..place.end]);
        literal.push(b'"');
        serde_json::from_slice(&literal).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const KEY: &str = "ghp_0123456789abcdefghijABCDEFGHIJ012345";

    #[test]
    fn what_is_found_in_the_file_is_hidden_in_the_value() {
        let mut value = json!({ "a": [1.5, format!("Uses\n\"{KEY}\" now"), "next"], "b": { "c": "\\" } });
        assert!(hide(&mut value, false));
        let expected = json!({ "a": [1.5, "Uses\n\"[secret hidden]\" now", "next"], "b": { "c": "\\" } });
        assert_eq!(value, expected);
        assert!(!hide(&mut value, false));
    }

    #[test]
    fn the_whole_text_goes_where_its_parts_were_hidden_in_vain() {
        let mut value = json!({ "a": format!("Uses {KEY} now"), "b": "stays" });
        assert!(hide(&mut value, true));
        assert_eq!(value, json!({ "a": PLACEHOLDER, "b": "stays" }));
    }

    #[test]
    fn the_name_of_an_entry_is_hidden_and_its_value_stays() {
        let mut value = json!({ PLACEHOLDER: 1, KEY: { "b": "stays" } });
        assert!(hide(&mut value, false));
        assert_eq!(value, json!({ PLACEHOLDER: 1, "[secret hidden] 2": { "b": "stays" } }));
    }

    #[test]
    fn a_hit_that_ends_within_an_escape_takes_the_whole_text() {
        let mut value = json!("abc\\def");
        let written = write(&value);
        let half = SecretMatch { start: 2, family: super::super::SecretFamily::NamedValue, end: 5 };
        let mut texts =
            WrittenTexts { written: &written, at: 0, hits: &[half], whole_texts: false, changed: false };
        texts.hide_in(&mut value);
        assert_eq!(value, PLACEHOLDER);
    }
}
