//! Components that keep chunks, records and messages.

pub mod collection_store;
pub mod collections;
pub mod databases;
pub(in crate::cards) mod mysql;
pub(in crate::cards) mod postgres;
pub mod records;
pub(in crate::cards) mod redis;
pub(in crate::cards) mod redis_commands;
pub(in crate::cards) mod remote;
pub mod store_inputs;
pub(in crate::cards) mod upstash;
