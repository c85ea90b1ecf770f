//! Conversations, what is said in them, and the files of them (manual 7).

pub mod conversation;
pub mod conversation_name;
pub mod feedback;
pub mod file;
pub mod file_link;
pub mod lead;
pub mod uploads;
