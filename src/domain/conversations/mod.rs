//! Conversations, their messages, and their files (manual 7).

pub mod conversation;
pub(crate) mod conversation_name;
pub(crate) mod feedback;
pub(crate) mod file;
pub(crate) mod file_link;
pub(crate) mod lead;
pub mod receipt;
pub mod uploads;
