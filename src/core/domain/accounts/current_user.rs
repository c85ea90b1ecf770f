//! The signed-in person as the web page knows them (manual 8.2 r1).

use super::user::User;
use crate::domain::ids::{OrganizationId, RoleId, WorkspaceId};

/// A signed-in person, and what they may do in the workspace they act in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CurrentUser {
    pub user: User,
    /// True for the organization owner.
    pub is_owner: bool,
    /// What they are in the active workspace.
    pub role: Option<RoleId>,
    pub organization: OrganizationId,
    pub active_workspace: WorkspaceId,
    pub active_workspace_name: Option<String>,
    /// The workspaces that are open to them.
    pub workspaces: Vec<AssignedWorkspace>,
    /// The names of what they may do in the active workspace.
    pub permissions: Vec<String>,
}

/// A workspace that is open to a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AssignedWorkspace {
    pub id: WorkspaceId,
    pub name: String,
    pub organization: OrganizationId,
    /// What the person is there, by name.
    pub role: String,
}
