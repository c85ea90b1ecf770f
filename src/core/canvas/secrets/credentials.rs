//! Credentials in history: noted by name and type, found again among those of the workspace (manual 6.5 r2).

use crate::domain::flows::restore::{AmbiguousCredential, CredentialChoice, MissingCredential};
use crate::domain::secrets::json_text::{self, DEPTH_MAX_LEVELS};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// A stored credential as history names it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CredentialName {
    /// The name its owner gave it.
    pub name: String,
    /// Its type (`credentialName`).
    pub credential_name: String,
}

/// A credential's id, and where in a node's data it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CredentialUse {
    pub(super) pointer: String,
    pub(super) id: String,
}

/// How a node notes a credential.
pub(super) fn credential_note(name: &CredentialName) -> Value {
    json!({ "name": name.name, "credentialName": name.credential_name })
}

/// The credentials a node notes, by place.
pub(super) fn parse_credential_notes(noted: &Value) -> Vec<(String, CredentialName)> {
    let read = |(pointer, value): (&String, &Value)| {
        let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
        Some((
            pointer.clone(),
            CredentialName { name: text("name")?, credential_name: text("credentialName")? },
        ))
    };
    noted.as_object().into_iter().flatten().filter_map(read).collect()
}

/// Chooses credentials for one version, and remembers what its reader must be told.
pub(super) struct CredentialChooser<'a> {
    /// The ids of the workspace's credentials with a name and a type, the oldest first.
    pub(super) candidates: &'a dyn Fn(&CredentialName) -> Vec<String>,
    /// Ids the flow uses now, anywhere.
    pub(super) in_use: Vec<String>,
    pub(super) missing: Vec<MissingCredential>,
    pub(super) ambiguous: Vec<AmbiguousCredential>,
}

impl CredentialChooser<'_> {
    /// The id to use for `wanted`, where `own` stands at the same place now.
    pub(super) fn choose(&mut self, wanted: CredentialName, own: Option<&str>) -> Option<String> {
        let ids = (self.candidates)(&wanted);
        let CredentialName { name, credential_name } = wanted;
        let Some(oldest) = ids.first() else {
            let missing = MissingCredential { name, credential_name };
            if !self.missing.contains(&missing) {
                self.missing.push(missing);
            }
            return None;
        };
        if ids.len() == 1 {
            return Some(oldest.clone());
        }
        let current = own
            .filter(|own| ids.iter().any(|id| id == own))
            .or_else(|| self.in_use.iter().map(String::as_str).find(|used| ids.iter().any(|id| id == used)));
        let using = if current.is_some() { CredentialChoice::Current } else { CredentialChoice::Oldest };
        let chosen = current.unwrap_or(oldest).to_owned();
        let ambiguous = AmbiguousCredential { name, credential_name, count: ids.len(), using };
        let known = |other: &AmbiguousCredential| {
            (&other.name, &other.credential_name) == (&ambiguous.name, &ambiguous.credential_name)
        };
        if !self.ambiguous.iter().any(known) {
            self.ambiguous.push(ambiguous);
        }
        Some(chosen)
    }
}

/// Values to put at places below a node's data, as a tree: every JSON text on the way is opened once.
#[derive(Debug, Default)]
pub(super) struct PlacedValues {
    value: Option<String>,
    below: BTreeMap<String, PlacedValues>,
}

impl PlacedValues {
    pub(super) fn add(&mut self, pointer: &str, value: String) {
        let mut at = self;
        for name in pointer.split('/').skip(1) {
            at = at.below.entry(name.replace("~1", "/").replace("~0", "~")).or_default();
        }
        at.value = Some(value);
    }

    /// Puts every value whose place exists; true when there was one.
    pub(super) fn put_into(&self, data: &mut Map<String, Value>) -> bool {
        self.put_into_map(data, DEPTH_MAX_LEVELS)
    }

    fn put_into_map(&self, map: &mut Map<String, Value>, levels: usize) -> bool {
        let mut changed = false;
        for (name, addition) in &self.below {
            if let Some(value) = &addition.value {
                map.insert(name.clone(), Value::from(value.as_str()));
                changed = true;
            } else if let Some(value) = map.get_mut(name) {
                changed |= addition.put_into_value(value, levels);
            }
        }
        changed
    }

    fn put_into_value(&self, value: &mut Value, levels: usize) -> bool {
        match value {
            Value::Object(map) => self.put_into_map(map, levels),
            Value::Array(list) => {
                let places = self.below.iter().filter_map(|(name, below)| Some((name.parse().ok()?, below)));
                let mut changed = false;
                for (at, below) in places {
                    let at: usize = at;
                    changed |= list.get_mut(at).is_some_and(|value| below.put_into_value(value, levels));
                }
                changed
            }
            Value::String(text) if levels > 0 => {
                let Some(mut inner) = json_text::parse(text) else { return false };
                let changed = self.put_into_value(&mut inner.value, levels - 1);
                if changed {
                    *text = inner.value.to_string();
                }
                changed
            }
            _ => false,
        }
    }
}
