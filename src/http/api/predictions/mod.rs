//! Asking a flow.

pub mod attachments;
pub mod prediction;
