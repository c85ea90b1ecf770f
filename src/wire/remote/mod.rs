//! The copy of versions at a git host.

pub(crate) mod connect;
pub(crate) mod environment;
pub(crate) mod repositories;
pub(crate) mod status;
