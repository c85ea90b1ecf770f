//! What lies on disk beside the database: the server's own secrets and the files of flows and conversations.

pub mod chat_files;
pub(crate) mod copy;
pub(crate) mod databases;
pub(crate) mod document_folders;
pub mod flow_files;
pub(crate) mod integrity;
pub(crate) mod pipeline_files;
pub(crate) mod removals;
pub(crate) mod secrets;
mod vault;

pub use vault::{DecryptError, Vault};
