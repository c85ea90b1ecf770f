//! People, their roles, sign-ins, links and API keys (manual 8).

pub(crate) mod account;
pub mod api_key;
pub mod caller;
pub(crate) mod current_user;
pub(crate) mod link;
pub(crate) mod member;
pub(crate) mod password;
pub(crate) mod person;
pub mod registration;
pub mod role;
pub mod session;
pub mod token;
pub mod user;
