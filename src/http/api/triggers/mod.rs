//! What starts a flow besides a question.

pub(crate) mod mcp;
pub(crate) mod mcp_servers;
mod pipeline_webhooks;
pub(crate) mod schedules;
pub(crate) mod webhook_answers;
pub(crate) mod webhook_listeners;
pub(crate) mod webhook_secrets;
pub(crate) mod webhooks;
