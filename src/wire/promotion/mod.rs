//! Promotion of versions from Dev (manual 20).

pub(crate) mod incoming;
pub(crate) mod promote;
