//! Roles: those that come with the service, and those that people make of known permissions (manual 8.6).

use super::membership;
use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::accounts::role::{self, NewRole, Role, RoleChange, RoleEntry};
use crate::domain::accounts::user::User;
use crate::domain::error::{Conflict, Error, Result};
use crate::domain::ids::{RoleId, UserId, WorkspaceId};
use crate::domain::resource::ResourceId as _;
use crate::domain::workspace::audit::{AuditAction, AuditEntry, AuditTargetKind};
use crate::ops::workspace::audit;
use crate::store::Tx;
use crate::store::tables::{INVITATIONS, ROLES, USERS};

/// Roles that people make (manual 14.15).
const ROLES_MAX: usize = 200;

/// The role of this id, whoever made it.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub(crate) fn find(tx: &impl Tx, id: &RoleId) -> Result<Option<Role>> {
    match role::find_built_in(id) {
        Some(role) => Ok(Some(role)),
        None => ROLES.get(tx, id),
    }
}

/// As [`find`], for an id that a request names.
///
/// # Errors
/// 404 when there is no such role.
pub(crate) fn require(tx: &impl Tx, id: RoleId) -> Result<Role> {
    find(tx, &id)?.ok_or_else(|| id.not_found())
}

/// All roles: those that come with the service, then the others by name.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub(crate) fn list(app: &App, caller: &Caller) -> Result<Vec<RoleEntry>> {
    app.store.read(|tx| {
        let mut made = ROLES.list(tx)?;
        made.sort_by_key(|role| role.name.to_lowercase());
        let (users, owner) = (USERS.list(tx)?, membership::organization(tx)?.owner);
        let all = role::built_in().into_iter().chain(made);
        Ok(all.map(|role| entry(caller, role, &users, owner)).collect())
    })
}

/// One role.
///
/// # Errors
/// 404.
pub(crate) fn read(app: &App, caller: &Caller, id: RoleId) -> Result<RoleEntry> {
    app.store.read(|tx| {
        let owner = membership::organization(tx)?.owner;
        Ok(entry(caller, require(tx, id)?, &USERS.list(tx)?, owner))
    })
}

/// Makes a role.
///
/// # Errors
/// 403 for more than the caller holds, 409 when the name is taken or there are too many.
pub(crate) fn create(app: &App, caller: &Caller, new: NewRole) -> Result<RoleEntry> {
    let now = app.clock.monotonic_now();
    let made = Role {
        id: RoleId::random(),
        name: new.name.as_str().to_owned(),
        description: new.description,
        permissions: new.permissions,
        created: Some(now),
        updated: Some(now),
    };
    membership::check_grantable(caller, &made)?;
    app.store.write(|tx| {
        if ROLES.list(tx)?.len() >= ROLES_MAX {
            return Err(Conflict::TooMany { what: "roles" }.into());
        }
        check_name_free(tx, &made)?;
        ROLES.put(tx, &made.id, &made)?;
        audit::record(
            tx,
            &AuditEntry::by_caller(caller, AuditAction::RoleCreated, now).with_target(
                AuditTargetKind::Role,
                made.id,
                &made.name,
            ),
        )
    })?;
    tracing::info!(role = %made.id, by = %caller.principal, "a role was made");
    read(app, caller, made.id)
}

/// Changes a role. Whoever holds it may what it says from the next request on.
///
/// # Errors
/// 404; 403 for one that comes with the service, for more than the caller holds, and for one that is held where the
/// caller has no say; 409 as for [`create`].
pub(crate) fn update(app: &App, caller: &Caller, id: RoleId, change: &RoleChange) -> Result<RoleEntry> {
    let RoleChange { name, description, permissions } = change;
    let now = app.clock.monotonic_now();
    let changed = app.store.write(|tx| {
        let before = require_editable(tx, caller, id)?;
        let after = Role {
            name: name.as_ref().map_or_else(|| before.name.clone(), |name| name.as_str().to_owned()),
            description: description.clone().unwrap_or_else(|| before.description.clone()),
            permissions: permissions.clone().unwrap_or_else(|| before.permissions.clone()),
            updated: Some(now),
            ..before
        };
        membership::check_grantable(caller, &after)?;
        check_name_free(tx, &after)?;
        ROLES.put(tx, &after.id, &after)?;
        audit::record(
            tx,
            &AuditEntry::by_caller(caller, AuditAction::RoleChanged, now).with_target(
                AuditTargetKind::Role,
                after.id,
                &after.name,
            ),
        )?;
        Ok(after)
    })?;
    tracing::info!(role = %changed.id, by = %caller.principal, "a role was changed");
    read(app, caller, id)
}

/// Deletes a role that nobody has.
///
/// # Errors
/// 404; 403 as for [`update`]; 409 while people have it or invitations promise it.
pub(crate) fn delete(app: &App, caller: &Caller, id: RoleId) -> Result<()> {
    let now = app.clock.monotonic_now();
    app.store.write(|tx| {
        let role = require_editable(tx, caller, id)?;
        let people = count_holders(&USERS.list(tx)?, &role.id);
        let open =
            INVITATIONS.list(tx)?.into_iter().filter(|found| found.role == role.id && found.expires > now);
        let invitations = open.count();
        if people + invitations > 0 {
            return Err(Conflict::RoleInUse { people, invitations }.into());
        }
        INVITATIONS.retain(tx, |found| found.role != role.id)?;
        ROLES.remove(tx, &role.id)?;
        audit::record(
            tx,
            &AuditEntry::by_caller(caller, AuditAction::RoleDeleted, now).with_target(
                AuditTargetKind::Role,
                role.id,
                &role.name,
            ),
        )
    })?;
    tracing::info!(role = %id, by = %caller.principal, "a role was deleted");
    Ok(())
}

/// The role, if the caller may change it. A role reaches every workspace where somebody has it: who could change it
/// from elsewhere could give themselves there what they only have here.
fn require_editable(tx: &impl Tx, caller: &Caller, id: RoleId) -> Result<Role> {
    let role = require(tx, id)?;
    if role.is_built_in() {
        return Err(Error::Forbidden(format!(
            "The role {} comes with the service and cannot be changed. Make one of your own.",
            role.name
        )));
    }
    membership::check_grantable(caller, &role)?;
    let elsewhere = |workspace: &WorkspaceId| !caller.is_owner() && *workspace != caller.workspace;
    let held = USERS.list(tx)?.into_iter().flat_map(|user| user.memberships);
    let held = held.filter(|place| place.role == role.id).any(|place| elsewhere(&place.workspace));
    let promised =
        INVITATIONS.list(tx)?.iter().any(|open| open.role == role.id && elsewhere(&open.workspace));
    if held || promised {
        return Err(Error::Forbidden(format!(
            "People in other workspaces have the role {}, so only the organization owner changes it.",
            role.name
        )));
    }
    Ok(role)
}

fn check_name_free(tx: &impl Tx, wanted: &Role) -> Result<()> {
    let built_in = role::built_in();
    let made = ROLES.list(tx)?;
    let mut others = built_in.iter().chain(&made).filter(|role| role.id != wanted.id);
    if others.any(|role| role.name.to_lowercase() == wanted.name.to_lowercase()) {
        return Err(Conflict::NameTaken { what: "role" }.into());
    }
    Ok(())
}

/// How many people have the role somewhere.
fn count_holders(users: &[User], role: &RoleId) -> usize {
    users.iter().filter(|user| user.memberships.iter().any(|place| place.role == *role)).count()
}

fn entry(caller: &Caller, role: Role, users: &[User], owner: UserId) -> RoleEntry {
    let user_count = if role.id == role::OWNER {
        users.iter().filter(|user| user.id == owner).count()
    } else {
        count_holders(users, &role.id)
    };
    let elsewhere = |user: &User| {
        let mut places = user.memberships.iter().filter(|place| place.role == role.id);
        places.any(|place| place.workspace != caller.workspace)
    };
    let is_assignable = membership::check_grantable(caller, &role).is_ok();
    let reachable = caller.is_owner() || !users.iter().any(elsewhere);
    let is_editable =
        is_assignable && reachable && !role.is_built_in() && caller.permissions.has("roles:manage");
    RoleEntry { organization: caller.organization, is_assignable, is_editable, user_count, role }
}
