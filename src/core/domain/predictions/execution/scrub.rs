//! What the record of a run never holds, and what a shared one does not show.

use crate::domain::secrets::PLACEHOLDER;
use crate::domain::secrets::names::{fold_name, is_credential_id, is_harmless_value, is_never_stored};
use crate::domain::secrets::tree::{ROW_VALUE, row_name};
use serde_json::{Map, Value};

/// Names under which a run tells who talks with it.
const SESSION_NAMES: &[&str] = &["sessionid", "chatid", "sessiontoken"];
/// What names of headers end in.
const HEADERS: &str = "headers";

/// Takes out the ids of credentials, and hides the values of headers that are named like secrets. Other texts stay as they
/// are: they are what the run is looked up for.
pub fn remove_secrets(data: &mut Map<String, Value>) {
    data.retain(|name, value| !names_credential(name, value));
    for (name, value) in data.iter_mut() {
        if is_headers(name) {
            hide_headers(value);
        }
        each_object(value, &mut remove_secrets);
    }
}

/// True where [`remove_secrets`] may have something to do: headers count as such, whatever they hold.
#[must_use]
pub fn has_secrets(data: &Map<String, Value>) -> bool {
    data.iter().any(|(name, value)| {
        names_credential(name, value) || is_headers(name) || any_object(value, has_secrets)
    })
}

/// Takes out what tells whose conversation it was.
pub fn remove_sessions(data: &mut Map<String, Value>) {
    data.retain(|name, _| !SESSION_NAMES.contains(&fold_name(name).as_str()));
    data.values_mut().for_each(|value| each_object(value, &mut remove_sessions));
}

/// A person's field may have such a name too: only `FLOWISE_CREDENTIAL_ID` goes whatever it holds, the others with an id.
fn names_credential(name: &str, value: &Value) -> bool {
    let holds_id = || value.as_str().is_some_and(|text| uuid::Uuid::try_parse(text).is_ok());
    is_credential_id(name) && (name == "FLOWISE_CREDENTIAL_ID" || holds_id())
}

fn is_headers(name: &str) -> bool {
    // A name of plain letters need not be folded to be compared.
    if name.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        let end = name.len().checked_sub(HEADERS.len()).and_then(|at| name.get(at..));
        return end.is_some_and(|end| end.eq_ignore_ascii_case(HEADERS));
    }
    fold_name(name).ends_with(HEADERS)
}

/// Headers come as an object, as rows of name and value, or as the JSON text of either.
fn hide_headers(headers: &mut Value) {
    match headers {
        Value::Object(named) => {
            named.iter_mut().filter(|(name, _)| is_never_stored(name)).for_each(|(_, value)| hide(value));
        }
        Value::Array(rows) => {
            for row in rows.iter_mut().filter_map(Value::as_object_mut) {
                let is_secret = row_name(row).is_some_and(is_never_stored);
                if let Some(value) = row.get_mut(ROW_VALUE).filter(|_| is_secret) {
                    hide(value);
                }
            }
        }
        Value::String(text) => {
            if let Ok(mut inner @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str(text) {
                hide_headers(&mut inner);
                *text = inner.to_string();
            }
        }
        _ => {}
    }
}

fn hide(value: &mut Value) {
    let is_harmless = value.is_null() || value.as_str().is_some_and(is_harmless_value);
    if !is_harmless {
        *value = PLACEHOLDER.into();
    }
}

fn any_object(value: &Value, holds: fn(&Map<String, Value>) -> bool) -> bool {
    match value {
        Value::Object(inner) => holds(inner),
        Value::Array(items) => items.iter().any(|item| any_object(item, holds)),
        _ => false,
    }
}

fn each_object(value: &mut Value, edit: &mut impl FnMut(&mut Map<String, Value>)) {
    match value {
        Value::Object(inner) => edit(inner),
        Value::Array(items) => items.iter_mut().for_each(|item| each_object(item, edit)),
        _ => {}
    }
}
