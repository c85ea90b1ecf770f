//! Flows, their drafts and versions, on the wire.

pub(crate) mod chat_page;
pub(crate) mod drafts;
pub(crate) mod problems;
pub(crate) mod publish;
pub(crate) mod records;
pub(crate) mod usage;
pub(crate) mod version_answers;
pub(crate) mod versions;
