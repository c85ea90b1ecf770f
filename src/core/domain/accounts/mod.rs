//! People, their roles, sign-ins, links and API keys (manual 8).

pub mod account;
pub mod api_key;
pub mod caller;
pub mod current_user;
pub mod link;
pub mod member;
pub mod password;
pub mod person;
pub mod registration;
pub mod role;
pub mod session;
pub mod token;
pub mod user;
