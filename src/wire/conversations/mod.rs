//! Stored conversations, their ratings, and visitors who left their names, on the wire.

pub mod feedback;
pub mod leads;
pub mod messages;
pub mod summaries;
