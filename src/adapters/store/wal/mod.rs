//! The write-ahead log: what is durable before the database is.

pub(crate) mod log;
pub(crate) mod memtable;
pub(crate) mod redo;
pub(crate) mod segment;
