//! Records that flows refer to: credentials, decrypted and sealed anew; keys of the API, which go on opening what they opened; and
//! servers of tools.

use super::Move;
use super::report::{MoveReport, Outcome};
use crate::domain::accounts::caller::{Permission, key_permission_names};
use crate::domain::accounts::user::DisplayName;
use crate::domain::error::Result;
use crate::domain::ids::{CredentialId, KeyId, ToolServerId};
use crate::domain::workspace::credential::CredentialChange;
use crate::domain::workspace::credential_types::find_type;
use crate::domain::workspace::tool_server::ToolServerChange;
use crate::flowise::{Row, Table};
use crate::ops::accounts::keys;
use crate::ops::workspace::transfer::import::Companions;
use crate::ops::workspace::{credentials, tool_servers};
use crate::store::tables::{API_KEYS, CREDENTIALS, TOOL_SERVERS};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use uuid::Uuid;

const NO_ID: &str = "Its id is not one that can be kept, so nothing could refer to it.";
/// What a key may at least do, where nothing of what it could do there is known here.
const LEAST_PERMISSION: &str = "chatflows:view";

/// Credentials. What is in one shows nowhere but in what is sealed.
pub(super) fn credentials(moving: &Move<'_>, beside: &mut Companions, report: &mut MoveReport) -> Result<()> {
    for row in moving.folder.list(Table::Credential)? {
        moving.go_on()?;
        let outcome = Outcome::judge(credential(moving, &row))?;
        let id = row.id("id");
        if let (Some(id), Outcome::Made { .. }) = (id, &outcome) {
            let kind = row.text("credentialName").unwrap_or_default().to_owned();
            beside.arrivals.credentials.insert(CredentialId::from_bytes(*id.as_bytes()), kind);
        }
        report.tell("Credential", id, row.text("name").unwrap_or_default(), outcome);
    }
    Ok(())
}

fn credential(moving: &Move<'_>, row: &Row) -> Result<Outcome> {
    let Some(id) = row.id("id") else { return Ok(Outcome::Refused(NO_ID.to_owned())) };
    let id = CredentialId::from_bytes(*id.as_bytes());
    let Move { app, caller, folder, .. } = *moving;
    if app.store.read(|tx| CREDENTIALS.has(tx, &caller.workspace, &id))? {
        return Ok(Outcome::Here);
    }
    let fields = match folder.open_sealed(row.text("encryptedData").unwrap_or_default()) {
        Ok(Value::Object(fields)) => fields,
        Ok(_) => return Ok(Outcome::Refused("Its secret holds no fields.".to_owned())),
        Err(why) => return Ok(Outcome::Refused(why.to_string())),
    };
    let change = CredentialChange {
        name: Some(DisplayName::parse("name", row.text("name").unwrap_or_default())?),
        credential_name: row.text("credentialName").map(str::to_owned),
        fields: Some(fields.into_iter().map(|(name, value)| (name, as_text(value))).collect()),
    };
    let made = credentials::prepare_as(app, caller, find_type, id, &change)?;
    if moving.is_real {
        app.store.write(|tx| credentials::insert(tx, caller, &made))?;
        tracing::info!(credential = %made.id, by = %caller.principal, "a credential moved in");
    }
    Ok(Outcome::MADE)
}

/// Some fields are numbers there, such as ports, and texts here.
fn as_text(value: Value) -> Value {
    match value {
        Value::Number(number) => number.to_string().into(),
        other => other,
    }
}

/// Keys: Flowise keeps their values, so that they are stored here as a hash and go on working.
pub(super) fn keys(moving: &Move<'_>, beside: &mut Companions, report: &mut MoveReport) -> Result<()> {
    let mut rows = moving.folder.list(Table::ApiKey)?;
    rows.extend(moving.folder.filed_keys());
    let mut seen = Vec::new();
    for row in rows {
        moving.go_on()?;
        let id = row.id("id");
        if seen.contains(&id) {
            continue;
        }
        seen.push(id);
        let outcome = Outcome::judge(key(moving, &row))?;
        if let (Some(id), Outcome::Made { .. }) = (id, &outcome) {
            beside.keys.insert(KeyId::from_bytes(*id.as_bytes()));
        }
        report.tell("ApiKey", id, row.text("keyName").unwrap_or_default(), outcome);
    }
    Ok(())
}

fn key(moving: &Move<'_>, row: &Row) -> Result<Outcome> {
    let Some(id) = row.id("id") else { return Ok(Outcome::Refused(NO_ID.to_owned())) };
    let id = KeyId::from_bytes(*id.as_bytes());
    let Move { app, caller, .. } = *moving;
    if app.store.read(|tx| API_KEYS.has(tx, &caller.workspace, &id))? {
        return Ok(Outcome::Here);
    }
    let (permissions, notes) = key_permissions(row);
    let name = row.text("keyName").unwrap_or_default();
    let value = row.text("apiKey").unwrap_or_default();
    let key = keys::prepare_foreign(app, caller, id, (name, &permissions), value)?;
    if moving.is_real {
        keys::adopt(app, caller, &key)?;
    }
    Ok(Outcome::Made { notes })
}

/// What a key may do here, and what is to be said of it. A key of versions before 3 could do everything; a list of permissions that
/// cannot be read holds none.
fn key_permissions(row: &Row) -> (Vec<String>, Vec<String>) {
    if row.filled("permissions").is_none() {
        let told = "Keys could do everything there, and so this one can do all that a key may do here: give it less under API keys.";
        return (key_permission_names().collect(), vec![told.to_owned()]);
    }
    let listed = row.json("permissions");
    let listed = listed.as_ref().and_then(Value::as_array).into_iter().flatten();
    let listed: Vec<String> = listed.filter_map(Value::as_str).map(str::to_owned).collect();
    let is_known =
        |name: &str| Permission::parse(name).is_some_and(|permission| permission.is_allowed_for_keys());
    let (mut known, unknown): (Vec<String>, Vec<String>) =
        listed.into_iter().partition(|name| is_known(name));
    let mut notes = Vec::new();
    if !unknown.is_empty() {
        notes.push(format!("Permissions that no key has here stay outside: {}.", unknown.join(", ")));
    }
    if known.is_empty() {
        known.push(LEAST_PERMISSION.to_owned());
        notes.push(format!("A key holds at least one permission here: it got {LEAST_PERMISSION}."));
    }
    (known, notes)
}

/// Servers of tools, with the headers that they are asked with.
pub(super) fn tool_servers(
    moving: &Move<'_>,
    beside: &mut Companions,
    report: &mut MoveReport,
) -> Result<()> {
    for row in moving.folder.list(Table::ToolServer)? {
        moving.go_on()?;
        let id = row.id("id");
        let outcome = Outcome::judge(tool_server(moving, &row, id))?;
        if let (Some(id), Outcome::Made { .. }) = (id, &outcome) {
            beside.arrivals.ids.insert(id);
        }
        report.tell("ToolServer", id, row.text("name").unwrap_or_default(), outcome);
    }
    Ok(())
}

fn tool_server(moving: &Move<'_>, row: &Row, id: Option<Uuid>) -> Result<Outcome> {
    let Some(id) = id else { return Ok(Outcome::Refused(NO_ID.to_owned())) };
    let id = ToolServerId::from_bytes(*id.as_bytes());
    let Move { app, caller, folder, .. } = *moving;
    if app.store.read(|tx| TOOL_SERVERS.has(tx, &caller.workspace, &id))? {
        return Ok(Outcome::Here);
    }
    let headers = match row.filled("authConfig").map(|sealed| folder.open_sealed(sealed)) {
        None => BTreeMap::new(),
        Some(Ok(opened)) => header_values(&opened),
        Some(Err(why)) => return Ok(Outcome::Refused(why.to_string())),
    };
    let text = |column: &str| row.filled(column).map(str::to_owned);
    let change = ToolServerChange {
        name: text("name"),
        color: text("color"),
        icon: text("iconSrc"),
        url: text("serverUrl"),
        headers: Some(headers),
    };
    let made = tool_servers::prepare_as(app, caller, id, &change)?;
    if moving.is_real {
        tool_servers::insert(app, caller, &made)?;
    }
    Ok(Outcome::Made { notes: vec!["Ask it for its tools once, under Tools.".to_owned()] })
}

fn header_values(opened: &Value) -> BTreeMap<String, String> {
    let headers: Map<String, Value> =
        opened.get("headers").and_then(Value::as_object).cloned().unwrap_or_default();
    headers.into_iter().filter_map(|(name, value)| Some((name, value.as_str()?.to_owned()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_a_key_without_a_list_of_permissions_could_do_everything() {
        let permissions = |columns: Value| key_permissions(&Row::new(columns.as_object().unwrap().clone())).0;
        assert!(permissions(json!({})).len() > 20);
        assert!(permissions(json!({"permissions": null})).len() > 20);
        assert_eq!(permissions(json!({"permissions": "[\"tools:view\"]"})), ["tools:view"]);
        for unreadable in ["[]", "[", "{}", "\"all\"", "null"] {
            assert_eq!(permissions(json!({ "permissions": unreadable })), [LEAST_PERMISSION], "{unreadable}");
        }
    }
}
