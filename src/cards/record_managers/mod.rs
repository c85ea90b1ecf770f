//! Record managers: components that remember which chunks are in a store.

pub mod mysql;
pub mod postgres;
pub mod sqlite;
