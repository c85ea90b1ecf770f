//! Asking a flow.

pub(crate) mod attachments;
mod card_events;
pub(crate) mod consumption;
pub(crate) mod executions;
pub(crate) mod harnesses;
pub(crate) mod openai;
pub(in crate::http::api) mod pipeline_answer;
pub(crate) mod prediction;
pub(crate) mod question;
pub(super) mod run_events;
