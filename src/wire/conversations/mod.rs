//! Stored conversations, their ratings, and visitors who left their names, on the wire.

pub(crate) mod feedback;
pub(crate) mod leads;
pub(crate) mod messages;
pub(crate) mod summaries;
