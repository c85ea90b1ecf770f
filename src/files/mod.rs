//! What lies on disk beside the database: the server's own secrets and the files of flows and conversations.

pub mod chat_files;
pub mod databases;
pub mod document_folders;
pub mod flow_files;
#[cfg_attr(not(unix), path = "folder_elsewhere.rs")]
mod folder;
pub mod secrets;
mod vault;

pub use vault::{Unopened, Vault};
