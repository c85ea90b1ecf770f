//! Document stores, vectors, and upserts into them.

pub mod collections;
pub mod progress;
pub mod stores;
pub mod upsert;
pub mod vectors;
