//! A person as the organization sees them (manual 8.4).

use super::user::{Email, User};
use crate::domain::error::Error;
use crate::domain::ids::{OrganizationId, RoleId, UserId, WorkspaceId};
use crate::domain::resource::ResourceId as _;
use jiff::Timestamp;

#[derive(Debug, Clone)]
pub struct Person {
    pub user: User,
    pub organization: OrganizationId,
    /// True for the organization owner.
    pub is_owner: bool,
    /// The workspaces they are in, as far as the caller may see them.
    pub workspaces: Vec<PersonWorkspace>,
    /// When they asked for a new password; only the owner is shown it.
    pub reset_requested: Option<Timestamp>,
    /// How many sessions they have; only the owner is shown it.
    pub session_count: Option<usize>,
}

/// A workspace a person is in, and what they are there.
#[derive(Debug, Clone)]
pub struct PersonWorkspace {
    pub id: WorkspaceId,
    pub name: String,
    pub role: RoleId,
    pub role_name: String,
}

/// How a caller names a person who has an account.
#[derive(Debug, Clone)]
pub enum PersonSelector {
    ById(UserId),
    /// For those whose id one need not know.
    ByEmail(Email),
}

impl PersonSelector {
    /// The answer where nobody is named like this, or nobody whom the caller may see.
    #[must_use]
    pub fn not_found(&self) -> Error {
        match self {
            Self::ById(id) => id.not_found(),
            Self::ByEmail(email) => Error::no_such("Person", email.as_str()),
        }
    }
}
