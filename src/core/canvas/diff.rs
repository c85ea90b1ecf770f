//! What differs between two canvases, as history keeps them (manual 6.6).

use super::stored::StoredCanvas;
use crate::domain::flows::version_diff::{ChangedNode, Diff, DiffNode, NameChange};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashMap};

/// Keys of a node's data that describe its card. They change with the card's version, which says it better.
const DESCRIPTIONS: &[&str] = &[
    "baseClasses",
    "category",
    "color",
    "description",
    "hideInput",
    "hideOutput",
    "icon",
    "id",
    "inputAnchors",
    "inputParams",
    "outputAnchors",
    "tags",
    "type",
];

/// Stands for the flow's record among the nodes that changed.
const RECORD_ID: &str = "settings";
const RECORD_LABEL: &str = "Settings";

impl NameChange {
    /// The change from one name to the other; `None` when there is none.
    #[must_use]
    pub fn between(from: &str, to: &str) -> Option<Self> {
        (from != to).then(|| Self { from: from.to_owned(), to: to.to_owned() })
    }
}

impl Diff {
    /// What changed from `earlier` to `later`. A flow that was not there is an empty canvas.
    #[must_use]
    pub fn between(earlier: &StoredCanvas, later: &StoredCanvas) -> Self {
        let (before, after) = (by_id(earlier), by_id(later));
        let same_card = |a: &Value, b: &Value| text(data(a, "name")) == text(data(b, "name"));
        let stays = |node: &&Value, other: &HashMap<String, &Value>| {
            other.get(&id_of(node)).is_some_and(|other| same_card(node, other))
        };
        let mut diff = Self {
            added: later
                .nodes()
                .iter()
                .filter(|node| !stays(node, &before))
                .map(DiffNode::from_node)
                .collect(),
            removed: earlier
                .nodes()
                .iter()
                .filter(|node| !stays(node, &after))
                .map(DiffNode::from_node)
                .collect(),
            edges_changed: edge_counts(earlier) != edge_counts(later),
            ..Self::default()
        };
        for node in later.nodes().iter().filter(|node| stays(node, &before)) {
            let id = id_of(node);
            let earlier = before[&id];
            if node.get("position") != earlier.get("position") {
                diff.moved.push(id.clone());
            }
            let fields = changed_fields(earlier, node);
            if !fields.is_empty() {
                diff.changed.push(ChangedNode { id, label: label_of(node), fields });
            }
        }
        diff
    }

    /// With the keys of the flow's record that differ, settings above all, as one more thing that changed.
    #[must_use]
    pub fn with_record(mut self, earlier: &Map<String, Value>, later: &Map<String, Value>) -> Self {
        let said = |record: &Map<String, Value>| {
            let kept = record.iter().filter(|(_, value)| !is_empty_value(value));
            kept.map(|(key, value)| (key.clone(), value.clone())).collect::<Map<_, _>>()
        };
        let (earlier, later) = (Value::Object(said(earlier)), Value::Object(said(later)));
        let fields = differing_keys((Some(&earlier), Some(&later)), &[]);
        if !fields.is_empty() {
            let (id, label) = (RECORD_ID.to_owned(), RECORD_LABEL.to_owned());
            self.changed.push(ChangedNode { id, label, fields });
        }
        self
    }

    /// True when nothing changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl DiffNode {
    fn from_node(node: &Value) -> Self {
        Self { id: id_of(node), label: label_of(node), name: text(data(node, "name")) }
    }
}

/// What says the same as a key that is not there.
fn is_empty_value(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Object(map) => map.values().all(is_empty_value),
        _ => false,
    }
}

fn text(value: Option<&Value>) -> String {
    value.and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn data<'n>(node: &'n Value, name: &str) -> Option<&'n Value> {
    node.get("data")?.get(name)
}

fn id_of(node: &Value) -> String {
    text(node.get("id"))
}

fn label_of(node: &Value) -> String {
    let names = [text(data(node, "label")), text(data(node, "name")), id_of(node)];
    names.into_iter().find(|name| !name.is_empty()).unwrap_or_default()
}

fn by_id(canvas: &StoredCanvas) -> HashMap<String, &Value> {
    canvas.nodes().iter().map(|node| (id_of(node), node)).collect()
}

/// The connections by their ends, each with how often it is drawn.
fn edge_counts(canvas: &StoredCanvas) -> BTreeMap<[String; 4], usize> {
    let mut ends = BTreeMap::new();
    for edge in canvas.edges() {
        let of = ["source", "sourceHandle", "target", "targetHandle"].map(|name| text(edge.get(name)));
        *ends.entry(of).or_default() += 1;
    }
    ends
}

/// Names of the inputs that differ, then keys of the data and of the node itself.
fn changed_fields(earlier: &Value, later: &Value) -> Vec<String> {
    let both = |name: &str| (earlier.pointer(name), later.pointer(name));
    let mut fields = differing_keys(both("/data/inputs"), &[]);
    let (described, own): (Vec<_>, Vec<_>) = differing_keys(both("/data"), &["inputs"])
        .into_iter()
        .partition(|name| DESCRIPTIONS.contains(&name.as_str()));
    fields.extend(own);
    fields.extend(differing_keys(both(""), &["data", "position", "credentials"]));
    let (before, after) = both("/credentials");
    if before != after {
        fields.push("credential".to_owned());
    }
    // An editor fills in what a card looks like as it likes; that alone is still a change somebody made.
    if fields.is_empty() { described } else { fields }
}

/// Keys whose values differ; what is no object has none.
fn differing_keys((earlier, later): (Option<&Value>, Option<&Value>), except: &[&str]) -> Vec<String> {
    let empty = Map::new();
    let earlier = earlier.and_then(Value::as_object).unwrap_or(&empty);
    let later = later.and_then(Value::as_object).unwrap_or(&empty);
    let removed = earlier.keys().filter(|name| !later.contains_key(*name));
    let changed =
        later.iter().filter(|(name, value)| earlier.get(*name) != Some(*value)).map(|(name, _)| name);
    changed.chain(removed).filter(|name| !except.contains(&name.as_str())).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canvas::{Canvas, NoSchemas, secrets};
    use serde_json::json;

    fn stored(canvas: Value) -> StoredCanvas {
        secrets::redact(&Canvas::parse(&canvas.to_string()).unwrap(), &NoSchemas, &|_| None)
    }

    fn node(id: &str, name: &str, x: i64, inputs: Value) -> Value {
        json!({ "id": id, "position": { "x": x, "y": 0 }, "data": { "name": name, "label": format!("The {id}"), "inputs": inputs } })
    }

    fn edge(source: &str, target: &str) -> Value {
        json!({ "id": format!("{source}-{target}"), "source": source, "target": target })
    }

    #[test]
    fn every_part_of_a_difference_is_told() {
        let earlier = stored(json!({
            "nodes": [node("a", "chatOpenAI", 0, json!({ "temperature": "0.1", "old": 1 })), node("b", "llmChain", 0, json!({})), node("c", "x", 0, json!({}))],
            "edges": [edge("a", "b")],
        }));
        let later = stored(json!({
            "nodes": [node("b", "llmChain", 9, json!({})), node("a", "chatOpenAI", 0, json!({ "temperature": "0.2", "new": 1 })), node("c", "y", 0, json!({}))],
            "edges": [],
        }));
        let diff = Diff::between(&earlier, &later);
        let card = |name: &str| DiffNode { id: "c".into(), label: "The c".into(), name: name.into() };
        let fields = ["new", "temperature", "old"].map(str::to_owned).to_vec();
        assert_eq!(
            diff,
            Diff {
                added: vec![card("y")],
                removed: vec![card("x")],
                changed: vec![ChangedNode { id: "a".into(), label: "The a".into(), fields }],
                moved: vec!["b".into()],
                edges_changed: true,
                renamed: None,
            }
        );
        assert!(!diff.is_empty() && Diff::between(&later, &later).is_empty());
    }

    #[test]
    fn what_history_never_keeps_is_no_change() {
        let canvas = |password: &str, credential: &str, zoom: i64| {
            stored(json!({
                "nodes": [{
                    "id": "a", "selected": zoom == 1, "width": zoom, "position": { "x": 1.0, "y": 2 },
                    "data": {
                        "name": "x", "credential": credential, "selected": false,
                        "inputParams": [{ "name": "pin", "type": "password" }],
                        "inputs": { "pin": password, "apiKey": password, "text": format!("use AKIA{}, then", password) },
                    },
                }],
                "edges": [edge("a", "a")], "viewport": { "zoom": zoom },
            }))
        };
        let (one, two) = (canvas("ABCDEFGHIJKLMNOP", "id-1", 1), canvas("QRSTUVWXYZABCDEF", "id-2", 2));
        assert_eq!(one, two);
        assert!(Diff::between(&one, &two).is_empty());
        assert_eq!(one.text(), two.text());
    }

    #[test]
    fn another_label_credential_or_version_is_a_change() {
        let canvas = |label: &str, version: i64| {
            stored(
                json!({ "nodes": [{ "id": "a", "data": { "name": "x", "label": label, "version": version, "inputParams": [version] } }], "edges": [] }),
            )
        };
        let fields = |a, b| Diff::between(&a, &b).changed[0].fields.clone();
        assert_eq!(fields(canvas("A", 1), canvas("B", 1)), ["label"]);
        assert_eq!(fields(canvas("A", 1), canvas("A", 2)), ["version"]);
        let named = |name: &str| {
            let canvas =
                Canvas::parse(r#"{"nodes":[{"id":"a","data":{"name":"x","credential":"1"}}],"edges":[]}"#)
                    .unwrap();
            let name = name.to_owned();
            secrets::redact(&canvas, &NoSchemas, &|_| {
                Some(secrets::CredentialName { name: name.clone(), credential_name: "t".into() })
            })
        };
        assert_eq!(fields(named("one"), named("two")), ["credential"]);
        assert!(Diff::between(&named("one"), &named("one")).is_empty());
    }

    #[test]
    fn settings_are_told_by_their_keys() {
        let record = |value: Value| value.as_object().unwrap().clone();
        let one = record(json!({ "isPublic": false, "chatbotConfig": {}, "apiConfig": { "rateLimit": 1 } }));
        let two = record(
            json!({ "chatbotConfig": { "title": "x" }, "apiConfig": { "rateLimit": 2 }, "category": null }),
        );
        let told = |a: &_, b: &_| Diff::default().with_record(a, b).changed;
        let fields = vec!["chatbotConfig".to_owned(), "apiConfig".to_owned()];
        assert_eq!(
            told(&one, &two),
            [ChangedNode { id: "settings".into(), label: "Settings".into(), fields }]
        );
        assert_eq!(told(&two, &one)[0].fields, ["apiConfig", "chatbotConfig"]);
        assert_eq!(told(&one, &record(json!({ "apiConfig": { "rateLimit": 1 } }))), []);
    }

    #[test]
    fn edges_are_compared_by_their_ends() {
        let canvas = |edges: Value| stored(json!({ "nodes": [], "edges": edges }));
        let one = canvas(
            json!([{ "id": "1", "source": "a", "target": "b", "data": { "label": "x" } }, edge("b", "c")]),
        );
        let two = canvas(json!([edge("b", "c"), { "id": "2", "source": "a", "target": "b" }]));
        assert!(!Diff::between(&one, &two).edges_changed);
        assert!(Diff::between(&one, &canvas(json!([edge("a", "b")]))).edges_changed);
        assert!(
            Diff::between(&canvas(json!([edge("a", "b")])), &canvas(json!([edge("a", "b"), edge("a", "b")])))
                .edges_changed
        );
    }
}
