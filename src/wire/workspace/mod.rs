//! What a workspace holds beside flows, on the wire.

pub(crate) mod assistants;
pub(crate) mod audit;
pub(crate) mod coverage;
pub(crate) mod credential_types;
pub(crate) mod credentials;
pub(crate) mod executions;
pub(crate) mod export;
pub(crate) mod import;
pub(crate) mod oauth2;
pub(crate) mod quota;
pub(crate) mod templates;
pub(crate) mod tool_servers;
pub(crate) mod tools;
pub(crate) mod transcripts;
pub(crate) mod variables;
pub(crate) mod workspaces;
