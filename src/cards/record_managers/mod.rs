//! Record managers: components that remember which chunks are in a store.

pub(crate) mod mysql;
pub(crate) mod postgres;
pub(crate) mod sqlite;
