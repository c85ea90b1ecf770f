//! Document stores, their vectors, and upserts into vector stores, on the wire (manual 10).

pub mod chunks;
pub mod loaders;
pub mod store_upserts;
pub mod stores;
pub mod upserts;
pub mod vectors;
