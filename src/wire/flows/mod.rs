//! Flows, their drafts and versions, on the wire.

pub mod chat_page;
pub mod drafts;
pub mod problems;
pub mod publish;
pub mod records;
pub mod usage;
pub mod version_answers;
pub mod versions;
