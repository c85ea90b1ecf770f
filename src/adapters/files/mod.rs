//! What lies on disk beside the database: the server's own secrets and the files of flows and conversations.

pub mod chat_files;
pub mod copy;
pub mod databases;
pub mod document_folders;
pub mod flow_files;
pub mod integrity;
pub mod pipeline_files;
pub mod removals;
pub mod secrets;
mod vault;

pub use vault::{DecryptError, Vault};
