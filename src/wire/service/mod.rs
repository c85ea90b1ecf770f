//! The service and its cards, on the wire.

pub mod cards;
pub(crate) mod operator;
pub(crate) mod status;
