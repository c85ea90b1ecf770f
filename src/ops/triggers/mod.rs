//! What starts a flow besides a question (manual 17).

pub mod mcp;
pub mod schedules;
pub mod webhooks;
