//! API keys: making, listing, changing and deleting them, and who holds one (manual 8.7).
//!
//! A key belongs to its workspace and not to its maker: it goes on working when they lose rights, leave or are removed,
//! so that no deployment stops because a person left. It never held more than they did, whoever may see keys sees it,
//! and it ends when somebody deletes it or its workspace goes.

use super::membership;
use crate::app::App;
use crate::domain::accounts::api_key::{self, ApiKey, ApiKeyEntry, BoundFlow, KeyOwner, KeyTerms};
use crate::domain::accounts::caller::{Caller, Principal};
use crate::domain::accounts::token;
use crate::domain::change::Change;
use crate::domain::error::{Conflict, Error, Result};
use crate::domain::flows::flow::{Flow, FlowWithCanvas};
use crate::domain::ids::KeyId;
use crate::domain::resource::ResourceId as _;
use crate::domain::workspace::audit::{AuditAction, AuditEntry, AuditTargetKind};
use crate::ops::conversations::named_sessions;
use crate::ops::flows;
use crate::ops::flows::usage::{self, ResourceKind};
use crate::ops::predictions::consumption;
use crate::ops::workspace::audit;
use crate::store::tables::{API_KEYS, FLOWS, KEY_BY_HASH, ORGANIZATION, ORGANIZATION_KEY};
use serde_json::Value;
use std::net::IpAddr;

/// Makes a key in the caller's workspace, and its value, which is there this once.
///
/// # Errors
/// 400 for a bad name, no permissions, unknown ones, or ones the caller lacks.
pub(crate) fn create(
    app: &App,
    caller: &Caller,
    name: &str,
    permissions: &[String],
) -> Result<(ApiKeyEntry, String)> {
    create_with_budget(app, caller, (name, permissions), &Change::Keep)
}

/// As [`create`], with what may be used with the key in a day.
///
/// # Errors
/// As [`create`], and 400 for what is no budget.
pub(crate) fn create_with_budget(
    app: &App,
    caller: &Caller,
    (name, permissions): (&str, &[String]),
    budget: &Change<Value>,
) -> Result<(ApiKeyEntry, String)> {
    let terms = KeyTerms::check(name, permissions, &caller.permissions)?.with_budget(budget)?;
    let (key, value) = ApiKey::mint(caller.workspace, terms, app.clock.now());
    app.store.write(|tx| {
        membership::require_workspace(tx, &key.workspace)?;
        API_KEYS.put(tx, &key.workspace, &key.id, &key)?;
        KEY_BY_HASH.put(tx, &key.hash, &KeyOwner { workspace: key.workspace, id: key.id })?;
        let entry = AuditEntry::by_caller(caller, AuditAction::ApikeyCreated, key.created);
        audit::record(tx, &entry.with_target(AuditTargetKind::ApiKey, key.id, &key.name))
    })?;
    tracing::info!(key = %key.id, by = %caller.principal, "an API key was made");
    Ok((entry_of(app, key, &[])?, value))
}

/// A key that another product made, with the value that its holders have; what it would be stored as.
///
/// # Errors
/// 400 as for [`create`], and for a value that could be guessed; 409 when the value is a key already.
pub(in crate::ops) fn prepare_foreign(
    app: &App,
    caller: &Caller,
    id: KeyId,
    (name, permissions): (&str, &[String]),
    value: &str,
) -> Result<ApiKey> {
    let terms = KeyTerms::check(name, permissions, &caller.permissions)?;
    let key = ApiKey::adopt(id, caller.workspace, terms, value, app.clock.monotonic_now())?;
    if app.store.read(|tx| KEY_BY_HASH.get(tx, &key.hash))?.is_some() {
        return Err(Conflict::IdTaken.into());
    }
    Ok(key)
}

/// Stores what [`prepare_foreign`] made.
///
/// # Errors
/// 409 when its id or its value is in use by now.
pub(in crate::ops) fn adopt(app: &App, caller: &Caller, key: &ApiKey) -> Result<()> {
    app.store.write(|tx| {
        membership::require_workspace(tx, &key.workspace)?;
        let is_taken =
            API_KEYS.has(tx, &key.workspace, &key.id)? || KEY_BY_HASH.get(tx, &key.hash)?.is_some();
        if is_taken {
            return Err(Conflict::IdTaken.into());
        }
        API_KEYS.put(tx, &key.workspace, &key.id, key)?;
        KEY_BY_HASH.put(tx, &key.hash, &KeyOwner { workspace: key.workspace, id: key.id })?;
        let entry = AuditEntry::by_caller(caller, AuditAction::ApikeyCreated, key.created);
        audit::record(tx, &entry.with_target(AuditTargetKind::ApiKey, key.id, &key.name))
    })?;
    tracing::info!(key = %key.id, by = %caller.principal, "an API key moved in");
    Ok(())
}

/// All keys of the caller's workspace, newest change first, values hidden, each with the flows that are bound to it and that
/// the caller may see.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub(crate) fn list(app: &App, caller: &Caller) -> Result<Vec<ApiKeyEntry>> {
    let workspace = &caller.workspace;
    let (mut keys, mut flows) =
        app.store.read(|tx| Ok((API_KEYS.list(tx, workspace)?, FLOWS.list(tx, workspace)?)))?;
    flows.retain(|flow| usage::is_seen(caller, flow.kind));
    keys.sort_by_key(|key| std::cmp::Reverse(key.updated));
    keys.into_iter().map(|key| entry_of(app, key, &flows)).collect()
}

/// Requires that there is such a key.
///
/// # Errors
/// 404.
pub(crate) fn require(app: &App, caller: &Caller, key: KeyId) -> Result<()> {
    let found = app.store.read(|tx| API_KEYS.get(tx, &caller.workspace, &key))?;
    found.map(drop).ok_or_else(|| key.not_found())
}

/// Gives a key another name, other permissions and another budget; its value stays.
///
/// # Errors
/// 404 for an unknown key, 400 as for [`create`].
pub(crate) fn update(
    app: &App,
    caller: &Caller,
    key: KeyId,
    (name, permissions): (&str, &[String]),
    budget: &Change<Value>,
) -> Result<()> {
    let terms = KeyTerms::check(name, permissions, &caller.permissions)?.with_budget(budget)?;
    app.store.write(|tx| {
        let stored = API_KEYS.get(tx, &caller.workspace, &key)?.ok_or_else(|| key.not_found())?;
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
pub(crate) fn delete(app: &App, caller: &Caller, key: KeyId, force: bool) -> Result<()> {
    app.store.write(|tx| {
        let stored = API_KEYS.get(tx, &caller.workspace, &key)?.ok_or_else(|| key.not_found())?;
        usage::require_unused(tx, caller, ResourceKind::Keys, &key.to_string(), force)?;
        KEY_BY_HASH.remove(tx, &stored.hash)?;
        API_KEYS.remove(tx, &caller.workspace, &key)?;
        named_sessions::delete_for_key(tx, &caller.workspace, &key)?;
        let entry = AuditEntry::by_caller(caller, AuditAction::ApikeyDeleted, app.clock.now());
        audit::record(tx, &entry.with_target(AuditTargetKind::ApiKey, key, &stored.name))
    })?;
    tracing::info!(key = %key, by = %caller.principal, "an API key was deleted");
    Ok(())
}

fn entry_of(app: &App, key: ApiKey, flows: &[Flow]) -> Result<ApiKeyEntry> {
    let bound = flows.iter().filter(|flow| flow.settings.api_key == Some(key.id)).map(|flow| BoundFlow {
        name: flow.name.clone(),
        category: flow.category.clone(),
        updated: flow.updated,
    });
    Ok(ApiKeyEntry {
        usage: key.usage + app.state.key_usage.pending(key.workspace, key.id),
        flows: bound.collect(),
        used_today: consumption::of_key_today(app, &key.workspace, &key.id)?,
        key,
    })
}

/// The key a presented value belongs to. Found by its hash, then compared in constant time.
fn lookup(app: &App, value: &str) -> Result<Option<ApiKey>> {
    if !api_key::is_well_formed(value) {
        return Ok(None);
    }
    let key = app.store.read(|tx| match KEY_BY_HASH.get(tx, &token::hash(value))? {
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
pub(crate) fn authenticate(app: &App, bearer: &str, address: Option<IpAddr>) -> Result<Option<Caller>> {
    let caller = holder(app, bearer, address)?;
    if let Some(Caller { principal: Principal::Key { id }, workspace, .. }) = &caller {
        app.state.key_usage.increment(*workspace, *id);
    }
    Ok(caller)
}

/// As [`authenticate`], for what counts as no use of the key.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub(in crate::ops) fn holder(app: &App, bearer: &str, address: Option<IpAddr>) -> Result<Option<Caller>> {
    let Some(key) = lookup(app, bearer)? else { return Ok(None) };
    let Some(organization) = app.store.read(|tx| ORGANIZATION.get(tx, ORGANIZATION_KEY))? else {
        return Ok(None);
    };
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
pub(crate) fn find_by_value(app: &App, value: &str, address: IpAddr) -> Result<ApiKey> {
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
pub(crate) fn flows_of(
    app: &App,
    value: &str,
    address: IpAddr,
    bound_only: bool,
) -> Result<Vec<FlowWithCanvas>> {
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
    Ok(found)
}

/// True when `bearer` is the value of the key a flow is bound to; counts the use. False when that key was
/// deleted: its value opens nothing, and the flow stays closed.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub(crate) fn authenticates(app: &App, key: &KeyId, bearer: &str) -> Result<bool> {
    let Some(found) = lookup(app, bearer)?.filter(|found| found.id == *key) else { return Ok(false) };
    app.state.key_usage.increment(found.workspace, found.id);
    Ok(true)
}

/// As [`authenticates`], for what counts as no use.
///
/// # Errors
/// As [`authenticates`].
pub(crate) fn is_value_of(app: &App, key: &KeyId, bearer: &str) -> Result<bool> {
    Ok(lookup(app, bearer)?.is_some_and(|found| found.id == *key))
}

/// Stores the uses that were counted since the last time, in one write; none, when there were none.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be written; the counts stay in memory then.
pub(crate) fn flush_usage(app: &App) -> Result<()> {
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

    fn make(app: &App, caller: &Caller, permissions: &[&str]) -> Result<(KeyId, String)> {
        let (made, value) = create(app, caller, "ci", &names(permissions))?;
        Ok((made.key.id, value))
    }

    fn names(permissions: &[&str]) -> Vec<String> {
        permissions.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn the_value_is_shown_once_and_opens_what_it_may() {
        let (_folder, app, caller) = App::with_owner();
        let (_, value) = make(&app, &caller, &["chatflows:view"]).unwrap();
        let holder = authenticate(&app, &value, None).unwrap().unwrap();
        assert_eq!(holder.workspace, caller.workspace);
        assert!(holder.has_any(&["chatflows:view"]) && !holder.has_any(&["chatflows:update"]));
        assert!(!matches!(holder.principal, Principal::User { .. }));
        let listed = list(&app, &caller).unwrap();
        assert_eq!(listed[0].key.masked_value(), format!("fk_••••{}", &value[42..]));
        assert_eq!((listed[0].usage, listed[0].flows.len()), (1, 0));
        assert!(!format!("{listed:?}").contains(&value));
        for wrong in ["", "fk_", &format!("{value}x"), &format!("fk_{}", "A".repeat(43))] {
            assert_eq!(authenticate(&app, wrong, None).unwrap(), None);
        }
    }

    #[test]
    fn a_deleted_key_opens_nothing() {
        let (_folder, app, caller) = App::with_owner();
        let (key, value) = make(&app, &caller, &["chatflows:view"]).unwrap();
        let (_, other) = make(&app, &caller, &["chatflows:view"]).unwrap();
        assert!(authenticates(&app, &key, &value).unwrap());
        assert!(!authenticates(&app, &key, &other).unwrap());
        let stranger = Caller { workspace: WorkspaceId::random(), ..caller.clone() };
        assert!(matches!(delete(&app, &stranger, key, false), Err(Error::NotFound(_))));
        delete(&app, &caller, key, false).unwrap();
        assert!(matches!(delete(&app, &caller, key, false), Err(Error::NotFound(_))));
        assert!(!authenticates(&app, &key, &value).unwrap());
        assert_eq!(authenticate(&app, &value, None).unwrap(), None);
    }

    #[test]
    fn uses_are_stored_in_bundles() {
        let (_folder, app, caller) = App::with_owner();
        let (key, value) = make(&app, &caller, &["chatflows:view"]).unwrap();
        let usage = || list(&app, &caller).unwrap()[0].usage;
        for round in 1..=3 {
            assert!(authenticates(&app, &key, &value).unwrap());
            assert_eq!(usage(), round);
            flush_usage(&app).unwrap();
            assert_eq!(usage(), round);
        }
        let stored = app.store.read(|tx| API_KEYS.get(tx, &caller.workspace, &key)).unwrap().unwrap();
        assert_eq!(stored.usage, 3);
        assert!(authenticates(&app, &key, &value).unwrap());
        delete(&app, &caller, key, false).unwrap();
        flush_usage(&app).unwrap();
    }

    #[test]
    fn nobody_gives_away_what_they_do_not_have() {
        let (_folder, app, caller) = App::with_owner();
        let grants = PermissionSet::Only([Permission::parse("apikeys:create").unwrap()].into());
        let modest = Caller { permissions: grants, ..caller.clone() };
        for (who, list) in [(&caller, &[][..]), (&caller, &["chatflows:fly"]), (&modest, &["chatflows:view"])]
        {
            assert!(matches!(make(&app, who, list), Err(Error::Invalid(_))), "{list:?}");
        }
        let (key, value) = make(&app, &modest, &["apikeys:create"]).unwrap();
        let change =
            |who: &Caller, list: &[&str]| update(&app, who, key, ("ci", &names(list)), &Change::Keep);
        assert!(matches!(change(&modest, &["chatflows:view"]), Err(Error::Invalid(_))));
        change(&caller, &["chatflows:view", "tools:view"]).unwrap();
        let holder = authenticate(&app, &value, None).unwrap().unwrap();
        assert!(holder.has_any(&["tools:view"]) && !holder.has_any(&["apikeys:create"]));
    }
}
