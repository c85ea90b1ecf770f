//! Memories: components that know the earlier messages.

pub(crate) mod agent_memory;
pub(crate) mod buffer;
pub(crate) mod buffer_window;
pub(crate) mod conversation_summary;
pub(crate) mod conversation_summary_buffer;
pub(crate) mod dynamo_db;
pub(crate) mod redis;
mod stored_messages;
pub(crate) mod summarizer;
pub(crate) mod upstash;
pub(crate) mod zep;
