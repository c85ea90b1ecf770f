//! Document stores, their vectors, and upserts into vector stores, on the wire (manual 10).

pub(crate) mod chunks;
pub(crate) mod loaders;
pub(crate) mod store_upserts;
pub(crate) mod stores;
pub(crate) mod upserts;
pub(crate) mod vectors;
