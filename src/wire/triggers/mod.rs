//! What starts a flow besides a question.

pub(crate) mod mcp;
pub(crate) mod schedules;
pub(crate) mod webhooks;
