//! Which inputs history never keeps: by what the card and the saved flow say, by name, and by content.

use crate::canvas::current_card_name;
use crate::canvas::schemas::{CardSchemas, InputSensitivity};
use crate::domain::secrets::{json_text, names};
use crate::domain::workspace::credential_types::{self, FieldKind};
use serde_json::{Map, Value};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::LazyLock;

/// Fields that hold the secret of some credential. The words `key` and `value` name too much else (manual 6.8 r1).
static SECRET_FIELDS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    let fields = credential_types::ALL.iter().flat_map(|kind| kind.fields);
    let secret = fields.filter(|field| field.kind == FieldKind::Password).map(|field| field.name);
    secret.filter(|name| !["key", "value"].contains(name)).collect()
});

/// True for a name that a password of some credential has.
#[must_use]
pub fn is_secret_field(name: &str) -> bool {
    SECRET_FIELDS.contains(name)
}

/// What is known of one card's inputs: from the flow it was saved in, and from the card itself.
pub(super) struct InputRules<'a> {
    card: &'a str,
    cards: &'a dyn CardSchemas,
    saved: HashMap<&'a str, &'a str>,
    credential_types: Vec<&'a str>,
}

impl<'a> InputRules<'a> {
    /// The inputs of a node with these data.
    pub(super) fn for_node(data: &'a Map<String, Value>, cards: &'a dyn CardSchemas) -> Self {
        let card = current_card_name(data.get("name").and_then(Value::as_str).unwrap_or_default());
        let params = || data.get("inputParams").and_then(Value::as_array).into_iter().flatten();
        let text = |param: &'a Value, name: &str| param.get(name).and_then(Value::as_str);
        let saved = params().filter_map(|param| Some((text(param, "name")?, text(param, "type")?))).collect();
        let declared = params().filter_map(|param| param.get("credentialNames")?.as_array()).flatten();
        let mut inputs = Self::for_card(card, cards);
        inputs.saved = saved;
        // Known types only, each once: the list is the caller's.
        let known: BTreeSet<&str> = declared
            .filter_map(Value::as_str)
            .filter(|name| credential_types::find_type(name).is_some())
            .collect();
        inputs.credential_types.extend(known);
        inputs
    }

    /// The inputs of a card that another card picked.
    pub(super) fn for_card(card: &'a str, cards: &'a dyn CardSchemas) -> Self {
        let credential_types = cards.credential_types(card).to_vec();
        Self { card, cards, saved: HashMap::new(), credential_types }
    }

    /// True when this input's value is never stored, whatever it is.
    pub(super) fn is_never_stored(&self, name: &str, value: &Value) -> bool {
        if self.kind(name) == InputSensitivity::Secret || self.is_declared(name) {
            return true;
        }
        // A wire or a variable is no secret, and neither is a count of tokens.
        names::is_never_stored(name)
            && !matches!(value, Value::Number(_) | Value::Bool(_))
            && !is_template_reference(value)
    }

    /// True when the value is the content of a file.
    pub(super) fn is_file_content(&self, name: &str, value: &Value) -> bool {
        is_file_content(value, self.kind(name) != InputSensitivity::File)
    }

    fn kind(&self, name: &str) -> InputSensitivity {
        match self.saved.get(name).copied() {
            Some("password") => InputSensitivity::Secret,
            Some("file" | "folder") => InputSensitivity::File,
            _ => self.cards.input(self.card, name).map_or(InputSensitivity::Plain, |input| input.kind),
        }
    }

    /// True for a field of a credential: an input of the same name goes before it when the flow runs.
    fn is_declared(&self, name: &str) -> bool {
        let mut kinds = self.credential_types.iter().filter_map(|kind| credential_types::find_type(kind));
        is_secret_field(name) || kinds.any(|kind| kind.fields.iter().any(|field| field.name == name))
    }
}

/// True when a value that is no input of a card must not be stored because of its name: it is a text that is
/// neither a reference nor a word of a schema.
pub(super) fn is_never_stored_by_name(name: &str, value: &Value) -> bool {
    names::is_never_stored(name) && matches!(value, Value::String(text) if !names::is_harmless_value(text))
}

fn is_template_reference(value: &Value) -> bool {
    match value {
        Value::String(text) => names::is_reference(text),
        Value::Array(list) => list.iter().all(is_template_reference),
        _ => false,
    }
}

/// True for a file written into the canvas, alone or in a list. Images may stay where they are shown.
pub(super) fn is_file_content(value: &Value, images_stay: bool) -> bool {
    match value {
        Value::String(text) => is_data(text, images_stay) || is_data_list(text, images_stay),
        Value::Array(list) => list.iter().any(|value| is_file_content(value, images_stay)),
        _ => false,
    }
}

fn is_data(text: &str, images_stay: bool) -> bool {
    let Some(rest) = text.trim_start().strip_prefix("data:") else { return false };
    let head = rest.get(..rest.len().min(200)).unwrap_or(rest);
    let is_data = head.split(',').next().is_some_and(|head| head.contains(";base64"));
    is_data && !(images_stay && rest.starts_with("image/"))
}

fn is_data_list(text: &str, images_stay: bool) -> bool {
    if !text.trim_start().starts_with('[') || !text.contains("data:") {
        return false;
    }
    let read = json_text::parse(text).map(|read| read.value);
    let Some(Value::Array(list)) = read else { return false };
    list.iter().any(|value| value.as_str().is_some_and(|text| is_data(text, images_stay)))
}
