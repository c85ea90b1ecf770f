//! A canvas as history keeps it, and back: secrets hidden, never-stored values left out, credentials by name and
//! type only (spec 2.7, 4.3 r3; security rules 9).

use crate::domain::secrets::{json_text, names, tree};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// What the canvas room must be told about cards and credentials.
pub trait Rules {
    /// True when history never keeps this input: a password, or a field a credential declares.
    fn is_never_stored(&self, card: &str, input: &str) -> bool;

    /// Name and type of a stored credential of the flow's workspace.
    fn credential(&self, id: &str) -> Option<CredentialName>;

    /// The label of an input, when the card is known.
    fn input_label(&self, card: &str, input: &str) -> Option<String>;
}

/// A credential as history names it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CredentialName {
    /// The name its owner gave it.
    pub name: String,
    /// Its type.
    pub credential_name: String,
}

/// An input that holds placeholders (spec 4.3 r3 `hiddenSecrets`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HiddenAt {
    /// Node id.
    pub node: String,
    /// Card label.
    pub label: String,
    /// Input name; empty for what stands elsewhere in the node.
    pub input: String,
    /// Input label.
    pub input_label: String,
    /// How many.
    pub count: usize,
}

/// Takes everything out of a canvas that history must not hold.
#[must_use]
pub fn hide(canvas: &Map<String, Value>, rules: &dyn Rules) -> Map<String, Value> {
    let mut hidden = canvas.clone();
    for node in nodes_mut(&mut hidden) {
        let card = text(node, "name").to_owned();
        let passwords = password_params(node);
        let Some(data) = node.get_mut("data").and_then(Value::as_object_mut) else { continue };
        name_credentials(data, rules);
        let Some(inputs) = data.get_mut("inputs").and_then(Value::as_object_mut) else { continue };
        inputs.retain(|input, value| {
            !passwords.iter().any(|name| name == input)
                && !rules.is_never_stored(&card, input)
                && !is_file_data(value)
        });
        inputs.values_mut().for_each(|value| drop_never_stored(value, rules, json_text::DEPTH_MAX_LEVELS));
        inputs.retain(|input, _| !names::is_never_stored(input));
    }
    let mut whole = Value::Object(hidden);
    tree::hide_in(&mut whole);
    match whole {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

/// Where a hidden canvas holds placeholders.
#[must_use]
pub fn hidden_at(canvas: &Map<String, Value>, rules: &dyn Rules) -> Vec<HiddenAt> {
    let mut found = Vec::new();
    for node in nodes(canvas) {
        let (id, card, label) = (node_id(node), text(node, "name"), text(node, "label"));
        let none = Map::new();
        let inputs = inputs(node).unwrap_or(&none);
        let mut in_inputs = 0;
        for (input, value) in inputs {
            let count = tree::count_in(value);
            in_inputs += count;
            if count > 0 {
                found.push(HiddenAt {
                    node: id.to_owned(),
                    label: label.to_owned(),
                    input_label: rules.input_label(card, input).unwrap_or_else(|| input.clone()),
                    input: input.clone(),
                    count,
                });
            }
        }
        let elsewhere = tree::count_in(node) - in_inputs;
        if elsewhere > 0 {
            found.push(HiddenAt {
                node: id.to_owned(),
                label: label.to_owned(),
                input: String::new(),
                input_label: String::new(),
                count: elsewhere,
            });
        }
    }
    found
}

/// How the credentials of a version were matched (spec 4.3 r3).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Matched {
    /// Named by the version, absent in the workspace.
    pub missing: Vec<CredentialName>,
    /// Names and types that several of the workspace have: how many, and whether the one in use was taken.
    pub ambiguous: Vec<(CredentialName, usize, bool)>,
}

/// Brings a version's canvas up to date: values history never keeps come from `current` (same node id, card and input
/// only), credentials are matched by name and type. `candidates` are ids with their names, oldest first.
#[must_use]
pub fn fill(
    version: &Map<String, Value>,
    current: &Map<String, Value>,
    candidates: &[(String, CredentialName)],
    rules: &dyn Rules,
) -> (Map<String, Value>, Matched) {
    let mut filled = version.clone();
    let mut matched = Matched::default();
    for node in nodes_mut(&mut filled) {
        let card = text(node, "name").to_owned();
        let now = nodes(current).find(|other| node_id(other) == node_id(node) && text(other, "name") == card);
        let passwords = now.map(password_params).unwrap_or_default();
        let Some(data) = node.get_mut("data").and_then(Value::as_object_mut) else { continue };
        let data_now = now.and_then(|now| now.get("data")).and_then(Value::as_object);
        select_credentials(data, data_now, candidates, &mut matched);
        let inputs_now = now.and_then(inputs);
        let (Some(inputs), Some(inputs_now)) =
            (data.get_mut("inputs").and_then(Value::as_object_mut), inputs_now)
        else {
            continue;
        };
        for (input, value) in inputs_now {
            let never = passwords.iter().any(|name| name == input)
                || rules.is_never_stored(&card, input)
                || names::is_never_stored(input)
                || is_file_data(value);
            match inputs.get_mut(input) {
                None if never && !names::is_credential_id(input) => {
                    drop(inputs.insert(input.clone(), value.clone()));
                }
                Some(old) => fill_inside(old, value, json_text::DEPTH_MAX_LEVELS),
                None => {}
            }
        }
    }
    matched.missing.sort();
    matched.missing.dedup();
    matched.ambiguous.sort();
    matched.ambiguous.dedup();
    (filled, matched)
}

fn nodes_mut(canvas: &mut Map<String, Value>) -> impl Iterator<Item = &mut Value> {
    canvas.get_mut("nodes").and_then(Value::as_array_mut).into_iter().flatten()
}

fn nodes(canvas: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    canvas.get("nodes").and_then(Value::as_array).into_iter().flatten()
}

fn node_id(node: &Value) -> &str {
    node.get("id").and_then(Value::as_str).unwrap_or_default()
}

fn text<'a>(node: &'a Value, name: &str) -> &'a str {
    node.get("data").and_then(|data| data.get(name)).and_then(Value::as_str).unwrap_or_default()
}

fn inputs(node: &Value) -> Option<&Map<String, Value>> {
    node.get("data")?.get("inputs")?.as_object()
}

/// Inputs that the definition the flow was saved with calls passwords.
fn password_params(node: &Value) -> Vec<String> {
    let params = node.get("data").and_then(|data| data.get("inputParams")).and_then(Value::as_array);
    let is_password = |param: &&Value| param.get("type").and_then(Value::as_str) == Some("password");
    let name = |param: &Value| param.get("name").and_then(Value::as_str).map(str::to_owned);
    params.into_iter().flatten().filter(is_password).filter_map(name).collect()
}

/// Bytes of a file an editor put inline; pictures in texts stay readable.
fn is_file_data(value: &Value) -> bool {
    let is_data = |text: &str| {
        text.starts_with("data:")
            && text.contains(";base64,")
            && (text.contains(",filename:") || !text.starts_with("data:image/"))
    };
    match value {
        Value::String(text) => is_data(text) || (text.starts_with("[\"data:") && text.contains(",filename:")),
        Value::Array(items) => items.iter().any(is_file_data),
        _ => false,
    }
}

/// Puts name and type in place of every credential id, at any depth of a node's data.
fn name_credentials(data: &mut Map<String, Value>, rules: &dyn Rules) {
    for (key, value) in data.iter_mut() {
        match value {
            Value::String(id) if names::is_credential_id(key) => {
                *value = rules.credential(id).map_or(Value::Null, |credential| json!(credential));
            }
            Value::Object(map) => name_credentials(map, rules),
            Value::Array(items) => {
                items
                    .iter_mut()
                    .filter_map(Value::as_object_mut)
                    .for_each(|map| name_credentials(map, rules));
            }
            _ => {}
        }
    }
}

/// Puts ids back, where the workspace has a credential of that name and type.
fn select_credentials(
    data: &mut Map<String, Value>,
    now: Option<&Map<String, Value>>,
    candidates: &[(String, CredentialName)],
    matched: &mut Matched,
) {
    for (key, value) in data.iter_mut() {
        let there = now.and_then(|now| now.get(key));
        match value {
            Value::Object(named) if names::is_credential_id(key) => {
                let field =
                    |name: &str| named.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
                let wanted = CredentialName { name: field("name"), credential_name: field("credentialName") };
                *value = Value::String(choose(&wanted, there.and_then(Value::as_str), candidates, matched));
            }
            Value::Object(map) => {
                select_credentials(map, there.and_then(Value::as_object), candidates, matched);
            }
            Value::Array(items) => {
                for (index, item) in items.iter_mut().enumerate() {
                    let there = there.and_then(|there| there.get(index)).and_then(Value::as_object);
                    if let Some(map) = item.as_object_mut() {
                        select_credentials(map, there, candidates, matched);
                    }
                }
            }
            _ => {}
        }
    }
}

fn choose(
    wanted: &CredentialName,
    in_use: Option<&str>,
    candidates: &[(String, CredentialName)],
    matched: &mut Matched,
) -> String {
    let fitting: Vec<&String> =
        candidates.iter().filter(|(_, name)| name == wanted).map(|(id, _)| id).collect();
    let Some(oldest) = fitting.first() else {
        matched.missing.push(wanted.clone());
        return String::new();
    };
    let current = fitting.iter().find(|id| in_use == Some(id.as_str()));
    if fitting.len() > 1 {
        matched.ambiguous.push((wanted.clone(), fitting.len(), current.is_some()));
    }
    (*current.unwrap_or(oldest)).clone()
}

/// Drops values of never-stored names inside a value: objects, lists, rows of tables, JSON texts.
fn drop_never_stored(value: &mut Value, rules: &dyn Rules, levels: usize) {
    match value {
        Value::Object(map) => {
            name_credentials(map, rules);
            if tree::row_name(map).is_some_and(names::is_never_stored) {
                map.shift_remove(tree::ROW_VALUE);
            }
            map.retain(|name, value| {
                (!names::is_never_stored(name) || is_schema(value)) && !is_file_data(value)
            });
            map.values_mut().for_each(|value| drop_never_stored(value, rules, levels));
        }
        Value::Array(items) => items.iter_mut().for_each(|value| drop_never_stored(value, rules, levels)),
        Value::String(text) if levels > 0 => {
            if let Some(inner) = json_text::read(text) {
                let mut dropped = inner.value.clone();
                drop_never_stored(&mut dropped, rules, levels - 1);
                if dropped != inner.value {
                    *text = dropped.to_string();
                }
            }
        }
        _ => {}
    }
}

/// True for what a JSON schema says of a field: its name is a name and it holds no value.
fn is_schema(value: &Value) -> bool {
    const WORDS: &[&str] = &["type", "title", "description", "format", "minLength", "maxLength", "nullable"];
    let Value::Object(map) = value else { return false };
    map.contains_key("type") && map.keys().all(|name| WORDS.contains(&name.as_str()))
}

/// Fills what was dropped inside a value from the same place of the flow as it is now.
fn fill_inside(old: &mut Value, now: &Value, levels: usize) {
    match (old, now) {
        (Value::Object(old), Value::Object(now)) => {
            let row = tree::row_name(now).is_some_and(names::is_never_stored) && same_row(old, now);
            for (name, value) in now {
                match old.get_mut(name) {
                    Some(inner) => fill_inside(inner, value, levels),
                    None if names::is_credential_id(name) => {}
                    None if names::is_never_stored(name) || (row && name == tree::ROW_VALUE) => {
                        old.insert(name.clone(), value.clone());
                    }
                    None => {}
                }
            }
        }
        (Value::Array(old), Value::Array(now)) if old.len() == now.len() => {
            old.iter_mut().zip(now).for_each(|(old, now)| fill_inside(old, now, levels));
        }
        (Value::String(old), Value::String(now)) if levels > 0 => {
            if let (Some(inner), Some(inner_now)) = (json_text::read(old), json_text::read(now)) {
                let mut filled = inner.value.clone();
                fill_inside(&mut filled, &inner_now.value, levels - 1);
                if filled != inner.value {
                    *old = filled.to_string();
                }
            }
        }
        _ => {}
    }
}

/// True when two rows of a table name the same thing.
fn same_row(old: &Map<String, Value>, now: &Map<String, Value>) -> bool {
    now.iter()
        .filter(|(name, _)| *name != tree::ROW_VALUE && *name != "id")
        .all(|(name, value)| old.get(name) == Some(value))
}
