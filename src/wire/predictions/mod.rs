//! Questions and answers (manual 2.1, 2.6), and documents that are read ahead of a question (manual 4.3).

pub mod abort;
pub mod answer;
pub mod attachments;
pub mod consumption;
pub mod executions;
pub mod harnesses;
pub mod human_input;
pub mod openai;
pub mod question;
pub mod run_events;
pub mod run_facts;
