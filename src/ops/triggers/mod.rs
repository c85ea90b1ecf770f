//! What starts a flow besides a question (manual 17).

pub mod schedules;
pub mod webhooks;
