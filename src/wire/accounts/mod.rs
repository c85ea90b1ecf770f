//! People, their sign-ins, roles, links and API keys on the wire.

pub(crate) mod api_keys;
pub(crate) mod invitations;
pub(crate) mod links;
pub(crate) mod members;
pub(crate) mod messages;
pub(crate) mod organization;
pub(crate) mod people;
pub(crate) mod permissions;
pub(crate) mod profile;
pub(crate) mod registration;
pub(crate) mod roles;
pub(crate) mod sessions;
pub(crate) mod sign_in;
pub(crate) mod user_summary;
