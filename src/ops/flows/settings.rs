//! Settings of a flow as they are sent: what each may hold, and what stays when it is replaced (manual 5.1).

use crate::domain::error::{Error, Result};
use crate::domain::flows::flow::{AllowedOrigins, FlowSettings, MCP_TOKEN};
use crate::domain::flows::rate_limit::RateLimitSetting;
use crate::domain::ids::{KeyId, WorkspaceId};
use crate::domain::workspace::credential::MASK;
use crate::store::Tx;
use crate::store::tables::API_KEYS;
use serde_json::{Map, Value};

/// Allowed Domains in `chatbotConfig`.
const ORIGINS: &str = "allowedOrigins";

/// The rate limit in `apiConfig`.
const RATE_LIMIT: &str = "rateLimit";

/// In `apiConfig`, whether callers with the flow's key may name conversations.
const NAMED_SESSIONS: &str = "namedSessions";

/// Keeps the token of before where none was sent, or a hidden one: whoever read the settings and sends them back was not
/// shown it. An empty text or null takes it away.
fn keep_token(sent: &mut Map<String, Value>, before: Option<Value>) {
    if sent.get(MCP_TOKEN).is_none_or(|token| token == MASK) {
        sent.shift_remove(MCP_TOKEN);
        sent.extend(before.map(|token| (MCP_TOKEN.to_owned(), token)));
    }
}

/// Puts back what a save does not change although it sends another text.
pub(in crate::ops) fn preserve_unsent(new: &mut FlowSettings, old: &FlowSettings) {
    if let Some(sent) = &mut new.mcp_server_config {
        keep_token(sent, value(old.mcp_server_config.as_ref(), MCP_TOKEN).cloned());
    }
    if let Some(sent) = &mut new.api_config {
        keep_rate_limit(sent, value(old.api_config.as_ref(), RATE_LIMIT));
    }
}

fn value<'a>(config: Option<&'a Map<String, Value>>, name: &str) -> Option<&'a Value> {
    config?.get(name)
}

/// A limit with a value not filled in leaves the one of before (manual 5.3).
fn keep_rate_limit(sent: &mut Map<String, Value>, before: Option<&Value>) {
    let was_on = matches!(RateLimitSetting::parse(before), Ok(RateLimitSetting::On(_)));
    if was_on && RateLimitSetting::parse(sent.get(RATE_LIMIT)) == Ok(RateLimitSetting::Partial) {
        sent.extend(before.map(|limiter| (RATE_LIMIT.to_owned(), limiter.clone())));
    }
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
    let wrong = |key: &str, why: &str| Error::Invalid(format!("Invalid {name}: {key}: {why}."));
    let inside = |key| value(read.as_ref(), key);
    match name {
        "chatbotConfig" if AllowedOrigins::parse(inside(ORIGINS)).is_none() => {
            return Err(wrong(ORIGINS, "it must be a list of texts"));
        }
        "apiConfig" => {
            RateLimitSetting::parse(inside(RATE_LIMIT)).map_err(|why| wrong(RATE_LIMIT, why))?;
            if !matches!(inside(NAMED_SESSIONS), None | Some(Value::Null | Value::Bool(_))) {
                return Err(wrong(NAMED_SESSIONS, "it must be true or false"));
            }
        }
        _ => {}
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
