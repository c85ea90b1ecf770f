//! The repository at a git host that a server copies its versions to, or reads them from (manual 19).

pub mod connection;
pub mod copy_state;
pub mod environment;
pub mod git_host;
pub mod repository;
pub mod status;
pub mod token;
