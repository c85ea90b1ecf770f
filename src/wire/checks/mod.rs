//! Behaviour checks of flows.

pub mod check;
pub mod kept;
pub mod setup;
