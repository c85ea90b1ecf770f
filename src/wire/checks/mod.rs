//! Behaviour checks of flows.

pub(crate) mod checks;
pub(crate) mod kept;
pub(crate) mod setup;
