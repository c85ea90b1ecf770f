//! Components that keep chunks, records and messages.

mod chunk_sender;
pub(crate) mod chunk_source;
pub(crate) mod collection_store;
pub(crate) mod collections;
pub(crate) mod databases;
pub(crate) mod known_rows;
pub(in crate::cards) mod mysql;
pub(in crate::cards) mod postgres;
pub(crate) mod records;
pub(in crate::cards) mod redis;
pub(in crate::cards) mod redis_commands;
pub(in crate::cards) mod remote;
pub(crate) mod row_spool;
mod row_writer;
pub(crate) mod store_inputs;
pub(in crate::cards) mod upstash;
mod waiting_chunks;
