//! What a run shows while it runs (manual 2.8).

use super::execution::{ExecutionEntry, ExecutionState, StepStatus};
use super::reasoning::AgentReasoning;
use super::team::TeamEvent;
use serde_json::{Map, Value};
use std::sync::Arc;

/// Something that happened in a run. What follows a step's end comes in the order of the record, whichever step ended first.
#[derive(Debug, Clone, Copy)]
pub enum RunEvent<'a> {
    /// Where the run stands.
    State(ExecutionState),
    /// A step began.
    Begin(StepLabel<'a>),
    /// A step ended.
    End { step: StepLabel<'a>, status: StepStatus, error: Option<&'a str> },
    /// All entries of the record so far.
    Entries(&'a [Arc<ExecutionEntry>]),
    /// The tools that a model of a last step called.
    CalledTools(&'a Value),
    /// The tokens that a model of a last step used.
    Usage(&'a Value),
    /// Pictures that a last step made.
    Artifacts(&'a Value),
    /// Other files that a last step made.
    FileAnnotations(&'a Value),
    /// What the members of a team did so far.
    Reasoning(&'a [AgentReasoning]),
    /// The name of the member whose turn comes.
    NextAgent(&'a str),
    /// All that follows is the answer.
    AnswerBegins,
    /// What a person is asked to decide.
    Action(&'a Map<String, Value>),
    /// What a team does on the way to its answer.
    Team(TeamEvent<'a>),
}

/// What a card of a chatflow did once (manual 2.11).
#[derive(Debug, Clone, PartialEq)]
pub struct CardReport {
    pub status: StepStatus,
    /// As the entry of a step has it: what it worked with, what it made, what it failed with.
    pub data: Map<String, Value>,
}

/// Which step it was.
#[derive(Debug, Clone, Copy)]
pub struct StepLabel<'a> {
    pub node: &'a str,
    pub label: &'a str,
}
