//! What starts a flow besides a question.

pub mod schedules;
pub mod webhooks;
