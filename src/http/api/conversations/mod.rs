//! Messages, feedback, leads and files of conversations.

pub(crate) mod conversation_access;
pub(crate) mod feedback;
pub(crate) mod files;
pub(crate) mod leads;
pub(crate) mod messages;
