//! Behaviour checks of flows.

pub(crate) mod check;
pub(crate) mod kept;
pub(crate) mod setup;
