//! Pipelines: documents of sources pass transforms on their way into targets (manual 10.12).

mod params;
mod pending;
mod picked;
mod plan;
mod run;
mod targets;
mod webhook;

pub(crate) use self::plan::PipelinePlan;
pub(crate) use self::run::{Batch, BatchRecorder, RunLimits, run};
pub(crate) use self::targets::{TargetCard, filled_stores};
pub(crate) use self::webhook::webhook_of;
