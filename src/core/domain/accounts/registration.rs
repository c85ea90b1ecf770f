//! How accounts begin: the first owner's, and those of people who were invited (manual 8.1, 8.4). What holds a password has
//! no `Debug`.

use super::user::{Organization, User, Workspace};

/// Who becomes the owner.
pub struct NewOwner {
    pub name: String,
    /// Address to sign in with.
    pub email: String,
    pub password: String,
}

/// The registration of the first owner.
pub struct OwnerRegistration {
    pub owner: NewOwner,
    /// What the organization is to be called.
    pub organization: Option<String>,
    /// What the service printed when it started.
    pub setup_token: Option<String>,
}

/// The registration of somebody who was invited.
pub struct InvitedRegistration {
    /// The token of the invitation.
    pub token: String,
    pub name: String,
    /// Which address they think was invited.
    pub email: Option<String>,
    pub password: String,
}

/// Who registers.
pub enum Registration {
    Owner(OwnerRegistration),
    Invited(InvitedRegistration),
}

/// An account that was just made, and where it begins.
#[derive(Debug, Clone)]
pub struct NewAccount {
    pub user: User,
    pub organization: Organization,
    pub workspace: Workspace,
}
