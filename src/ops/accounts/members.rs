//! Who is in a workspace, and as what (manual 8.5). A membership that ends, ends with the next request.

use super::{invitations, membership, roles};
use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::accounts::member::{Member, MemberChange, NewMember};
use crate::domain::accounts::person::PersonSelector;
use crate::domain::accounts::role::Role;
use crate::domain::accounts::user::{Membership, User, Workspace};
use crate::domain::error::{Conflict, Error, Result};
use crate::domain::ids::{UserId, WorkspaceId};
use crate::domain::workspace::audit::{AuditAction, AuditEntry, AuditTargetKind};
use crate::ops::workspace::audit;
use crate::store::tables::{USER_BY_EMAIL, USERS};
use crate::store::{Tx, WriteTx};

/// The members of a workspace by name; of the active one, unless one is named.
///
/// # Errors
/// 404 for another workspace.
pub(crate) fn list(app: &App, caller: &Caller, workspace: Option<WorkspaceId>) -> Result<Vec<Member>> {
    app.store.read(|tx| {
        let workspace = membership::find_workspace(tx, caller, workspace)?;
        let mut users = USERS.list(tx)?;
        users.sort_by_key(|user| user.name.as_str().to_lowercase());
        let places = users.into_iter().filter_map(|user| {
            let place = user.membership_in(&workspace.id)?.clone();
            Some((user, place))
        });
        places.map(|(user, place)| member(tx, user, place)).collect()
    })
}

/// Adds a person who has an account.
///
/// # Errors
/// 404 for an unknown person, role or workspace; 409 when they are in it already; 403 for a role that allows more than
/// the caller holds.
pub(crate) fn add(app: &App, caller: &Caller, new: &NewMember) -> Result<Member> {
    let now = app.clock.now();
    app.store.write(|tx| {
        let workspace = membership::find_workspace(tx, caller, new.workspace)?;
        let mut user = find_user(tx, &new.person)?;
        let role = roles::require(tx, new.role)?;
        membership::check_grantable(caller, &role)?;
        if user.id == membership::organization(tx)?.owner {
            return Err(Conflict::OwnerStays.into());
        }
        if user.membership_in(&workspace.id).is_some() {
            return Err(Conflict::MemberAlready.into());
        }
        let place = Membership { workspace: workspace.id, role: role.id, since: Some(now) };
        user.memberships.push(place.clone());
        USERS.put(tx, &user.id, &user)?;
        record_audit(tx, caller, AuditAction::MemberAdded, now, &workspace, &user)?;
        member(tx, user, place)
    })
}

/// Gives a member another role.
///
/// # Errors
/// 404; 403 when the role they have or the one they get allows more than the caller holds.
pub(crate) fn update(app: &App, caller: &Caller, change: &MemberChange) -> Result<Member> {
    let now = app.clock.now();
    app.store.write(|tx| {
        let workspace = membership::find_workspace(tx, caller, change.workspace)?;
        let (mut user, _) = find_member(tx, caller, &workspace, change.user)?;
        let role = roles::require(tx, change.role)?;
        membership::check_grantable(caller, &role)?;
        let mut changed = None;
        for place in user.memberships.iter_mut().filter(|place| place.workspace == workspace.id) {
            place.role = role.id;
            changed = Some(place.clone());
        }
        USERS.put(tx, &user.id, &user)?;
        invitations::revoke_all(tx, user.id, Some(workspace.id))?;
        record_audit(tx, caller, AuditAction::MemberChanged, now, &workspace, &user)?;
        let place = changed.ok_or_else(|| no_member(user.id))?;
        member(tx, user, place)
    })
}

/// Removes a member. Their account stays, and their sessions go on in another workspace of theirs.
///
/// # Errors
/// 404; 403 when the role they have allows more than the caller holds.
pub(crate) fn remove(app: &App, caller: &Caller, workspace: Option<WorkspaceId>, user: UserId) -> Result<()> {
    let now = app.clock.now();
    app.store.write(|tx| {
        let workspace = membership::find_workspace(tx, caller, workspace)?;
        let (mut user, _) = find_member(tx, caller, &workspace, user)?;
        user.memberships.retain(|place| place.workspace != workspace.id);
        USERS.put(tx, &user.id, &user)?;
        invitations::revoke_all(tx, user.id, Some(workspace.id))?;
        record_audit(tx, caller, AuditAction::MemberRemoved, now, &workspace, &user)
    })
}

/// The person a new membership is for.
fn find_user(tx: &impl Tx, person: &PersonSelector) -> Result<User> {
    let id = match person {
        PersonSelector::ById(id) => Some(*id),
        PersonSelector::ByEmail(email) => USER_BY_EMAIL.get(tx, email.as_str())?,
    };
    let found = id.map(|id| USERS.get(tx, &id)).transpose()?.flatten();
    found.ok_or_else(|| person.not_found())
}

fn no_member(user: UserId) -> Error {
    Error::no_such("Member", &user.to_string())
}

/// A member whose place the caller may change, with the role they have.
fn find_member(tx: &impl Tx, caller: &Caller, workspace: &Workspace, id: UserId) -> Result<(User, Role)> {
    let user = USERS.get(tx, &id)?.filter(|user| user.membership_in(&workspace.id).is_some());
    let user = user.ok_or_else(|| no_member(id))?;
    let role =
        user.membership_in(&workspace.id).map(|place| roles::find(tx, &place.role)).transpose()?.flatten();
    let role = role.ok_or_else(|| no_member(id))?;
    membership::check_grantable(caller, &role)?;
    Ok((user, role))
}

fn record_audit(
    tx: &WriteTx,
    caller: &Caller,
    action: AuditAction,
    now: jiff::Timestamp,
    workspace: &Workspace,
    user: &User,
) -> Result<()> {
    tracing::info!(user = %user.id, workspace = %workspace.id, by = %caller.principal, action = %action, "a membership was changed");
    let entry = AuditEntry::by_caller(caller, action, now).in_workspace(workspace.id);
    audit::record(tx, &entry.with_target(AuditTargetKind::User, user.id, user.name.as_str()))
}

fn member(tx: &impl Tx, user: User, place: Membership) -> Result<Member> {
    Ok(Member { role: roles::find(tx, &place.role)?, user, place })
}
