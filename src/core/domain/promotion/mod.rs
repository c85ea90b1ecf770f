//! A version of Dev on its way to Live here (manual 20): what is offered, what its owner is shown, and what stands against it.

pub mod digest;
pub mod entry;
pub mod rules;
pub mod warning;
