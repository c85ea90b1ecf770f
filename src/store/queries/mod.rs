//! Reading and writing the records of one kind each.

pub(crate) mod answers;
pub(crate) mod audit;
pub(crate) mod chunk_records;
pub(crate) mod chunks;
pub mod collections;
pub(crate) mod consumption;
mod counts;
pub(crate) mod executions;
pub(crate) mod feedback;
pub(in crate::store) mod index_writer;
pub(crate) mod leads;
pub mod messages;
pub(crate) mod pipelines;
pub(crate) mod timeline;
pub(crate) mod trigger_log;
pub(crate) mod version_index;
pub(crate) mod webhooks;
