//! Questions and answers (manual 2.1, 2.6), and documents that are read ahead of a question (manual 4.3).

pub(crate) mod abort;
pub(crate) mod answer;
pub(crate) mod attachments;
pub(crate) mod consumption;
pub(crate) mod executions;
pub(crate) mod harnesses;
pub(crate) mod human_input;
pub(crate) mod openai;
pub(crate) mod question;
pub(crate) mod run_events;
pub(crate) mod run_facts;
