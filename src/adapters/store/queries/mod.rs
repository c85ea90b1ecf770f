//! Reading and writing the records of one kind each.

pub mod answers;
pub mod audit;
pub mod chunk_records;
pub mod chunks;
pub mod collections;
pub mod consumption;
mod counts;
pub mod executions;
pub mod feedback;
pub(in crate::store) mod index_writer;
pub mod leads;
pub mod messages;
pub mod pipelines;
pub mod timeline;
pub mod trigger_log;
pub mod version_index;
pub mod webhooks;
