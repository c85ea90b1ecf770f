//! Messages, feedback, leads and files of conversations.

pub(crate) mod conversation_access;
pub mod feedback;
pub mod files;
pub mod leads;
pub mod messages;
