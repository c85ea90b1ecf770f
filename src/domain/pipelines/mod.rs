//! Pipelines: flows that bring documents into stores (manual 21).

pub(crate) mod run;
