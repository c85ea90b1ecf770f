//! Document stores, vectors, and upserts into them.

pub mod collections;
pub(crate) mod progress;
pub(crate) mod stores;
pub(crate) mod upsert;
pub(crate) mod vectors;
