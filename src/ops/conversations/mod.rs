//! Messages, feedback, leads, and the files and chunks of conversations.

pub mod chunks;
pub mod feedback;
pub mod files;
pub mod leads;
pub mod messages;
pub mod named_sessions;
pub mod public_writes;
