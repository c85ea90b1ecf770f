//! What is asked of a flow and what it answers (manual 2).

pub mod answer;
pub mod attachment;
pub mod execution;
pub mod human_input;
pub mod prediction;
pub mod run_event;
