//! Accounts, sign-ins, members and API keys.

pub mod invitations;
pub mod keys;
pub mod links;
pub mod members;
pub mod membership;
pub mod owner;
pub mod password_resets;
pub mod people;
pub mod profile;
pub mod roles;
pub mod sessions;
pub mod sign_in;
