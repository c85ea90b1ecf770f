//! The people of the organization: who they are, keeping them out, and removing them (manual 8.4, 8.5).

use super::{invitations, membership, roles};
use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::accounts::person::{Person, PersonWorkspace};
use crate::domain::accounts::session::Session;
use crate::domain::accounts::user::{Email, Organization, User, UserStatus, Workspace};
use crate::domain::error::{Conflict, Result};
use crate::domain::ids::{UserId, WorkspaceId};
use crate::domain::resource::ResourceId as _;
use crate::domain::workspace::audit::{AuditAction, AuditEntry, AuditTargetKind};
use crate::ops::workspace::audit;
use crate::store::tables::{PASSWORD_RESETS, SESSIONS, USER_BY_EMAIL, USERS, WORKSPACES};
use crate::store::{Tx, WriteTx};

/// The person of this id.
///
/// # Errors
/// 404.
pub(crate) fn find(tx: &impl Tx, id: UserId) -> Result<User> {
    USERS.get(tx, &id)?.ok_or_else(|| id.not_found())
}

/// As [`find`], for an operation that has yet to begin.
///
/// # Errors
/// 404.
pub(crate) fn load(app: &App, id: UserId) -> Result<User> {
    app.store.read(|tx| find(tx, id))
}

/// The people by name: everybody for the owner; others see who is in their workspace, and what they are there.
///
/// # Errors
/// When the database cannot be read.
pub(crate) fn list(app: &App, caller: &Caller) -> Result<Vec<Person>> {
    let now = app.clock.now();
    app.store.read(|tx| {
        let mut users = USERS.list(tx)?;
        users.retain(|user| caller.is_owner() || user.membership_in(&caller.workspace).is_some());
        users.sort_by_key(|user| user.name.as_str().to_lowercase());
        let mut sessions = SESSIONS.list(tx)?;
        sessions.retain(|session| session.is_alive(now));
        let (organization, workspaces) = (membership::organization(tx)?, WORKSPACES.list(tx)?);
        let context = PeopleContext { organization, workspaces, sessions };
        users.into_iter().map(|user| context.person(tx, caller, user)).collect()
    })
}

/// Lets a person in or keeps them out, which ends their sessions and voids their links. For the owner.
///
/// # Errors
/// 404; 409 for the owner, who stays.
pub(crate) fn set_status(app: &App, owner: &Caller, id: UserId, status: UserStatus) -> Result<Person> {
    let now = app.clock.now();
    app.store.write(|tx| {
        let mut user = require_removable(tx, id)?;
        user.disabled = status == UserStatus::Disabled;
        USERS.put(tx, &user.id, &user)?;
        if user.disabled {
            end_access(tx, &user)?;
        }
        let action = if user.disabled { AuditAction::UserDisabled } else { AuditAction::UserEnabled };
        let entry = AuditEntry::by_caller(owner, action, now);
        audit::record(tx, &entry.with_target(AuditTargetKind::User, user.id, user.name.as_str()))
    })?;
    tracing::info!(user = %id, by = %owner.principal, is_disabled = status == UserStatus::Disabled, "a person's status was set");
    let found = list(app, owner)?.into_iter().find(|person| person.user.id == id);
    found.ok_or_else(|| id.not_found())
}

/// As [`set_status`], for a person by their e-mail or id.
///
/// # Errors
/// As [`set_status`].
pub(crate) fn set_status_by_name(app: &App, owner: &Caller, who: &str, status: UserStatus) -> Result<Person> {
    let by_email = match Email::parse(who) {
        Some(email) => app.store.read(|tx| USER_BY_EMAIL.get(tx, email.as_str()))?,
        None => None,
    };
    let id = by_email.map_or_else(|| UserId::from_caller(who), Ok)?;
    set_status(app, owner, id, status)
}

/// Removes a person from everywhere. What they made stays. For the owner.
///
/// # Errors
/// 404; 409 for the owner, who stays.
pub(crate) fn delete(app: &App, owner: &Caller, id: UserId) -> Result<()> {
    app.store.write(|tx| {
        let user = require_removable(tx, id)?;
        end_access(tx, &user)?;
        USER_BY_EMAIL.remove(tx, user.email.as_str())?;
        USERS.remove(tx, &user.id)?;
        let entry = AuditEntry::by_caller(owner, AuditAction::UserDeleted, app.clock.now());
        audit::record(tx, &entry.with_target(AuditTargetKind::User, user.id, user.name.as_str()))
    })?;
    tracing::info!(user = %id, by = %owner.principal, "a person was removed");
    Ok(())
}

fn require_removable(tx: &impl Tx, id: UserId) -> Result<User> {
    let user = find(tx, id)?;
    if user.id == membership::organization(tx)?.owner {
        return Err(Conflict::OwnerStays.into());
    }
    Ok(user)
}

fn end_access(tx: &WriteTx, user: &User) -> Result<()> {
    SESSIONS.retain(tx, |session| session.user != user.id)?;
    invitations::revoke_all(tx, user.id, None)?;
    PASSWORD_RESETS.retain(tx, |open| open.user != user.id).map(drop)
}

/// What the list is made from.
struct PeopleContext {
    organization: Organization,
    workspaces: Vec<Workspace>,
    sessions: Vec<Session>,
}

impl PeopleContext {
    fn person(&self, tx: &impl Tx, caller: &Caller, user: User) -> Result<Person> {
        let seen = |workspace: &WorkspaceId| caller.is_owner() || *workspace == caller.workspace;
        let mut workspaces = Vec::new();
        for place in user.memberships.iter().filter(|place| seen(&place.workspace)) {
            let workspace = self.workspaces.iter().find(|workspace| workspace.id == place.workspace);
            let (Some(workspace), Some(role)) = (workspace, roles::find(tx, &place.role)?) else { continue };
            workspaces.push(PersonWorkspace {
                id: workspace.id,
                name: workspace.name.clone(),
                role: role.id,
                role_name: role.name,
            });
        }
        let sessions = self.sessions.iter().filter(|session| session.user == user.id).count();
        Ok(Person {
            organization: self.organization.id,
            is_owner: user.id == self.organization.owner,
            workspaces,
            reset_requested: user.reset_requested.filter(|_| caller.is_owner()),
            session_count: caller.is_owner().then_some(sessions),
            user,
        })
    }
}
