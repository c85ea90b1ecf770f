//! Workspaces and what they hold beside flows.

pub(crate) mod assistants;
pub(crate) mod audit;
pub(crate) mod credential_destinations;
pub(crate) mod credentials;
pub(crate) mod oauth2;
pub(in crate::ops) mod offered_tools;
pub(in crate::ops) mod quota;
pub(crate) mod templates;
pub(crate) mod tool_servers;
pub(crate) mod tools;
pub(crate) mod transfer;
pub(crate) mod variables;
pub(crate) mod workspaces;
