//! Asking a flow.

pub mod attachments;
pub mod executions;
pub mod prediction;
pub mod question;
pub(super) mod run_events;
