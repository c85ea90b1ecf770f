//! Settings of a flow as they are sent: what each may hold, and what stays when it is replaced (manual 5.1).

use crate::domain::error::{Error, Result};
use crate::domain::flows::settings::{FlowSettings, find_fault};
use crate::domain::ids::{KeyId, WorkspaceId};
use crate::store::Tx;
use crate::store::tables::API_KEYS;
use serde_json::{Map, Value};

/// Puts back what a save does not change although it sends another text.
pub(in crate::ops) fn preserve_unsent(new: &mut FlowSettings, old: &FlowSettings) {
    new.mcp_server_config.keep_token(&old.mcp_server_config);
    new.api_config.keep_rate_limit(&old.api_config);
}

/// The key a flow shall be bound to. One it was bound to already may have been deleted meanwhile: the flow stays bound to
/// it, and whoever sends its record back changes nothing.
///
/// # Errors
/// 400 for a key that the workspace does not have.
pub(in crate::ops) fn resolve_bound_key(
    tx: &impl Tx,
    workspace: &WorkspaceId,
    sent: &str,
    now: Option<KeyId>,
) -> Result<Option<KeyId>> {
    if sent.is_empty() {
        return Ok(None);
    }
    let unknown = || Error::invalid("Invalid apikeyid: this workspace has no such API key.");
    let id = KeyId::parse(sent).ok_or_else(unknown)?;
    if now == Some(id) || API_KEYS.has(tx, workspace, &id)? { Ok(Some(id)) } else { Err(unknown()) }
}

/// Levels of a settings object: the record and the version around it add some, and what is written must be readable.
const CONFIG_LEVELS_MAX: usize = 64;

/// A settings object, as such or as the JSON text Flowise's page sends.
///
/// # Errors
/// 400 naming what is wrong.
pub(in crate::ops) fn parse(name: &str, sent: Option<&Value>) -> Result<Option<Map<String, Value>>> {
    let read = parse_any_depth(name, sent)?;
    if let Some((key, why)) = read.as_ref().and_then(|raw| find_fault(name, raw)) {
        return Err(Error::Invalid(format!("Invalid {name}: {key}: {why}.")));
    }
    if read.as_ref().is_some_and(|map| map.values().any(|value| is_deeper(value, CONFIG_LEVELS_MAX - 1))) {
        return Err(Error::Invalid(format!(
            "Invalid {name}: it is nested deeper than {CONFIG_LEVELS_MAX} levels."
        )));
    }
    Ok(read)
}

fn is_deeper(value: &Value, levels: usize) -> bool {
    match value {
        Value::Object(map) => levels == 0 || map.values().any(|value| is_deeper(value, levels - 1)),
        Value::Array(list) => levels == 0 || list.iter().any(|value| is_deeper(value, levels - 1)),
        _ => false,
    }
}

fn parse_any_depth(name: &str, sent: Option<&Value>) -> Result<Option<Map<String, Value>>> {
    let wrong = || Error::Invalid(format!("Invalid {name}: it must be JSON text of an object."));
    match sent {
        None => Ok(None),
        Some(Value::Object(map)) => Ok(Some(map.clone())),
        Some(Value::String(text)) if text.is_empty() => Ok(None),
        Some(Value::String(text)) => match serde_json::from_str(text).map_err(|_| wrong())? {
            Value::Object(map) => Ok(Some(map)),
            Value::Null => Ok(None),
            _ => Err(wrong()),
        },
        Some(_) => Err(wrong()),
    }
}
