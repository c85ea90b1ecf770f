//! Pipelines: flows that bring documents into stores (manual 10.12).

pub mod run;
pub mod target;
