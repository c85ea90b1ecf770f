//! Other flows of the workspace.

use crate::domain::error::Result;
use crate::domain::ids::FlowId;
use crate::domain::predictions::prediction::RunOutput;
use serde_json::{Map, Value};

pub trait Flows: Send + Sync {
    /// Asks another flow of the flow's workspace and waits for its answer. The tokens it used count as this run's.
    ///
    /// # Errors
    /// Why there is none: no such flow in this workspace, a circle of flows that wait for one another, or what it
    /// failed with.
    fn ask_flow(&self, call: &FlowCall<'_>) -> Result<RunOutput>;
}

/// A call of one flow by another.
#[derive(Debug, Clone, Copy)]
pub struct FlowCall<'a> {
    pub flow: &'a FlowId,
    pub question: &'a str,
    /// What it is to run with, as far as its owner allows.
    pub overrides: &'a Map<String, Value>,
    /// It remembers nothing of what it was asked before in this conversation.
    pub afresh: bool,
    /// The value of an API key, for a flow that is bound to one.
    pub key: Option<&'a str>,
    /// How many iterations stand around what asks; whoever runs the steps of an agentflow adds them.
    pub iterations: usize,
}
