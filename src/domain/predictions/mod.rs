//! What is asked of a flow and what it answers (manual 2).

pub mod answer;
pub mod attachment;
pub mod prediction;
