//! What a workspace holds beside flows: credentials, variables, tools, templates, its audit (manual 7).

pub mod assistant;
pub mod audit;
pub mod credential;
pub mod credential_types;
pub mod import;
pub mod oauth2;
pub mod quota;
pub mod template;
pub mod tool;
pub mod tool_server;
pub mod variable;
pub mod workspace_overview;
