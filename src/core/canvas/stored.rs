//! A canvas as history keeps it: no secrets, no editor noise, keys in one order (manual 6.3 r2).

use super::foreign;
use crate::domain::flows::restore::HiddenSecret;
use crate::domain::secrets::tree;
use serde_json::{Map, Number, Value};
use std::io::{self, Write};

/// What an editor writes beside a drawing, on a node or an edge.
const NODE_NOISE: &[&str] =
    &["selected", "dragging", "resizing", "width", "height", "positionAbsolute", "measured"];
/// The same inside a node's data.
const DATA_NOISE: &[&str] = &["selected"];
/// The part of the drawing that was on the screen.
pub(super) const VIEWPORT: &str = "viewport";
/// Keys that come first, so that a person who reads a diff sees what it is about.
const FIRST_KEYS: &[&str] = &["id", "name", "label", "type"];
/// Whole numbers below this are the same with and without a point.
const WHOLE_MAX: f64 = 9_007_199_254_740_992.0;

/// A canvas without what history never keeps. Two are equal when history sees no difference between them: that is
/// how `liveSha` and `unchanged` compare (manual 6.4 r2).
#[derive(Debug, Clone, PartialEq)]
pub struct StoredCanvas {
    raw: Map<String, Value>,
}

impl StoredCanvas {
    /// Reads the text of `canvas.json`; `None` when it is no canvas.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut raw: Map<String, Value> = serde_json::from_str(text).ok()?;
        remove_foreign(&mut raw);
        let is_list = |name: &str| raw.get(name).is_some_and(Value::is_array);
        (is_list("nodes") && is_list("edges")).then_some(Self { raw })
    }

    /// The canvas of a flow that is not there.
    #[must_use]
    pub fn empty() -> Self {
        let list = |name: &str| (name.to_owned(), Value::Array(Vec::new()));
        Self::from_raw(["nodes", "edges"].map(list).into_iter().collect())
    }

    pub(super) fn from_raw(mut raw: Map<String, Value>) -> Self {
        raw.shift_remove(VIEWPORT);
        remove_foreign(&mut raw);
        for value in list_mut(&mut raw, "nodes") {
            let Value::Object(node) = value else { continue };
            remove(node, NODE_NOISE);
            if let Some(Value::Object(data)) = node.get_mut("data") {
                remove(data, DATA_NOISE);
            }
        }
        for value in list_mut(&mut raw, "edges") {
            if let Value::Object(edge) = value {
                remove(edge, NODE_NOISE);
            }
        }
        Self { raw: sort_map(raw) }
    }

    /// The text of `canvas.json`: one key a line, so that a diff reads well.
    ///
    /// # Panics
    /// Never: JSON values are always written.
    #[must_use]
    pub fn text(&self) -> String {
        serde_json::to_string_pretty(&self.raw).expect("a JSON value can be written") + "\n"
    }

    /// [`Self::text`], unless it has more bytes than these: a deep canvas can grow a hundredfold when it is indented.
    #[must_use]
    pub fn text_within(&self, bytes_max: usize) -> Option<String> {
        let mut bounded = LimitedString { text: Vec::new(), bytes_max };
        serde_json::to_writer_pretty(&mut bounded, &self.raw).ok()?;
        bounded.write_all(b"\n").ok()?;
        String::from_utf8(bounded.text).ok()
    }

    /// The nodes, in stored order.
    #[must_use]
    pub fn nodes(&self) -> &[Value] {
        list(&self.raw, "nodes")
    }

    /// The edges, in stored order.
    #[must_use]
    pub fn edges(&self) -> &[Value] {
        list(&self.raw, "edges")
    }

    #[must_use]
    pub const fn raw(&self) -> &Map<String, Value> {
        &self.raw
    }

    /// How many placeholders it holds (`hiddenSecrets` of a version, manual 6.1).
    #[must_use]
    pub fn placeholder_count(&self) -> usize {
        self.raw.iter().map(|(_, value)| tree::count_placeholders_in(value)).sum()
    }

    /// Where its placeholders stand (manual 6.5).
    #[must_use]
    pub fn hidden_secrets(&self, cards: &dyn super::CardSchemas) -> Vec<HiddenSecret> {
        self.nodes().iter().flat_map(|node| super::secrets::find_placeholders(node, cards)).collect()
    }
}

/// A canvas that was stored by an older version of the service may still hold what is no part of one: a version never
/// does, and an old version that does is read as if it did not, so that the two are equal.
fn remove_foreign(raw: &mut Map<String, Value>) {
    let beside = foreign::foreign_keys(raw);
    remove(raw, &beside.iter().map(String::as_str).collect::<Vec<_>>());
    foreign::remove_sealed_credentials(raw);
}

/// A text that refuses to grow past its limit.
struct LimitedString {
    text: Vec<u8>,
    bytes_max: usize,
}

impl Write for LimitedString {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.text.len() + bytes.len() > self.bytes_max {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.text.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn remove(map: &mut Map<String, Value>, names: &[&str]) {
    for name in names {
        map.shift_remove(*name);
    }
}

fn list<'m>(map: &'m Map<String, Value>, name: &str) -> &'m [Value] {
    map.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

pub(super) fn list_mut<'m>(map: &'m mut Map<String, Value>, name: &str) -> &'m mut [Value] {
    map.get_mut(name).and_then(Value::as_array_mut).map_or(&mut [], Vec::as_mut_slice)
}

/// The map with its keys in one order, whatever editor saved it.
fn sort_map(map: Map<String, Value>) -> Map<String, Value> {
    let rank = |name: &str| FIRST_KEYS.iter().position(|first| *first == name).unwrap_or(FIRST_KEYS.len());
    let mut entries: Vec<(String, Value)> = map.into_iter().collect();
    entries.sort_by(|(a, _), (b, _)| (rank(a), a).cmp(&(rank(b), b)));
    entries.into_iter().map(|(name, value)| (name, sort_keys(value))).collect()
}

fn sort_keys(value: Value) -> Value {
    match value {
        Value::Object(map) => Value::Object(sort_map(map)),
        Value::Array(list) => list.into_iter().map(sort_keys).collect(),
        Value::Number(number) => Value::Number(normalize_number(number)),
        other => other,
    }
}

/// 1 and 1.0 are one number to the editors, which write now the one, now the other.
fn normalize_number(number: Number) -> Number {
    match number.as_f64().filter(|_| number.is_f64()) {
        #[allow(clippy::cast_possible_truncation, reason = "it is whole and small enough")]
        Some(float) if float.fract() == 0.0 && float.abs() < WHOLE_MAX => Number::from(float as i64),
        _ => number,
    }
}
