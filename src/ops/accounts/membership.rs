//! Where a person is and what they may do there: asked anew for each request, so a change counts at once (manual 8.5, 12.1).

use super::roles;
use crate::domain::accounts::caller::{Caller, PermissionSet};
use crate::domain::accounts::current_user::{AssignedWorkspace, CurrentUser};
use crate::domain::accounts::role::{self, Role};
use crate::domain::accounts::user::{Organization, User, Workspace};
use crate::domain::error::{Error, Result};
use crate::domain::ids::WorkspaceId;
use crate::domain::resource::ResourceId as _;
use crate::store::Tx;
use crate::store::tables::{ORGANIZATION, ORGANIZATION_KEY, WORKSPACES};

/// What somebody reads who has an account and no workspace.
pub(crate) const NO_WORKSPACE: &str = "You are in no workspace. Ask the owner to add you to one.";

/// The one organization.
///
/// # Errors
/// 401 before it was made: nobody can have proven anything then.
pub(crate) fn organization(tx: &impl Tx) -> Result<Organization> {
    ORGANIZATION.get(tx, ORGANIZATION_KEY)?.ok_or_else(Error::unauthorized)
}

/// What the person may do in this workspace; `None` when they are not in it, or it is gone.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub(crate) fn permissions_in(
    tx: &impl Tx,
    user: &User,
    organization: &Organization,
    workspace: WorkspaceId,
) -> Result<Option<PermissionSet>> {
    if organization.owner == user.id {
        return Ok(WORKSPACES.get(tx, &workspace)?.map(|_| PermissionSet::All));
    }
    let Some(place) = user.membership_in(&workspace) else { return Ok(None) };
    Ok(roles::find(tx, &place.role)?.map(|role| role.permission_set()))
}

/// Where a session begins, and goes on when its workspace was left: the default workspace for those who are in it, else
/// the first one they are in.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub(crate) fn default_workspace(
    tx: &impl Tx,
    user: &User,
    organization: &Organization,
) -> Result<Option<(WorkspaceId, PermissionSet)>> {
    let others = user.memberships.iter().map(|place| place.workspace);
    for workspace in std::iter::once(organization.default_workspace).chain(others) {
        if let Some(grants) = permissions_in(tx, user, organization, workspace)? {
            return Ok(Some((workspace, grants)));
        }
    }
    Ok(None)
}

/// The workspace a request names, or the active one when it names none. The owner may name every workspace, others
/// only the one they act in: what they may do elsewhere is asked there.
///
/// # Errors
/// 404, for another workspace as for an unknown one.
pub(crate) fn find_workspace(tx: &impl Tx, caller: &Caller, id: Option<WorkspaceId>) -> Result<Workspace> {
    let id = id.unwrap_or(caller.workspace);
    let seen = Some(id).filter(|id| caller.is_owner() || *id == caller.workspace);
    let found = seen.map(|id| WORKSPACES.get(tx, &id)).transpose()?.flatten();
    found.ok_or_else(|| id.not_found())
}

/// The workspace, for who puts something into it; it may be gone: asked within the write, because the workspace can go away
/// between the look at who asks and the write.
///
/// # Errors
/// 404.
pub(crate) fn require_workspace(tx: &impl Tx, workspace: &WorkspaceId) -> Result<Workspace> {
    WORKSPACES.get(tx, workspace)?.ok_or_else(|| workspace.not_found())
}

/// Judges giving, changing or taking a role: nobody hands out more than they hold, and what reaches beyond a workspace
/// is the owner's to give (manual 8.5).
///
/// # Errors
/// 403 saying why.
pub(crate) fn check_grantable(caller: &Caller, role: &Role) -> Result<()> {
    if role.id == role::OWNER {
        return Err(Error::Forbidden("The owner's role cannot be given or taken.".to_owned()));
    }
    if caller.is_owner() {
        return Ok(());
    }
    if role.is_owner_level() {
        return Err(Error::Forbidden(format!(
            "The role {} manages people or roles, so only the organization owner gives, changes and takes it.",
            role.name
        )));
    }
    if !caller.permissions.has_all(&role.permissions) {
        return Err(Error::Forbidden(format!("The role {} allows more than you may yourself.", role.name)));
    }
    Ok(())
}

/// The user object (manual 8.2 r1).
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub(crate) fn user_object(
    tx: &impl Tx,
    user: &User,
    organization: &Organization,
    active: WorkspaceId,
) -> Result<CurrentUser> {
    let is_owner = organization.owner == user.id;
    let mut assigned = Vec::new();
    let mut active_name = None;
    for workspace in WORKSPACES.list(tx)? {
        if workspace.id == active {
            active_name = Some(workspace.name.clone());
        }
        let place = user.membership_in(&workspace.id).map(|place| place.role);
        let Some(role) = (if is_owner { Some(role::OWNER) } else { place }) else { continue };
        let Some(role) = roles::find(tx, &role)? else { continue };
        assigned.push(AssignedWorkspace {
            id: workspace.id,
            name: workspace.name,
            organization: workspace.organization,
            role: role.name,
        });
    }
    let role = if is_owner { Some(role::OWNER) } else { user.membership_in(&active).map(|place| place.role) };
    let permissions =
        permissions_in(tx, user, organization, active)?.map(|grants| grants.names()).unwrap_or_default();
    Ok(CurrentUser {
        user: user.clone(),
        is_owner,
        role,
        organization: organization.id,
        active_workspace: active,
        active_workspace_name: active_name,
        workspaces: assigned,
        permissions,
    })
}
