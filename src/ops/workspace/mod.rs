//! Workspaces and what they hold beside flows.

pub mod audit;
pub mod credential_destinations;
pub mod credentials;
pub mod oauth2;
pub mod templates;
pub mod tools;
pub mod transfer;
pub mod variables;
pub mod workspaces;
