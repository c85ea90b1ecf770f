//! What differs between two canvases (spec 4.3 r4). Both come as history keeps them: secrets hidden, values that
//! are never stored left out, so neither can show as a change.

use super::Canvas;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::{BTreeSet, HashMap};

/// A node in a list of changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NodeName {
    /// Node id.
    pub id: String,
    /// Card label.
    pub label: String,
    /// Card name.
    pub name: String,
}

/// A node whose settings differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChangedNode {
    /// Node id.
    pub id: String,
    /// Card label.
    pub label: String,
    /// Input names, or the key of another setting.
    pub fields: Vec<String>,
    /// Card name, for titles.
    #[serde(skip)]
    pub name: String,
}

/// What differs, from an older canvas to a newer one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Diff {
    /// Nodes only the newer one has.
    pub added: Vec<NodeName>,
    /// Nodes only the older one has.
    pub removed: Vec<NodeName>,
    /// Nodes of both whose settings differ.
    pub changed: Vec<ChangedNode>,
    /// Ids of nodes that stand elsewhere.
    pub moved: Vec<String>,
    /// The connections differ by their ends.
    pub edges_changed: bool,
}

impl Diff {
    /// True when nothing differs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Parts of a node's data that repeat the card's definition or what the editor did last.
const NOT_SETTINGS: &[&str] = &[
    "inputs",
    "inputParams",
    "inputAnchors",
    "outputAnchors",
    "description",
    "baseClasses",
    "selected",
    "id",
    "icon",
    "filePath",
];

/// Compares two canvases; an absent older one makes every node an added one.
#[must_use]
pub fn diff(older: Option<&Canvas>, newer: &Canvas) -> Diff {
    let before = older.map(nodes).unwrap_or_default();
    let after = nodes(newer);
    let ids_before: HashMap<&str, &Value> = before.iter().map(|node| (id(node), *node)).collect();
    let ids_after: BTreeSet<&str> = after.iter().map(|node| id(node)).collect();
    let mut diff =
        Diff { edges_changed: older.map(edges).unwrap_or_default() != edges(newer), ..Diff::default() };
    for node in &after {
        let Some(was) = ids_before.get(id(node)) else {
            diff.added.push(named(node));
            continue;
        };
        let fields = fields(was, node);
        if !fields.is_empty() {
            let NodeName { id, label, name } = named(node);
            diff.changed.push(ChangedNode { id, label, fields, name });
        }
        if place(was) != place(node) {
            diff.moved.push(id(node).to_owned());
        }
    }
    diff.removed =
        before.iter().filter(|node| !ids_after.contains(id(node))).map(|node| named(node)).collect();
    diff
}

fn nodes(canvas: &Canvas) -> Vec<&Value> {
    canvas.raw().get("nodes").and_then(Value::as_array).into_iter().flatten().collect()
}

fn id(node: &Value) -> &str {
    node.get("id").and_then(Value::as_str).unwrap_or_default()
}

fn named(node: &Value) -> NodeName {
    let text = |name: &str| {
        node.get("data").and_then(|data| data.get(name)).and_then(Value::as_str).unwrap_or_default()
    };
    NodeName { id: id(node).to_owned(), label: text("label").to_owned(), name: text("name").to_owned() }
}

fn place(node: &Value) -> [Option<f64>; 2] {
    ["x", "y"]
        .map(|axis| node.get("position").and_then(|position| position.get(axis)).and_then(Value::as_f64))
}

/// The names of the settings that differ: inputs first, then other parts of the data, each in order of name.
fn fields(before: &Value, after: &Value) -> Vec<String> {
    let none = Map::new();
    let data = |node: &'_ Value| node.get("data").and_then(Value::as_object).cloned().unwrap_or_default();
    let (before, after) = (data(before), data(after));
    let inputs =
        |data: &Map<String, Value>| data.get("inputs").and_then(Value::as_object).unwrap_or(&none).clone();
    let mut fields = differing(&inputs(&before), &inputs(&after), &[]);
    fields.extend(differing(&before, &after, NOT_SETTINGS));
    fields
}

fn differing(before: &Map<String, Value>, after: &Map<String, Value>, except: &[&str]) -> Vec<String> {
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let differs =
        |name: &&String| set(before.get(*name)) != set(after.get(*name)) && !except.contains(&name.as_str());
    names.into_iter().filter(differs).cloned().collect()
}

/// An empty text, an empty list and nothing are the same: not set.
fn set(value: Option<&Value>) -> Option<&Value> {
    value.filter(|value| match value {
        Value::Null => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(map) => !map.is_empty(),
        _ => true,
    })
}

fn edges(canvas: &Canvas) -> BTreeSet<[&str; 4]> {
    let list = canvas.raw().get("edges").and_then(Value::as_array).into_iter().flatten();
    list.map(|edge| {
        ["source", "sourceHandle", "target", "targetHandle"]
            .map(|name| edge.get(name).and_then(Value::as_str).unwrap_or_default())
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn canvas(nodes: Value, edges: Value) -> Canvas {
        Canvas::parse(&json!({"nodes": nodes, "edges": edges}).to_string()).unwrap()
    }

    fn node(id: &str, x: f64, temperature: &str, label: &str) -> Value {
        json!({"id": id, "position": {"x": x, "y": 0}, "selected": true,
            "data": {"id": id, "name": "chatOpenAI", "label": label, "inputs": {"temperature": temperature, "maxTokens": ""}}})
    }

    #[test]
    fn every_kind_of_difference_is_told() {
        let before = canvas(
            json!([node("a", 0.0, "1", "A"), node("b", 0.0, "1", "B"), node("c", 0.0, "1", "C")]),
            json!([]),
        );
        let after = canvas(
            json!([node("a", 5.0, "1", "A"), node("b", 0.0, "2", "New"), node("d", 0.0, "1", "D")]),
            json!([{"source": "a", "target": "d"}]),
        );
        let diff = diff(Some(&before), &after);
        assert_eq!(diff.added.iter().map(|node| node.id.as_str()).collect::<Vec<_>>(), ["d"]);
        assert_eq!(diff.removed.iter().map(|node| node.id.as_str()).collect::<Vec<_>>(), ["c"]);
        assert_eq!(diff.changed[0].fields, ["temperature", "label"]);
        assert_eq!((diff.moved, diff.edges_changed), (vec!["a".to_owned()], true));
    }

    #[test]
    fn noise_and_unset_values_are_no_difference() {
        let before = canvas(json!([node("a", 0.0, "1", "A")]), json!([]));
        let mut other = node("a", 0.0, "1", "A");
        other["selected"] = json!(false);
        other["width"] = json!(300);
        other["data"]["inputs"] = json!({"temperature": "1", "topP": "", "stop": null});
        assert!(diff(Some(&before), &canvas(json!([other]), json!([]))).is_empty());
    }

    #[test]
    fn without_an_older_canvas_every_node_is_added() {
        let only = canvas(json!([node("a", 0.0, "1", "A")]), json!([]));
        assert_eq!(diff(None, &only).added.len(), 1);
    }
}
