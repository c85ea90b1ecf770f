//! Pipelines: documents of sources pass transforms on their way into targets (manual 10.12).

mod params;
mod plan;
mod run;

pub(crate) use self::plan::PipelinePlan;
pub(crate) use self::run::{Batch, BatchRecorder, RunLimits, run};
