//! Record managers: parts that remember which passages are in a store.

pub mod mysql;
pub mod postgres;
pub mod sqlite;
