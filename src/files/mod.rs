//! What lies on disk beside the database: the server's own secrets.

pub mod secrets;
mod vault;

pub use vault::{Unopened, Vault};
