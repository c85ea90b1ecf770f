//! What starts a flow besides a question (manual 17).

pub mod mcp_server;
pub mod mcp_tool;
pub(crate) mod schedule;
pub(crate) mod webhook_answer;
pub(crate) mod webhook_call;
pub(crate) mod webhook_callback;
pub(crate) mod webhook_rules;
pub mod webhook_signature;
