//! Tools: parts a model can call.

pub mod calculator;
pub mod current_date_time;
pub mod custom_tool;
