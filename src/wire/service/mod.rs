//! The service and its cards, on the wire.

pub mod cards;
pub mod operator;
pub mod status;
