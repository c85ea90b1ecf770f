//! Calls from outside that are under way.

pub(crate) mod active;
pub(crate) mod running;
