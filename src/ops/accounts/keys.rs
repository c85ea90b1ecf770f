//! API keys: making, listing, changing and deleting them, and who holds one (manual 8.7).
//!
//! A key belongs to its workspace and not to its maker: it goes on working when they lose rights, leave or are removed,
//! so that no deployment stops because a person left. It never held more than they did, whoever may see keys sees it,
//! and it ends when somebody deletes it or its workspace goes.

use super::membership;
use crate::app::App;
use crate::clock::iso;
use crate::domain::accounts::api_key::{self, ApiKey, KeyOwner, KeyTerms};
use crate::domain::accounts::caller::{Caller, Principal};
use crate::domain::accounts::token;
use crate::domain::error::{Error, Result};
use crate::domain::flows::flow::Flow;
use crate::domain::ids::KeyId;
use crate::domain::workspace::audit::{AuditAction, AuditEntry, AuditTargetKind};
use crate::ops::conversations::named_sessions;
use crate::ops::flows;
use crate::ops::flows::usage::{self, ResourceKind};
use crate::ops::workspace::audit;
use crate::store::tables::{API_KEYS, FLOWS, KEY_BY_HASH, ORGANIZATION, ORGANIZATION_KEY};
use serde::Deserialize;
use serde_json::{Value, json};
use std::net::IpAddr;

/// The body of `POST /apikey` and `PUT /apikey/:id`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KeyBody {
    pub key_name: String,
    /// What its holder may do: at least one, none that the maker lacks.
    #[serde(default)]
    pub permissions: Vec<String>,
}

/// Makes a key in the caller's workspace. The record's `apiKey` is the value, this once.
///
/// # Errors
/// 400 for a bad name, no permissions, unknown ones, or ones the caller lacks.
pub fn create(app: &App, caller: &Caller, body: &KeyBody) -> Result<Value> {
    let terms = KeyTerms::check(&body.key_name, &body.permissions, &caller.permissions)?;
    let (key, value) = ApiKey::mint(caller.workspace, terms, app.clock.now());
    app.store.write(|tx| {
        membership::require_workspace(tx, &key.workspace)?;
        API_KEYS.put(tx, &key.workspace, &key.id, &key)?;
        KEY_BY_HASH.put(tx, &key.hash, &KeyOwner { workspace: key.workspace, id: key.id })?;
        let entry = AuditEntry::by_caller(caller, AuditAction::ApikeyCreated, key.created);
        audit::record(tx, &entry.with_target(AuditTargetKind::ApiKey, key.id, &key.name))
    })?;
    tracing::info!(key = %key.id, by = %caller.principal, "an API key was made");
    let mut row = row(app, &key, &[]);
    row["apiKey"] = value.into();
    Ok(row)
}

/// All keys of the caller's workspace, newest change first, values hidden.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub fn list(app: &App, caller: &Caller) -> Result<Vec<Value>> {
    let workspace = &caller.workspace;
    let (mut keys, flows) =
        app.store.read(|tx| Ok((API_KEYS.list(tx, workspace)?, FLOWS.list(tx, workspace)?)))?;
    keys.sort_by_key(|key| std::cmp::Reverse(key.updated));
    Ok(keys.iter().map(|key| row(app, key, &flows)).collect())
}

/// Gives a key another name and other permissions; its value stays.
///
/// # Errors
/// 404 for an unknown key, 400 as for [`create`].
pub fn update(app: &App, caller: &Caller, id: &str, body: &KeyBody) -> Result<()> {
    let key = parse_id(id)?;
    let terms = KeyTerms::check(&body.key_name, &body.permissions, &caller.permissions)?;
    app.store.write(|tx| {
        let stored = API_KEYS.get(tx, &caller.workspace, &key)?.ok_or_else(|| no_key(id))?;
        let changed = stored.with_terms(terms.clone(), app.clock.now());
        API_KEYS.put(tx, &caller.workspace, &key, &changed)?;
        let entry = AuditEntry::by_caller(caller, AuditAction::ApikeyChanged, changed.updated);
        audit::record(tx, &entry.with_target(AuditTargetKind::ApiKey, key, &changed.name))
    })?;
    tracing::info!(key = %key, by = %caller.principal, "an API key was changed");
    Ok(())
}

/// Deletes a key. Flows bound to it stay bound and admit nobody.
///
/// # Errors
/// 404 for an unknown key.
pub fn delete(app: &App, caller: &Caller, id: &str, force: bool) -> Result<Value> {
    let key = parse_id(id)?;
    app.store.write(|tx| {
        let stored = API_KEYS.get(tx, &caller.workspace, &key)?.ok_or_else(|| no_key(id))?;
        usage::require_unused(tx, caller, ResourceKind::Keys, &key.to_string(), force)?;
        KEY_BY_HASH.remove(tx, &stored.hash)?;
        API_KEYS.remove(tx, &caller.workspace, &key)?;
        named_sessions::delete_for_key(tx, &caller.workspace, &key)?;
        let entry = AuditEntry::by_caller(caller, AuditAction::ApikeyDeleted, app.clock.now());
        audit::record(tx, &entry.with_target(AuditTargetKind::ApiKey, key, &stored.name))
    })?;
    tracing::info!(key = %key, by = %caller.principal, "an API key was deleted");
    Ok(json!({ "raw": [], "affected": 1 }))
}

fn parse_id(id: &str) -> Result<KeyId> {
    KeyId::parse(id).ok_or_else(|| no_key(id))
}

fn no_key(id: &str) -> Error {
    let shown: String = id.chars().filter(|c| !c.is_control()).take(64).collect();
    Error::NotFound(format!("API key {shown} not found"))
}

fn row(app: &App, key: &ApiKey, flows: &[Flow]) -> Value {
    let bound: Vec<Value> = flows
        .iter()
        .filter(|flow| flow.settings.api_key == Some(key.id))
        .map(|flow| json!({ "flowName": flow.name, "category": flow.category, "updatedDate": iso(flow.updated) }))
        .collect();
    json!({
        "id": key.id,
        "keyName": key.name,
        "apiKey": key.masked_value(),
        "permissions": key.permissions,
        "usage": key.usage + app.state.key_usage.pending(key.workspace, key.id),
        "createdDate": iso(key.created),
        "updatedDate": iso(key.updated),
        "workspaceId": key.workspace,
        "chatFlows": bound,
    })
}

/// The key a presented value belongs to. Found by its hash, then compared in constant time.
fn lookup(app: &App, value: &str) -> Result<Option<ApiKey>> {
    if !api_key::is_well_formed(value) {
        return Ok(None);
    }
    let key = app.store.read_but_messages(|tx| match KEY_BY_HASH.get(tx, &token::hash(value))? {
        Some(home) => API_KEYS.get(tx, &home.workspace, &home.id),
        None => Ok(None),
    })?;
    Ok(key.filter(|key| key.matches(value)))
}

/// Who presents an API key, with what it allows now; counts the use. `None` for a value that is no key. Wrong
/// values are not counted against an address: with 256 random bits there is nothing to guess.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub fn authenticate(app: &App, bearer: &str, address: Option<IpAddr>) -> Result<Option<Caller>> {
    let Some(key) = lookup(app, bearer)? else { return Ok(None) };
    let Some(organization) = app.store.read_but_messages(|tx| ORGANIZATION.get(tx, ORGANIZATION_KEY))? else {
        return Ok(None);
    };
    app.state.key_usage.increment(key.workspace, key.id);
    Ok(Some(Caller {
        principal: Principal::Key { id: key.id },
        organization: organization.id,
        workspace: key.workspace,
        permissions: key.permission_set(),
        address,
    }))
}

/// Judges a key that is shown to be told whether it is one (manual 8.7 r4). Wrong ones are counted
/// against the address (manual 8.3 r3).
///
/// # Errors
/// 401 for a value that is no key, 429 for an address that guessed too often.
pub fn find_by_value(app: &App, value: &str, address: IpAddr) -> Result<ApiKey> {
    let now = app.clock.now().as_millisecond();
    app.state
        .login_throttle
        .admit(value, address, now)
        .map_err(|wait| Error::TooManyAttempts { retry_after_seconds: wait.0 })?;
    let key = lookup(app, value)?.ok_or_else(Error::unauthorized)?;
    app.state.login_throttle.record_success(value, address);
    Ok(key)
}

/// The flows a key is bound to, by name, with those that are bound to none unless only its own are wanted. Of the
/// key's workspace, and of the kinds its holder may see (manual 8.7 r4).
///
/// # Errors
/// As [`find_by_value`]; 404 when there are none.
pub fn flows_of(app: &App, value: &str, address: IpAddr, bound_only: bool) -> Result<Vec<Value>> {
    let key = find_by_value(app, value, address)?;
    let holder = authenticate(app, value, Some(address))?.ok_or_else(Error::unauthorized)?;
    let (mut found, _) = flows::list(app, &holder, flows::FlowFilter::default())?;
    found.retain(|whole| match whole.flow.settings.api_key {
        Some(bound) => bound == key.id,
        None => !bound_only,
    });
    found.sort_by(|a, b| a.flow.name.cmp(&b.flow.name));
    if found.is_empty() {
        return Err(Error::NotFound("This API key opens no flow.".to_owned()));
    }
    Ok(found.iter().map(flows::FlowWithCanvas::wire).collect())
}

/// True when `bearer` is the value of the key a flow is bound to; counts the use. False when that key was
/// deleted: its value opens nothing, and the flow stays closed.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub fn authenticates(app: &App, key: &KeyId, bearer: &str) -> Result<bool> {
    let Some(found) = lookup(app, bearer)?.filter(|found| found.id == *key) else { return Ok(false) };
    app.state.key_usage.increment(found.workspace, found.id);
    Ok(true)
}

/// Stores the uses that were counted since the last time, in one write; none, when there were none.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be written; the counts stay in memory then.
pub fn flush_usage(app: &App) -> Result<()> {
    let taken = app.state.key_usage.drain();
    if taken.is_empty() {
        return Ok(());
    }
    let stored = app.store.write(|tx| {
        for uses in &taken {
            if let Some(mut key) = API_KEYS.get(tx, &uses.workspace, &uses.key)? {
                key.usage += uses.count;
                API_KEYS.put(tx, &uses.workspace, &uses.key, &key)?;
            }
        }
        Ok(())
    });
    stored.inspect_err(|_| taken.iter().for_each(|uses| app.state.key_usage.add(*uses)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::accounts::caller::{Permission, PermissionSet};
    use crate::domain::ids::WorkspaceId;

    fn body(permissions: &[&str]) -> KeyBody {
        KeyBody {
            key_name: "ci".to_owned(),
            permissions: permissions.iter().map(|name| (*name).to_owned()).collect(),
        }
    }

    fn text<'a>(row: &'a Value, field: &str) -> &'a str {
        row[field].as_str().unwrap()
    }

    #[test]
    fn the_value_is_shown_once_and_opens_what_it_may() {
        let (_folder, app, caller) = App::with_owner();
        let made = create(&app, &caller, &body(&["chatflows:view"])).unwrap();
        let value = text(&made, "apiKey");
        let holder = authenticate(&app, value, None).unwrap().unwrap();
        assert_eq!(holder.workspace, caller.workspace);
        assert!(holder.has_any(&["chatflows:view"]) && !holder.has_any(&["chatflows:update"]));
        assert!(!matches!(holder.principal, Principal::User { .. }));
        let listed = list(&app, &caller).unwrap();
        assert_eq!(listed[0]["apiKey"], format!("fk_••••{}", &value[42..]));
        assert_eq!((&listed[0]["usage"], &listed[0]["chatFlows"]), (&json!(1), &json!([])));
        assert!(!Value::from(listed).to_string().contains(value));
        for wrong in ["", "fk_", &format!("{value}x"), &format!("fk_{}", "A".repeat(43))] {
            assert_eq!(authenticate(&app, wrong, None).unwrap(), None);
        }
    }

    #[test]
    fn a_deleted_key_opens_nothing() {
        let (_folder, app, caller) = App::with_owner();
        let made = create(&app, &caller, &body(&["chatflows:view"])).unwrap();
        let other = create(&app, &caller, &body(&["chatflows:view"])).unwrap();
        let (id, value) = (text(&made, "id"), text(&made, "apiKey"));
        let key = KeyId::parse(id).unwrap();
        assert!(authenticates(&app, &key, value).unwrap());
        assert!(!authenticates(&app, &key, text(&other, "apiKey")).unwrap());
        let stranger = Caller { workspace: WorkspaceId::random(), ..caller.clone() };
        assert!(matches!(delete(&app, &stranger, id, false), Err(Error::NotFound(_))));
        assert_eq!(delete(&app, &caller, id, false).unwrap(), json!({"raw": [], "affected": 1}));
        assert!(matches!(delete(&app, &caller, id, false), Err(Error::NotFound(_))));
        assert!(!authenticates(&app, &key, value).unwrap());
        assert_eq!(authenticate(&app, value, None).unwrap(), None);
        assert!(matches!(delete(&app, &caller, "not-an-id", false), Err(Error::NotFound(_))));
    }

    #[test]
    fn uses_are_stored_in_bundles() {
        let (_folder, app, caller) = App::with_owner();
        let made = create(&app, &caller, &body(&["chatflows:view"])).unwrap();
        let (key, value) = (KeyId::parse(text(&made, "id")).unwrap(), text(&made, "apiKey"));
        let usage = || list(&app, &caller).unwrap()[0]["usage"].clone();
        for round in 1..=3 {
            assert!(authenticates(&app, &key, value).unwrap());
            assert_eq!(usage(), round);
            flush_usage(&app).unwrap();
            assert_eq!(usage(), round);
        }
        let stored = app.store.read(|tx| API_KEYS.get(tx, &caller.workspace, &key)).unwrap().unwrap();
        assert_eq!(stored.usage, 3);
        assert!(authenticates(&app, &key, value).unwrap());
        delete(&app, &caller, text(&made, "id"), false).unwrap();
        flush_usage(&app).unwrap();
    }

    #[test]
    fn nobody_gives_away_what_they_do_not_have() {
        let (_folder, app, caller) = App::with_owner();
        let grants = PermissionSet::Only([Permission::parse("apikeys:create").unwrap()].into());
        let modest = Caller { permissions: grants, ..caller.clone() };
        for (who, list) in [(&caller, &[][..]), (&caller, &["chatflows:fly"]), (&modest, &["chatflows:view"])]
        {
            assert!(matches!(create(&app, who, &body(list)), Err(Error::Invalid(_))), "{list:?}");
        }
        let made = create(&app, &modest, &body(&["apikeys:create"])).unwrap();
        let id = text(&made, "id");
        assert!(matches!(update(&app, &modest, id, &body(&["chatflows:view"])), Err(Error::Invalid(_))));
        update(&app, &caller, id, &body(&["chatflows:view", "tools:view"])).unwrap();
        let holder = authenticate(&app, text(&made, "apiKey"), None).unwrap().unwrap();
        assert!(holder.has_any(&["tools:view"]) && !holder.has_any(&["apikeys:create"]));
    }
}
