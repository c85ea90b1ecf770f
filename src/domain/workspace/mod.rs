//! What a workspace holds beside flows: credentials, variables, tools, templates, its audit (manual 7).

pub mod assistant;
pub(crate) mod audit;
pub mod credential;
pub(crate) mod credential_types;
pub(crate) mod import;
pub(crate) mod oauth2;
pub mod quota;
pub(crate) mod template;
pub(crate) mod tool;
pub(crate) mod tool_server;
pub(crate) mod variable;
pub(crate) mod workspace_overview;
