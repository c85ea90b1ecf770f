//! What starts a flow besides a question.

pub mod schedules;
pub mod webhook_answers;
pub mod webhook_listeners;
pub mod webhook_secrets;
pub mod webhooks;
