//! Reading and writing the records of one kind each.

pub mod audit;
pub mod chunk_records;
pub mod chunks;
pub mod collections;
pub mod executions;
pub mod feedback;
pub mod leads;
pub mod messages;
pub mod timeline;
pub mod trigger_log;
pub mod version_index;
pub mod webhooks;
