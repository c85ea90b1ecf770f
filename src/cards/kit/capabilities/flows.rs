//! Other flows of the workspace.

use crate::base::cancel::CancelToken;
use crate::domain::error::Result;
use crate::domain::flows::harness_name::HarnessName;
use crate::domain::ids::FlowId;
use crate::domain::predictions::prediction::RunOutput;
use crate::kit::models::token_sink::TokenSink;
use serde_json::{Map, Value};

pub trait Flows: Send + Sync {
    /// Asks another flow of the flow's workspace and waits for its answer, which goes to `sink` as it comes. The tokens it used
    /// count as this run's.
    ///
    /// # Errors
    /// Why there is none: no such flow in this workspace, a circle of flows that wait for one another, or what it
    /// failed with.
    fn ask_flow(&self, call: &FlowCall<'_>, sink: &mut dyn TokenSink) -> Result<RunOutput>;
}

/// A call of one flow by another.
#[derive(Clone, Copy)]
pub struct FlowCall<'a> {
    pub flow: AskedFlow<'a>,
    pub question: &'a str,
    /// What it is to run with, as far as its owner allows.
    pub overrides: &'a Map<String, Value>,
    /// It remembers nothing of what it was asked before in this conversation.
    pub afresh: bool,
    /// The value of an API key, for a flow that is bound to one.
    pub key: Option<&'a str>,
    /// How many iterations stand around what asks; whoever runs the steps of an agentflow adds them.
    pub iterations: usize,
    /// Ends it earlier than the asking run.
    pub cancel: Option<&'a CancelToken>,
}

/// Which flow is asked.
#[derive(Debug, Clone, Copy)]
pub enum AskedFlow<'a> {
    Id(&'a FlowId),
    /// A harness, for the owner of the asking flow: a key that it is bound to is for callers from outside.
    Harness(&'a HarnessName),
}
