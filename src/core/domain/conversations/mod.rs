//! Conversations, their messages, and their files (manual 7).

pub mod conversation;
pub mod conversation_name;
pub mod feedback;
pub mod file;
pub mod file_link;
pub mod lead;
pub mod receipt;
pub mod uploads;
