//! Who is in a workspace, and as what (manual 8.5). A membership that ends, ends with the next request.

use super::{invitations, membership, roles};
use crate::app::App;
use crate::clock::iso;
use crate::domain::accounts::caller::Caller;
use crate::domain::accounts::role::Role;
use crate::domain::accounts::user::{Email, Membership, User, Workspace};
use crate::domain::error::{Conflict, Error, Result};
use crate::domain::ids::UserId;
use crate::domain::workspace::audit::{AuditAction, AuditEntry, AuditTargetKind};
use crate::ops::workspace::audit;
use crate::store::tables::{USER_BY_EMAIL, USERS};
use crate::store::{Tx, WriteTx};
use serde::Deserialize;
use serde_json::{Value, json};

/// The body of `POST /workspaceuser` and `PUT /workspaceuser`.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub struct MemberBody {
    /// Where; the active workspace when it is left out.
    pub workspace_id: Option<String>,
    pub user_id: Option<String>,
    /// Who, for those whose id one need not know.
    pub email: Option<String>,
    pub role_id: String,
}

/// The members of a workspace by name, or the one with this id.
///
/// # Errors
/// 404 for another workspace.
pub fn list(app: &App, caller: &Caller, workspace: Option<&str>, user: Option<&str>) -> Result<Vec<Value>> {
    app.store.read(|tx| {
        let workspace = membership::find_workspace(tx, caller, workspace)?;
        let mut users = USERS.list(tx)?;
        users.retain(|found| user.is_none_or(|wanted| found.id.to_string() == wanted));
        users.sort_by_key(|user| user.name.as_str().to_lowercase());
        let members = users.iter().filter_map(|user| Some((user, user.membership_in(&workspace.id)?)));
        members.map(|(user, place)| row(tx, user, place)).collect()
    })
}

/// Adds a person who has an account.
///
/// # Errors
/// 404 for an unknown person, role or workspace; 409 when they are in it already; 403 for a role that allows more than
/// the caller holds.
pub fn add(app: &App, caller: &Caller, body: &MemberBody) -> Result<Value> {
    let now = app.clock.now();
    app.store.write(|tx| {
        let workspace = membership::find_workspace(tx, caller, body.workspace_id.as_deref())?;
        let mut user = find_user(tx, body)?;
        let role = roles::require(tx, &body.role_id)?;
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
        row(tx, &user, &place)
    })
}

/// Gives a member another role.
///
/// # Errors
/// 404; 403 when the role they have or the one they get allows more than the caller holds.
pub fn update(app: &App, caller: &Caller, body: &MemberBody) -> Result<Value> {
    let now = app.clock.now();
    app.store.write(|tx| {
        let workspace = membership::find_workspace(tx, caller, body.workspace_id.as_deref())?;
        let (mut user, _) = find_member(tx, caller, &workspace, body.user_id.as_deref().unwrap_or_default())?;
        let role = roles::require(tx, &body.role_id)?;
        membership::check_grantable(caller, &role)?;
        let mut changed = None;
        for place in user.memberships.iter_mut().filter(|place| place.workspace == workspace.id) {
            place.role = role.id;
            changed = Some(place.clone());
        }
        USERS.put(tx, &user.id, &user)?;
        invitations::revoke_all(tx, user.id, Some(workspace.id))?;
        record_audit(tx, caller, AuditAction::MemberChanged, now, &workspace, &user)?;
        let place = changed.ok_or_else(|| Error::no_such("Member", &user.id.to_string()))?;
        row(tx, &user, &place)
    })
}

/// Removes a member. Their account stays, and their sessions go on in another workspace of theirs.
///
/// # Errors
/// 404; 403 when the role they have allows more than the caller holds.
pub fn remove(app: &App, caller: &Caller, workspace: Option<&str>, user: &str) -> Result<Value> {
    let now = app.clock.now();
    app.store.write(|tx| {
        let workspace = membership::find_workspace(tx, caller, workspace)?;
        let (mut user, _) = find_member(tx, caller, &workspace, user)?;
        user.memberships.retain(|place| place.workspace != workspace.id);
        USERS.put(tx, &user.id, &user)?;
        invitations::revoke_all(tx, user.id, Some(workspace.id))?;
        record_audit(tx, caller, AuditAction::MemberRemoved, now, &workspace, &user)
    })?;
    Ok(json!({ "raw": [], "affected": 1 }))
}

/// The person a new membership is for.
fn find_user(tx: &impl Tx, body: &MemberBody) -> Result<User> {
    let email = body.email.as_deref().and_then(Email::parse);
    let id = match (&body.user_id, &email) {
        (Some(id), _) => UserId::parse(id),
        (None, Some(email)) => USER_BY_EMAIL.get(tx, email.as_str())?,
        (None, None) => None,
    };
    let found = id.map(|id| USERS.get(tx, &id)).transpose()?.flatten();
    let asked_for = body.user_id.as_deref().or(body.email.as_deref()).unwrap_or_default();
    found.ok_or_else(|| Error::no_such("Person", asked_for))
}

/// A member whose place the caller may change, with the role they have.
fn find_member(tx: &impl Tx, caller: &Caller, workspace: &Workspace, id: &str) -> Result<(User, Role)> {
    let user = UserId::parse(id).map(|id| USERS.get(tx, &id)).transpose()?.flatten();
    let user = user.filter(|user| user.membership_in(&workspace.id).is_some());
    let user = user.ok_or_else(|| Error::no_such("Member", id))?;
    let role =
        user.membership_in(&workspace.id).map(|place| roles::find(tx, &place.role)).transpose()?.flatten();
    let role = role.ok_or_else(|| Error::no_such("Member", id))?;
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

fn row(tx: &impl Tx, user: &User, place: &Membership) -> Result<Value> {
    let role = roles::find(tx, &place.role)?;
    let role = role.map(|role| {
        json!({
            "id": role.id,
            "name": role.name,
            "description": role.description,
            "builtIn": role.is_built_in(),
        })
    });
    Ok(json!({
        "workspaceId": place.workspace,
        "userId": user.id,
        "roleId": place.role,
        "status": if user.disabled { "disabled" } else { "active" },
        "lastLogin": user.last_login.map(iso),
        "isOwner": false,
        "createdDate": iso(place.since.unwrap_or(user.created)),
        "user": { "id": user.id, "name": user.name, "email": user.email },
        "role": role,
    }))
}
