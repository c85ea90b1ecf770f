//! Workspaces: the walls between what different teams see (manual 8.5).

use super::audit;
use crate::app::App;
use crate::clock::iso;
use crate::domain::accounts::caller::Caller;
use crate::domain::accounts::current_user::CurrentUser;
use crate::domain::accounts::role;
use crate::domain::accounts::session::Session;
use crate::domain::accounts::token;
use crate::domain::accounts::user::{DisplayName, Membership, Organization, User, Workspace};
use crate::domain::error::{Conflict, Error, Result, count_phrase};
use crate::domain::ids::{UserId, WorkspaceId};
use crate::domain::resource::ResourceId as _;
use crate::domain::workspace::audit::{AuditAction, AuditEntry, AuditTargetKind};
use crate::limits::WORKSPACES_MAX;
use crate::ops::accounts::{membership, roles};
use crate::store::queries::{chunk_records, collections};
use crate::store::tables::{
    API_KEYS, CONVERSATION_UPLOADS, CREDENTIALS, DOCUMENT_STORES, FLOWS, INVITATIONS, KEY_BY_HASH,
    NAME_OF_CONVERSATION, NAMED_SESSIONS, ORGANIZATION, ORGANIZATION_KEY, SESSIONS, TEMPLATES, TOOLS, USERS,
    VARIABLES, WORKSPACES,
};
use crate::store::{Tx, WriteTx};
use serde::Deserialize;
use serde_json::{Value, json};

/// The body of `POST /workspace` and `PUT /workspace`.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct WorkspaceBody {
    pub id: Option<String>,
    pub name: Option<String>,
    pub description: Option<String>,
}

/// The workspaces the caller is in, by name; for the owner all of them.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub fn list(app: &App, caller: &Caller) -> Result<Vec<Value>> {
    app.store.read(|tx| {
        let (me, users) = (current_user(tx, caller)?, USERS.list(tx)?);
        let mut all = WORKSPACES.list(tx)?;
        all.sort_by_key(|workspace| workspace.name.to_lowercase());
        let mine =
            all.iter().filter(|workspace| caller.is_owner() || me.membership_in(&workspace.id).is_some());
        mine.map(|workspace| row(tx, caller, &me, workspace, &users)).collect()
    })
}

/// Makes a workspace. Who is not the owner becomes a member, with the role they have where they act now.
///
/// # Errors
/// 400 for a bad name, 409 when it is taken or there are too many.
pub fn create(app: &App, caller: &Caller, body: &WorkspaceBody) -> Result<Value> {
    let name = DisplayName::parse("name", body.name.as_deref().unwrap_or_default())?;
    let now = app.clock.monotonic_now();
    let made = Workspace {
        id: WorkspaceId::random(),
        organization: caller.organization,
        name: name.as_str().to_owned(),
        description: role::parse_description(body.description.as_deref().unwrap_or_default())?,
        created: now,
        updated: Some(now),
    };
    let row = app.store.write(|tx| {
        if WORKSPACES.list(tx)?.len() >= WORKSPACES_MAX {
            return Err(Conflict::TooMany { what: "workspaces" }.into());
        }
        check_name_free(tx, &made)?;
        WORKSPACES.put(tx, &made.id, &made)?;
        let mut me = current_user(tx, caller)?;
        if !caller.is_owner() {
            // Whoever was removed meanwhile would leave a workspace with nobody in it.
            let role = me.membership_in(&caller.workspace).map(|place| place.role);
            let role = role.ok_or_else(|| Error::Forbidden(membership::NO_WORKSPACE.to_owned()))?;
            me.memberships.push(Membership { workspace: made.id, role, since: Some(now) });
            USERS.put(tx, &me.id, &me)?;
        }
        let entry = AuditEntry::by_caller(caller, AuditAction::WorkspaceCreated, now).in_workspace(made.id);
        audit::record(tx, &entry.with_target(AuditTargetKind::Workspace, made.id, &made.name))?;
        row(tx, caller, &me, &made, &USERS.list(tx)?)
    })?;
    tracing::info!(workspace = %made.id, by = %caller.principal, "a workspace was made");
    Ok(row)
}

/// Renames or describes a workspace.
///
/// # Errors
/// 404, 400 for a bad name, 409 when it is taken.
pub fn update(app: &App, caller: &Caller, body: &WorkspaceBody) -> Result<Value> {
    let name = body.name.as_deref().map(|name| DisplayName::parse("name", name)).transpose()?;
    let description = body.description.as_deref().map(role::parse_description).transpose()?;
    let now = app.clock.monotonic_now();
    let row = app.store.write(|tx| {
        let id = WorkspaceId::from_caller_if_any(body.id.as_deref())?;
        let before = membership::find_workspace(tx, caller, id)?;
        let after = Workspace {
            name: name.as_ref().map_or_else(|| before.name.clone(), |name| name.as_str().to_owned()),
            description: description.clone().unwrap_or_else(|| before.description.clone()),
            updated: Some(now),
            ..before
        };
        check_name_free(tx, &after)?;
        WORKSPACES.put(tx, &after.id, &after)?;
        let entry = AuditEntry::by_caller(caller, AuditAction::WorkspaceChanged, now).in_workspace(after.id);
        audit::record(tx, &entry.with_target(AuditTargetKind::Workspace, after.id, &after.name))?;
        row(tx, caller, &current_user(tx, caller)?, &after, &USERS.list(tx)?)
    })?;
    tracing::info!(workspace = %row["id"], by = %caller.principal, "a workspace was changed");
    Ok(row)
}

/// Deletes a workspace in which nothing is left that people made. Its API keys open nothing any more, its invitations
/// are void, and whoever acts in it goes on in another one.
///
/// # Errors
/// 404; 409 for the default workspace and for one that is not empty.
pub fn delete(app: &App, caller: &Caller, id: &str) -> Result<Value> {
    let now = app.clock.monotonic_now();
    let gone = app.store.write(|tx| {
        let workspace = membership::find_workspace(tx, caller, Some(WorkspaceId::from_caller(id)?))?;
        if membership::organization(tx)?.default_workspace == workspace.id {
            return Err(Conflict::DefaultWorkspace.into());
        }
        let holds = remaining_contents(tx, &workspace.id)?;
        if !holds.is_empty() {
            return Err(Conflict::WorkspaceInUse { holds: holds.join(", ") }.into());
        }
        remove(tx, &workspace)?;
        let entry =
            AuditEntry::by_caller(caller, AuditAction::WorkspaceDeleted, now).in_workspace(workspace.id);
        audit::record(tx, &entry.with_target(AuditTargetKind::Workspace, workspace.id, &workspace.name))?;
        Ok(workspace.id)
    })?;
    crate::ops::knowledge::collections::release_workspace(app, &gone);
    tracing::info!(workspace = %gone, by = %caller.principal, "a workspace was deleted");
    Ok(json!({ "raw": [], "affected": 1 }))
}

/// Makes another workspace the active one of the session behind `cookie`; the user object for it.
///
/// # Errors
/// 404 for a workspace the caller is not in, as for an unknown one.
pub fn switch(app: &App, caller: &Caller, cookie: &str, id: &str) -> Result<CurrentUser> {
    app.store.write(|tx| {
        let (me, organization) = (current_user(tx, caller)?, membership::organization(tx)?);
        let reached = match WorkspaceId::parse(id) {
            Some(wanted) => membership::permissions_in(tx, &me, &organization, wanted)?.map(|_| wanted),
            None => None,
        };
        let workspace = reached.ok_or_else(|| Error::no_such("Workspace", id))?;
        let hash = token::hash(cookie);
        let session = SESSIONS.get(tx, &hash)?.ok_or_else(Error::unauthorized)?;
        SESSIONS.put(tx, &hash, &Session { workspace, ..session })?;
        membership::user_object(tx, &me, &organization, workspace)
    })
}

/// The organization.
///
/// # Errors
/// 401 before there is one.
pub fn organization(app: &App) -> Result<Organization> {
    app.store.read(membership::organization)
}

/// Renames the organization.
///
/// # Errors
/// 400 for a bad name.
pub fn rename_organization(app: &App, caller: &Caller, name: &str) -> Result<Organization> {
    let name = DisplayName::parse("name", name)?;
    app.store.write(|tx| {
        let organization = Organization { name: name.clone(), ..membership::organization(tx)? };
        ORGANIZATION.put(tx, ORGANIZATION_KEY, &organization)?;
        let entry =
            AuditEntry::by_caller(caller, AuditAction::OrganizationChanged, app.clock.monotonic_now());
        audit::record(tx, &entry.with_target(AuditTargetKind::Organization, organization.id, name.as_str()))?;
        Ok(organization)
    })
}

/// The signed-in person.
fn current_user(tx: &impl Tx, caller: &Caller) -> Result<User> {
    let id: UserId = caller.user().ok_or_else(Error::unauthorized)?;
    USERS.get(tx, &id)?.ok_or_else(Error::unauthorized)
}

fn check_name_free(tx: &impl Tx, wanted: &Workspace) -> Result<()> {
    let name = wanted.name.to_lowercase();
    let taken = |other: &Workspace| other.id != wanted.id && other.name.to_lowercase() == name;
    if WORKSPACES.list(tx)?.iter().any(taken) {
        return Err(Conflict::NameTaken { what: "workspace" }.into());
    }
    Ok(())
}

/// What people made in it, in words. Keys and invitations are no work that could be lost.
fn remaining_contents(tx: &impl Tx, workspace: &WorkspaceId) -> Result<Vec<String>> {
    let counts = [
        (FLOWS.count(tx, workspace)?, "flow", "flows"),
        (CREDENTIALS.count(tx, workspace)?, "credential", "credentials"),
        (VARIABLES.count(tx, workspace)?, "variable", "variables"),
        (TOOLS.count(tx, workspace)?, "tool", "tools"),
        (DOCUMENT_STORES.count(tx, workspace)?, "document store", "document stores"),
        (TEMPLATES.count(tx, workspace)?, "template", "templates"),
    ];
    let some = counts.into_iter().filter(|(count, ..)| *count > 0);
    Ok(some.map(|(count, one, several)| count_phrase(count, one, several)).collect())
}

fn remove(tx: &WriteTx, workspace: &Workspace) -> Result<()> {
    let id = &workspace.id;
    for key in API_KEYS.list(tx, id)? {
        KEY_BY_HASH.remove(tx, &key.hash)?;
    }
    API_KEYS.clear(tx, id)?;
    // Vectors that flows left behind, and what is counted of them.
    CONVERSATION_UPLOADS.clear(tx, id)?;
    NAMED_SESSIONS.clear(tx, id)?;
    NAME_OF_CONVERSATION.clear(tx, id)?;
    collections::remove_workspace(tx, id)?;
    chunk_records::remove_workspace(tx, id)?;
    INVITATIONS.retain(tx, |open| open.workspace != *id)?;
    for mut user in USERS.list(tx)?.into_iter().filter(|user| user.membership_in(id).is_some()) {
        user.memberships.retain(|place| place.workspace != *id);
        USERS.put(tx, &user.id, &user)?;
    }
    WORKSPACES.remove(tx, id).map(drop)
}

fn row(tx: &impl Tx, caller: &Caller, me: &User, workspace: &Workspace, users: &[User]) -> Result<Value> {
    let role = if caller.is_owner() {
        Some(role::OWNER)
    } else {
        me.membership_in(&workspace.id).map(|place| place.role)
    };
    let role = role.map(|id| roles::find(tx, &id)).transpose()?.flatten();
    Ok(json!({
        "id": workspace.id,
        "name": workspace.name,
        "description": workspace.description,
        "organizationId": workspace.organization,
        "isDefault": membership::organization(tx)?.default_workspace == workspace.id,
        "isActive": caller.workspace == workspace.id,
        "memberCount": users.iter().filter(|user| user.membership_in(&workspace.id).is_some()).count(),
        "role": role.map(|role| role.name),
        "createdDate": iso(workspace.created),
        "updatedDate": iso(workspace.updated.unwrap_or(workspace.created)),
    }))
}

#[cfg(test)]
#[path = "workspaces_tests.rs"]
mod tests;
