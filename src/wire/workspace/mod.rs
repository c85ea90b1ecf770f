//! What a workspace holds beside flows, on the wire.

pub mod assistants;
pub mod audit;
pub mod coverage;
pub mod credential_types;
pub mod credentials;
pub mod executions;
pub mod export;
pub mod import;
pub mod oauth2;
pub mod quota;
pub mod templates;
pub mod tool_servers;
pub mod tools;
pub mod transcripts;
pub mod variables;
pub mod workspaces;
