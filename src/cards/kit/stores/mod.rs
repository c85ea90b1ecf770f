//! Components that keep chunks, records and messages.

mod chunk_sender;
pub(crate) mod chunk_source;
pub mod collection_store;
pub(crate) mod collections;
pub mod databases;
pub mod known_rows;
pub(crate) mod mysql;
pub(crate) mod postgres;
pub(crate) mod records;
pub(crate) mod redis;
pub(crate) mod redis_commands;
pub(crate) mod remote;
pub(crate) mod row_spool;
mod row_writer;
pub mod store_inputs;
pub(crate) mod upstash;
mod waiting_chunks;
