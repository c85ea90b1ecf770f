//! The copy of versions at a git host.

pub mod connect;
pub mod environment;
pub mod repositories;
pub mod status;
