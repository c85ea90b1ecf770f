//! People, their sign-ins, roles, links and API keys on the wire.

pub mod api_keys;
pub mod invitations;
pub mod links;
pub mod members;
pub mod messages;
pub mod organization;
pub mod people;
pub mod permissions;
pub mod profile;
pub mod registration;
pub mod roles;
pub mod sessions;
pub mod sign_in;
mod user_summary;
