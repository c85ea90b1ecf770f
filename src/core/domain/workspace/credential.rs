//! Credentials: named bundles of secrets that cards refer to. What of them may be shown, and how an edit that
//! sends hidden values back keeps them (manual 8.8).

use super::credential_types::{CredentialField, CredentialType, FieldKind};
use crate::domain::accounts::user::DisplayName;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{CredentialId, WorkspaceId};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Stands for a secret in every answer. Sent back, it means "keep what is stored".
pub const MASK: &str = "••••••••";

/// Longest value of one field, in bytes.
const VALUE_BYTES_MAX: usize = 64 * 1024;

/// A stored credential.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Credential {
    pub id: CredentialId,
    /// The workspace whose flows may use it.
    pub workspace: WorkspaceId,
    pub name: String,
    /// Its type (`credentialName`).
    pub credential_name: String,
    /// The fields, sealed.
    pub sealed: Ciphertext,
    /// When it was made.
    pub created: Timestamp,
    pub updated: Timestamp,
    /// What it was called before, newest last: versions know it by the name of then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub former_names: Vec<String>,
    /// Addresses beside the provider's own to which somebody lets it be sent who may change it, newest last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub addresses: Vec<String>,
}

/// What of a credential a caller sets; what is left out stays.
#[derive(Debug, Clone, Default)]
pub struct CredentialChange {
    pub name: Option<DisplayName>,
    /// Its type.
    pub credential_name: Option<String>,
    /// Its fields by name; which there are depends on the type.
    pub fields: Option<Map<String, Value>>,
}

/// Former names that are remembered.
const FORMER_NAMES_MAX: usize = 16;
const ADDRESSES_MAX: usize = 500;

impl Credential {
    /// Lets it be sent to an address; false when it was before.
    pub fn allow_address(&mut self, address: &str) -> bool {
        if self.addresses.iter().any(|known| known == address) {
            return false;
        }
        self.addresses.push(address.to_owned());
        let beyond = self.addresses.len().saturating_sub(ADDRESSES_MAX);
        self.addresses.drain(..beyond);
        true
    }

    pub fn rename(&mut self, name: &str) {
        if name == self.name {
            return;
        }
        let before = std::mem::replace(&mut self.name, name.to_owned());
        self.former_names.retain(|former| *former != before && former != name);
        self.former_names.push(before);
        let beyond = self.former_names.len().saturating_sub(FORMER_NAMES_MAX);
        self.former_names.drain(..beyond);
    }
}

/// Encrypted fields. Only the vault that made it can read it, and only for the record it was made for.
#[derive(Clone, PartialEq, Eq)]
pub struct Ciphertext(pub Vec<u8>);

impl std::fmt::Debug for Ciphertext {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Sealed({} bytes)", self.0.len())
    }
}

impl Serialize for Ciphertext {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Ciphertext {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        STANDARD.decode(text).map(Self).map_err(|_| serde::de::Error::custom("not base64"))
    }
}

/// Checks fields as a person sent them, over the `stored` ones (empty for a new credential). Fields the type
/// does not declare are ignored, absent ones keep what is stored, null removes, hidden values stay.
///
/// # Errors
/// 400 naming a field whose value is of the wrong kind, or is hidden while nothing is stored.
pub fn merge_fields(
    kind: &CredentialType,
    stored: &Map<String, Value>,
    sent: &Map<String, Value>,
) -> Result<Map<String, Value>> {
    let mut merged = stored.clone();
    for field in kind.fields {
        let Some(value) = sent.get(field.name) else { continue };
        let before = stored.get(field.name);
        if value.is_null() {
            merged.remove(field.name);
        } else if !is_mask(field, value) {
            merged.insert(field.name.to_owned(), check_field(field, value)?);
        } else if before.is_none_or(|before| *value != mask_field(field, before)) {
            // Kept only where it was: a hidden password under another address would be sent to that address.
            return Err(Error::invalid(format!("'{}' is hidden: type the secret itself.", field.name)));
        }
    }
    Ok(merged)
}

/// A field that is shown and changes while a hidden value stays as it is. Which of the fields says where a secret is sent only
/// the cards know, so any of them counts.
#[must_use]
pub fn find_change_beside_kept_secret(
    kind: &CredentialType,
    before: &Map<String, Value>,
    after: &Map<String, Value>,
) -> Option<&'static CredentialField> {
    let is_kept = |field: &CredentialField| {
        filled(field, before.get(field.name)) == filled(field, after.get(field.name))
    };
    let is_hidden = |field: &CredentialField| {
        before.get(field.name).is_some_and(|stored| mask_field(field, stored) != *stored)
    };
    if !kind.fields.iter().any(|field| is_hidden(field) && is_kept(field)) {
        return None;
    }
    kind.fields.iter().find(|field| field.kind != FieldKind::Password && !is_kept(field))
}

/// A value that says something: a form sends what nobody filled in as an empty text, and a switch that is not there is off.
fn filled<'v>(field: &CredentialField, value: Option<&'v Value>) -> Option<&'v Value> {
    value.filter(|value| match value {
        Value::Null => false,
        Value::Bool(is_on) => *is_on || field.default.is_some(),
        Value::String(text) => !text.trim().is_empty(),
        _ => true,
    })
}

/// Judges whether the fields that are asked about, of those a type needs, are filled in.
///
/// # Errors
/// 400 naming the first one that is not.
pub fn require_filled(
    kind: &CredentialType,
    fields: &Map<String, Value>,
    asked: impl Fn(&str) -> bool,
) -> Result<()> {
    let is_filled = |field: &CredentialField| match fields.get(field.name) {
        None | Some(Value::Null) => false,
        Some(Value::String(text)) => !text.trim().is_empty(),
        Some(_) => true,
    };
    // A switch that is not there is off.
    let is_needed = |field: &&CredentialField| {
        !field.optional && field.default.is_none() && field.kind != FieldKind::Boolean && asked(field.name)
    };
    match kind.fields.iter().filter(is_needed).find(|field| !is_filled(field)) {
        Some(field) => Err(Error::invalid(format!("'{}' ({}) must be filled in.", field.name, field.label))),
        None => Ok(()),
    }
}

/// True for a secret that no header and no address can carry. Keys in files have several lines.
fn is_broken(secret: &str) -> bool {
    let secret = secret.trim();
    let is_file = secret.starts_with('{') || secret.starts_with("-----BEGIN");
    secret.chars().any(|c| c.is_control() && !(is_file && matches!(c, '\n' | '\r' | '\t')))
}

fn is_mask(field: &CredentialField, sent: &Value) -> bool {
    match field.kind {
        FieldKind::Password => sent == MASK,
        FieldKind::Url => sent.as_str().is_some_and(|text| text.contains(MASK)),
        _ => false,
    }
}

fn check_field(field: &CredentialField, value: &Value) -> Result<Value> {
    let wrong = |what: &str| Error::invalid(format!("'{}' must be {what}.", field.name));
    let fits = match (field.kind, value) {
        (FieldKind::Boolean, Value::Bool(_)) | (FieldKind::Number, Value::Number(_)) => true,
        (FieldKind::Boolean, _) => return Err(wrong("true or false")),
        (FieldKind::Number, Value::String(text)) => text.is_empty() || text.trim().parse::<f64>().is_ok(),
        (FieldKind::Number, _) => return Err(wrong("a number")),
        (FieldKind::Password, Value::String(text)) if is_broken(text) => {
            return Err(wrong("a text without line breaks and other control characters"));
        }
        (FieldKind::Options(options), Value::String(text)) => options.contains(&text.as_str()),
        (_, Value::String(text)) => text.len() <= VALUE_BYTES_MAX,
        _ => return Err(wrong("a text")),
    };
    match (fits, field.kind) {
        (true, _) => Ok(value.clone()),
        (false, FieldKind::Number) => Err(wrong("a number")),
        (false, FieldKind::Options(options)) => Err(wrong(&format!("one of: {}", options.join(", ")))),
        (false, _) => Err(wrong(&format!("at most {VALUE_BYTES_MAX} bytes long"))),
    }
}

/// The fields as they may be shown. What the type does not declare is not shown at all.
#[must_use]
pub fn mask_fields(kind: &CredentialType, stored: &Map<String, Value>) -> Map<String, Value> {
    let shown = kind
        .fields
        .iter()
        .filter_map(|field| Some((field.name.to_owned(), mask_field(field, stored.get(field.name)?))));
    shown.collect()
}

fn mask_field(field: &CredentialField, stored: &Value) -> Value {
    match field.kind {
        FieldKind::Password if stored.as_str().is_some_and(str::is_empty) => stored.clone(),
        FieldKind::Password => Value::from(MASK),
        FieldKind::Url => {
            stored.as_str().map_or_else(|| Value::from(MASK), |text| Value::from(mask_password(text)))
        }
        _ => stored.clone(),
    }
}

/// An address with its password hidden. An address that cannot be taken apart is hidden as a whole.
fn mask_password(address: &str) -> String {
    let Some((scheme, rest)) = address.split_once("://") else {
        return if address.contains('@') { MASK.to_owned() } else { address.to_owned() };
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    // A password may itself hold what ends an authority, written raw by mistake: then all before the last '@'
    // is taken for the user part, which hides too much rather than too little.
    let Some(at) = rest.rfind('@') else { return address.to_owned() };
    let user = rest[..at.min(end)].split([':', '@']).next().unwrap_or_default();
    if !rest[..at].contains(':') {
        return address.to_owned();
    }
    format!("{scheme}://{user}:{MASK}@{}", &rest[at + 1..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::workspace::credential_types::find_type;
    use serde_json::json;

    fn map(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    fn merged(name: &str, stored: Value, sent: Value) -> Result<Map<String, Value>> {
        merge_fields(find_type(name).unwrap(), &map(stored), &map(sent))
    }

    #[test]
    fn secrets_are_shown_as_dots_and_come_back_as_they_were() {
        let basic = find_type("httpBasicAuth").unwrap();
        let stored = map(json!({"basicAuthUsername": "ada", "basicAuthPassword": "pw", "stray": "x"}));
        let shown = mask_fields(basic, &stored);
        assert_eq!(
            Value::from(shown.clone()),
            json!({"basicAuthUsername": "ada", "basicAuthPassword": MASK})
        );
        assert_eq!(merge_fields(basic, &stored, &shown).unwrap(), stored);
    }

    #[test]
    fn a_partial_edit_changes_what_it_names() {
        let stored = json!({"basicAuthUsername": "ada", "basicAuthPassword": "pw"});
        let edit = |sent| Value::from(merged("httpBasicAuth", stored.clone(), sent).unwrap());
        assert_eq!(edit(json!({"basicAuthPassword": "new"}))["basicAuthPassword"], "new");
        assert_eq!(edit(json!({"basicAuthUsername": null})), json!({"basicAuthPassword": "pw"}));
        assert_eq!(edit(json!({"unknown": 1})), stored);
    }

    #[test]
    fn a_shown_field_that_changes_beside_a_kept_secret_is_found() {
        let stored = json!({"redisCacheHost": "one", "redisCachePwd": "pw", "redisCacheSslEnabled": true});
        let found = |changed: Value| {
            let mut after = map(stored.clone());
            after.extend(map(changed));
            let kind = find_type("redisCacheApi").unwrap();
            find_change_beside_kept_secret(kind, &map(stored.clone()), &after).map(|field| field.name)
        };
        assert_eq!(found(json!({"redisCacheHost": "two"})), Some("redisCacheHost"));
        assert_eq!(found(json!({"redisCacheSslEnabled": false})), Some("redisCacheSslEnabled"));
        for harmless in [
            json!({}),
            json!({"redisCacheUser": ""}),
            json!({"redisCachePwd": "new"}),
            json!({"redisCacheHost": "two", "redisCachePwd": "new"}),
        ] {
            assert_eq!(found(harmless.clone()), None, "{harmless}");
        }
    }

    #[test]
    fn wrong_kinds_are_refused() {
        for (name, sent) in [
            ("openAIApi", json!({"openAIApiKey": 5})),
            ("openAIApi", json!({"openAIApiKey": ["x"]})),
            ("openAIApi", json!({"openAIApiKey": MASK})),
            ("redisCacheApi", json!({"redisCachePort": "six"})),
            ("redisCacheApi", json!({"redisCacheSslEnabled": "true"})),
        ] {
            assert!(matches!(merged(name, json!({}), sent.clone()), Err(Error::Invalid(_))), "{sent}");
        }
        assert!(merged("redisCacheApi", json!({}), json!({"redisCachePort": "6379"})).is_ok());
    }

    #[test]
    fn a_secret_holds_no_control_characters() {
        let sent = |text: &str| merged("openAIApi", json!({}), json!({ "openAIApiKey": text }));
        for broken in ["sk-1\nHost: x", "sk-\u{0}1", "sk\t1", "sk-\u{7f}", "sk-\u{85}1"] {
            assert!(matches!(sent(broken), Err(Error::Invalid(_))), "{broken:?}");
        }
        // Pasted with the end of its line.
        assert!(sent("sk-1\r\n").is_ok());
        let file = json!({ "googleApplicationCredential": "{\n\t\"type\": \"service_account\"\n}" });
        assert!(merged("googleVertexAuth", json!({}), file).is_ok());
    }

    #[test]
    fn what_a_type_needs_must_be_filled_in() {
        let is_filled = |kind: &str, fields: Value| {
            require_filled(find_type(kind).unwrap(), fields.as_object().unwrap(), |_| true).is_ok()
        };
        for (kind, fields, filled) in [
            ("openAIApi", json!({}), false),
            ("openAIApi", json!({"openAIApiKey": ""}), false),
            ("openAIApi", json!({"openAIApiKey": " "}), false),
            ("openAIApi", json!({"openAIApiKey": "x"}), true),
            ("httpBasicAuth", json!({"basicAuthPassword": "x"}), false),
            ("voyageAIApi", json!({"apiKey": "x"}), true),
            ("awsApi", json!({}), true),
            ("redisCacheApi", json!({}), true),
            ("chromaApi", json!({"chromaApiKey": "x"}), true),
        ] {
            assert_eq!(is_filled(kind, fields.clone()), filled, "{kind} {fields}");
        }
    }

    #[test]
    fn addresses_lose_their_password() {
        for (address, shown) in [
            ("postgres://u:p@h:5/db", format!("postgres://u:{MASK}@h:5/db")),
            ("redis://:p@h", format!("redis://:{MASK}@h")),
            ("mongodb://u:p@ss/w@h/x", format!("mongodb://u:{MASK}@h/x")),
            ("redis://localhost:6379", "redis://localhost:6379".to_owned()),
            ("https://u@h/x", "https://u@h/x".to_owned()),
            ("u:p@h", MASK.to_owned()),
        ] {
            assert_eq!(mask_password(address), shown, "{address}");
        }
        let stored = json!({"postgresUrl": "postgres://u:p@h/db"});
        let sent = json!({"postgresUrl": format!("postgres://u:{MASK}@h/db")});
        assert_eq!(Value::from(merged("PostgresUrl", stored.clone(), sent).unwrap()), stored);
        let moved = json!({"postgresUrl": format!("postgres://u:{MASK}@elsewhere/db")});
        assert!(merged("PostgresUrl", stored, moved).is_err());
    }
}
