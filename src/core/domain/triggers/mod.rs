//! What starts a flow besides a question (manual 17).

pub mod mcp_server;
pub mod mcp_tool;
pub mod schedule;
pub mod webhook_answer;
pub mod webhook_call;
pub mod webhook_callback;
pub mod webhook_rules;
pub mod webhook_signature;
