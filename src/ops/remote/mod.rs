//! The repository at a git host: copying the versions of every workspace there, or reading them (manual 19).

pub(crate) mod connect;
pub(crate) mod push;
pub(crate) mod repositories;
pub(crate) mod status;
