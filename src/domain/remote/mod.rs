//! The repository at a git host that a server copies its versions to, or reads them from (manual 19).

pub mod environment;
