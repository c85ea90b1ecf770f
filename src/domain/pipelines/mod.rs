//! Pipelines: flows that bring documents into stores (manual 10.12).

pub(crate) mod run;
pub(crate) mod target;
