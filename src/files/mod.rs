//! What lies on disk beside the database: the server's own secrets and the files of flows.

pub mod flow_files;
pub mod secrets;
mod vault;

pub use vault::{Unopened, Vault};
