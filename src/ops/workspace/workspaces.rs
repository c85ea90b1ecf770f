//! Workspaces: the walls between what different teams see (manual 8.5).

use super::{audit, quota};
use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::accounts::current_user::CurrentUser;
use crate::domain::accounts::role;
use crate::domain::accounts::session::Session;
use crate::domain::accounts::token;
use crate::domain::accounts::user::{DisplayName, Membership, Organization, User, Workspace};
use crate::domain::change::Change;
use crate::domain::error::{Conflict, Error, Result, count_phrase};
use crate::domain::ids::{UserId, WorkspaceId};
use crate::domain::resource::ResourceId as _;
use crate::domain::workspace::audit::{AuditAction, AuditEntry, AuditTargetKind};
use crate::domain::workspace::workspace_overview::{WorkspaceChange, WorkspaceOverview};
use crate::ops::accounts::{membership, roles};
use crate::store::queries::{chunk_records, collections, consumption};
use crate::store::tables::{
    API_KEYS, CONVERSATION_UPLOADS, CREDENTIALS, DOCUMENT_STORES, FLOWS, HOSTED_ASSISTANTS, INVITATIONS,
    KEY_BY_HASH, NAME_OF_CONVERSATION, NAMED_SESSIONS, ORGANIZATION, ORGANIZATION_KEY, SESSIONS, TEMPLATES,
    TOOL_SERVERS, TOOLS, USERS, VARIABLES, WORKSPACES,
};
use crate::store::{Tx, WriteTx};

/// Workspaces of the organization (manual 14.15).
const WORKSPACES_MAX: usize = 1_000;

/// The workspaces the caller is in, by name; for the owner all of them.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub(crate) fn list(app: &App, caller: &Caller) -> Result<Vec<WorkspaceOverview>> {
    let mut mine = app.store.read(|tx| {
        let (me, users) = (current_user(tx, caller)?, USERS.list(tx)?);
        let mut all = WORKSPACES.list(tx)?;
        all.sort_by_key(|workspace| workspace.name.to_lowercase());
        let mine =
            all.iter().filter(|workspace| caller.is_owner() || me.membership_in(&workspace.id).is_some());
        mine.map(|workspace| overview(tx, caller, &me, workspace, &users)).collect::<Result<Vec<_>>>()
    })?;
    mine.iter_mut().try_for_each(|workspace| count_use(app, workspace))?;
    Ok(mine)
}

/// Adds what is used of the quota of a workspace. Outside of a transaction: files are counted on the disk.
fn count_use(app: &App, overview: &mut WorkspaceOverview) -> Result<()> {
    if overview.workspace.quota.is_some() {
        overview.used = Some(quota::current_use(app, &overview.workspace.id)?);
    }
    Ok(())
}

/// Makes a workspace. Who is not the owner becomes a member, with the role they have where they act now.
///
/// # Errors
/// 400 for a bad name, 409 when it is taken or there are too many.
pub(crate) fn create(app: &App, caller: &Caller, change: &WorkspaceChange) -> Result<WorkspaceOverview> {
    let name = change.name.clone().map_or_else(|| DisplayName::parse("name", ""), Ok)?;
    let now = app.clock.monotonic_now();
    let made = Workspace {
        id: WorkspaceId::random(),
        organization: caller.organization,
        name: name.as_str().to_owned(),
        description: change.description.clone().unwrap_or_default(),
        created: now,
        updated: Some(now),
        quota: None,
    };
    let overview = app.store.write(|tx| {
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
        overview(tx, caller, &me, &made, &USERS.list(tx)?)
    })?;
    tracing::info!(workspace = %made.id, by = %caller.principal, "a workspace was made");
    Ok(overview)
}

/// Renames or describes a workspace, or bounds what it may hold and use (manual 5.17).
///
/// # Errors
/// 404, 400 for a bad name, 403 for a quota of who is not the owner, 409 when the name is taken.
pub(crate) fn update(
    app: &App,
    caller: &Caller,
    id: Option<WorkspaceId>,
    change: &WorkspaceChange,
) -> Result<WorkspaceOverview> {
    if change.quota != Change::Keep && !caller.is_owner() {
        return Err(Error::Forbidden(
            "Only the owner of the service sets the quota of a workspace.".to_owned(),
        ));
    }
    let now = app.clock.monotonic_now();
    let mut changed = app.store.write(|tx| {
        let before = membership::find_workspace(tx, caller, id)?;
        let name = change.name.as_ref().map(|name| name.as_str().to_owned());
        let after = Workspace {
            name: name.unwrap_or_else(|| before.name.clone()),
            description: change.description.clone().unwrap_or_else(|| before.description.clone()),
            updated: Some(now),
            quota: change.quota.apply(before.quota),
            ..before
        };
        check_name_free(tx, &after)?;
        WORKSPACES.put(tx, &after.id, &after)?;
        let entry = AuditEntry::by_caller(caller, AuditAction::WorkspaceChanged, now).in_workspace(after.id);
        audit::record(tx, &entry.with_target(AuditTargetKind::Workspace, after.id, &after.name))?;
        overview(tx, caller, &current_user(tx, caller)?, &after, &USERS.list(tx)?)
    })?;
    count_use(app, &mut changed)?;
    tracing::info!(workspace = %changed.workspace.id, by = %caller.principal, "a workspace was changed");
    Ok(changed)
}

/// Deletes a workspace in which nothing is left that people made. Its API keys open nothing any more, its invitations
/// are void, and whoever acts in it goes on in another one.
///
/// # Errors
/// 404; 409 for the default workspace and for one that is not empty.
pub(crate) fn delete(app: &App, caller: &Caller, id: WorkspaceId) -> Result<()> {
    let now = app.clock.monotonic_now();
    app.store.write(|tx| {
        let workspace = membership::find_workspace(tx, caller, Some(id))?;
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
        audit::record(tx, &entry.with_target(AuditTargetKind::Workspace, workspace.id, &workspace.name))
    })?;
    crate::ops::knowledge::collections::release_workspace(app, &id);
    tracing::info!(workspace = %id, by = %caller.principal, "a workspace was deleted");
    Ok(())
}

/// Makes another workspace the active one of the session behind `cookie`; the user object for it.
///
/// # Errors
/// 404 for a workspace the caller is not in, as for an unknown one.
pub(crate) fn switch(app: &App, caller: &Caller, cookie: &str, id: WorkspaceId) -> Result<CurrentUser> {
    app.store.write(|tx| {
        let (me, organization) = (current_user(tx, caller)?, membership::organization(tx)?);
        if membership::permissions_in(tx, &me, &organization, id)?.is_none() {
            return Err(id.not_found());
        }
        let hash = token::hash(cookie);
        let session = SESSIONS.get(tx, &hash)?.ok_or_else(Error::unauthorized)?;
        SESSIONS.put(tx, &hash, &Session { workspace: id, ..session })?;
        membership::user_object(tx, &me, &organization, id)
    })
}

/// The organization.
///
/// # Errors
/// 401 before there is one.
pub(crate) fn organization(app: &App) -> Result<Organization> {
    app.store.read(membership::organization)
}

/// Renames the organization.
///
/// # Errors
/// 401 before there is one.
pub(crate) fn rename_organization(app: &App, caller: &Caller, name: &DisplayName) -> Result<Organization> {
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
        (TOOL_SERVERS.count(tx, workspace)?, "server of tools", "servers of tools"),
        (DOCUMENT_STORES.count(tx, workspace)?, "document store", "document stores"),
        (TEMPLATES.count(tx, workspace)?, "template", "templates"),
        (HOSTED_ASSISTANTS.count(tx, workspace)?, "hosted assistant", "hosted assistants"),
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
    consumption::remove_workspace(tx, id)?;
    INVITATIONS.retain(tx, |open| open.workspace != *id)?;
    for mut user in USERS.list(tx)?.into_iter().filter(|user| user.membership_in(id).is_some()) {
        user.memberships.retain(|place| place.workspace != *id);
        USERS.put(tx, &user.id, &user)?;
    }
    WORKSPACES.remove(tx, id).map(drop)
}

fn overview(
    tx: &impl Tx,
    caller: &Caller,
    me: &User,
    workspace: &Workspace,
    users: &[User],
) -> Result<WorkspaceOverview> {
    let role = if caller.is_owner() {
        Some(role::OWNER)
    } else {
        me.membership_in(&workspace.id).map(|place| place.role)
    };
    let role = role.map(|id| roles::find(tx, &id)).transpose()?.flatten();
    Ok(WorkspaceOverview {
        workspace: workspace.clone(),
        is_default: membership::organization(tx)?.default_workspace == workspace.id,
        is_active: caller.workspace == workspace.id,
        members: users.iter().filter(|user| user.membership_in(&workspace.id).is_some()).count(),
        role: role.map(|role| role.name),
        used: None,
    })
}

#[cfg(test)]
#[path = "workspaces_tests.rs"]
mod tests;
