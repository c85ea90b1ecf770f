//! Accounts, sign-ins, members and API keys.

pub(crate) mod invitations;
pub(crate) mod keys;
pub(crate) mod links;
pub(crate) mod members;
pub(crate) mod membership;
pub mod owner;
pub(crate) mod password_resets;
pub(crate) mod people;
pub(crate) mod profile;
pub(crate) mod roles;
pub(crate) mod sessions;
pub(crate) mod sign_in;
