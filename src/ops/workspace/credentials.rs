//! Credentials: kept sealed, shown without their secrets, opened for a run only (manual 8.8).

use super::audit;
use super::credential_destinations::SEND_PERMISSION;
use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::accounts::user::DisplayName;
use crate::domain::error::{Conflict, Error, Result};
use crate::domain::ids::{CredentialId, WorkspaceId};
use crate::domain::resource::ResourceId as _;
use crate::domain::workspace::audit::{AuditAction, AuditEntry, AuditTargetKind};
use crate::domain::workspace::credential::{self, Credential, CredentialChange};
use crate::domain::workspace::credential_types::{CredentialType, FieldKind};
use crate::domain::workspace::oauth2;
use crate::files::Vault;
use crate::ops::accounts::membership;
use crate::ops::flows::usage::{self, ResourceKind};
use crate::ops::remote;
use crate::store::tables::CREDENTIALS;
use crate::store::{Tx, WriteTx};
use jiff::Timestamp;
use serde_json::{Map, Value};

/// Looks a credential type up by its name.
pub(crate) type CredentialTypeLookup = fn(&str) -> Option<&'static CredentialType>;

/// The credentials of the caller's workspace by name, all of them or those of the given types; no fields.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub(crate) fn list(app: &App, caller: &Caller, of_types: &[&str]) -> Result<Vec<Credential>> {
    let mut found = app.store.read(|tx| CREDENTIALS.list(tx, &caller.workspace))?;
    found.retain(|credential| of_types.is_empty() || of_types.contains(&credential.credential_name.as_str()));
    found.sort_by(|one, other| (&one.name, one.created).cmp(&(&other.name, other.created)));
    Ok(found)
}

/// Stores a credential.
///
/// # Errors
/// 400 for a missing name, an unknown type, or a field that is missing or of the wrong kind.
pub(crate) fn create(
    app: &App,
    caller: &Caller,
    types: CredentialTypeLookup,
    change: &CredentialChange,
) -> Result<Credential> {
    let made = prepare(app, caller, types, change)?;
    app.store.write(|tx| insert(tx, caller, &made))?;
    tracing::info!(credential = %made.id, by = %caller.principal, "a credential was made");
    Ok(made)
}

/// A credential that is not stored yet.
///
/// # Errors
/// As [`create`].
pub(in crate::ops) fn prepare(
    app: &App,
    caller: &Caller,
    types: CredentialTypeLookup,
    change: &CredentialChange,
) -> Result<Credential> {
    prepare_as(app, caller, types, CredentialId::random(), change)
}

/// As [`prepare`], under an id that another product gave it.
///
/// # Errors
/// As [`create`].
pub(in crate::ops) fn prepare_as(
    app: &App,
    caller: &Caller,
    types: CredentialTypeLookup,
    id: CredentialId,
    change: &CredentialChange,
) -> Result<Credential> {
    let name = change.name.clone().map_or_else(|| DisplayName::parse("name", ""), Ok)?;
    let kind = require_type(types, change.credential_name.as_deref().unwrap_or_default())?;
    let sent = change.fields.clone().unwrap_or_default();
    let fields = credential::merge_fields(kind, &Map::new(), &sent)?;
    credential::require_filled(kind, &fields, |_| true)?;
    let now = app.clock.monotonic_now();
    Ok(Credential {
        id,
        workspace: caller.workspace,
        name: name.as_str().to_owned(),
        credential_name: kind.name.to_owned(),
        sealed: app.secrets.vault.seal(&caller.workspace, &id, &fields),
        created: now,
        updated: now,
        former_names: Vec::new(),
        addresses: Vec::new(),
    })
}

/// Stores what [`prepare`] made.
///
/// # Errors
/// 409 when its id is in use; when the caller's workspace is gone, or the database cannot be written.
pub(in crate::ops) fn insert(tx: &WriteTx, caller: &Caller, made: &Credential) -> Result<()> {
    membership::require_workspace(tx, &caller.workspace)?;
    if CREDENTIALS.has(tx, &caller.workspace, &made.id)? {
        return Err(Conflict::IdTaken.into());
    }
    CREDENTIALS.put(tx, &caller.workspace, &made.id, made)?;
    record_audit(tx, caller, AuditAction::CredentialCreated, made, made.created)
}

/// One credential, and its fields as they may be shown.
///
/// # Errors
/// 404 for an unknown one; 500 naming it when it was sealed under another key.
pub(crate) fn read(
    app: &App,
    caller: &Caller,
    types: CredentialTypeLookup,
    id: CredentialId,
) -> Result<(Credential, Map<String, Value>)> {
    let stored = app.store.read(|tx| get(tx, caller, &id))?;
    // A type this version does not know shows nothing: which of its fields are secret is not known either.
    let shown = match types(&stored.credential_name) {
        Some(kind) => credential::mask_fields(kind, &decrypt(&app.secrets.vault, &stored)?),
        None => Map::new(),
    };
    Ok((stored, shown))
}

/// The fields of a credential that are addresses, as they may be shown (manual 8.8).
///
/// # Errors
/// As [`read`].
pub(crate) fn addresses(
    app: &App,
    caller: &Caller,
    types: CredentialTypeLookup,
    id: CredentialId,
) -> Result<Map<String, Value>> {
    let stored = app.store.read(|tx| get(tx, caller, &id))?;
    let mut shown = Map::new();
    if let Some(kind) = types(&stored.credential_name) {
        shown = credential::mask_fields(kind, &decrypt(&app.secrets.vault, &stored)?);
        shown.retain(|name, _| {
            kind.fields.iter().any(|field| field.name == name && matches!(field.kind, FieldKind::Url))
        });
    }
    Ok(shown)
}

/// Changes what `change` names. Fields sent back as they were shown stay as they are.
///
/// # Errors
/// 404 for an unknown credential, 400 as for [`create`] and for a change of type without its fields; 403 for who may not
/// change credentials and would take a hidden value along.
pub(crate) fn update(
    app: &App,
    caller: &Caller,
    types: CredentialTypeLookup,
    id: CredentialId,
    change: &CredentialChange,
) -> Result<Credential> {
    let changed = app.store.write(|tx| {
        let mut stored = get(tx, caller, &id)?;
        if let Some(name) = &change.name {
            stored.rename(name.as_str());
        }
        let wanted = change.credential_name.as_deref().unwrap_or(&stored.credential_name);
        if wanted != stored.credential_name || change.fields.is_some() {
            let kind = require_type(types, wanted)?;
            let sent = change.fields.clone().unwrap_or_default();
            // Another type has other fields: nothing of the old ones may slip into it.
            let stays = wanted == stored.credential_name;
            let before = if stays {
                // What cannot be opened can still be replaced: the values sent are then all there is.
                decrypt(&app.secrets.vault, &stored).unwrap_or_default()
            } else {
                Map::new()
            };
            let mut fields = credential::merge_fields(kind, &before, &sent)?;
            oauth2::drop_tokens_if_changed(kind.name, &before, &mut fields);
            credential::require_filled(kind, &fields, |name| !stays || sent.contains_key(name))?;
            require_own_secrets(caller, kind, &before, &fields)?;
            kind.name.clone_into(&mut stored.credential_name);
            stored.sealed = app.secrets.vault.seal(&stored.workspace, &stored.id, &fields);
        }
        stored.updated = app.clock.monotonic_now();
        CREDENTIALS.put(tx, &caller.workspace, &stored.id, &stored)?;
        record_audit(tx, caller, AuditAction::CredentialChanged, &stored, stored.updated)?;
        Ok(stored)
    })?;
    tracing::info!(credential = %changed.id, by = %caller.principal, "a credential was changed");
    if change.fields.is_some() || change.credential_name.is_some() {
        remote::credential::note_change(app, &id);
    }
    Ok(changed)
}

/// Refuses to take a hidden value along to where somebody else wants it: as `credentials:create` opens the route too, its holder
/// could read by another address what they may only make.
fn require_own_secrets(
    caller: &Caller,
    kind: &CredentialType,
    before: &Map<String, Value>,
    after: &Map<String, Value>,
) -> Result<()> {
    if caller.permissions.has(SEND_PERMISSION) {
        return Ok(());
    }
    match credential::find_change_beside_kept_secret(kind, before, after) {
        None => Ok(()),
        Some(field) => Err(Error::Forbidden(format!(
            "'{}' ({}) would change while a hidden value stays. This needs the permission {SEND_PERMISSION}, or every hidden value typed in again.",
            field.name, field.label
        ))),
    }
}

/// Deletes a credential. Cards that name it say so when they run.
///
/// # Errors
/// 404 for an unknown one; 409 while flows use it, unless `force`.
pub(crate) fn delete(app: &App, caller: &Caller, id: CredentialId, force: bool) -> Result<()> {
    app.store.write(|tx| {
        let stored = get(tx, caller, &id)?;
        usage::require_unused(tx, caller, ResourceKind::Credentials, &stored.id.to_string(), force)?;
        CREDENTIALS.remove(tx, &caller.workspace, &stored.id)?;
        record_audit(tx, caller, AuditAction::CredentialDeleted, &stored, app.clock.monotonic_now())
    })?;
    tracing::info!(credential = %id, by = %caller.principal, "a credential was deleted");
    remote::credential::note_deletion(app, &id);
    Ok(())
}

/// The credentials of a workspace that are of one of these types, sealed as they are.
///
/// # Errors
/// When the database cannot be read.
pub(crate) fn list_of_types(
    tx: &impl Tx,
    workspace: &WorkspaceId,
    types: &[&str],
) -> Result<Vec<Credential>> {
    let mut found = CREDENTIALS.list(tx, workspace)?;
    found.retain(|credential| types.contains(&credential.credential_name.as_str()));
    Ok(found)
}

/// The fields of a credential in clear, for a run of a flow in `workspace`; `None` when there is none.
///
/// # Errors
/// [`Error::RunFailed`] naming the credential when it was sealed under another key.
pub(crate) fn open(
    tx: &impl Tx,
    vault: &Vault,
    workspace: &WorkspaceId,
    id: &CredentialId,
) -> Result<Option<Map<String, Value>>> {
    open_checked(tx, vault, workspace, id, &|_| Ok(()))
}

/// As [`open`], once `admit` has let the type of the credential pass.
///
/// # Errors
/// As [`open`], and what `admit` returns.
pub(crate) fn open_checked(
    tx: &impl Tx,
    vault: &Vault,
    workspace: &WorkspaceId,
    id: &CredentialId,
    admit: &dyn Fn(&str) -> Result<()>,
) -> Result<Option<Map<String, Value>>> {
    let Some(stored) = CREDENTIALS.get(tx, workspace, id)? else { return Ok(None) };
    admit(&stored.credential_name)?;
    decrypt(vault, &stored).map(Some)
}

/// What people call a credential of a workspace.
pub(in crate::ops) fn find_name(app: &App, workspace: &WorkspaceId, id: &str) -> Option<String> {
    let id = CredentialId::parse(id)?;
    let found = app.store.read(|tx| CREDENTIALS.get(tx, workspace, &id));
    found.ok().flatten().map(|found| found.name)
}

fn record_audit(
    tx: &WriteTx,
    caller: &Caller,
    action: AuditAction,
    stored: &Credential,
    now: Timestamp,
) -> Result<()> {
    audit::record(
        tx,
        &AuditEntry::by_caller(caller, action, now).with_target(
            AuditTargetKind::Credential,
            stored.id,
            &stored.name,
        ),
    )
}

/// The credential of this id in the caller's workspace.
///
/// # Errors
/// 404 for an unknown one.
pub(in crate::ops) fn get(tx: &impl Tx, caller: &Caller, id: &CredentialId) -> Result<Credential> {
    CREDENTIALS.get(tx, &caller.workspace, id)?.ok_or_else(|| id.not_found())
}

fn require_type(types: CredentialTypeLookup, name: &str) -> Result<&'static CredentialType> {
    types(name).ok_or_else(|| {
        let shown: String = name.chars().filter(|c| !c.is_control()).take(64).collect();
        Error::invalid(format!(
            "There is no credential type '{shown}'. GET /api/v1/components-credentials lists them."
        ))
    })
}

/// The fields of a credential in clear.
///
/// # Errors
/// [`Error::RunFailed`] naming it when it was sealed under another key.
pub(in crate::ops) fn decrypt(vault: &Vault, stored: &Credential) -> Result<Map<String, Value>> {
    vault.open(&stored.workspace, &stored.id, &stored.sealed).map_err(|_| {
        Error::RunFailed(format!(
            "The credential '{}' was encrypted with another key than this server's. Type its values in again.",
            stored.name
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::workspace::credential::MASK;
    use crate::domain::workspace::credential_types::find_type;
    use serde_json::json;

    /// A credential of this name and type with these fields; nothing stands for what is left out.
    fn change(name: &str, kind: &str, fields: Value) -> CredentialChange {
        let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        CredentialChange {
            name: text(name).map(|name| DisplayName::parse("name", &name).unwrap()),
            credential_name: text(kind),
            fields: fields.as_object().cloned(),
        }
    }

    fn basic() -> CredentialChange {
        let fields = json!({"basicAuthUsername": "ada", "basicAuthPassword": "pw-1", "stray": "x"});
        change("Basic", "httpBasicAuth", fields)
    }

    fn opened(app: &App, caller: &Caller, id: CredentialId) -> Option<Value> {
        app.store.read(|tx| open(tx, &app.secrets.vault, &caller.workspace, &id)).unwrap().map(Value::from)
    }

    #[test]
    fn a_secret_goes_in_and_comes_out_for_a_run_only() {
        let (folder, app, caller) = App::with_owner();
        let made = create(&app, &caller, find_type, &basic()).unwrap();
        let id = made.id;
        let shown = read(&app, &caller, find_type, id).unwrap();
        let fields = json!({"basicAuthUsername": "ada", "basicAuthPassword": MASK});
        assert_eq!(shown, (made.clone(), fields.as_object().cloned().unwrap()));
        let clear = json!({"basicAuthUsername": "ada", "basicAuthPassword": "pw-1"});
        assert_eq!(opened(&app, &caller, id), Some(clear.clone()));
        assert_eq!(list(&app, &caller, &[]).unwrap(), std::slice::from_ref(&made));
        assert_eq!(list(&app, &caller, &["openAIApi", "httpBasicAuth"]).unwrap().len(), 1);
        assert!(list(&app, &caller, &["openAIApi"]).unwrap().is_empty());
        update(&app, &caller, find_type, id, &change("New", "", fields)).unwrap();
        assert_eq!(opened(&app, &caller, id), Some(clear));
        update(&app, &caller, find_type, id, &change("", "", json!({"basicAuthPassword": "pw-2"}))).unwrap();
        assert_eq!(opened(&app, &caller, id).unwrap()["basicAuthPassword"], "pw-2");
        let file = std::fs::read(folder.path().join("flowkeep.redb")).unwrap();
        assert!(!String::from_utf8_lossy(&file).contains("pw-"));
    }

    #[test]
    fn a_stranger_finds_nothing() {
        let (_folder, app, caller) = App::with_owner();
        let made = create(&app, &caller, find_type, &basic()).unwrap();
        let id = made.id;
        let stranger = Caller { workspace: WorkspaceId::random(), ..caller.clone() };
        let missing = |result: Result<()>| matches!(result, Err(Error::NotFound(_)));
        assert!(missing(read(&app, &stranger, find_type, id).map(drop)));
        assert!(missing(update(&app, &stranger, find_type, id, &basic()).map(drop)));
        assert!(missing(delete(&app, &stranger, id, false)));
        assert_eq!(opened(&app, &stranger, id), None);
        delete(&app, &caller, id, false).unwrap();
        assert!(missing(delete(&app, &caller, id, false)));
    }

    #[test]
    fn bad_bodies_are_refused() {
        let (_folder, app, caller) = App::with_owner();
        for (name, kind, fields) in [
            ("", "", json!(null)),
            ("x", "nonsense", json!(null)),
            ("", "openAIApi", json!({"openAIApiKey": "k"})),
            ("x", "openAIApi", json!({"openAIApiKey": 1})),
            ("x", "openAIApi", json!({"openAIApiKey": MASK})),
            ("x", "openAIApi", json!(null)),
            ("x", "openAIApi", json!({"openAIApiKey": ""})),
            ("x", "openAIApi", json!({"openAIApiKey": "sk\n1"})),
            ("x", "httpBasicAuth", json!({"basicAuthUsername": "ada"})),
        ] {
            let refused = create(&app, &caller, find_type, &change(name, kind, fields.clone()));
            assert!(matches!(refused, Err(Error::Invalid(_))), "{name} {kind} {fields}");
        }
    }

    #[test]
    fn an_edit_empties_nothing_that_is_needed() {
        let (_folder, app, caller) = App::with_owner();
        let made = create(&app, &caller, find_type, &basic()).unwrap();
        let id = made.id;
        for empty in [json!(""), json!(null), json!("a\u{1}b")] {
            let sent = change("", "", json!({"basicAuthPassword": empty}));
            assert!(matches!(update(&app, &caller, find_type, id, &sent), Err(Error::Invalid(_))), "{empty}");
        }
        assert_eq!(opened(&app, &caller, id).unwrap()["basicAuthPassword"], "pw-1");
        update(&app, &caller, find_type, id, &change("Renamed", "", json!(null))).unwrap();
    }

    #[test]
    fn another_type_takes_nothing_over() {
        let (_folder, app, caller) = App::with_owner();
        let made = create(&app, &caller, find_type, &basic()).unwrap();
        let id = made.id;
        let bare = update(&app, &caller, find_type, id, &change("", "openAIApi", json!(null)));
        assert!(matches!(bare, Err(Error::Invalid(_))), "{bare:?}");
        let fields = json!({"openAIApiKey": "sk-1"});
        update(&app, &caller, find_type, id, &change("", "openAIApi", fields.clone())).unwrap();
        assert_eq!(opened(&app, &caller, id), Some(fields));
    }

    #[test]
    fn a_foreign_seal_is_said_so_and_can_be_replaced() {
        let (_folder, app, caller) = App::with_owner();
        let made = create(&app, &caller, find_type, &basic()).unwrap();
        let id = made.id;
        let sealed = Vault::new(&[1; 32]).seal(&caller.workspace, &id, &Map::new());
        let stored = Credential { sealed, ..made };
        app.store.write(|tx| CREDENTIALS.put(tx, &caller.workspace, &id, &stored)).unwrap();
        let refused = read(&app, &caller, find_type, id).unwrap_err();
        assert!(matches!(&refused, Error::RunFailed(text) if text.contains("'Basic'")), "{refused}");
        update(&app, &caller, find_type, id, &basic()).unwrap();
        assert_eq!(opened(&app, &caller, id).unwrap()["basicAuthPassword"], "pw-1");
    }
}
