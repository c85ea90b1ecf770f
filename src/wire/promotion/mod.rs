//! Promotion of versions from Dev (manual 20).

pub mod incoming;
pub mod promote;
