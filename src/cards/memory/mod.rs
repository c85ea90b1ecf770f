//! Memories: components that know the earlier messages.

pub mod buffer;
pub mod buffer_window;
pub mod conversation_summary;
pub mod conversation_summary_buffer;
pub mod redis;
mod stored_messages;
pub mod summarizer;
pub mod upstash;
