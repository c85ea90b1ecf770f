//! Pipelines of the workspace.

use crate::domain::error::Result;
use crate::domain::ids::{FlowId, PipelineRunId};
use serde_json::{Map, Value};

/// What a run of a pipeline came to, or how far it is.
#[derive(Debug, Clone)]
pub struct PipelineReport {
    pub run: PipelineRunId,
    /// All of it in words.
    pub summary: String,
    pub has_failed: bool,
    /// Documents that sources brought.
    pub read: u64,
    /// Documents that targets took.
    pub written: u64,
}

pub trait Pipelines: Send + Sync {
    /// Starts a run of a pipeline of the flow's workspace, and waits for its end, but not for long. It goes on when whoever
    /// started it ends.
    ///
    /// # Errors
    /// Why there is none: no such pipeline in this workspace, a param that it does not declare, or a run that is under way.
    fn run_pipeline(&self, flow: &FlowId, params: &Map<String, Value>) -> Result<PipelineReport>;
}
