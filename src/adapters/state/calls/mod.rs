//! Calls from outside that are under way.

pub mod active;
pub mod running;
