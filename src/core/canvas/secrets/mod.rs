//! What of a canvas history keeps, and how a kept canvas becomes one that runs again (manual 6.5, 6.8).
//!
//! Three things happen on the way in: what is never stored is taken out, credentials are noted by name and type
//! instead of their ids, and secret-shaped text anywhere else becomes `[secret hidden]`. The way out puts back what
//! the flow as it is now still has.

mod credentials;
mod merge_redacted;
mod never_stored;
mod redact_node;
mod restore;

#[cfg(test)]
mod leak_tests;
#[cfg(test)]
mod tests;

pub use self::merge_redacted::merge_redacted;
pub use self::never_stored::is_secret_field;
use self::redact_node::Redactor;
pub use self::redact_node::picked_card;
pub use self::restore::{PlaceholderPolicy, RestoreContext, RestoredCanvas, restore};
use super::foreign::remove_sealed_credentials;
use super::schemas::CardSchemas;
use super::stored::{StoredCanvas, list_mut};
use super::{Canvas, current_card_name};
use crate::domain::flows::restore::HiddenSecret;
use crate::domain::secrets::tree;
pub use credentials::CredentialName;
use credentials::{credential_note as note_of, parse_credential_notes};
use serde_json::{Map, Value};

/// The key of a node under which its credentials are noted: places below `data`, with name and type.
const CREDENTIALS: &str = "credentials";

/// The canvas as history may keep it. `credential` names a stored credential by its id; an unknown id is not kept.
#[must_use]
pub fn redact(
    canvas: &Canvas,
    cards: &dyn CardSchemas,
    credential: &dyn Fn(&str) -> Option<CredentialName>,
) -> StoredCanvas {
    let mut raw = canvas.raw().clone();
    // First of all, for a record whose sealed text is a placeholder is none any more and would stay.
    remove_sealed_credentials(&mut raw);
    for node in list_mut(&mut raw, "nodes") {
        Redactor::new(cards).redact_node(node, credential);
    }
    let mut whole = Value::Object(raw);
    tree::redact_value(&mut whole);
    let Value::Object(raw) = whole else { return StoredCanvas::from_raw(Map::new()) };
    StoredCanvas::from_raw(raw)
}

/// A version whose credentials bear the names that `now` gives them; those it says nothing of keep theirs.
#[must_use]
pub fn rename_credentials(
    version: &StoredCanvas,
    now: &dyn Fn(&CredentialName) -> Option<CredentialName>,
) -> StoredCanvas {
    let mut raw = version.raw().clone();
    for node in list_mut(&mut raw, "nodes") {
        let Some(noted) = node.get_mut(CREDENTIALS).and_then(Value::as_object_mut) else { continue };
        for (pointer, wanted) in parse_credential_notes(&Value::Object(noted.clone())) {
            if let Some(name) = now(&wanted) {
                noted.insert(pointer, note_of(&name));
            }
        }
    }
    StoredCanvas::from_raw(raw)
}

/// The credentials that a version names: the node, and name and type.
#[must_use]
pub fn noted_credentials(version: &StoredCanvas) -> Vec<(String, CredentialName)> {
    let of_node = |node: &Value| {
        let id = node.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
        let noted = node.get(CREDENTIALS).map(parse_credential_notes).unwrap_or_default();
        noted.into_iter().map(move |(_, name)| (id.clone(), name)).collect::<Vec<_>>()
    };
    version.nodes().iter().flat_map(of_node).collect()
}

/// The credentials that a canvas uses: the node, and the id.
#[must_use]
pub fn used_credentials(canvas: &Canvas, cards: &dyn CardSchemas) -> Vec<(String, String)> {
    let nodes = canvas.raw().get("nodes").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let of_node = |node: &Value| {
        let id = node.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
        let found = Redactor::new(cards).credentials_of(node);
        found.into_iter().map(move |used| (id.clone(), used.id)).collect::<Vec<_>>()
    };
    nodes.iter().flat_map(of_node).collect()
}

/// The settings of a flow as history may keep them: they are shown, never restored.
#[must_use]
pub fn redact_settings(settings: &Map<String, Value>) -> Map<String, Value> {
    let mut settings = settings.clone();
    Redactor::new(&super::schemas::NoSchemas).redact_settings(&mut settings);
    let mut whole = Value::Object(settings);
    tree::redact_value(&mut whole);
    match whole {
        Value::Object(settings) => settings,
        _ => Map::new(),
    }
}

/// Where a node holds placeholders.
pub(super) fn find_placeholders(node: &Value, cards: &dyn CardSchemas) -> Vec<HiddenSecret> {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
    let data = node.get("data").and_then(Value::as_object);
    let field = |name: &str| data.and_then(|data| data.get(name));
    let id = text(node.get("id"));
    let label = [text(field("label")), text(field("name")), id.clone()];
    let label = label.into_iter().find(|text| !text.is_empty()).unwrap_or_default();
    let inputs = field("inputs").and_then(Value::as_object);
    let others = |map: &'_ Map<String, Value>, except: &'static str| -> Vec<(String, usize)> {
        let counted = map.iter().filter(|(name, _)| *name != except);
        counted.map(|(name, value)| (name.clone(), tree::count_placeholders_in(value))).collect()
    };
    let mut places = node.as_object().map(|node| others(node, "data")).unwrap_or_default();
    let apart = if inputs.is_some() { "inputs" } else { "" };
    places.extend(data.map(|data| others(data, apart)).unwrap_or_default());
    places.extend(inputs.map(|inputs| others(inputs, "")).unwrap_or_default());
    let held = places.into_iter().filter(|(_, count)| *count > 0);
    let named = held.map(|(input, count)| HiddenSecret {
        node: id.clone(),
        label: label.clone(),
        input_label: input_label(node, &input, cards),
        input,
        count,
    });
    named.collect()
}

/// The label of an input: as the flow was saved with, else as the card says, else its name.
pub(super) fn input_label(node: &Value, input: &str, cards: &dyn CardSchemas) -> String {
    let data = node.get("data");
    let lists = ["inputParams", "inputAnchors"].into_iter().filter_map(|list| data?.get(list)?.as_array());
    let saved = lists.flatten().find(|param| param.get("name").and_then(Value::as_str) == Some(input));
    let saved = saved.and_then(|param| param.get("label")?.as_str()).filter(|label| !label.is_empty());
    let card = current_card_name(data.and_then(|data| data.get("name")?.as_str()).unwrap_or_default());
    let label = saved.or_else(|| Some(cards.input(card, input)?.label)).unwrap_or(input);
    label.to_owned()
}
