//! Flows of steps, run through the API as their callers do (manual 2.8, 15, 16).

mod answers;
mod approvals;
mod asked;
mod branches;
mod calls;
mod drawings;
mod failures;
pub mod human_input;
mod iterations;
mod kept;
mod loops;
mod memory;
pub mod models;
mod nested;
mod overrides;
mod pauses_beside;
mod records;
mod runs;
mod shapes;
mod starts;
pub mod steps;
mod stops;
mod values;
