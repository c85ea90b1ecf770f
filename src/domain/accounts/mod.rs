//! People, their roles, sign-ins, links and API keys (manual 8).

pub mod api_key;
pub mod caller;
pub mod link;
pub mod password;
pub mod role;
pub mod session;
pub mod token;
pub mod user;
