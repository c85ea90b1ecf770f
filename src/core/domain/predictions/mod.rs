//! What is asked of a flow and what it answers (manual 2).

pub mod answer;
pub mod answer_time;
pub mod attachment;
pub mod consumption;
pub mod execution;
pub mod human_input;
pub mod model_prices;
pub mod prediction;
pub mod reasoning;
pub mod run_event;
pub mod team;
