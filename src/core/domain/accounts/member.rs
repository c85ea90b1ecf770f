//! A person's place in a workspace (manual 8.5).

use super::person::PersonSelector;
use super::role::Role;
use super::user::{Membership, User};
use crate::domain::ids::{RoleId, UserId, WorkspaceId};

#[derive(Debug, Clone)]
pub struct Member {
    pub user: User,
    pub place: Membership,
    /// What they are there; `None` once the role is gone.
    pub role: Option<Role>,
}

/// Who is to become a member, where and as what.
#[derive(Debug, Clone)]
pub struct NewMember {
    /// The active workspace, unless one is named.
    pub workspace: Option<WorkspaceId>,
    pub person: PersonSelector,
    pub role: RoleId,
}

/// Which role a member gets.
#[derive(Debug, Clone, Copy)]
pub struct MemberChange {
    /// The active workspace, unless one is named.
    pub workspace: Option<WorkspaceId>,
    pub user: UserId,
    pub role: RoleId,
}
