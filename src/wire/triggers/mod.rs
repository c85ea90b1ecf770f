//! What starts a flow besides a question.

pub mod mcp;
pub mod schedules;
pub mod webhooks;
