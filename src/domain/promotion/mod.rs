//! A version of Dev on its way to Live here (manual 20): what is offered, what its owner is shown, and what stands against it.

pub(crate) mod digest;
pub(crate) mod entry;
pub(crate) mod rules;
pub(crate) mod warning;
