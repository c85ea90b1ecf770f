//! Messages, feedback, leads, and the files and chunks of conversations.

pub mod chunks;
pub mod expiry;
pub(crate) mod feedback;
pub mod files;
pub(crate) mod leads;
pub(crate) mod messages;
pub(crate) mod named_sessions;
pub(crate) mod public_writes;
