//! From a version back to a canvas that runs: credentials by name and type, never-stored values from the flow as it is.

use super::credentials::{CredentialChooser, CredentialName, PlacedValues, parse_credential_notes};
use super::redact_node::Redactor;
use super::{CREDENTIALS, find_placeholders, redact};
use crate::canvas::Canvas;
use crate::canvas::schemas::CardSchemas;
use crate::canvas::stored::{StoredCanvas, VIEWPORT, list_mut};
use crate::domain::flows::restore::{AmbiguousCredential, HiddenSecret, MissingCredential};
use crate::domain::secrets::json_text::{self, DEPTH_MAX_LEVELS};
use crate::domain::secrets::{names, tree};
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// What becomes of a `[secret hidden]` in the version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaceholderPolicy {
    /// It stays, to be replaced by a person: read, restore, roll back (manual 6.5 r3).
    Keep,
    /// The input keeps the value it has now, if it has one: promote.
    UseCurrentValue,
}

/// What the workspace knows.
pub struct RestoreContext<'a> {
    pub cards: &'a dyn CardSchemas,
    /// Ids of the credentials with this name and type, the oldest first. Names are compared as history shows them:
    /// with secrets hidden.
    pub credentials: &'a dyn Fn(&CredentialName) -> Vec<String>,
}

/// A version made ready, with what its reader must be told (manual 6.5).
#[derive(Debug, Clone, PartialEq)]
pub struct RestoredCanvas {
    /// The canvas text, in the form of a flow's `flowData`.
    pub flow_data: String,
    /// Credentials that are named and absent: their nodes have none selected.
    pub missing_credentials: Vec<MissingCredential>,
    /// Credentials of which there were several.
    pub ambiguous_credentials: Vec<AmbiguousCredential>,
    /// Inputs that hold `[secret hidden]`.
    pub hidden_secrets: Vec<HiddenSecret>,
}

/// Makes a version ready to be saved or shown. `now` is the flow as it is, if it still is.
///
/// # Panics
/// Never: JSON values are always written.
#[must_use]
pub fn restore(
    version: &StoredCanvas,
    now: Option<&Canvas>,
    workspace: &RestoreContext<'_>,
    hidden: PlaceholderPolicy,
) -> RestoredCanvas {
    let nodes_now = now.map(|now| CurrentNodes::from_canvas(now, workspace.cards)).unwrap_or_default();
    let mut choice = CredentialChooser {
        candidates: workspace.credentials,
        in_use: nodes_now.credentials.values().flat_map(HashMap::values).cloned().collect(),
        missing: Vec::new(),
        ambiguous: Vec::new(),
    };
    choice.in_use.sort_unstable();
    let mut raw = version.raw().clone();
    let positions = positions(version.nodes());
    for node in list_mut(&mut raw, "nodes") {
        let Value::Object(node) = node else { continue };
        set_absolute_position(node, &positions);
        let noted =
            node.shift_remove(CREDENTIALS).map(|noted| parse_credential_notes(&noted)).unwrap_or_default();
        let key = key_of(node);
        let Some(data) = node.get_mut("data").and_then(Value::as_object_mut) else { continue };
        if let (Some(inputs), Some(inputs_now)) =
            (data.get_mut("inputs").and_then(Value::as_object_mut), nodes_now.inputs.get(&key))
        {
            if hidden == PlaceholderPolicy::UseCurrentValue {
                restore_placeholders(inputs, &inputs_now.real);
            }
            merge_map(inputs, &inputs_now.stored, &inputs_now.real, DEPTH_MAX_LEVELS);
        }
        let own = nodes_now.credentials.get(&key);
        let mut additions = PlacedValues::default();
        for (pointer, wanted) in noted {
            let own = own.and_then(|own| own.get(&pointer)).map(String::as_str);
            if let Some(id) = choice.choose(wanted, own) {
                additions.add(&pointer, id);
            }
        }
        additions.put_into(data);
    }
    let hidden_secrets = list_mut(&mut raw, "nodes")
        .iter()
        .flat_map(|node| find_placeholders(node, workspace.cards))
        .collect();
    if let Some(viewport) = now.and_then(|now| now.raw().get(VIEWPORT)) {
        raw.insert(VIEWPORT.to_owned(), viewport.clone());
    }
    RestoredCanvas {
        flow_data: serde_json::to_string(&raw).expect("a JSON value can be written"),
        missing_credentials: choice.missing,
        ambiguous_credentials: choice.ambiguous,
        hidden_secrets,
    }
}

/// A node is the same when its id and its card are.
type NodeKey = (String, String);

/// The inputs of a node of the flow as it is.
struct CurrentInputs {
    stored: Map<String, Value>,
    real: Map<String, Value>,
}

/// The nodes of the flow as it is: their inputs, and their credentials by place.
#[derive(Default)]
struct CurrentNodes {
    inputs: HashMap<NodeKey, CurrentInputs>,
    credentials: HashMap<NodeKey, HashMap<String, String>>,
}

impl CurrentNodes {
    fn from_canvas(now: &Canvas, cards: &dyn CardSchemas) -> Self {
        let stored = redact(now, cards, &|_| None);
        let real = now.raw().get("nodes").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let mut nodes = Self::default();
        for (stored, real) in stored.nodes().iter().zip(real) {
            let Some(key) = real.as_object().map(key_of).filter(|(id, _)| !id.is_empty()) else { continue };
            let inputs = |node: &Value| {
                node.pointer("/data/inputs").and_then(Value::as_object).cloned().unwrap_or_default()
            };
            let inputs = CurrentInputs { stored: inputs(stored), real: inputs(real) };
            nodes.inputs.insert(key.clone(), inputs);
            let found = Redactor::new(cards).credentials_of(real);
            nodes.credentials.insert(key, found.into_iter().map(|found| (found.pointer, found.id)).collect());
        }
        nodes
    }
}

fn key_of(node: &Map<String, Value>) -> NodeKey {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
    (text(node.get("id")), text(node.get("data").and_then(|data| data.get("name"))))
}

/// Gives inputs that hold a placeholder the value they have now.
fn restore_placeholders(inputs: &mut Map<String, Value>, real: &Map<String, Value>) {
    for (name, value) in inputs.iter_mut().filter(|(_, value)| tree::count_placeholders_in(value) > 0) {
        if let Some(kept) = real.get(name) {
            *value = kept.clone();
        }
    }
}

/// Puts back what history left out: what is in `real`, but neither in `stored`, which is `real` as history shows it,
/// nor in the version.
fn merge_map(
    version: &mut Map<String, Value>,
    stored: &Map<String, Value>,
    real: &Map<String, Value>,
    levels: usize,
) -> bool {
    let same_pick = |version: &Map<String, Value>, name: &str| match name.strip_suffix("Config") {
        Some(picker) => version.get(picker) == stored.get(picker),
        None => true,
    };
    let mut changed = false;
    for (name, real) in real {
        // Which credential is meant, the version itself says.
        if names::is_credential_id(name) {
            continue;
        }
        match stored.get(name) {
            None if !version.contains_key(name) => {
                version.insert(name.clone(), real.clone());
                changed = true;
            }
            Some(stored) if same_pick(version, name) => {
                changed |= version.get_mut(name).is_some_and(|version| merge(version, stored, real, levels));
            }
            _ => {}
        }
    }
    changed
}

fn merge(version: &mut Value, stored: &Value, real: &Value, levels: usize) -> bool {
    if stored == real {
        return false;
    }
    match (version, stored, real) {
        (Value::Object(version), Value::Object(stored), Value::Object(real)) => {
            merge_map(version, stored, real, levels)
        }
        (Value::Array(version), Value::Array(stored), Value::Array(real)) if stored.len() == real.len() => {
            let mut changed = false;
            // A row that reads otherwise is another row: its secret is not this one's.
            for ((version, stored), real) in version.iter_mut().zip(stored).zip(real) {
                if version == stored {
                    changed |= merge(version, stored, real, levels);
                }
            }
            changed
        }
        (Value::String(version), Value::String(stored), Value::String(real)) if levels > 0 => {
            let (Some(mut inner), Some(stored), Some(real)) =
                (json_text::parse(version), json_text::parse(stored), json_text::parse(real))
            else {
                return false;
            };
            let changed = merge(&mut inner.value, &stored.value, &real.value, levels - 1);
            if changed {
                *version = inner.value.to_string();
            }
            changed
        }
        _ => false,
    }
}

fn positions(nodes: &[Value]) -> HashMap<String, (f64, f64)> {
    let read = |node: &Value| Some((node.get("id")?.as_str()?.to_owned(), point(node.get("position")?)?));
    nodes.iter().filter_map(read).collect()
}

fn point(position: &Value) -> Option<(f64, f64)> {
    Some((position.get("x")?.as_f64()?, position.get("y")?.as_f64()?))
}

/// Editors of Flowise expect the absolute place beside the one within the parent.
fn set_absolute_position(node: &mut Map<String, Value>, positions: &HashMap<String, (f64, f64)>) {
    let Some(position) = node.get("position").cloned() else { return };
    let parent = node.get("parentNode").and_then(Value::as_str).and_then(|parent| positions.get(parent));
    let absolute = match (parent, point(&position)) {
        (Some((x, y)), Some((within_x, within_y))) => json!({ "x": x + within_x, "y": y + within_y }),
        _ => position,
    };
    node.insert("positionAbsolute".to_owned(), absolute);
}
