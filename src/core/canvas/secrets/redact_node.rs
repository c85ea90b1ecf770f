//! Takes out of a node what history never keeps, JSON texts inside its strings included.

use super::CREDENTIALS;
use super::credentials::{CredentialName, CredentialUse, credential_note};
use super::never_stored::{self, InputRules};
use crate::canvas::schemas::CardSchemas;
use crate::domain::secrets::{json_text, names, redact, tree};
use serde_json::{Map, Value};

/// Parts of a node's data that are set aside: lists that describe the card, and the inputs, which need them.
const SEPARATE_KEYS: &[&str] = &["inputParams", "inputAnchors", "outputAnchors", "inputs"];

/// One walk through a node. What it takes out is gone; the credentials it finds are kept here.
pub(super) struct Redactor<'a> {
    cards: &'a dyn CardSchemas,
    /// Where the walk is, below `data`: a JSON pointer that goes through JSON texts as if they were objects.
    pointer: String,
    credentials: Vec<CredentialUse>,
}

impl<'a> Redactor<'a> {
    pub(super) fn new(cards: &'a dyn CardSchemas) -> Self {
        Self { cards, pointer: String::new(), credentials: Vec::new() }
    }

    /// Takes out what is never stored and notes the credentials by name and type.
    pub(super) fn redact_node(
        mut self,
        node: &mut Value,
        credential: &dyn Fn(&str) -> Option<CredentialName>,
    ) {
        let Value::Object(node) = node else { return };
        node.shift_remove(CREDENTIALS);
        let Some(data) = node.get_mut("data").and_then(Value::as_object_mut) else { return };
        self.redact_data(data);
        let mut map = Map::new();
        for found in self.credentials {
            if let Some(name) = credential(&found.id) {
                let name = CredentialName { name: redact(&name.name).text, ..name };
                map.insert(found.pointer, credential_note(&name));
            }
        }
        if !map.is_empty() {
            node.insert(CREDENTIALS.to_owned(), Value::Object(map));
        }
    }

    /// The credentials a node uses, by id.
    pub(super) fn credentials_of(mut self, node: &Value) -> Vec<CredentialUse> {
        let Some(data) = node.get("data").and_then(Value::as_object) else { return Vec::new() };
        self.redact_data(&mut data.clone());
        self.credentials
    }

    /// Takes out what is never stored of settings; the credentials in them are not noted.
    pub(super) fn redact_settings(mut self, settings: &mut Map<String, Value>) {
        self.redact_object(settings, None, json_text::DEPTH_MAX_LEVELS);
    }

    fn redact_data(&mut self, data: &mut Map<String, Value>) {
        // What describes the card is set aside: its words are those of a form, and the walk needs it whole.
        let mut rest = Map::new();
        let mut described = Map::new();
        for (name, value) in std::mem::take(data) {
            let map = if SEPARATE_KEYS.contains(&name.as_str()) { &mut described } else { &mut rest };
            map.insert(name, value);
        }
        self.redact_object(&mut rest, None, json_text::DEPTH_MAX_LEVELS);
        if let Some(mut inputs) = described.shift_remove("inputs") {
            described.insert("name".to_owned(), rest.get("name").cloned().unwrap_or_default());
            self.within("inputs", |strip| match &mut inputs {
                Value::Object(inputs) => {
                    let known = InputRules::for_node(&described, strip.cards);
                    strip.redact_object(inputs, Some(&known), json_text::DEPTH_MAX_LEVELS)
                }
                other => strip.redact_value(other, None, json_text::DEPTH_MAX_LEVELS),
            });
            described.shift_remove("name");
            rest.insert("inputs".to_owned(), inputs);
        }
        rest.extend(described);
        *data = rest;
    }

    /// True when something was taken out.
    fn redact_object(
        &mut self,
        map: &mut Map<String, Value>,
        known: Option<&InputRules<'_>>,
        levels: usize,
    ) -> bool {
        let before = map.len();
        let row = tree::row_name(map).map(str::to_owned).filter(|_| known.is_none());
        let drops_row =
            row.is_some_and(|row| never_stored::is_never_stored_by_name(&row, &map[tree::ROW_VALUE]));
        if drops_row {
            map.shift_remove(tree::ROW_VALUE);
        }
        map.retain(|name, value| !self.must_remove(name, value, known));
        let mut changed = map.len() != before;
        let picked: Vec<Option<String>> = map.keys().map(|name| picked_card(map, name)).collect();
        for ((name, value), card) in map.iter_mut().zip(picked) {
            changed |= self.within(name, |strip| match card {
                Some(card) => {
                    let known = InputRules::for_card(&card, strip.cards);
                    strip.redact_value(value, Some(&known), levels)
                }
                None => strip.redact_value(value, None, levels),
            });
        }
        changed
    }

    fn must_remove(&mut self, name: &str, value: &Value, known: Option<&InputRules<'_>>) -> bool {
        if names::is_credential_id(name)
            && let Value::String(id) = value
            && !names::is_reference(id)
            && (known.is_some() || !names::is_harmless_value(id))
        {
            self.within(name, |strip| {
                strip.credentials.push(CredentialUse { pointer: strip.pointer.clone(), id: id.clone() });
            });
            return true;
        }
        match known {
            // No credential was chosen: that is the same as no entry.
            Some(_) if names::is_credential_id(name) && value.as_str().is_some_and(str::is_empty) => true,
            Some(inputs) => inputs.is_never_stored(name, value) || inputs.is_file_content(name, value),
            None => {
                never_stored::is_never_stored_by_name(name, value)
                    || never_stored::is_file_content(value, true)
            }
        }
    }

    fn redact_value(&mut self, value: &mut Value, known: Option<&InputRules<'_>>, levels: usize) -> bool {
        match value {
            Value::Object(map) => self.redact_object(map, known, levels),
            Value::Array(list) => {
                let mut changed = false;
                for (at, value) in list.iter_mut().enumerate() {
                    changed |= self.within(&at.to_string(), |strip| strip.redact_value(value, known, levels));
                }
                changed
            }
            Value::String(text) if levels > 0 => {
                let Some(mut inner) = json_text::parse(text) else { return false };
                let changed = self.redact_value(&mut inner.value, known, levels - 1);
                if changed {
                    *text = inner.value.to_string();
                }
                changed
            }
            _ => false,
        }
    }

    fn within<T>(&mut self, name: &str, walk: impl FnOnce(&mut Self) -> T) -> T {
        let length = self.pointer.len();
        self.pointer.push('/');
        self.pointer.push_str(&name.replace('~', "~0").replace('/', "~1"));
        let walked = walk(self);
        self.pointer.truncate(length);
        walked
    }
}

/// The card whose inputs the entry `name` holds: a picker `x` keeps its card's settings in `xConfig`.
#[must_use]
pub fn picked_card(map: &Map<String, Value>, name: &str) -> Option<String> {
    let picker = name.strip_suffix("Config")?;
    map.get(picker)?.as_str().filter(|card| !card.is_empty()).map(str::to_owned)
}
